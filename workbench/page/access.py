"""Who may read what: the two tokens, the host, the origin, and the headers that keep a document in its place.

Source: docs/page.md 2 and 3.
"""

from __future__ import annotations

import hmac
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from secrets import token_urlsafe

from workbench.page import limits

HOSTS = ("127.0.0.1", "localhost")
"""Names of this machine under which the page is served."""


def _new_token() -> str:
    return token_urlsafe(32)


@dataclass(frozen=True, slots=True)
class Tokens:
    """What an address must hold. New for each process."""

    page: str = field(default_factory=_new_token)
    frame: str = field(default_factory=_new_token)
    """Of the documents in which browser halves run: they never learn the page's."""


def is_token(given: str, token: str) -> bool:
    """In constant time, whatever was given."""
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), token.encode("ascii"))


class Tickets:
    """Addresses that open the page once. What a program is started with, every user of the machine can read."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until: dict[str, float] = {}

    def new(self) -> str:
        self._forget_old()
        ticket = _new_token()
        self._until[ticket] = self._clock() + limits.TICKET_SECONDS
        return ticket

    def take(self, given: str) -> bool:
        """Whether it is one; from now on it is none."""
        self._forget_old()
        for ticket in [each for each in self._until if is_token(given, each)]:
            del self._until[ticket]
            return True
        return False

    def _forget_old(self) -> None:
        now = self._clock()
        self._until = {ticket: until for ticket, until in self._until.items() if until > now}


def own_host(headers: Mapping[str, str], port: int) -> str | None:
    """The `Host` that a request names, if it is one of ours; else somebody has bound a name to this address."""
    host = headers.get("host", "")
    return host if host in {f"{name}:{port}" for name in HOSTS} else None


def frame_host(headers: Mapping[str, str], port: int) -> str | None:
    """The same for a frame, which may also have a name of its own: `<label>.localhost` is always this machine.

    Frames of one site share a process, and a name of its own makes a site of its own: a browser half that never
    comes back stops nobody but itself.
    """
    host = headers.get("host", "")
    is_named = re.fullmatch(rf"[a-z0-9-]{{1,63}}\.localhost:{port}", host) is not None
    return host if is_named else own_host(headers, port)


def is_own_origin(headers: Mapping[str, str], host: str) -> bool:
    """Whether a document of this very host asks. A browser always says who does."""
    return headers.get("origin") == f"http://{host}"


_EVERYWHERE = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Permissions-Policy": (
        "camera=(), clipboard-read=(), display-capture=(), geolocation=(), hid=(), microphone=(), midi=(), "
        "payment=(), serial=(), usb=()"
    ),
}


def page_headers(host: str, frame_token: str) -> dict[str, str]:
    """Of the page and its files: its own scripts, its own socket, the frames of browser halves, nothing else."""
    port = host.rpartition(":")[2]
    policy = (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        f"connect-src ws://{host}",
        f"frame-src http://{host}/frame/{frame_token}/ http://*.localhost:{port}/frame/{frame_token}/",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
    return {
        **_EVERYWHERE,
        "Content-Security-Policy": "; ".join(policy),
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "X-Frame-Options": "DENY",
    }


def frame_headers(host: str, frame_token: str) -> dict[str, str]:
    """Of the document in which a browser half runs: an origin of its own, and no network whatever.

    Its own files are named in full, since 'self' means nothing to a document without an origin. It may evaluate
    text, as that is what it is for.
    """
    own = f"http://{host}/frame/{frame_token}/"
    port = host.rpartition(":")[2]
    policy = (
        "sandbox allow-scripts",
        "default-src 'none'",
        f"script-src {own} 'unsafe-eval'",
        f"style-src {own} 'unsafe-inline'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors " + " ".join(f"http://{name}:{port}" for name in HOSTS),
    )
    return {
        **_EVERYWHERE,
        "Content-Security-Policy": "; ".join(policy),
        "Connection-Allowlist": "(response-origin)",  # also for what no policy names, such as WebRTC
        "X-DNS-Prefetch-Control": "off",
        "Access-Control-Allow-Origin": "null",
        "Cross-Origin-Resource-Policy": "cross-origin",
        # Each frame has a host of its own, and so connections that no other one takes up: many frames would leave
        # so many behind that the last ones found no room (`limits.CONNECTIONS`).
        "Connection": "close",
    }
