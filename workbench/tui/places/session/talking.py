"""What a person says to an agent that runs."""

from __future__ import annotations

from textual import on
from textual.getters import query_one

from workbench.tui.places.base import Place
from workbench.tui.places.session.model import SessionModel
from workbench.tui.session_feed import Talk
from workbench.tui.view.detail_rows import Block, Detail
from workbench.tui.view.pieces import Line, Piece, outside
from workbench.tui.view.session_empty import SessionKeys, first_step_lines, nobody_lines
from workbench.tui.viewing.viewing import Viewing
from workbench.tui.widgets.say_bar import SayBar


class Talking(Place):
    """Says, steps, cancels, and says again."""

    model: SessionModel
    say_bar = query_one(SayBar)

    @property
    def talk(self) -> Talk | None:
        """Whom one can talk to."""
        return self.model.feed.talk if self.model.feed is not None else None

    @property
    def keys(self) -> SessionKeys:
        """As this person has them."""
        named = "session.say", "session.next_step", "app.open", "session.run_on", "app.answer", "session.warnings"
        return SessionKeys(*map(self.house.key_of, named))

    @property
    def is_empty(self) -> bool:
        """There is no step, and one can be had: the pane below says how."""
        subject, talk = self.viewing.subject, self.talk
        if subject is None or self.model.rows or self.viewing.problems or self.tab.title in subject.lacks:
            return False
        return subject.sessions is None or (talk is not None and not talk.error and not talk.is_running)

    def nothing(self, width: int) -> Detail:
        """What stands there instead of steps."""
        if not self.is_empty:
            return Detail(())
        talk = self.talk
        lines = nobody_lines(self.keys, width) if talk is None else first_step_lines(talk.name, self.keys, width)
        return Detail([Block(lines)], width)

    def action_say(self) -> None:
        if self.talk is None:
            self.say("Nobody can be talked to here.", ())
            return
        self.key_hints.display = False
        self.say_bar.open(self.talk.name)

    @on(SayBar.Said)
    async def _said(self, event: SayBar.Said) -> None:
        self._close_bar()
        if self.talk is not None and event.text.strip():
            self.model.follows = True
            await self.talk.say(event.text)
            self.refresh_frame()

    @on(SayBar.Closed)
    def _close_bar(self) -> None:
        self.key_hints.display = True
        self.focus_steps()

    def action_next_step(self) -> None:
        talk = self.talk
        if talk is None:
            self.say("Nobody runs here: this was recorded.", ())
            return
        self.model.follows = True
        if not talk.next_step():
            self.action_say()
        self.refresh_frame()

    def action_run_on(self) -> None:
        if self.talk is not None:
            self.talk.let_run()
            self.refresh_frame()

    def action_cancel(self) -> None:
        if self.talk is None or not self.talk.cancel():
            self.say("No turn runs.", ())

    async def action_resend(self) -> None:
        if self.talk is None or not await self.talk.resend():
            self.say("The last turn did not fail.", ())

    def focus_steps(self) -> None:
        """Nothing is typed any more."""
        raise NotImplementedError


def running(talk: Talk, asked: int, keys: SessionKeys, *, short: bool) -> Line:
    """While a turn runs: what comes in, or that a person has to answer first."""
    if talk.is_held:
        held = Piece("Held before the next step", "strong", bold=True)
        return (Piece("◐ ", "pending"), held, Piece(f": {keys.step} lets it begin, {keys.run_on} lets all run."))
    if asked:
        waits = Piece(f"{asked} wait{'s' if asked == 1 else ''} for your answer", "pending", bold=True)
        return (
            Piece("◆ ", "pending", bold=True),
            waits,
            Piece(f": {keys.answer} shows what is asked. The turn goes on then."),
        )
    tail = " ".join(talk.streamed.split())[-(40 if short else 76) :]
    said: Line = (Piece(": "), *outside(tail, "soft")) if tail else (Piece(" …"),)
    return (Piece("● ", "running"), Piece("Running", "strong", bold=True), *said)


def no_step(viewing: Viewing, say_key: str) -> Line:
    size = None
    if viewing.preview is not None:
        size = viewing.sizes.request(viewing.preview)
    cost = f" The first request would cost {size} and start cold." if size is not None else ""
    how = f" {say_key} writes a message." if say_key else ""
    return (Piece("No step yet.", "strong", bold=True), Piece(cost + how))
