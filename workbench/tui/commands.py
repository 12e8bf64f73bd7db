"""The one table of commands: bindings, palette, key hints, help and `workbench keys` are made from it.

An id is for ever, a key is only a default. The name of the action is the last part of the id, so
`prompt.find` is `action_find` of the place Prompt.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

Where: TypeAlias = Literal["app", "prompt", "lines", "list", "text"]
"""Who carries the command out: the app, a place, or a pane inside one (`lines`: any pane with lines)."""


@dataclass(frozen=True, slots=True)
class Command:
    """Something that a person can ask for."""

    id: str
    title: str
    """As the palette names it."""
    keys: tuple[str, ...]
    """Textual key names, the one to show first."""
    help: str
    """One sentence."""
    hint: str = ""
    """Word beside the key at the bottom line; empty: not there."""
    label: str = ""
    """How the key is written, where its name is not it."""
    in_palette: bool = True
    always: bool = False
    """Its hint stands at the right end and never falls off."""
    urgent: frozenset[str] = frozenset()
    """Those of its keys that work whatever lies on top or has the focus."""
    when: str = ""
    """The hint is shown only then: `failing`, `found`, `noted`, `pending`; and then before all others."""

    @property
    def where(self) -> str:
        """The first part of the id."""
        return self.id.partition(".")[0]

    @property
    def action(self) -> str:
        """The name of the method, without `action_`."""
        return self.id.partition(".")[2]

    @property
    def key_label(self) -> str:
        """The first key as a person reads it."""
        return self.label or _KEY_NAMES.get(self.keys[0], self.keys[0])


_KEY_NAMES = {
    "slash": "/",
    "question_mark": "?",
    "up": "↑",
    "down": "↓",
    "greater_than_sign": ">",
    "less_than_sign": "<",
    "escape": "esc",
    "pageup": "pgup",
    "pagedown": "pgdn",
}

COMMANDS: tuple[Command, ...] = (
    # the place Prompt, most useful first
    Command("prompt.find", "Find", ("slash",), "Find words in the text of everything that is sent.", "find"),
    Command("prompt.scope", "Choose a scope", ("s",), "Show the prompt that another scope would read.", "scope"),
    Command(
        "prompt.check", "Check", ("f",), "Find everything that is wrong with the file, in all its scopes.", "check"
    ),
    Command("prompt.copy", "Copy entry", ("y",), "Copy the text of the chosen entry, byte for byte.", "copy"),
    Command("prompt.copy_all", "Copy whole text", ("Y",), "Copy the whole text as it is sent.", label="Y"),
    Command("prompt.plain", "Plain text", ("m",), "Show the text alone, as it is sent.", "plain text"),
    Command("prompt.names", "Names of values", ("v",), "Show {{model}} in place of its value.", "names of values"),
    Command("prompt.wrap", "Wrap lines", ("w",), "Wrap long lines, or scroll sideways.", "wrap"),
    Command(
        "prompt.fault",
        "Go to the problem",
        ("e",),
        "Go to the next entry that has failed.",
        "next problem",
        when="failing",
    ),
    Command("prompt.inspector", "Details on, off", ("i",), "Show or hide what is known about the entry."),
    Command(
        "prompt.notes",
        "Notes on the file",
        ("o",),
        "All problems of the file, and what was passed over in it.",
        "notes",
        when="noted",
    ),
    Command(
        "prompt.apply",
        "Apply the edit",
        ("a",),
        "Put the edit that waits in force.",
        "apply the edit",
        when="pending",
    ),
    Command(
        "prompt.discard", "Discard the edit", ("x",), "Let the edit that waits be.", "discard it", when="pending"
    ),
    Command("prompt.hold", "Hold edits, on, off", ("p",), "Let edits wait until they are applied, or not."),
    Command("prompt.assemble", "Assemble again", ("r",), "Ask all providers again, now."),
    Command(
        "prompt.next_match",
        "Next match",
        ("n",),
        "Go to the next place that was found.",
        "next match",
        when="found",
    ),
    Command("prompt.previous_match", "Match before", ("N",), "Go back to the place before.", label="N"),
    Command("prompt.leave", "Leave search", ("escape",), "Forget what was searched for.", in_palette=False),
    Command("prompt.other_pane", "Other pane", ("tab", "shift+tab"), "Go to the other pane.", in_palette=False),
    # lists and text
    Command("lines.up", "Up", ("up", "k"), "Line before.", label="↑ k", in_palette=False),
    Command("lines.down", "Down", ("down", "j"), "Line after.", label="↓ j", in_palette=False),
    Command("lines.page_up", "Page up", ("pageup", "ctrl+u"), "A page up.", label="pgup", in_palette=False),
    Command(
        "lines.page_down",
        "Page down",
        ("pagedown", "ctrl+d", "space"),
        "A page down.",
        label="pgdn",
        in_palette=False,
    ),
    Command("lines.first", "First", ("home", "g"), "To the first line.", label="home g", in_palette=False),
    Command("lines.last", "Last", ("end", "G"), "To the last line.", label="end G", in_palette=False),
    Command(
        "list.open",
        "Go to its text",
        ("enter", "right", "l"),
        "Go to the text of the entry.",
        label="enter",
        in_palette=False,
    ),
    Command("text.back", "Back to the list", ("left", "h"), "Go back to the list.", label="← h", in_palette=False),
    # everywhere
    Command(
        "app.palette",
        "Commands",
        ("ctrl+p", "f2", "colon"),
        "Find any command or entry by its name.",
        "commands",
        in_palette=False,
        always=True,
    ),
    Command("app.help", "Help", ("question_mark", "f1"), "All keys and signs.", "help", always=True),
    Command("app.theme", "Colours", ("c",), "Choose other colours."),
    Command("app.quit", "Quit", ("q", "ctrl+q"), "Stop the runtime and leave.", urgent=frozenset({"ctrl+q"})),
)
"""All of them, in the order in which help and hints show them."""


def commands_of(*where: str) -> Iterator[Command]:
    """Those that the app, a place or a pane carries out."""
    return (command for command in COMMANDS if command.where in where)


def command(command_id: str) -> Command:
    """The one with that id; raises `KeyError`."""
    return _BY_ID[command_id]


_BY_ID = {each.id: each for each in COMMANDS}
