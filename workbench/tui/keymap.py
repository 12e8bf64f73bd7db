"""The keys of a person: a YAML file that gives other keys to commands, by the id of the command.

    prompt.find: ctrl+f
    app.quit: [q, ctrl+x]
    prompt.hold: []            # no key

What is wrong in it is named with its line, and the command concerned keeps its usual keys.
Source: docs/tui.md 3.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, NamedTuple

from workbench.tui.command import KEY_NAMES, Command
from workbench.tui.commands import COMMANDS, command, commands_of

PANES: Final = frozenset({"lines", "list", "text"})
"""Parts of a place that have keys of their own; `lines` is in each of the others."""
MODIFIERS: Final = ("ctrl", "alt", "shift", "super", "hyper", "meta")
NO_KEY: Final = "no+key"
"""What a command without keys is bound to: nothing can send it."""
LARGEST: Final = 200_000
"""Bytes of a keymap file, at most."""


@dataclass(frozen=True, slots=True)
class Keymap:
    """Other keys than the usual ones, and what was wrong with the file."""

    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Textual key names by command id."""
    problems: tuple[str, ...] = ()
    """Each with file, line and remedy."""

    def of(self, each: Command) -> Command:
        """The command with the keys of this person."""
        keys = self.keys.get(each.id)
        if keys is None:
            return each
        return replace(each, keys=keys, label=key_label(keys[0]) if keys else "–")

    def commands_of(self, *where: str) -> Iterator[Command]:
        """Those that the app, a place or a pane carries out."""
        return map(self.of, commands_of(*where))

    @property
    def bindings(self) -> dict[str, str]:
        """As Textual takes it."""
        return {command_id: ",".join(keys) or NO_KEY for command_id, keys in self.keys.items()}


USUAL: Final = Keymap()


def file_of_person() -> Path:
    """Where the file is looked for. It need not exist."""
    from platformdirs import user_config_path

    return user_config_path("prompt-workbench") / "keymap.yaml"


def load(file: Path | None = None) -> Keymap:
    """The keys of a file, or those of the person; blocks on the disk. The person's own file may be missing."""
    path = file_of_person() if file is None else file
    try:
        if path.stat().st_size > LARGEST:
            return Keymap(
                problems=(f"{path}: larger than {LARGEST:,} bytes; a keymap has a line for each command",)
            )
        text = path.read_text("utf-8")
    except FileNotFoundError:
        if file is None:
            return USUAL
        return Keymap(problems=(f"{path}: there is no such file; `workbench keys --format yaml` prints one",))
    except (OSError, UnicodeDecodeError) as error:
        return Keymap(problems=(f"{path}: {error}",))
    return read(text, str(path))


def read(text: str, file: str) -> Keymap:
    """The keys that `text` gives, without those that cannot be."""
    from workbench.config.compose import parse_yaml
    from workbench.config.nodes import Mapping as MappingNode
    from workbench.config.nodes import Scalar
    from workbench.config.problems import LoadError, LoadProblem, did_you_mean

    try:
        document, found = parse_yaml(text, file)
    except LoadError as error:
        return Keymap(problems=tuple(map(str, error.problems)))
    problems: list[LoadProblem] = list(found)
    wishes: list[_Wish] = []
    if document.root is not None and not isinstance(document.root, MappingNode):
        remedy = "write a line `id: key` for each command, such as `prompt.find: ctrl+f`"
        problems.append(document.problem(document.root.start, (), "a keymap is a list of command ids", remedy))
    entries = document.root.entries.values() if isinstance(document.root, MappingNode) else ()
    for entry in entries:
        name, at = entry.key.text, entry.key.start
        if name not in _IDS:
            remedy = did_you_mean(name, _IDS, "`workbench keys` lists them")
            problems.append(document.problem(at, (name,), f"unknown command {name!r}", remedy))
            continue
        value = entry.value
        nodes = (
            [value] if isinstance(value, Scalar) else value.items if not isinstance(value, MappingNode) else None
        )
        if nodes is None or not all(isinstance(node, Scalar) for node in nodes):
            remedy = f"write `{name}: x` or `{name}: [x, ctrl+x]`"
            problems.append(document.problem(value.start, (name,), "keys are a word or a list of words", remedy))
            continue
        keys: list[str] = []
        faulty = False
        for node in nodes:
            assert isinstance(node, Scalar)
            if node.value is None and isinstance(value, Scalar):
                continue  # `id:` alone: no key
            key = key_name(node.text)
            if key is None:
                remedy = "write a character, or a name such as `ctrl+x`, `alt+left`, `f5`, `pagedown`"
                problems.append(document.problem(node.start, (name,), f"unknown key {node.text!r}", remedy))
                faulty = True
            elif key not in keys:
                keys.append(key)
        if not keys and not faulty and command(name).urgent:
            remedy = "give it one; without it nobody could leave"
            problems.append(document.problem(at, (name,), f"{name} must have a key", remedy))
        elif not faulty:
            wishes.append(_Wish(name, tuple(keys), at))
    while (clash := _clash(wishes)) is not None:
        wish, key, other = clash
        wishes.remove(wish)
        remedy = f"take another key, or give {other} another one"
        message = f"the key {key_label(key)} of {wish.id} already belongs to {other} there"
        problems.append(document.problem(wish.at, (wish.id,), message, remedy))
    problems.sort(key=lambda problem: (problem.line or 0, problem.column or 0))
    return Keymap({wish.id: wish.keys for wish in wishes}, tuple(map(str, problems)))


class _Wish(NamedTuple):
    """One line of the file."""

    id: str
    keys: tuple[str, ...]
    at: int
    """Offset in the file."""


def meet(one: Command, other: Command) -> bool:
    """Whether a key of one would be in the way of the other: they can be asked for at the same time."""
    a, b = one.where, other.where
    if a == b or "app" in {a, b}:
        return True
    if a in PANES and b in PANES:
        return "lines" in {a, b}
    return a in PANES or b in PANES


def _clash(wishes: list[_Wish]) -> tuple[_Wish, str, str] | None:
    """The first wish for a key that another command has: wish, key, id of that command."""
    table = {each.id: each for each in map(Keymap({wish.id: wish.keys for wish in wishes}).of, COMMANDS)}
    wished = {wish.id: index for index, wish in enumerate(wishes)}
    for index, wish in enumerate(wishes):
        for key in wish.keys:
            for other in table.values():
                if key in command(wish.id).keys and key in command(other.id).keys:
                    continue  # as it has always been: one of them is not there when the other one is
                is_earlier = wished.get(other.id, -1) < index  # of two wishes the later one gives way
                if is_earlier and other.id != wish.id and key in other.keys and meet(table[wish.id], other):
                    return wish, key, other.id
    return None


def key_name(written: str) -> str | None:
    """The name by which Textual knows a key; None: there is no such key."""
    from textual.keys import KEY_NAME_REPLACEMENTS, Keys, _character_to_key, key_to_character

    if len(written) == 1:
        return _character_to_key(written) if written.isprintable() and written != " " else None
    *modifiers, base = written.split("+")
    modifiers = [modifier.lower() for modifier in modifiers]
    if not base or len(set(modifiers)) != len(modifiers) or not set(modifiers) <= set(MODIFIERS):
        return None
    if len(base) == 1:
        if modifiers == ["shift"] and base.isalpha():
            return base.upper()
        name = _character_to_key(base)
    else:
        name = _SHORT_NAMES.get(base.lower(), base.lower())
        known = {*(key.value for key in Keys), *KEY_NAME_REPLACEMENTS.values()}
        if name not in known and key_to_character(name) is None:
            return None
    return "+".join([*sorted(modifiers, key=MODIFIERS.index), name])


def types_text(key: str) -> bool:
    """While a person types, that key is a character and no command."""
    from textual.keys import key_to_character

    *modifiers, _ = key.split("+")
    character = None if set(modifiers) - {"shift"} else key_to_character(key)
    return character is not None and character.isprintable()


def key_label(key: str) -> str:
    """A key as a person reads it."""
    *modifiers, base = key.split("+")
    return "+".join([*modifiers, KEY_NAMES.get(base) or _formatted(base)])


def _formatted(base: str) -> str:
    if len(base) == 1 or base.isalnum():
        return base  # without asking Textual, which the key list does not load
    from textual.keys import format_key

    return format_key(base)


_IDS: Final = frozenset(each.id for each in COMMANDS)
_SHORT_NAMES = {
    "esc": "escape",
    "pgup": "pageup",
    "pgdn": "pagedown",
    "del": "delete",
    "ins": "insert",
    "return": "enter",
}
