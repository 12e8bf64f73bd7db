"""What a person at the terminal is asked while agents run: one question at a time, the oldest first.

Calls of tools that a policy wants to be allowed, and packages that want to run in a page. What was answered
elsewhere, or taken back, is asked no more.

Source: docs/agents.md 18 and docs/dynamic-packages.md 6.2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.cli.output import Output
from workbench.cli.transcript import Transcript
from workbench.tools.approvals import Approvals
from workbench.tools.events import APPROVAL
from workbench.visible import visible_line

if TYPE_CHECKING:
    from workbench.core import Context
    from workbench.dynamic.requests import Request
    from workbench.dynamic.service import DynamicPackages
    from workbench.tools.events import ApprovalRequest

BY = "terminal"
"""Who answers, as a report of the request says it."""
NOBODY = "nobody is there to answer"


class _Asked(NamedTuple):
    """The question that stands on the terminal."""

    id: str
    is_package: bool


class Questions:
    """Asks, and takes the typed lines that answer."""

    def __init__(
        self, approvals: Approvals, dynamic: DynamicPackages | None, transcript: Transcript, errors: Output
    ) -> None:
        self._approvals = approvals
        self._dynamic = dynamic
        self._transcript = transcript
        self._errors = errors
        self._root: Context | None = None
        self._asked: _Asked | None = None
        self._taken = ""
        """The call that was answered last: for a moment it still waits."""

    def follow(self, root: Context) -> None:
        """Ask from now on."""
        self._root = root
        root.on(APPROVAL, self._look)
        if self._dynamic is not None:
            from workbench.dynamic.events import CHANGE, REQUEST_RESOLVED, REQUEST_RUN

            for event in (REQUEST_RUN, CHANGE, REQUEST_RESOLVED):
                root.on(event, self._look)

    def take(self, line: str) -> bool:
        """Whether the line has answered something."""
        asked = self._asked
        if asked is None:
            return False
        if asked.is_package:
            self._take_for_package(asked.id, line.strip())
        else:
            self._asked, self._taken = None, asked.id
            is_allowed = line.strip().lower() in ("y", "yes")
            self._approvals.answer(asked.id, "allowed-once" if is_allowed else "denied")
            self._look()
        return True

    def give_up(self) -> None:
        """Nobody is there any more: each question is a no, but for those that a page can still answer."""
        self._asked = None
        self._approvals.mode = "deny"
        for request in self._approvals.pending:
            self._approvals.answer(request.id, "denied")
        dynamic = self._dynamic
        if dynamic is not None and not dynamic.pages.all():
            dynamic.approvals_mode = "deny"
            for pending in dynamic.requests.pending():
                dynamic.denied += 1
                dynamic.requests.answer(pending.id, False, NOBODY, BY)

    def _take_for_package(self, request_id: str, line: str) -> None:
        assert self._dynamic is not None
        word, _, reason = line.partition(" ")
        match word.lower():
            case "y" | "yes" if not reason:
                self._answer(request_id, allows=True)
            case "" | "n" | "no":
                self._answer(request_id, allows=False, reason=reason.strip())
            case "s" if not reason:
                self._show(request_id)
                self._ask_package(request_id)
            case _:
                self._ask_package(request_id)  # a word that was meant for the agent decides nothing

    def _answer(self, request_id: str, *, allows: bool, reason: str = "") -> None:
        assert self._dynamic is not None
        self._asked = None
        is_accepted = self._dynamic.requests.answer(request_id, allows, reason, BY)
        if is_accepted and allows and not self._dynamic.pages.all():
            self._transcript.say(f"no page is open: it waits until one is{self._where()}")
        self._look()

    def _where(self) -> str:
        page = None if self._root is None else self._root.get("page")
        return "" if page is None else f", at {page.url}"

    def _look(self, *_given: Any) -> None:
        """Something has come, or is over."""
        asked = self._asked
        if asked is not None:
            if any(each.id == asked.id for each in self._pending()):
                return
            self._asked = None
            self._say_over(asked)
        waiting = self._pending()
        if not waiting:
            return
        first = waiting[0]
        is_package = hasattr(first, "package_id")
        self._asked = _Asked(first.id, is_package)
        if is_package:
            self._ask_package(first.id)
        else:
            self._ask_call(first)

    def _pending(self) -> list[Any]:
        """Requests of both kinds, oldest first."""
        waiting: list[Any] = [each for each in self._approvals.pending if each.id != self._taken]
        if self._dynamic is not None:
            waiting += self._dynamic.requests.pending()
        return sorted(waiting, key=lambda each: float(each.asked_at))

    def _say_over(self, asked: _Asked) -> None:
        self._errors.line()
        request = self._request(asked.id) if asked.is_package else None
        if request is None:
            return
        answer = request.answer
        how = "taken back" if answer is None else f"{'allowed' if answer.allows else 'denied'} by {answer.by}"
        self._transcript.say(f"{request.package_id} r{request.revision}: {how}")

    def _ask_call(self, request: ApprovalRequest) -> None:
        self._transcript.end_line()
        reason = f" ({request.reason})" if request.reason else ""
        self._errors.piece(visible_line(f"allow {request.call.name}{reason}? [y/N] "))

    def _ask_package(self, request_id: str) -> None:
        request = self._request(request_id)
        if request is not None:
            self._transcript.end_line()
            what = visible_line(f"allow this run of {request.package_id} r{request.revision}")
            self._errors.piece(f"{what}? [y, N reason, s shows its code] ")

    def _show(self, request_id: str) -> None:
        """Both sources, by lines with their numbers."""
        request = self._request(request_id)
        package = None if request is None or self._dynamic is None else self._dynamic.package(request.package_id)
        revision = None if package is None or request is None else package.revision(request.revision)
        if revision is None:
            return
        for half, source in (("host half (Python)", revision.code), ("browser half (JavaScript)", revision.client)):
            if source is None:
                continue
            self._errors.line(self._errors.styled(half, "bold"))
            lines = source.splitlines()
            width = len(str(len(lines)))
            for number, line in enumerate(lines, 1):
                self._errors.line(f"{number:>{width}}  {visible_line(line)}")

    def _request(self, request_id: str) -> Request | None:
        return None if self._dynamic is None else self._dynamic.requests.find(request_id)
