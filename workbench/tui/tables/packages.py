"""Commands of the place Packages, most useful first."""

from workbench.tui.command import Command

COMMANDS: tuple[Command, ...] = (
    Command(
        "packages.stop",
        "Stop the package",
        ("x",),
        "Undo all that it has registered, wait for the end, and prove that nothing is left.",
        "stop",
        when="stoppable",
    ),
    Command(
        "packages.start",
        "Start the package",
        ("r",),
        "Start its newest revision, after one more question; what it would change can be tried first.",
        "start",
        when="startable",
    ),
    Command(
        "packages.what_if",
        "What would it change?",
        ("w",),
        "Execute its host half, show what the next request becomes, and undo it. Decides nothing.",
        "what if",
        when="triable",
    ),
    Command(
        "packages.older",
        "Start an older revision",
        ("o",),
        "Choose one of its earlier revisions, and start it.",
        "older",
        when="older",
    ),
    Command(
        "packages.undefine",
        "Undefine the package",
        ("u",),
        "Stop it if it runs, and forget all its revisions; its id is invalid from then on.",
        "undefine",
        when="undefinable",
    ),
    Command("packages.sources", "Sources", ("v",), "Read both halves of its code, or go back.", "sources"),
    Command(
        "packages.difference",
        "Difference of revisions",
        ("d",),
        "Show what a revision has changed in the sources of the one before it.",
        "difference",
        when="revised",
    ),
    Command(
        "packages.deliver",
        "Deliver again",
        ("b",),
        "Announce its browser half to all pages that do not hold it.",
        "deliver",
        when="deliverable",
    ),
    Command(
        "packages.copy",
        "Copy",
        ("y",),
        "Copy what is picked out, the sources that are shown, or the report of the last request.",
        "copy",
    ),
    Command(
        "packages.other_pane",
        "Other pane",
        ("tab", "shift+tab"),
        "Go to the other pane.",
        in_palette=False,
    ),
    Command("packages.leave", "Back", ("escape",), "Go back to the card, or to the list.", in_palette=False),
)
