"""What a log declares between two requests that explains why the second is another one.

Source: docs/sessions.md 13.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from workbench.agent.log.events import LoggedEvent
from workbench.agent.log.header import RequestHeader
from workbench.agent.log.surface_ops import Replace

if TYPE_CHECKING:
    from workbench.agent.verdicts.verdict import ChangedPart

CauseKind = Literal["model", "resume", "package", "override", "edit", "compaction", "replacement", "declared"]
DeclaredKind = Literal["package", "override", "edit", "model", "declared"]
"""Of what somebody may declare."""
DECLARED = "prompts/declared"
"""Our own record: `{cause, words, owner?}` of somebody who changed the prompt on purpose."""
NOTE_FORM = "package-note"
"""Form of a message that tells an agent what a person has done with a package of its: what has `happened`."""
_PACKAGE_VERBS = {"cordis_run": "started", "cordis_stop": "stopped", "cordis_undefine": "undefined"}


@dataclass(frozen=True, slots=True)
class Cause:
    """Something that somebody did on purpose."""

    kind: CauseKind
    words: str
    """Such as `package dyn-2 was started`. Names in it are outside text."""
    seq: int
    owner: str = ""
    """Whose parts it explains; empty: anybody's."""

    def explains(self, part: ChangedPart | None) -> bool:
        """Whether that part may be another one for this reason."""
        if self.kind in ("compaction", "replacement"):
            return part is None or part.kind == "message"
        if part is None or self.kind in ("model", "resume", "edit", "declared"):
            return part is None or not self.owner or part.owner is None or part.owner.plugin == self.owner
        if part.kind == "message":
            return False
        if part.owner is None:
            return True
        kinds = {"package": "package", "override": "team"}
        return part.owner.kind == kinds[self.kind] or (bool(self.owner) and part.owner.plugin == self.owner)


class CauseFold:
    """Gathers causes, and hands them over at each request."""

    def __init__(self) -> None:
        self._causes: list[Cause] = []
        self._calls: dict[str, tuple[str, str]] = {}
        """Id of a call that starts or stops a package: the verb, and which one."""
        self._revision: Any = None
        self._has_sent = False
        """A request was sent already."""
        self._is_compacting = False

    def take(self) -> tuple[Cause, ...]:
        """Those since the last request."""
        self._has_sent = True
        causes = tuple(self._causes)
        self._causes = []
        return causes

    def header(self, event: LoggedEvent, before: RequestHeader | None, after: RequestHeader | None) -> None:
        """A `request/header` was folded."""
        if before is None or after is None:
            return
        one, other = before.config, after.config
        if (one.provider, one.model) != (other.provider, other.model):
            words = f"model switched from {one.provider}/{one.model} to {other.provider}/{other.model}"
            self._add("model", words, event)
        if event.glance("reason") == "resume":
            self._add("resume", "the session was taken up again", event)

    def add(self, event: LoggedEvent) -> None:
        """Any event."""
        fold = _FOLDS.get(event.type)
        if fold is not None:
            fold(self, event)
        op = event.surface_op
        if isinstance(op, Replace):
            kind: CauseKind = "compaction" if self._is_compacting else "replacement"
            what = "the conversation was compacted" if self._is_compacting else "messages were replaced"
            self._add(kind, f"{what} (events {op.start} to {op.end}, by {event.seq})", event)

    def _add(self, kind: CauseKind, words: str, event: LoggedEvent, owner: str = "") -> None:
        self._causes.append(Cause(kind, words, event.seq, owner))

    def _revised(self, event: LoggedEvent) -> None:
        revision = event.data.get("revision")
        if self._has_sent and revision != self._revision:  # a team without a saved version has none to record
            self._add("override", f"an override was saved: revision {_short(revision)} of the prompts", event)
        self._revision = revision

    def _declared(self, event: LoggedEvent) -> None:
        kind, words = event.data.get("cause"), event.data.get("words")
        if isinstance(words, str):
            known: CauseKind = kind if kind in ("package", "override", "edit", "model") else "declared"
            self._add(known, words, event, str(event.data.get("owner") or ""))

    def _called(self, event: LoggedEvent) -> None:
        verb = _PACKAGE_VERBS.get(str(event.glance("name")))
        if verb is not None:
            self._calls[str(event.data.get("callId"))] = verb, _package(event.data.get("arguments"))

    def _answered(self, event: LoggedEvent) -> None:
        if not self._calls:
            return
        message = event.data.get("message")
        source = message.get("source") if isinstance(message, Mapping) else None
        call = self._calls.pop(str(source.get("callId")) if isinstance(source, Mapping) else "", None)
        if call is not None and not event.data.get("error"):
            self._add("package", f"package {call[1]} was {call[0]} by the agent", event, call[1])

    def _noted(self, event: LoggedEvent) -> None:
        source = event.glance("source")
        if not isinstance(source, Mapping) or source.get("form") != NOTE_FORM:
            return
        package, happened = source.get("package"), source.get("happened")
        if happened in _PACKAGE_VERBS.values():
            self._add("package", f"package {package} was {happened} by a person", event, str(package))

    def _compaction(self, event: LoggedEvent) -> None:
        self._is_compacting = event.type != "compaction/end"


_FOLDS = {
    "prompts/revision": CauseFold._revised,
    DECLARED: CauseFold._declared,
    "user/message": CauseFold._noted,
    "tool/call": CauseFold._called,
    "tool/result": CauseFold._answered,
    "compaction/start": CauseFold._compaction,
    "compaction/end": CauseFold._compaction,
}


def _package(arguments: Any) -> str:
    """The id in the arguments of a call, which may be JSON text or an object."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return "?"
    found = arguments.get("id") if isinstance(arguments, Mapping) else None
    return str(found)[:80] if found else "?"


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 20 else f"{text[:19]}…"
