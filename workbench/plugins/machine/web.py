"""The service `web`: pages of the web as text.

An address of this machine or of a private network is refused unless the composition allows it, and a page
is read from the very address that was judged.

Source: docs/tools.md 12.3.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
import ssl
from dataclasses import dataclass
from importlib import import_module
from typing import Any
from urllib.parse import urljoin, urlsplit

from workbench.plugins.machine.places import Refused

MAX_BYTES = 8 * 1024 * 1024
"""Of one page; the rest is not read."""
MAX_REDIRECTS = 5
SECONDS = 30.0
TEXTS = ("text/", "application/json", "application/xml", "application/xhtml", "+json", "+xml", "javascript")
_LEFT_OUT = ("script", "style", "noscript", "template", "svg", "iframe", "nav", "header", "footer", "aside", "form")


@dataclass(frozen=True, slots=True)
class Page:
    """One page that was read."""

    address: str
    """Where it was really read from."""
    title: str
    text: str
    """Its main text as Markdown; what is no HTML as it is."""
    is_cut: bool
    """The page was longer than what is read of one."""


class WebClient:
    """`ctx.web`. Sends no cookies and runs no scripts. Everything raises `Refused`."""

    def __init__(self, allows_private: bool = False) -> None:
        self.allows_private = allows_private
        self._trusted: ssl.SSLContext | None = None

    async def fetch(self, address: str) -> Page:
        """Read one page. Raises `Refused` for a refused address, and for any failure on the way."""
        try:
            httpx = await asyncio.to_thread(import_module, "httpx")
        except ImportError as error:
            raise Refused("NOT_INSTALLED", "reading pages needs the extra `web` of this package") from error
        try:
            async with asyncio.timeout(SECONDS):
                return await self._fetched(httpx, address)
        except TimeoutError as error:
            raise Refused("TIMEOUT", f"{address} did not answer within {SECONDS:g} seconds") from error
        except httpx.HTTPError as error:
            raise Refused("UNREACHABLE", f"{address}: {error or type(error).__name__}") from error

    async def _fetched(self, httpx: Any, address: str) -> Page:
        if self._trusted is None:  # reads the certificates of the system
            self._trusted = await asyncio.to_thread(ssl.create_default_context)
        for _ in range(MAX_REDIRECTS + 1):
            host, target = await self._judged(httpx, address)
            headers = {"Host": host, "User-Agent": "prompt-workbench", "Accept": "text/html, text/*, */*;q=0.5"}
            extensions = {"sni_hostname": urlsplit(address).hostname or ""}
            async with (
                httpx.AsyncClient(timeout=SECONDS, trust_env=False, verify=self._trusted) as client,
                client.stream("GET", target, headers=headers, extensions=extensions) as answer,
            ):
                if answer.is_redirect:
                    address = urljoin(address, answer.headers.get("location", ""))
                    continue
                if answer.status_code >= 400:
                    raise Refused("HTTP_ERROR", f"{address} answered {answer.status_code} {answer.reason_phrase}")
                kind = answer.headers.get("content-type", "text/plain").lower()
                if not any(each in kind for each in TEXTS):
                    raise Refused("NOT_TEXT", f"{address} is no text, but {kind}")
                raw, is_cut = await _read(answer)
                encoding = answer.charset_encoding or "utf-8"
            return await asyncio.to_thread(_page, address, raw, encoding, "html" in kind, is_cut)
        raise Refused("TOO_MANY_REDIRECTS", f"{address}: more than {MAX_REDIRECTS} redirections")

    async def _judged(self, httpx: Any, address: str) -> tuple[str, str]:
        """The host of an address, and the same address with the number that the host stands for."""
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise Refused("INVALID_ADDRESS", f"{address!r} is no address that begins with http:// or https://")
        if parts.username is not None or parts.password is not None:
            raise Refused("INVALID_ADDRESS", "an address cannot carry a name or a password")
        try:
            port = parts.port or (443 if parts.scheme == "https" else 80)
            found = await asyncio.get_running_loop().getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)
        except (OSError, ValueError, UnicodeError) as error:
            raise Refused("UNREACHABLE", f"{parts.hostname} cannot be found: {error}") from error
        numbers = [str(each[4][0]) for each in found]
        if not self.allows_private and any(
            not ipaddress.ip_address(each.split("%")[0]).is_global for each in numbers
        ):
            raise Refused(
                "PRIVATE_ADDRESS", f"{parts.hostname} is an address of this machine or of a private network"
            )
        number = f"[{numbers[0]}]" if ":" in numbers[0] else numbers[0]
        host = parts.hostname if parts.port is None else f"{parts.hostname}:{parts.port}"
        return host, str(httpx.URL(address).copy_with(host=number.strip("[]")))


async def _read(answer: Any) -> tuple[bytes, bool]:
    raw = bytearray()
    async for chunk in answer.aiter_bytes(65536):
        raw += chunk
        if len(raw) > MAX_BYTES:
            return bytes(raw[:MAX_BYTES]), True
    return bytes(raw), False


def _page(address: str, raw: bytes, encoding: str, is_html: bool, is_cut: bool) -> Page:
    try:
        text = raw.decode(encoding, "replace")
    except LookupError:
        text = raw.decode("utf-8", "replace")
    if not is_html:
        return Page(address, "", text, is_cut)
    from bs4 import BeautifulSoup
    from markdownify import MarkdownConverter

    soup = BeautifulSoup(text, "html.parser")
    title = soup.title.get_text(" ", strip=True) if soup.title is not None else ""
    for tag in soup(list(_LEFT_OUT)):
        tag.decompose()
    main = soup.find("main") or soup.find("article") or soup.body or soup
    try:
        markdown = MarkdownConverter(heading_style="ATX", strip=["img"]).convert_soup(main)
    except RecursionError:
        markdown = main.get_text("\n", strip=True)
    markdown = re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+\n", "\n", str(markdown))).strip()
    return Page(address, title, markdown, is_cut)
