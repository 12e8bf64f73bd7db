"""Keys: found, sent, and shown to nobody."""

from __future__ import annotations

import asyncio
import logging
import pickle
import sys
import traceback
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import workbench.models
from tests.models.openai.conftest import Ask
from tests.support.model_calls import chunks_of
from tests.support.model_server import CUT, Answer, error_answer, stream_answer, text_answer
from workbench.models import ModelError
from workbench.models.openai import OpenAIProvider, OpenAISettings
from workbench.models.openai.credentials import Key, find_key

KEY = "sk-very-secret-0123456789"
VARIABLE = "MODEL_TEST_KEY"
PACKAGE = str(Path(workbench.models.__file__).parent)


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, f" {KEY}\n")


@pytest.mark.usefixtures("key")
async def test_the_key_is_sent_and_read_anew_for_each_call(endpoint: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    ask = await endpoint(text_answer("a"), text_answer("b"), api_key_env=VARIABLE, headers={"X-Team": "blue"})
    await chunks_of(ask.provider)
    monkeypatch.setenv(VARIABLE, "another")
    await chunks_of(ask.provider)
    first, second = (request.headers for request in ask.server.requests)
    assert (first["authorization"], second["authorization"]) == (f"Bearer {KEY}", "Bearer another")
    assert first["x-team"] == "blue"


@pytest.mark.usefixtures("key")
@pytest.mark.parametrize(
    "answer",
    [
        error_answer(401, f"Incorrect API key provided: {KEY}."),
        Answer([f"unknown key {KEY}".encode()], 403),
        stream_answer([{"error": {"message": f"expired: {KEY}"}}]),
        Answer([b"data: {", CUT], headers={"Content-Type": "text/event-stream"}),
        Answer([CUT], framing="none"),
        text_answer("good"),
    ],
    ids=["json", "text", "stream", "broken stream", "broken head", "good"],
)
async def test_no_message_log_or_repr_shows_the_key(
    endpoint: Ask, answer: Answer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    ask = await endpoint(answer, api_key_env=VARIABLE)
    shown = ""
    [result] = await asyncio.gather(chunks_of(ask.provider), return_exceptions=True)
    if isinstance(result, ModelError):
        assert result.__cause__ is None
        assert result.__context__ is None
        shown = f"{result!r} {result.failure} {pickle.dumps(result)!r}"
        told = traceback.TracebackException.from_exception(result, capture_locals=True)
        # The test's own frames hold the answer that repeats the key.
        frames = [frame for frame in told.stack if frame.filename.startswith(PACKAGE)]
        assert frames
        shown += "".join(traceback.StackSummary.from_list(frames).format())
    shown += f"{ask.provider!r} {ask.provider.settings!r} {caplog.text} {[vars(each) for each in caplog.records]}"
    assert KEY not in shown
    assert ask.server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_a_key_cannot_be_written_down() -> None:
    hidden = Key(KEY)
    assert KEY not in f"{hidden} {hidden!r}"
    with pytest.raises(TypeError):
        pickle.dumps(hidden)


async def test_a_short_word_for_a_local_server_is_left_in_its_messages(
    endpoint: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "none")
    ask = await endpoint(error_answer(500, "there is none"), api_key_env=VARIABLE)
    with pytest.raises(ModelError, match="there is none"):
        await chunks_of(ask.provider)


def settings(**more: Any) -> OpenAISettings:
    return OpenAISettings("http://endpoint.invalid/v1", **more)


def message_of(wanted: OpenAISettings) -> str:
    with pytest.raises(ModelError) as caught:
        find_key(wanted)
    assert caught.value.code == "MISSING_CREDENTIAL"
    return caught.value.message


def test_a_missing_key_names_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert f"set the environment variable {VARIABLE}" in message_of(settings(api_key_env=VARIABLE))
    monkeypatch.setenv(VARIABLE, "  ")
    assert f"set the environment variable {VARIABLE}" in message_of(settings(api_key_env=VARIABLE))
    assert find_key(settings()) is None


@pytest.mark.parametrize("value", ["two words", "bad\x07", "schlüssel"])
def test_a_key_that_no_header_takes(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, value)
    message = message_of(settings(api_key_env=VARIABLE))
    assert "characters that no key has" in message
    assert value not in message


async def test_a_missing_key_is_found_before_anything_is_sent(endpoint: Ask) -> None:
    ask = await endpoint(api_key_env="MODEL_TEST_NO_SUCH_KEY")
    with pytest.raises(ModelError, match="MODEL_TEST_NO_SUCH_KEY"):
        await chunks_of(ask.provider)
    assert ask.server.connections == 0


# The keyring, which is not installed with the tests


def install_keyring(monkeypatch: pytest.MonkeyPatch, get_password: Any) -> None:
    monkeypatch.setitem(sys.modules, "keyring", SimpleNamespace(get_password=get_password))  # type: ignore[arg-type]


async def test_a_key_of_the_keyring(endpoint: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    stored = {("workbench", "me"): KEY}
    install_keyring(monkeypatch, lambda service, user: stored.get((service, user)))
    ask = await endpoint(text_answer("a"), keyring_service="workbench", keyring_user="me")
    await chunks_of(ask.provider)
    assert ask.server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    message = message_of(settings(api_key_env=VARIABLE, keyring_service="workbench"))
    assert f"{VARIABLE}, or store it in the keyring as 'workbench' of user 'api-key'" in message


@pytest.mark.usefixtures("key")
def test_the_variable_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    install_keyring(monkeypatch, lambda service, user: pytest.fail("the keyring was asked"))
    found = find_key(settings(api_key_env=VARIABLE, keyring_service="workbench"))
    assert found is not None
    assert found.header == f"Bearer {KEY}"


def test_a_keyring_that_fails_or_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(service: str, user: str) -> None:
        raise RuntimeError(f"locked: {KEY}")

    install_keyring(monkeypatch, locked)
    message = message_of(settings(keyring_service="workbench"))
    assert "did not give the key" in message
    assert KEY not in message
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert "install prompt-workbench[keyring]" in message_of(settings(keyring_service="workbench"))


def test_settings_are_no_place_for_keys() -> None:
    for url in (f"http://user:{KEY}@host/v1", f"http://host/v1?key={KEY}"):
        with pytest.raises(ValueError, match="no place for keys") as caught:
            OpenAISettings(url)
        assert KEY not in str(caught.value)
    with pytest.raises(ValueError, match="api_key") as unknown:
        OpenAISettings.from_data({"base_url": "http://host/v1", "api_key": KEY})
    assert KEY not in str(unknown.value)
    assert KEY not in repr(OpenAIProvider(settings(headers={"X-Key": KEY})).settings)
