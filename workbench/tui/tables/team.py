"""Commands of the place Team, most useful first."""

from workbench.tui.command import Command

COMMANDS: tuple[Command, ...] = (
    Command(
        "team.save",
        "Save the draft",
        ("w", "ctrl+s", "f4"),
        "Store the draft as the next revision; agents read it from their next step on.",
        "save",
        when="drafted",
    ),
    Command(
        "team.preview",
        "Preview",
        ("p", "f8"),
        "Show the assembled prompt with the draft in it, and the first token that it changes.",
        "preview",
        when="drafted",
    ),
    Command(
        "team.on_top",
        "Save on top",
        ("a",),
        "Set the base of the draft to the newest revision, after the review, and save it.",
        "save on top",
        when="conflict",
    ),
    Command(
        "team.discard",
        "Discard the edit",
        ("D", "delete"),
        "Take the edit of the chosen entry out of the draft.",
        "discard",
        when="edited",
    ),
    Command(
        "team.keep",
        "Keep yours",
        ("k",),
        "Keep the team's text, and answer the new default.",
        "keep",
        when="updated",
    ),
    Command("team.use_default", "Use default", ("u",), "Take the default again.", "use default", when="yours"),
    Command("team.edit", "Edit", ("e",), "Edit the chosen text; the draft survives closing.", "edit", when="entry"),
    Command(
        "team.versions",
        "Versions",
        ("h",),
        "Show all revisions, what each changed, and restore one.",
        "versions",
        when="there",
    ),
    Command(
        "team.compare",
        "Compare",
        ("d",),
        "Show other texts of the entry: differences, or all of them.",
        "compare",
        when="texts",
    ),
    Command(
        "team.columns",
        "Side by side",
        ("b",),
        "Show texts side by side, or one below the other.",
        "columns",
        when="there",
    ),
    Command(
        "team.switch",
        "On, off",
        ("t",),
        "Enable the rule or disable it; change the accept mode.",
        "on, off",
        when="switch",
    ),
    Command(
        "team.new", "New skill or rule", ("n",), "Add a skill, or a rule to the policy.", "new", when="addable"
    ),
    Command(
        "team.delete", "Remove", ("x",), "Remove the chosen skill or rule with the next save.", "remove", when="own"
    ),
    Command(
        "team.earlier", "Rule up", ("less_than_sign", "alt+up"), "Move the rule before the one above.", label="< >"
    ),
    Command(
        "team.later", "Rule down", ("greater_than_sign", "alt+down"), "Move the rule behind the next.", label=">"
    ),
    Command(
        "team.mark",
        "Compare with this one",
        ("m",),
        "Compare other revisions with the chosen one.",
        "mark",
        when="versions",
    ),
    Command(
        "team.restore",
        "Restore",
        ("r",),
        "Store the chosen revision again, as the newest one.",
        "restore",
        when="versions",
    ),
    Command("team.role", "Other role", ("o",), "Preview the prompt of the other role.", "other role", when="roles"),
    Command("team.copy", "Copy", ("y",), "Copy the text of the chosen entry, byte for byte.", "copy", when="there"),
    Command("team.read_again", "Read the store again", ("f6",), "Ask the store for the newest revision."),
    Command("team.discard_all", "Discard the draft", ("Z",), "Forget everything that is not saved.", label="Z"),
    Command("team.leave", "Back", ("escape",), "Go back to the parts.", in_palette=False),
    Command("team.other_pane", "Other pane", ("tab", "shift+tab"), "Go to the other pane.", in_palette=False),
)
