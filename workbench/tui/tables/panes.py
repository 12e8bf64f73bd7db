"""Commands of lists and texts in any place."""

from workbench.tui.command import Command

COMMANDS: tuple[Command, ...] = (
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
        "lines.sideways",
        "To the right",
        ("shift+right",),
        "What is further to the right, where lines are not wrapped.",
        label="shift →",
        in_palette=False,
    ),
    Command(
        "lines.sideways_back",
        "To the left",
        ("shift+left",),
        "Back to the left.",
        label="shift ←",
        in_palette=False,
    ),
    Command(
        "list.open",
        "Go to its text",
        ("enter", "right", "l"),
        "Go to the text of the entry.",
        label="enter",
        in_palette=False,
    ),
    Command("text.back", "Back to the list", ("left", "h"), "Go back to the list.", label="← h", in_palette=False),
)
