"""Commands that work in every place."""

from workbench.tui.command import Command

COMMANDS: tuple[Command, ...] = (
    Command(
        "app.scope", "Choose a scope", ("s",), "Show the prompt that another scope would read.", "scope", rank=0
    ),
    Command("app.prompt", "Prompt", ("1",), "Show what the model will read."),
    Command("app.trace", "Trace", ("2",), "Show how the prompt came to be."),
    Command("app.registry", "Registry", ("3",), "Show what is registered, by whom, in which layer."),
    Command("app.session", "Session", ("4",), "Show what happened, step by step, and what broke the prefix cache."),
    Command(
        "app.now",
        "Back to now",
        ("z",),
        "Look at the present prompt again, after a past step.",
        "now",
        when="travel",
    ),
    Command(
        "app.step_before",
        "Past step before",
        ("less_than_sign", "comma"),
        "While a past step is looked at: the one before it.",
        "step",
        label="< >",
        when="travel",
    ),
    Command(
        "app.step_after",
        "Past step after",
        ("greater_than_sign", "full_stop"),
        "While a past step is looked at: the one after it.",
        label=">",
    ),
    Command("app.team", "Team", ("6",), "Show what the team has made of its prompts, and change it."),
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
    Command("app.open", "Open a file", ("O",), "Open another file, a recent one, or a sample.", label="O"),
    Command(
        "app.back",
        "Back",
        ("left_square_bracket", "alt+left"),
        "Go back to what was looked at before the last jump.",
    ),
    Command("app.forward", "Forward", ("right_square_bracket", "alt+right"), "Go forward again, after going back."),
    Command(
        "app.source",
        "Open in the editor",
        ("E",),
        "Open the file at the line of what is looked at, in $VISUAL or $EDITOR.",
        label="E",
    ),
    Command("app.save", "Save to a file", ("S",), "Write to a file what a copy would give.", label="S"),
    Command(
        "app.export",
        "Export",
        ("X",),
        "Write the prompt as text, Markdown or JSON, or a picture of the screen, to a file.",
        label="X",
    ),
    Command("app.reload", "Reload", ("ctrl+r", "f5"), "Read the files again, and ask all providers again."),
    Command("app.theme", "Colours", ("c",), "Choose other colours."),
    Command("app.compact", "Compact", ("C",), "Leave no lines free, or leave some where there is room.", label="C"),
    Command(
        "app.signs", "Signs in ASCII", (), "Show signs in ASCII, for fonts that lack them, or as they are drawn."
    ),
    Command("app.quit", "Quit", ("q", "ctrl+q"), "Stop the runtime and leave.", urgent=frozenset({"ctrl+q"})),
)
