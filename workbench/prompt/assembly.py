"""Assemblies: what one request says, as listeners may change it.

An assembly is made of fresh objects. Its lists make their items when somebody asks for one, so that an
assembly which no listener touches costs no objects at all.

Source: docs/prompt-assembly.md 2, 6 and 9.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, MutableSequence
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

from workbench.prompt.tool_schema import OrderedTools, ToolSchema, detach, tools_json

if TYPE_CHECKING:
    from workbench.core.scopes import ScopeKey
    from workbench.prompt.contributions import TextContribution
    from workbench.prompt.plan import TextPlan


@dataclass(slots=True)
class AssembleContext:
    """What one assembly is for. Providers must tolerate absent fields."""

    scope: ScopeKey | None = None
    """Selects the layers."""
    agent: Any = None
    """Never set without `scope`."""
    signal: Any = None
    """Controls this one request; not to be kept."""
    extras: dict[str, Any] = field(default_factory=dict)
    """Fields that packages add."""


class NamedText:
    """A section or context of one assembly: text resolved, but not interpolated."""

    __slots__ = ("contribution", "literal", "name", "order", "text")

    def __init__(self, name: str, text: str, literal: bool = False, order: float | None = None) -> None:
        self.name = name
        self.text = text
        self.literal = literal
        """Rendered as it stands, whatever braces it holds."""
        self.order = order
        """Where a registered entry stood. Places nothing any more, also when a listener sets it."""
        self.contribution: TextContribution | None = None
        """The registration that it came from; None when a listener added it."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NamedText):
            return NotImplemented
        return (self.name, self.text, self.literal) == (other.name, other.text, other.literal)

    __hash__ = None  # type: ignore[assignment]

    def __deepcopy__(self, _memo: object) -> NamedText:
        return copy(self)  # the registration that it came from is not its own

    def __repr__(self) -> str:
        return f"NamedText({self.name!r}, {self.text!r})"


class NamedTexts(MutableSequence[NamedText]):
    """The sections or contexts of one assembly: a list that makes its items on demand."""

    __slots__ = ("items", "plan", "texts", "touched")

    def __init__(self, plan: TextPlan | None, texts: list[str]) -> None:
        self.plan = plan
        """None: only `items` counts."""
        self.texts = texts
        """Evaluated texts, as the plan orders them."""
        self.touched: dict[int, NamedText] | None = None
        """Items that somebody has asked for, and may have changed."""
        self.items: list[NamedText] | None = None
        """All items, once somebody has asked for all or has changed the list itself."""

    @classmethod
    def of(cls, items: Iterable[NamedText]) -> NamedTexts:
        """A list of given items."""
        made = cls(None, [])
        made.items = list(items)
        return made

    def _item(self, index: int) -> NamedText:
        touched = self.touched
        if touched is None:
            touched = self.touched = {}
        item = touched.get(index)
        if item is None:
            assert self.plan is not None
            entry = self.plan.entries[index]
            item = touched[index] = NamedText(entry.name, self.texts[index], entry.literal, entry.order)
            item.contribution = entry
        return item

    def all_items(self) -> list[NamedText]:
        """Every item. From here on the list stands on its own."""
        if self.items is None:
            self.items = [self._item(index) for index in range(len(self.texts))]
        return self.items

    def names(self) -> list[str]:
        """The names, without making items."""
        if self.items is not None:
            return [item.name for item in self.items]
        assert self.plan is not None
        names = [entry.name for entry in self.plan.entries]
        for index, item in (self.touched or {}).items():
            names[index] = item.name
        return names

    def current_texts(self) -> list[str] | None:
        """The texts by the plan's order; None when the list has gone its own way, or a flag was changed."""
        if self.items is not None or self.plan is None:
            return None
        if not self.touched:
            return self.texts
        texts = self.texts.copy()
        entries = self.plan.entries
        for index, item in self.touched.items():
            if item.literal is not entries[index].literal or item.name is not entries[index].name:
                return None
            texts[index] = item.text
        return texts

    def __len__(self) -> int:
        return len(self.texts) if self.items is None else len(self.items)

    @overload
    def __getitem__(self, index: int) -> NamedText: ...
    @overload
    def __getitem__(self, index: slice) -> MutableSequence[NamedText]: ...
    def __getitem__(self, index: int | slice) -> NamedText | MutableSequence[NamedText]:
        if self.items is None and type(index) is int:
            size = len(self.texts)
            if 0 <= index < size:
                return self._item(index)
            if -size <= index < 0:
                return self._item(index + size)
        return self.all_items()[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self.all_items()[index] = value

    def __delitem__(self, index: Any) -> None:
        del self.all_items()[index]

    def __iter__(self) -> Iterator[NamedText]:
        return iter(self.all_items())

    def insert(self, index: int, value: NamedText) -> None:
        self.all_items().insert(index, value)

    def clear(self) -> None:
        self.all_items().clear()

    def sort(self, *, key: Callable[[NamedText], Any] | None = None, reverse: bool = False) -> None:
        self.all_items().sort(key=key, reverse=reverse)  # type: ignore[arg-type]

    def copy(self) -> list[NamedText]:
        return self.all_items().copy()

    def __add__(self, other: Iterable[NamedText]) -> list[NamedText]:
        return [*self.all_items(), *other]

    def __radd__(self, other: Iterable[NamedText]) -> list[NamedText]:
        return [*other, *self.all_items()]

    def __copy__(self) -> NamedTexts:
        return NamedTexts.of(self.all_items())

    def __deepcopy__(self, _memo: object) -> NamedTexts:
        return NamedTexts.of(map(copy, self.all_items()))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (NamedTexts, list)):
            return self.all_items() == list(other)
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"[{', '.join(self.names())}]"


class PromptAssembly:
    """Sections, contexts, tools and variables of one request.

    Listeners edit it in place, or return another one: what the outermost listener returns is the result.
    """

    __slots__ = ("_contexts", "_sections", "_shared_tools", "_tools", "variables")

    def __init__(
        self,
        sections: Iterable[NamedText] = (),
        contexts: Iterable[NamedText] = (),
        tools: Iterable[ToolSchema] = (),
        variables: dict[str, str | None] | None = None,
    ) -> None:
        self._sections = NamedTexts.of(sections)
        self._contexts = NamedTexts.of(contexts)
        self._tools: list[ToolSchema] | None = list(tools)
        self._shared_tools = _NO_TOOLS
        self.variables: dict[str, str | None] = {} if variables is None else variables
        """Name to value; None: registered without a value."""

    @classmethod
    def built(
        cls,
        sections: NamedTexts,
        contexts: NamedTexts,
        tools: OrderedTools,
        variables: dict[str, str | None],
    ) -> PromptAssembly:
        """As the prompt service builds it. `tools` stay the registry's own until somebody asks for them."""
        made = cls.__new__(cls)
        made._sections = sections
        made._contexts = contexts
        made._tools = None
        made._shared_tools = tools
        made.variables = variables
        return made

    @property
    def sections(self) -> NamedTexts:
        return self._sections

    @sections.setter
    def sections(self, items: Iterable[NamedText]) -> None:
        self._sections = items if isinstance(items, NamedTexts) else NamedTexts.of(items)

    @property
    def contexts(self) -> NamedTexts:
        return self._contexts

    @contexts.setter
    def contexts(self, items: Iterable[NamedText]) -> None:
        self._contexts = items if isinstance(items, NamedTexts) else NamedTexts.of(items)

    @property
    def tools(self) -> list[ToolSchema]:
        """The tool schemas in request order, as this assembly's own."""
        if self._tools is None:
            self._tools = [schema.detached() for schema in self._shared_tools.schemas]
        return self._tools

    @tools.setter
    def tools(self, schemas: Iterable[ToolSchema]) -> None:
        self._tools = list(schemas)

    @property
    def tool_schemas(self) -> tuple[ToolSchema, ...]:
        """The tool schemas for reading only, without making copies."""
        return self._shared_tools.schemas if self._tools is None else tuple(self._tools)

    @property
    def tools_are_own(self) -> bool:
        """Whether somebody has asked for the tools, and may have changed them."""
        return self._tools is not None

    @property
    def tools_json(self) -> bytes:
        """The tool schemas as the JSON array of a request; the same bytes as long as nothing changes.

        Raises `PromptError` for what a listener has put into the list and is no schema.
        """
        if self._tools is None:
            return self._shared_tools.json
        return tools_json([schema if type(schema) is ToolSchema else detach(schema) for schema in self._tools])


_NO_TOOLS = OrderedTools(())
