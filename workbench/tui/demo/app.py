"""The workbench with a presenter at its keys: next, back, quit; everything else works as always."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.worker import Worker, WorkerError

from workbench.dynamic.page_extra import is_installed
from workbench.tui.app import WorkbenchApp
from workbench.tui.demo.caption import Caption
from workbench.tui.demo.steps import STEPS, Step
from workbench.tui.subject import Subject, first_scope
from workbench.tui.viewing.viewing import Topic
from workbench.tui.workers import start_worker


class DemoApp(WorkbenchApp):
    """Walks through the steps."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space,pagedown", "next_step", "Next step", show=False, priority=True),
        Binding("backspace,pageup", "previous_step", "Step before", show=False, priority=True),
    ]

    def __init__(self, *args: Any, steps: Sequence[Step] = STEPS, **options: Any) -> None:
        super().__init__(*args, name=steps[0].sample, **options)
        self.steps = [step for step in steps if is_installed() or not step.needs_page]
        self._spoken: WeakKeyDictionary[object, Worker[None]] = WeakKeyDictionary()
        """What was said to the agent of a subject: once, and to its end, however fast the walk goes on."""
        self._step: Worker[None] | None = None
        self._undo: tuple[str, ...] = ()
        self.at = 0
        """Index of the step that is shown."""
        self._told = asyncio.Event()
        """Something of what is looked at is another."""
        self.is_ready = asyncio.Event()
        """The step is on the screen, with everything that belongs to it."""

    def on_ready(self) -> None:
        super().on_ready()
        self._begin(0)

    def action_next_step(self) -> None:
        if self.at + 1 < len(self.steps):
            self._begin(self.at + 1)
        else:
            self.exit(0)

    def action_previous_step(self) -> None:
        self._begin(max(0, self.at - 1))

    def _tell(self, topic: Topic) -> None:
        super()._tell(topic)
        self._told.set()

    def _begin(self, at: int) -> None:
        self._undo = self.steps[self.at].undo if self.is_ready.is_set() else ()
        self.at = at
        self.is_ready.clear()
        self._step = start_worker(
            self, partial(self._show, self.steps[at]), group="step", exclusive=True, exit_on_error=True
        )

    async def _show(self, step: Step) -> None:
        while isinstance(self.screen, ModalScreen):
            await self.pop_screen()
        for command in self._undo:
            await self.place.run_command(command)
        subject = self.viewing.subject
        if self.viewing.opening != step.sample and (subject is None or subject.name != step.sample):
            self.open_file(step.sample)  # once: a walk in a hurry finds it on its way
        await self._until_shown(step.sample)
        assert self.viewing.subject is not None
        self.viewing.take_scope(step.scope or first_scope(self.viewing.subject.scopes))
        await self.go_to(step.place)
        await self._until_shown(step.sample)
        if step.target is not None:
            self.place.show_target(step.target)
        if step.says:
            await self._say(step.says)
        for command in step.commands:
            await self.place.run_command(command)
        for action in step.sheet:
            await self._on_sheet(action)
        for command in step.then:
            await self.place.run_command(command)
        await self._caption(step)
        self.is_ready.set()

    async def _say(self, text: str) -> None:
        """To the agent, once; it is done when this returns, or waits for a person."""
        subject = self.viewing.subject
        talk = None if subject is None or subject.sessions is None else subject.sessions.talk
        if subject is None or talk is None:
            return
        if subject not in self._spoken:
            self._spoken[subject] = start_worker(self, partial(talk.say, text), group="said")
        await _ended(self._spoken[subject])
        while self.viewing.subject is subject and talk.is_running and not _waits_for_person(subject):
            self._told.clear()
            await self._told.wait()

    async def _on_sheet(self, action: str) -> None:
        """What a person does there; nothing where the sheet did not open."""
        sheet = self.screen
        if isinstance(sheet, ModalScreen):
            await sheet.run_action(action)
            for worker in [worker for worker in sheet.workers if worker.node is sheet]:
                await _ended(worker)

    async def _caption(self, step: Step) -> None:
        if self.screen is not self.place:
            await self.place.query(Caption).remove()  # it stands on the sheet that lies on top
        found = self.screen.query(Caption)
        caption = found.first() if found else Caption()
        if not found:
            await self.screen.mount(caption, before="KeyHints")
        keys = " ".join(map(self.key_of, step.asked))
        leave = "q" if self.screen is self.place else "ctrl+q"  # letters belong to what lies on top
        caption.show(step.caption, self.at + 1, len(self.steps), keys, leave)

    async def _until_shown(self, sample: str) -> None:
        """The sample is open, and the preview of its scope is there."""
        while not self._is_shown(sample):
            self._told.clear()
            await self._told.wait()

    def _is_shown(self, sample: str) -> bool:
        subject, history = self.viewing.subject, self.viewing.history
        if subject is None or subject.name != sample:
            return False
        return not subject.is_loaded or (bool(history) and history[-1].scope == self.viewing.scope)


async def _ended(worker: Worker[None]) -> None:
    """However it ended. A step that is cancelled meanwhile ends here, and the worker goes on: `Worker.wait` alone
    would cancel the worker, and the step would go on beside the next one."""
    with suppress(WorkerError):
        await asyncio.shield(asyncio.ensure_future(worker.wait()))


def _waits_for_person(subject: Subject) -> bool:
    """For an answer, or for somebody who opens a page."""
    packages = subject.packages
    if packages is None:
        return False
    return bool(packages.waiting_count) or any(row.state == "delivering" for row in packages.rows())
