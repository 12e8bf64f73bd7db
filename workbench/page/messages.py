"""What is said between server and page: JSON texts of version 1.

Source: docs/page.md 4.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from workbench.dynamic.delivery import Announcement
from workbench.dynamic.events import PackageCall, RequestNotice
from workbench.dynamic.pages import LivePackage
from workbench.page import limits
from workbench.values.frozen import thaw

VERSION = 1
LARGEST_CALL = 2**53 - 1


class Garbage(Exception):
    """A message that is none; the text says why."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One message of a page: it gets exactly one reply."""

    call: int
    type: str
    fields: Mapping[str, Any]

    def text(self, name: str, longest: int = limits.NAME, *, default: str | None = None) -> str:
        """A text, cut. Raises `Garbage` for a missing one without a default, and for anything else."""
        value = self.fields.get(name, default)
        if not isinstance(value, str):
            raise Garbage(f"{name!r} of {self.type!r} must be a text")
        return cut(value, longest)

    def flag(self, name: str, default: bool | None = None) -> bool:
        """Raises `Garbage`."""
        value = self.fields.get(name, default)
        if not isinstance(value, bool):
            raise Garbage(f"{name!r} of {self.type!r} must be true or false")
        return value

    def names(self, name: str) -> tuple[str, ...]:
        """Raises `Garbage`."""
        value = self.fields.get(name, [])
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise Garbage(f"{name!r} of {self.type!r} must be a list of texts")
        return tuple(cut(each, limits.NAME) for each in value[: limits.WAITING_FOR])


def read(text: str) -> Asked:
    """Raises `Garbage`."""
    try:
        message = orjson.loads(text)
    except ValueError as error:
        raise Garbage(f"no JSON: {error}") from None
    if not isinstance(message, dict):
        raise Garbage("a message is an object")
    call = message.get("call")
    if type(call) is not int or not 0 <= call <= LARGEST_CALL:
        raise Garbage("a message has a number `call`")
    kind = message.get("type")
    return Asked(call, kind if isinstance(kind, str) else "", message)


def cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def encoded(message: Mapping[str, Any]) -> bytes:
    """Raises `TypeError` or `ValueError` for what is not JSON."""
    try:
        return orjson.dumps(message)
    except TypeError:  # half a character, an integer of many digits: the standard library writes them, too
        return json.dumps(message, allow_nan=False).encode("ascii")


def package(live: LivePackage) -> dict[str, Any]:
    return {
        "id": live.id,
        "name": cut(live.name, limits.NAME),
        "purpose": cut(live.purpose, limits.MESSAGE),
        "revision": live.revision,
        "run": live.run,
        "state": live.state,
        "loadedHere": live.loaded_here,
    }


def request(notice: RequestNotice, asked_at: str) -> dict[str, Any]:
    """`asked_at`: ISO 8601, UTC."""
    return {
        "request": notice.request,
        "session": cut(notice.session, limits.NAME),
        "id": notice.id,
        "revision": notice.revision,
        "name": cut(notice.name, limits.NAME),
        "purpose": cut(notice.purpose, limits.MESSAGE),
        "asked_at": asked_at,
    }


def welcome(
    page: str, frame: str, packages: Iterable[LivePackage], requests: Iterable[dict[str, Any]]
) -> dict[str, Any]:
    """`frame`: the path of the document for browser halves, from the root of the server."""
    return {
        "type": "welcome",
        "version": VERSION,
        "page": page,
        "frame": frame,
        "packages": [package(each) for each in packages],
        "requests": list(requests),
    }


def announce(announcement: Announcement) -> dict[str, Any]:
    return {
        "type": "announce",
        "id": announcement.id,
        "revision": announcement.revision,
        "run": announcement.run,
        "name": cut(announcement.name, limits.NAME),
        "purpose": cut(announcement.purpose, limits.MESSAGE),
    }


def tool(call: PackageCall) -> dict[str, Any]:
    """A call of a package's own tool, for its card."""
    told = {"callId": call.call_id, "tool": cut(call.tool, limits.NAME), "arguments": thaw(call.arguments)}
    told["state"] = call.state
    if call.state != "running":
        told["result"] = thaw(call.result)
    return {"type": "tool", "id": call.id, "run": call.run, "call": told}


def tool_cut(call: PackageCall) -> dict[str, Any]:
    """The same without what is too long to be sent."""
    told = {"callId": call.call_id, "tool": cut(call.tool, limits.NAME), "arguments": None, "state": call.state}
    return {"type": "tool", "id": call.id, "run": call.run, "call": {**told, "cut": True}}
