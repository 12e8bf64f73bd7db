"""Commands of the place Trace, most useful first."""

from workbench.tui.command import Command

COMMANDS: tuple[Command, ...] = (
    Command(
        "trace.open",
        "Go to the difference",
        ("enter", "right", "l"),
        "Read what the stage or listener did, word for word.",
        "difference",
        rank=0,
    ),
    Command(
        "trace.find",
        "Find who put it in or took it out",
        ("slash",),
        "Find the listeners that put words into the prompt, or removed them.",
        "find who",
        rank=0,
    ),
    Command("trace.prompt", "Open in Prompt", ("p",), "Show the entry in the prompt.", "prompt"),
    Command(
        "trace.earlier",
        "Assembly before, after",
        ("less_than_sign", "comma"),
        "Look at the assembly before this one.",
        "step",
        label="< >",
    ),
    Command(
        "trace.later",
        "Assembly after",
        ("greater_than_sign", "full_stop"),
        "Look at the assembly after this one.",
        label=">",
    ),
    Command("trace.owner", "Owner", ("o",), "Show the owner in the registry.", "owner"),
    Command(
        "trace.compare",
        "Compare with the one before",
        ("d",),
        "Compare this assembly with the one before it, of the same scope.",
        "compare",
    ),
    Command("trace.copy", "Copy", ("y",), "Copy what is known about the row as plain text.", "copy"),
    Command("trace.pick", "Choose an assembly", ("a",), "Choose one of the assemblies that are kept.", "choose"),
    Command("trace.now", "Back to now", ("z",), "Follow the newest assembly again.", "back to now", when="past"),
    Command("trace.wrap", "Wrap lines", ("w",), "Wrap long lines of differences, or scroll sideways."),
    Command("trace.again", "Assemble again", ("r",), "Ask all providers and listeners again, now."),
    Command("trace.next_match", "Next listener found", ("n",), "Go to the next listener that was found."),
    Command("trace.previous_match", "Listener found before", ("N",), "Go to the one before.", label="N"),
    Command("trace.back", "Back to the timeline", ("left", "h", "escape"), "Go back to the timeline.", label="← h"),
    Command("trace.other_pane", "Other pane", ("tab", "shift+tab"), "Go to the other pane.", in_palette=False),
)
