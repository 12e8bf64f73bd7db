"""The help screen: keys from the table of commands, and the legend of signs and colours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from workbench.tui.commands import Command, Where, commands_of
from workbench.tui.view.frame import Tab
from workbench.tui.view.pieces import OWNER_ROLES, Line, Piece, Role, spread, width_of

KEY_WIDTH = 10
SIGNS: tuple[tuple[str, Role, str], ...] = (
    ("×", "failed", "failed, cannot be sent"),
    ("~", "changed", "changed just now"),
    ("»", "listener", "rewritten by a listener"),
    ("+", "listener", "added by a listener"),
    ("−", "removed", "removed by a listener"),
    ("∅", "soft", "not sent, and why"),
    ("◐", "pending", "still running, with seconds"),
    ("◆", "pending", "waits for your answer"),
    ("◌", "waiting", "waits; edits are held"),
    ("≈", "text", "a size that is not exact"),
    ("●", "running", "live: follows the files"),
    ("•", "focus", "found by the search"),
    ("✓", "running", "done, and checked"),
    ("–", "soft", "never ran, no value"),
    ("○", "soft", "stopped, not watched"),
    ("◂", "changed", "past, not as it is now"),
    ("↕", "changed", "moved to another place"),
    ("▸ ▾", "faint", "closed, open"),
    ("━ ╳", "kept", "kept, breaks here"),
    ("╍ ─", "changed", "read anew, new"),
)
LOOKS: tuple[tuple[Piece, str], ...] = (
    (Piece("value", "value", underline=True), "value of a variable"),
    (Piece("words", "listener", underline=True), "words of a listener"),
    (Piece("‹ESC›", "text", ground="key"), "a hidden character"),
)


def help_lines(
    tab: Tab, where: Where, width: int, commands_of: Callable[..., Iterable[Command]] = commands_of
) -> list[Line]:
    """Columns side by side where there is room, else one after the other. `commands_of`: with a person's keys."""
    here = list(commands_of(where))
    groups = [
        [*_keys("In this place", here)],
        [
            *_keys("Lists and text", _left_over(commands_of("lines", "list", "text"), here)),
            (),
            *_keys("Everywhere", _left_over(commands_of("app"), here)),
            (),
            *_command_line(),
        ],
        [*_signs(), (), *_owners()],
    ]
    title: Line = (Piece(f"Help for {tab.title}", "strong", bold=True), Piece(f"  {tab.question}"))
    head: list[Line] = [title, ()]
    if width >= 110:
        return [*head, *_side_by_side(groups, (width * 3 // 10, width * 7 // 20, width * 7 // 20))]
    if width >= 74:
        left, right = groups[0] + [()] + groups[2], groups[1]
        return [*head, *_side_by_side([left, right], (width // 2, width // 2))]
    return [*head, *(line for group in groups for line in (*group, ()))]


def _left_over(commands: Iterable[Command], here: Iterable[Command]) -> Iterator[Command]:
    """Commands of panes, with the keys that the place does not need itself."""
    taken = {key for command in here for key in command.keys}
    for command in commands:
        keys = tuple(key for key in command.keys if key not in taken)
        if keys == command.keys:
            yield command
        elif keys:
            yield replace(command, keys=keys, label="")


def _keys(title: str, commands: Iterable[Command]) -> Iterable[Line]:
    yield (Piece(title, "strong", bold=True),)
    for command in commands:
        label = command.key_label.ljust(KEY_WIDTH)
        others = [key for key in command.keys[1:] if key.startswith(("f", "ctrl+")) and not command.label]
        also = f", also {others[0]}" if others else ""
        yield Piece(label, "strong", bold=True), Piece(command.title + also, "soft")


def _command_line() -> Iterable[Line]:
    yield (Piece("From a command line", "strong", bold=True),)
    for call, what in (
        ("workbench render", "this text"),
        ("workbench blame", "who wrote a line"),
        ("workbench test", "cases, for CI"),
    ):
        yield Piece(call.ljust(18)), Piece(what, "soft")


def _signs() -> Iterable[Line]:
    yield (Piece("Signs", "strong", bold=True),)
    for sign, role, meaning in SIGNS:
        yield Piece(sign.ljust(KEY_WIDTH), role, bold=True), Piece(meaning, "soft")
    for piece, meaning in LOOKS:
        yield piece, Piece(" " * (KEY_WIDTH - len(piece.text))), Piece(meaning, "soft")


def _owners() -> Iterable[Line]:
    yield (Piece("Owners", "strong", bold=True),)
    words = {"deployment": "deployment, scope", "package": "dynamic package"}
    for kind, role in OWNER_ROLES.items():
        yield Piece("▌".ljust(KEY_WIDTH), role), Piece(words.get(kind, kind), role)


def _side_by_side(columns: list[list[Line]], widths: tuple[int, ...]) -> Iterable[Line]:
    for row in range(max(map(len, columns))):
        line: Line = ()
        for column, width in zip(columns, widths, strict=True):
            cell = column[row] if row < len(column) else ()
            line = (*line, *spread(cell, (), width - 2), Piece("  "))
        yield line


def widest(lines: Iterable[Line]) -> int:
    """Cells of the widest line."""
    return max(map(width_of, lines), default=0)
