"""Small providers and listeners that the tests of the room register."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from workbench.prompt import AssembleContext, PromptAssembly, ToolProviderResult

T = TypeVar("T")
Next = Callable[[], Awaitable[PromptAssembly]]


def says(value: T) -> Callable[[AssembleContext], T]:
    """A provider that always gives this."""
    return lambda _context: value


def raises(error: BaseException) -> Callable[[AssembleContext], Any]:
    """A provider that raises this."""

    def provider(_context: AssembleContext) -> Any:
        raise error

    return provider


def gives(*schemas: Any, known: Sequence[str] | None = None) -> Callable[[AssembleContext], ToolProviderResult]:
    """A provider of these very schemas at every call."""
    return lambda _context: ToolProviderResult(schemas, known)


def edits(
    before: Callable[[PromptAssembly], object] | None = None,
    after: Callable[[PromptAssembly], object] | None = None,
) -> Callable[..., Any]:
    """A listener that edits in place before and after `next()`."""

    async def listener(assembly: PromptAssembly, _context: AssembleContext, next: Next) -> PromptAssembly:
        if before is not None:
            before(assembly)
        result = await next()
        if after is not None:
            after(result)
        return result

    return listener
