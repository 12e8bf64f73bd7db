"""Refusing waits that could never end: awaiting an end that waits for whoever awaits it.

Source: docs/runtime.md 6.4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.core.calls import Call, Running
from workbench.core.errors import CoreError

if TYPE_CHECKING:
    from workbench.core.fiber import Fiber


def refuse_own_load(fiber: Fiber, chain: list[Running]) -> None:
    """Raise `SELF_AWAIT` when the fiber's own plugin call is in the chain."""
    if any(isinstance(call, Call) and call.kind == "load" and call.ledger.fiber is fiber for call in chain):
        raise CoreError(
            "SELF_AWAIT",
            f"the plugin call of {fiber.name!r} awaits its own fiber, which waits for that call; "
            "ask for the end without awaiting it",
        )


def refuse_self_await(fiber: Fiber, chain: list[Running]) -> None:
    """Raise `SELF_AWAIT` when the fiber's undo waits for its plugin call or a disposer in the chain."""
    refuse_own_load(fiber, chain)
    for call in chain:
        if isinstance(call, Call) and call.kind == "disposer" and waits_in_the_end_for(fiber, call.ledger.fiber):
            raise CoreError(
                "SELF_AWAIT",
                f"a disposer of {call.ledger.fiber.name!r} awaits the end of {fiber.name!r}, which waits "
                "for that disposer; ask for the end without awaiting it",
            )


def waits_in_the_end_for(fiber: Fiber, other: Fiber) -> bool:
    """Whether the undo of a fiber has to wait for that of `other`: a descendant or a dependent."""
    seen: set[Fiber] = set()
    todo: list[Fiber] = [other]
    while todo:
        each = todo.pop()
        if each is fiber:
            return True
        if each in seen:
            continue
        seen.add(each)
        if each.parent is not None and not each.parent.is_root:
            todo.append(each.parent)
        todo.extend(entry.ledger.fiber for entry in each.activation.ground.values())
    return False
