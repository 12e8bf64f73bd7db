"""What a person says to an agent that runs."""

from __future__ import annotations

from textual import on
from textual.getters import query_one

from workbench.tui.places.base import Place
from workbench.tui.places.session.model import SessionModel
from workbench.tui.session_feed import Talk
from workbench.tui.widgets.say_bar import SayBar


class Talking(Place):
    """Says, steps, cancels, and says again."""

    model: SessionModel
    say_bar = query_one(SayBar)

    @property
    def talk(self) -> Talk | None:
        """Whom one can talk to."""
        return self.model.feed.talk if self.model.feed is not None else None

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
