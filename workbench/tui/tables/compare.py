"""Commands of Compare, most useful first."""

from workbench.tui.command import Command

COMMANDS: tuple[Command, ...] = (
    Command("compare.leave", "Back", ("escape",), "Go back to where you came from.", "back", rank=0),
    Command("compare.next", "Next change", ("n",), "Go to the next stretch that differs.", "next change", rank=0),
    Command("compare.previous", "Change before", ("b",), "Go to the stretch before.", "change before", rank=0),
    Command("compare.left", "Left side", ("l",), "Choose what stands on the left.", "left side", rank=0),
    Command("compare.right", "Right side", ("r",), "Choose what stands on the right.", "right side", rank=0),
    Command("compare.whole", "Whole text", ("w",), "Show equal lines, too, or fold them.", "whole text", rank=0),
    Command(
        "compare.columns",
        "Side by side",
        ("u",),
        "Show both sides beside each other, or in one.",
        "columns",
        rank=0,
    ),
    Command("compare.wrap", "Wrap lines", ("W",), "Wrap long lines, or scroll sideways."),
    Command("compare.copy", "Copy the difference", ("y",), "Copy all changes as a unified diff.", "copy", rank=0),
    Command("compare.swap", "Swap the sides", ("x",), "Put the left side on the right.", "swap"),
    Command(
        "compare.keep",
        "Keep a snapshot",
        ("m",),
        "Write the right side to a file, to compare with it later.",
        "keep a snapshot",
    ),
    Command("compare.other_pane", "Other pane", ("tab", "shift+tab"), "Go to the other pane.", in_palette=False),
)
