"""What a tool is beyond its schema, and what its body gets to see of one call.

Source: docs/tools.md 9.1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workbench.tools.calls import AddedContext, CancelLike, ContentBlock, text_block
from workbench.tools.events import Invocation
from workbench.tools.working_directory import working_directory
from workbench.values import freeze_foreign

if TYPE_CHECKING:
    from workbench.core.scopes import ScopeKey
    from workbench.tools.sub_calls import SubCalls

Execute = Callable[[Any, "ToolRun"], Any]
"""A body: `execute(arguments, run)`, sync or async. Gives a JSON value, a `Success` or a `Failure`."""
Render = Callable[[Any, Any], Sequence[ContentBlock] | str]
"""`render(arguments, value)`: what the model reads of a value."""
ConcurrencySafe = bool | Callable[[Any], bool]
"""Whether a call may overlap with its neighbours; a function decides by the arguments."""
FinalizeContent = Callable[[Any, Sequence[ContentBlock]], Any]
"""`finalize_content(arguments, content)`: the last change of what the model reads, sync or async."""


class ToolRun:
    """One call, as the body of the tool sees it."""

    __slots__ = ("_call", "callbacks", "concludes", "contexts", "services")

    def __init__(self, call: Invocation, services: RunServices) -> None:
        self._call = call
        self.services = services
        self.contexts: list[AddedContext] = []
        self.callbacks: list[Callable[[], None]] = []
        self.concludes = False

    def begin(self) -> None:
        """A body begins; what an earlier attempt of the same call has said does not count."""
        self.contexts, self.callbacks, self.concludes = [], [], False

    @property
    def id(self) -> str:
        return self._call.id

    @property
    def name(self) -> str:
        return self._call.name

    @property
    def agent(self) -> Any:
        return self._call.agent

    @property
    def session_id(self) -> str:
        return self._call.session_id

    @property
    def scope(self) -> ScopeKey | None:
        return self._call.scope

    @property
    def turn(self) -> int:
        return self._call.turn

    @property
    def step(self) -> int:
        return self._call.step

    @property
    def call(self) -> Invocation:
        return self._call

    @property
    def signal(self) -> CancelLike:
        return self._call.signal

    @property
    def cancelled(self) -> bool:
        return self._call.signal.is_set

    @property
    def cwd(self) -> str | None:
        """The working directory of the agent; None where it has none."""
        return working_directory(self._call.agent)

    def add_context(self, content: str | Sequence[ContentBlock]) -> None:
        """Say something to the model beside the result, at the next step."""
        self.contexts.append(AddedContext(as_blocks(content), self._call.owner, self._call.id))

    def conclude_turn(self) -> None:
        """End the turn behind this batch, provided that this call succeeds."""
        self.concludes = True

    def when_recorded(self, callback: Callable[[], None]) -> None:
        """Call `callback` when the result is recorded, as a success; for a sub-call: with its root's success."""
        self.callbacks.append(callback)


class RunServices:
    """What only bodies of the house need: the way back into the pipeline."""

    __slots__ = ("sub_calls",)

    def __init__(self, sub_calls: SubCalls | None) -> None:
        self.sub_calls = sub_calls
        """None for a sub-call, which has none of its own."""


def as_blocks(content: str | Sequence[ContentBlock]) -> tuple[ContentBlock, ...]:
    """Content as frozen blocks. Raises `NotJson`, and `TypeError` for what is no list of blocks."""
    if isinstance(content, str):
        return (text_block(content),)
    if not isinstance(content, list | tuple):
        raise TypeError(f"content must be a text or a list of blocks, not {type(content).__name__}")
    blocks = []
    for block in content:
        if not isinstance(block, Mapping) or not isinstance(block.get("type"), str):
            raise TypeError("each content block must be an object with a `type`")
        if block["type"] == "text" and not isinstance(block.get("text"), str):
            raise TypeError("a text block needs a `text`")
        blocks.append(freeze_foreign(dict(block)))
    return tuple(blocks)
