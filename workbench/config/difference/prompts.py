"""Two previews compared: by section, context, tool and variable, and by words inside what changed.

It is about what the model reads. That something stands in another place of a file is no difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, Literal, TypeVar

from workbench.config.difference.first_change import FirstChange, first_change, in_force, text_of
from workbench.config.difference.sequences import runs
from workbench.config.difference.texts import Piece, changed_pieces
from workbench.prompt import EntryView, Preview, ToolView, VariableView

View = TypeVar("View", EntryView, ToolView, VariableView)
State = Literal["added", "removed", "changed", "moved", "same"]


@dataclass(frozen=True)
class PartDifference(Generic[View]):
    """What became of one section, context, tool or variable."""

    kind: Literal["section", "context", "tool", "variable", "message"]
    name: str
    state: State
    """`changed` also where it has moved, too."""
    is_moved: bool
    """Whether it stands before or behind others that stand in both."""
    before: View | None
    after: View | None

    @property
    def view(self) -> View:
        """As it is now; of a removed one, as it was."""
        view = self.after or self.before
        assert view is not None
        return view

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """Its text, with what was removed and added."""
        return changed_pieces(_text(self.before), _text(self.after))


@dataclass(frozen=True)
class PromptDifference:
    """How two assemblies differ. Each list holds all parts in the order of the later one, removed ones in place."""

    first: FirstChange | None
    """From where on a provider's prefix cache is lost."""
    sections: tuple[PartDifference[EntryView], ...]
    contexts: tuple[PartDifference[EntryView], ...]
    tools: tuple[PartDifference[ToolView], ...]
    variables: tuple[PartDifference[VariableView], ...]
    """By value. They count only where a text holds them, and there they are seen as a change of it."""

    @property
    def is_same(self) -> bool:
        """Whether the model reads the same: system text, tools and runtime context."""
        states = [part.state for parts in (self.sections, self.contexts) for part in parts]
        states += [part.state for part in self.tools]
        return all(state == "same" for state in states)


def prompt_difference(before: Preview, after: Preview) -> PromptDifference:
    """Compare two assemblies: of two compositions, two scopes, two revisions, or two moments."""
    return PromptDifference(
        first=first_change(before, after),
        sections=_parts("section", in_force(before.sections), in_force(after.sections)),
        contexts=_parts("context", in_force(before.contexts), in_force(after.contexts)),
        tools=_parts("tool", _sent(before), _sent(after)),
        variables=_parts("variable", _values(before), _values(after)),
    )


def _sent(preview: Preview) -> list[ToolView]:
    return [tool for tool in preview.tools if tool.state == "effective"]


def _values(preview: Preview) -> list[VariableView]:
    return sorted((view for view in preview.variables if view.state == "effective"), key=lambda view: view.name)


def _parts(
    kind: Literal["section", "context", "tool", "variable"], before: Sequence[View], after: Sequence[View]
) -> tuple[PartDifference[View], ...]:
    old, new = _by_name(before), _by_name(after)
    old_common, new_common = [name for name in old if name in new], [name for name in new if name in old]
    stays: set[str] = set()
    for run in runs(old_common, new_common):
        if run.is_same:
            stays.update(new_common[run.new_start : run.new_end])
    parts: list[PartDifference[View]] = []
    for key in _names(list(old), list(new), stays):
        was, now = old.get(key), new.get(key)
        is_moved = was is not None and now is not None and key not in stays
        name = (now or was or new[key]).name
        parts.append(PartDifference(kind, name, _state(was, now, is_moved), is_moved, was, now))
    return tuple(parts)


def _by_name(views: Sequence[View]) -> dict[str, View]:
    """Two tools may have one name: then they are matched in the order in which they come."""
    found: dict[str, View] = {}
    for view in views:
        key, nth = view.name, 1
        while key in found:
            nth += 1
            key = f"{view.name}\0{nth}"
        found[key] = view
    return found


def _names(old: Sequence[str], new: Sequence[str], stays: set[str]) -> list[str]:
    """The new ones in order; each removed one behind the one that stood before it."""
    removed: dict[str | None, list[str]] = {}
    known, anchor = set(new), None
    for name in old:
        if name not in known:
            removed.setdefault(anchor, []).append(name)
        elif name in stays:
            anchor = name
    names = list(removed.get(None, ()))
    for name in new:
        names += [name, *removed.get(name, ())]
    return names


def _state(was: View | None, now: View | None, is_moved: bool) -> State:
    if was is None:
        return "added"
    if now is None:
        return "removed"
    if _text(was) != _text(now):
        return "changed"
    return "moved" if is_moved else "same"


def _text(view: View | None) -> str:
    if view is None:
        return ""
    if isinstance(view, EntryView):
        return text_of(view)
    if isinstance(view, ToolView):
        return f"{view.description}\n{view.parameters_json}"
    return "(no value)" if view.value is None else view.value
