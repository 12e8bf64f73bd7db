"""Commands of the start screen, most useful first."""

from workbench.tui.command import Command

COMMANDS: tuple[Command, ...] = (
    Command(
        "start.open", "Open", ("enter", "right", "l"), "Open the chosen file or sample.", "open", label="enter"
    ),
    Command("start.type", "Type a path", ("slash", "i"), "Open a file by its path.", "type a path"),
    Command(
        "start.new", "New composition", ("n",), "Write a first composition with comments, and open it.", "new file"
    ),
    Command(
        "start.forget",
        "Forget",
        ("delete", "d"),
        "Take the chosen file off the list of recent ones.",
        "forget",
        label="del",
    ),
    Command(
        "start.leave",
        "Back",
        ("escape",),
        "Leave the line to type in, then go back to what is open.",
        "back",
        label="esc",
        in_palette=False,
        when="open",
    ),
)
