"""Moving about: the palette, and the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.tui.commands import COMMANDS
from workbench.tui.hands.house import HouseBase
from workbench.tui.places.base import TABS
from workbench.tui.view.picker import Item
from workbench.tui.view.trail import Spot, Trail

if TYPE_CHECKING:
    from workbench.tui.view.jumps import Jump


class Moving(HouseBase):
    """Commands that lead somewhere."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.trail = Trail()
        self._jumps: list[Jump] = []
        """What the palette offers, as it was when it was opened."""

    async def action_palette(self) -> None:
        from workbench.tui.widgets.picker import pick

        place = self.place
        self._jumps = self._all_jumps()
        items = [*self._command_items(), *place.jumps(), *(jump.item for jump in self._jumps)]
        await pick(self, items, "command, section, owner, place, …", self._run_picked)

    async def action_scope(self) -> None:
        from workbench.tui.widgets.picker import pick

        subject = self.viewing.subject
        if subject is not None and not self.place.shows_scope:
            self.place.say("What is shown here is the same in every scope.", ())
        elif subject is not None:
            about = "The prompt that this scope reads."
            items = [Item(scope.label, scope.label, scope.note, help=about) for scope in subject.scopes]
            await pick(self, items, "scope", self._take_scope, self.viewing.scope)

    async def visit(self, title: str) -> None:
        """Shows the place because the person asks for it."""
        if title != self.place.tab.title:
            self.leave_spot()
            await self.go_to(title)

    # the way back

    @property
    def here(self) -> Spot:
        """What the person looks at."""
        place = self.place
        return Spot(place.tab.title, self.viewing.scope, place.spot())

    def leave_spot(self) -> None:
        """A jump follows."""
        self.trail.leave(self.here)

    async def action_back(self) -> None:
        await self.go_back()

    async def go_back(self) -> None:
        """Shows what was looked at before the last jump."""
        await self._return_to(self.trail.back(self.here), "There is nothing to go back to.")

    async def action_forward(self) -> None:
        await self._return_to(self.trail.forward(self.here), "There is nothing ahead.")

    async def _return_to(self, spot: Spot | None, else_say: str) -> None:
        if spot is None:
            self.place.say(else_say, ())
            return
        subject = self.viewing.subject
        if subject is not None and spot.scope in {scope.label for scope in subject.scopes}:
            self.viewing.take_scope(spot.scope)
        await self.go_to(spot.title, spot.target)

    def _take_scope(self, label: str) -> None:
        if label != self.viewing.scope:
            self.leave_spot()
            self.viewing.take_scope(label)

    # the palette

    def _command_items(self) -> list[Item]:
        place = self.place
        groups = {place.where: "This place", "app": "Everywhere"}
        items = []
        for each in map(self.keymap.of, COMMANDS):
            if each.in_palette and each.where in groups:
                note = place.tab.title if each.where == place.where else ""
                items.append(
                    Item(f"command:{each.id}", each.title, note, each.key_label, groups[each.where], each.help)
                )
        return items

    def _all_jumps(self) -> list[Jump]:
        from workbench.tui.view.entries import keyed
        from workbench.tui.view.jumps import jumps

        subject, preview = self.viewing.subject, self.viewing.preview
        if subject is None:
            return []
        entries = dict(keyed(preview, subject.troubles)) if preview is not None else {}
        fibers = [plugin.name for plugin in subject.registry().plugins]
        return jumps(TABS, subject.scopes, self.place.tab.title, entries, preview, fibers)

    def _run_picked(self, item_id: str) -> None:
        kind, _, rest = item_id.partition(":")
        if kind == "command":
            self.call_later(self.place.run_command, rest)
        elif kind == "jump":
            self.call_later(self._jump_to, self._jumps[int(rest)])
        else:
            self.leave_spot()
            self.place.jump(item_id)

    async def _jump_to(self, jump: Jump) -> None:
        self.leave_spot()
        if jump.scope is not None:
            self.viewing.take_scope(jump.scope)
        await self.go_to(jump.title, jump.target)
