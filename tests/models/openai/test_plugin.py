"""The plugin: registered while it runs; nothing is imported or opened before the first call."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from tests.support.model_calls import REQUEST, assembled, chunks_of
from tests.support.model_server import HANG, ModelServer, server_in_thread, text_answer
from workbench.core import Runtime
from workbench.models import CallConfig, ModelCall, ModelError, Models
from workbench.models.openai import OpenAIProvider, OpenAISettings, plugin


async def test_a_provider_lives_as_long_as_its_plugin() -> None:
    async with ModelServer([text_answer("hi"), text_answer("par", done=False).then(HANG)]) as server:
        async with Runtime() as runtime:
            root = runtime.root
            await root.plugin(Models)
            config = {"base_url": server.base_url, "name": "local", "context_windows": {"m1": 5, "*": 6}}
            fiber = root.plugin(plugin, {**config, "defaults": {"max_tokens": 9, "temperature": 0.5}})
            await fiber
            provider: Any = root.models.require("local")
            assert assembled(await chunks_of(provider)).content() == [{"type": "text", "text": "hi"}]
            assert (provider.context_window("m1"), provider.context_window("other")) == (5, 6)
            assert provider.defaults(CallConfig("local", "m", max_tokens=1)) == {"temperature": 0.5}
            stream = provider.stream(REQUEST, ModelCall("s", 1, 1))
            await anext(stream)
            await fiber.dispose()
            assert root.models.names() == ()
            with pytest.raises(ModelError, match="was stopped"):
                async for _ in stream:
                    pass
        await server.requests[1].closed.wait()


async def test_a_wrong_setting_keeps_the_plugin_from_loading() -> None:
    async with Runtime() as runtime:
        await runtime.root.plugin(Models)
        with pytest.raises(Exception, match="base_url"):
            await runtime.root.plugin(plugin, {"base_url": "nowhere"})
        assert runtime.root.models.names() == ()


async def test_no_proxy_is_asked_for_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    async with ModelServer([text_answer("hi")]) as server:
        provider = OpenAIProvider(OpenAISettings(server.base_url))
        await chunks_of(provider)
        await provider.aclose()


async def test_without_the_http_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    provider = OpenAIProvider(OpenAISettings("http://endpoint.invalid/v1"))
    with pytest.raises(ModelError, match=r"prompt-workbench\[http\]") as caught:
        await chunks_of(provider)
    assert caught.value.code == "NO_ADAPTER"


def test_the_http_library_is_imported_with_the_first_call() -> None:
    program = """
import sys, workbench.models.openai, workbench.models.replay, workbench.models.scripted
from workbench.models.openai import OpenAIProvider, OpenAISettings
OpenAIProvider(OpenAISettings("http://endpoint.invalid/v1"))
print(sorted({"httpx", "httpx_sse", "pydantic", "keyring"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_server_serves_tests_that_block() -> None:
    with server_in_thread([text_answer("hi")]) as server:
        program = f"""
import asyncio
from tests.support.model_calls import assembled, chunks_of
from workbench.models.openai import OpenAIProvider, OpenAISettings
async def main():
    provider = OpenAIProvider(OpenAISettings({server.base_url!r}))
    print(assembled(await chunks_of(provider)).content()[0]["text"])
    await provider.aclose()
asyncio.run(main())
"""
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "hi\n"
    assert len(server.requests) == 1
