"""The sheet of a decision: opened only by a person's key, answered by another one, and left open by `esc`.

What was decided elsewhere meanwhile takes its buttons away; nothing else slides under a key that is being pressed.

Source: docs/tui.md 11.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.getters import query_one
from textual.strip import Strip
from textual.worker import Worker, WorkerState

from workbench.tui.packages_subject import NotDone, PackagesAccess
from workbench.tui.view import packages_words
from workbench.tui.view.frame import outer_margin
from workbench.tui.view.packages_sheet import Ask, ask_of, buttons, foot_lines, hints, sheet_parts, title_of
from workbench.tui.view.pieces import Line, Piece, Role
from workbench.tui.view.registry_document import Coloured
from workbench.tui.widgets.bars import BarWidget, KeyHints
from workbench.tui.widgets.inputs import SafeInput
from workbench.tui.widgets.line import LineWidget
from workbench.tui.widgets.packages_following import FollowsPackages
from workbench.tui.widgets.paint import Painted
from workbench.tui.widgets.registry_inspector import Inspector
from workbench.tui.workers import runs, start_worker
from workbench.visible import visible_line

TRIAL = "packages what-if"
Copy = Callable[[str, Callable[[str], object]], object]
"""Copies a text, and says then which way it went."""


class SheetTitle(LineWidget):
    """The question."""

    GROUND: Role = "raised"


class SheetButtons(BarWidget):
    """The answers."""

    GROUND: Role = "raised"


class SheetFoot(Painted):
    """The scope of an answer."""

    def __init__(self) -> None:
        super().__init__()
        self.ask: Ask | None = None
        self.margin = 1

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        return len(self._made(width))

    def _made(self, width: int) -> list[Line]:
        return [] if self.ask is None else foot_lines(self.ask, width - 2 * self.margin)

    def render_line(self, y: int) -> Strip:
        lines = self._made(self.size.width)
        line = lines[y] if y < len(lines) else ()
        return self.paint.strip((Piece(" " * self.margin), *line), self.size.width, "raised")


class ReasonSign(LineWidget):
    """Before the reason of a denial."""

    GROUND: Role = "raised"


class PackageSheet(FollowsPackages):
    """A request, or a person's own start. Nothing has the focus but the text, which only scrolls."""

    DEFAULT_CSS = """
    PackageSheet { align: center top; background: $wb-base 70%; }
    PackageSheet > #decision {
        width: 94; max-width: 100%; height: auto; max-height: 36; margin-top: 4; background: $wb-raised;
        border: round $wb-pending;
    }
    PackageSheet.-mine > #decision { border: round $wb-focus; }
    PackageSheet #about { height: auto; max-height: 22; background: $wb-raised; margin: 1 0; }
    PackageSheet SheetFoot { height: auto; background: $wb-raised; }
    PackageSheet SheetButtons { margin-top: 1; }
    PackageSheet #reason-line { height: 1; display: none; background: $wb-raised; }
    PackageSheet.-denying #reason-line { display: block; }
    PackageSheet.-denying SheetButtons { display: none; }
    PackageSheet ReasonSign { width: 11; }
    PackageSheet SafeInput { width: 1fr; }
    PackageSheet KeyHints { dock: bottom; }
    PackageSheet.-full > #decision {
        width: 100%; height: 1fr; max-height: 100%; margin: 2 0 0 0; border: none; border-left: outer $wb-pending;
    }
    PackageSheet.-full.-mine > #decision { border: none; border-left: outer $wb-focus; }
    PackageSheet.-full #about { height: 1fr; max-height: 100%; margin: 0; }
    PackageSheet.-full SheetButtons { margin: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "later", "Decide later", show=False),
        Binding("v", "sources", "Sources", show=False),
        Binding("w", "what_if", "What would it change?", show=False),
        Binding("n", "next", "Next request", show=False),
        Binding("y", "copy", "Copy the report", show=False),
        Binding("a", "allow", "Allow", show=False),
        Binding("d", "deny", "Deny", show=False),
        Binding("s", "start", "Start", show=False),
        Binding("o", "open_page", "Open the page", show=False),
    ]
    AUTO_FOCUS = "#about"

    title_line = query_one(SheetTitle)
    about = query_one("#about", Inspector)
    foot = query_one(SheetFoot)
    buttons = query_one(SheetButtons)
    key_hints = query_one(KeyHints)

    def __init__(self, access: PackagesAccess, ask: Ask, done: Callable[[Ask], object], copy: Copy) -> None:
        """`done`: a person has decided to start; of a request the answer goes to the queue itself."""
        super().__init__()
        self._copy = copy
        self._access, self.ask, self._done = access, ask, done
        self._shows_sources = False
        self._colours: dict[str, tuple[Coloured, ...]] = {}
        self._trial: Worker[None] | None = None
        self._is_decided = False

    def compose(self) -> ComposeResult:
        with Vertical(id="decision"):
            yield SheetTitle()
            yield Inspector(id="about")
            yield SheetFoot()
            with Horizontal(id="reason-line"):
                yield ReasonSign()
                yield SafeInput(placeholder="reason, for the model; may be empty", compact=True)
            yield SheetButtons()
        yield KeyHints()

    def on_mount(self) -> None:
        self.query_one(ReasonSign).show((Piece("deny ", "focus", bold=True),))
        self._take_size()
        self.show_ask()
        self.set_interval(1.0, self._count_up, name="age")

    def on_resize(self) -> None:
        self._take_size()
        self.show_ask()

    def _take_size(self) -> None:
        size = self.app.size
        self.set_class(size.width < 100 or size.height < 30, "-full")
        self.set_class(not self.ask.is_request, "-mine")
        margin = outer_margin(size.width)  # as the text between them
        self.title_line.margin = self.foot.margin = self.buttons.margin = margin
        self.query_one(ReasonSign).margin = margin

    @property
    def is_busy(self) -> bool:
        """A what-if is under way, or colours are on their way."""
        return any(not worker.is_finished for worker in self.workers if worker.node is self)

    def show_ask(self) -> None:
        """Everything on the sheet."""
        if not self.is_mounted or not self.query(SheetFoot):
            return
        ask = _with(self.ask, pages=self._access.pages())
        self._show_title()
        parts = sheet_parts(ask, shows_sources=self._shows_sources, colours=self._colours)
        self.about.show((ask.package, ask.request, self._shows_sources), parts)
        if not self.has_class("-full"):
            self.about.styles.height = max(1, min(22, len(self.about.document)))
        self.foot.ask = ask
        self.foot.refresh(layout=True)
        self.buttons.show_bar(buttons(ask, self.size.width))
        self._show_hints()

    def _show_hints(self) -> None:
        ask = _with(self.ask, pages=self._access.pages())
        self.key_hints.show(hints(ask, is_denying=self.has_class("-denying")))

    def _count_up(self) -> None:
        """A second has gone. What a what-if waits for is known only by asking."""
        self._show_title()
        if self.ask.trial_runs:
            self.packages_changed()

    def _show_title(self) -> None:
        left, right = title_of(self.ask, packages_words.monotonic())
        self.title_line.show(left, right)

    # what becomes of it meanwhile

    def packages_changed(self) -> None:
        ask = self.ask
        if not ask.is_request or self._is_decided:
            self._follow_start()
            return
        queue = list(self._access.requests())
        found = next((at for at, each in enumerate(queue) if each.id == ask.request), None)
        if found is None:
            if not ask.over:
                how = self._access.answered(ask.request) or "taken back"
                self._take(_with(ask, over=f"It does not wait any more: {how}.", trial_runs=False))
                self.remove_class("-denying")
            return
        fresh = ask_of(queue[found], found + 1, len(queue))
        self._take(_with(fresh, error=ask.error, trial_runs=self._is_trying or fresh.trial_runs))

    def _follow_start(self) -> None:
        ask = self.ask
        card = self._access.card(ask.package)
        if card is None or card.numbered(ask.revision.number) is None:
            self._take(_with(ask, over="The package is not defined any more."))
        elif card.state not in ("defined", "stopped", "failed", "running", "waiting"):
            self._take(_with(ask, over=f"The package is {card.state} now.", trial_runs=False))
        else:
            trial = self._access.trial(ask.package, ask.revision.number) or ask.trial
            can_try, waits = _can_try(card.run, ask.revision.code), card.trial_waits_for
            self._take(_with(ask, trial=trial, trial_runs=self._is_trying, trial_waits_for=waits, can_try=can_try))

    def _take(self, ask: Ask) -> None:
        self.ask = ask
        self.show_ask()

    # what a person does

    def action_later(self) -> None:
        if self._is_trying and self._trial is not None:
            self._trial.cancel()  # it is undone; the sheet stays
        elif self.has_class("-denying"):
            self.remove_class("-denying")
            self._show_hints()
            self.about.focus()
        elif self._shows_sources:
            self.action_sources()
        else:
            self.dismiss(None)

    def action_allow(self) -> None:
        if self.ask.is_request:
            self._decide(allows=True)

    def action_start(self) -> None:
        if not self.ask.is_request:
            self._decide(allows=True)

    def action_deny(self) -> None:
        if self.ask.is_request and not self.ask.over and not self._is_trying:
            self.add_class("-denying")
            field = self.query_one(SafeInput)
            field.value = ""
            self.set_focus(field)
            self._show_hints()

    @on(SafeInput.Submitted)
    def _denied(self, event: SafeInput.Submitted) -> None:
        event.stop()
        self._decide(allows=False, reason=event.value.strip())

    def _decide(self, *, allows: bool, reason: str = "") -> None:
        """Once: a double press acts once, and never on the request behind it."""
        ask = self.ask
        if ask.over or self._is_decided or self._is_trying:
            return
        if ask.is_request and not self._access.answer(ask.request, allows=allows, reason=reason):
            self.packages_changed()
            return
        self._is_decided = True
        self._done(ask)
        self.dismiss(None)

    def action_next(self) -> None:
        queue = list(self._access.requests())
        if self.ask.is_request and queue and not self._is_trying:
            at = next((at for at, each in enumerate(queue) if each.id == self.ask.request), -1)
            at = (at + 1) % len(queue)
            self._take(ask_of(queue[at], at + 1, len(queue)))

    def action_sources(self) -> None:
        self._shows_sources = not self._shows_sources
        if self._shows_sources:
            wanted = [text for text in (self.ask.revision.code, self.ask.revision.client) if text is not None]
            if any(text not in self._colours for text in wanted):
                start_worker(self, self._colour, group="packages colours")
        self.show_ask()

    async def _colour(self) -> None:
        from workbench.tui.packages_colours import colours_of

        self._colours = await colours_of(self.ask.revision, self._colours)
        self.show_ask()

    def action_what_if(self) -> None:
        ask = self.ask
        if not ask.over and ask.can_try and not self._is_trying:
            self._trial = start_worker(self, partial(self._try, ask), group=TRIAL)
            self._take(_with(ask, trial_runs=True, error=""))

    async def _try(self, ask: Ask) -> None:
        try:
            made = await self._access.what_if(ask.package, ask.revision.number)
        except NotDone as refused:
            self._tried(ask, _with(self.ask, error=str(refused)))
        else:
            self._tried(ask, _with(self.ask, trial=made))

    def _tried(self, tried: Ask, now: Ask) -> None:
        self._trial = None
        if (tried.package, tried.revision.number) == (now.package, now.revision.number):
            self._take(_with(now, trial_runs=False))

    @on(Worker.StateChanged)
    def _trial_ended(self, event: Worker.StateChanged) -> None:
        if event.worker is self._trial and event.state in (WorkerState.CANCELLED, WorkerState.ERROR):
            self._trial = None
            error = event.worker.error
            told = (
                "" if event.state is WorkerState.CANCELLED or error is None else f"{type(error).__name__}: {error}"
            )
            self._take(_with(self.ask, trial_runs=False, error=told))

    @property
    def _is_trying(self) -> bool:
        return runs(self._trial)

    def action_open_page(self) -> None:
        """Decides nothing."""
        url = self._access.url_for_browser()
        if url and self.ask.revision.client is not None and not self.ask.over:
            start_worker(self, partial(self._open_page, url), group="packages browser")

    async def _open_page(self, url: str) -> None:
        from workbench.tui.hands.browser import open_address

        is_asked = await asyncio.to_thread(open_address, url)
        self._said("Your browser was asked to open the page." if is_asked else "No browser can be started here.")

    def action_copy(self) -> None:
        report = self._access.report(self.ask.request) if self.ask.is_request else None
        if report is not None:
            self._copy("\n".join(str(visible_line(line)) for line in report.split("\n")), self._said)

    def _said(self, words: str) -> None:
        self.key_hints.show((Piece("✓ ", "running"), Piece(words, is_outside=True)))

    @on(BarWidget.Pressed)
    def _pressed(self, event: BarWidget.Pressed) -> None:
        event.stop()
        if event.command == "deny":
            self.action_deny()
        elif event.command == "allow":
            self._decide(allows=True)


def _can_try(run: str, code: str | None) -> bool:
    return not run and code is not None


def _with(ask: Ask, **changes: Any) -> Ask:
    from dataclasses import replace

    return replace(ask, **changes)
