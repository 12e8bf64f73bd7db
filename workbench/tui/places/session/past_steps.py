"""Steps that are over, looked at in the other places."""

from __future__ import annotations

import asyncio

from workbench.agent.log.errors import LogError
from workbench.agent.log.rebuild import RebuiltRequest
from workbench.agent.verdicts.as_preview import preview_of
from workbench.tui.places.base import Place
from workbench.tui.places.session.model import SessionModel
from workbench.tui.view.detail_rows import Block
from workbench.tui.view.pieces import Piece, outside, plain
from workbench.tui.view.session import clock
from workbench.tui.view.session_rows import StepRow
from workbench.tui.viewing.past import Past


class PastSteps(Place):
    """Leads from a step to Prompt, Trace and Compare."""

    model: SessionModel

    @property
    def block(self) -> Block | None:
        """What the cursor is on in the pane that is read; None: the pane does not have the focus."""
        return None

    async def _rebuilt(self, row: StepRow) -> RebuiltRequest | None:
        feed = self.model.feed
        if feed is None or row.request is None:
            return None
        try:
            return await asyncio.to_thread(feed.rebuilt, self.model.track_of(row), row.request)
        except LogError as error:
            self.say(f"It cannot be rebuilt: {plain(outside(str(error)))}", (Piece("× ", "failed", bold=True),))
            return None

    async def _past(self, row: StepRow) -> Past | None:
        """The step as the other places look at it."""
        rebuilt = await self._rebuilt(row)
        if rebuilt is None or row.request is None or self.model.feed is None:
            return None
        track = self.model.track_of(row)
        seen = self.model.feed.looked_at(track, row.request)
        made = seen
        if made is None:
            parts = await asyncio.to_thread(self.model.feed.parts, track, row.request)
            made = preview_of(rebuilt.header, rebuilt.messages, parts, track.label, row.request.time)
        at = f" at {clock(row.request.time)}" if row.request.time else ""
        if rebuilt.mismatch is not None:
            check = f"not what was sent: {rebuilt.mismatch}"
        elif rebuilt.header.not_recorded:
            check = f"rebuilt from the log; {' and '.join(sorted(rebuilt.header.not_recorded))} not recorded"
        elif rebuilt.sent.digest is not None:
            check = "rebuilt from the log, equal to what was sent"
        else:
            check = "rebuilt from the log"
        is_equal = rebuilt.mismatch is None and rebuilt.sent.digest is not None
        return Past(made, row.name, f"as step {row.name} sent them{at}", check, is_equal, self._travel)

    async def _travel(self, steps: int) -> None:
        """Another place goes to the step before or after."""
        row = self.model.neighbour(steps)
        if row is not None and row.key is not None:
            self.model.chosen, self.model.follows, self.model.request = row.key, False, None
            past = await self._past(row)
            if past is not None:
                self.viewing.show_past(past)

    async def action_prompt(self) -> None:
        await self._go_with_past("Prompt")

    async def action_trace(self) -> None:
        await self._go_with_past("Trace")

    async def _go_with_past(self, title: str) -> None:
        row = self.model.row
        if row is None:
            self.say("No step is chosen.", ())
            return
        block = self.block
        past = await self._past(row)
        if past is not None:
            self.house.leave_spot()
            self.viewing.show_past(past)
            await self.house.go_to(title, block.target if block is not None and title == "Prompt" else None)

    async def action_compare(self) -> None:
        from workbench.tui.view.compare_sides import CompareTarget, Step

        row = self.model.row
        other = self.model.row_of(self.model.marked) if self.model.marked != self.model.chosen else None
        other = other or self.model.neighbour(-1)
        if row is None or row.key is None or other is None or other.key is None:
            self.say("There is no step before this one: mark another with space.", ())
            return
        first, second = sorted((other, row), key=lambda each: (each.track, each.key.seq if each.key else 0))
        assert first.key is not None
        assert second.key is not None
        self.house.leave_spot()
        left = Step(first.key.track, first.key.seq, first.name)
        right = Step(second.key.track, second.key.seq, second.name)
        await self.house.go_to("Compare", CompareTarget(left, right, self.tab.title))
