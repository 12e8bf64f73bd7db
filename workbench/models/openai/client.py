"""The HTTP client of one endpoint, made with its first call. Source: docs/models.md 8."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from workbench.models.errors import ABORTED, NO_ADAPTER, ModelError
from workbench.models.openai.credentials import Key, find_key
from workbench.models.openai.settings import OpenAISettings

if TYPE_CHECKING:
    import httpx

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
"""Hosts that are never asked through a proxy of the environment."""


class Client:
    """Connections of one endpoint. Importing, certificates and keyring block, and so stay off the loop."""

    def __init__(self, settings: OpenAISettings, options: dict[str, Any] | None = None) -> None:
        """`options` go to `httpx.AsyncClient`."""
        self._settings = settings
        self._options = options or {}
        self._client: httpx.AsyncClient | None = None
        self._making = asyncio.Lock()
        self.is_closed = False

    async def get(self) -> httpx.AsyncClient:
        """The client. Raises `ABORTED` after `aclose`, `NO_ADAPTER` where the library is not installed."""
        async with self._making:
            if self._client is None and not self.is_closed:
                self._client = await asyncio.to_thread(_make, self._settings, self._options)
            client = self._client
        if client is None or self.is_closed:
            raise ModelError(ABORTED, f"provider {self._settings.name!r} was stopped")
        return client

    async def key(self) -> Key | None:
        """The key as it is now; it may change while the process runs. Raises `MISSING_CREDENTIAL`."""
        if self._settings.keyring_service is None:
            return find_key(self._settings)
        return await asyncio.to_thread(find_key, self._settings)

    async def aclose(self) -> None:
        """Close every connection. A call that still reads ends with an error."""
        self.is_closed = True
        async with self._making:
            client, self._client = self._client, None
        if client is not None:
            await client.aclose()


def _make(settings: OpenAISettings, options: dict[str, Any]) -> httpx.AsyncClient:
    try:
        import httpx
        import httpx_sse  # noqa: F401 - streams need it, and its import blocks too
    except ImportError:
        raise ModelError(
            NO_ADAPTER, f"provider {settings.name!r} needs prompt-workbench[http]: install it"
        ) from None
    idle = settings.stream_idle_timeout_s
    return httpx.AsyncClient(
        **{
            "timeout": httpx.Timeout(connect=settings.connect_timeout_s, read=idle, write=idle, pool=None),
            "limits": httpx.Limits(max_connections=None, max_keepalive_connections=8),
            "mounts": {f"all://{host}": None for host in LOOPBACK},
            **options,
        }
    )
