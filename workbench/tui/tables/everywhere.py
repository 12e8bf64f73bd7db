"""Commands that work in every place."""

from workbench.tui.command import Command

COMMANDS: tuple[Command, ...] = (
    Command(
        "app.scope", "Choose a scope", ("s",), "Show the prompt that another scope would read.", "scope", rank=0
    ),
    Command("app.prompt", "Prompt", ("1",), "Show what the model will read."),
    Command("app.trace", "Trace", ("2",), "Show how the prompt came to be."),
    Command("app.registry", "Registry", ("3",), "Show what is registered, by whom, in which layer."),
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
    Command("app.theme", "Colours", ("c",), "Choose other colours."),
    Command("app.quit", "Quit", ("q", "ctrl+q"), "Stop the runtime and leave.", urgent=frozenset({"ctrl+q"})),
)
