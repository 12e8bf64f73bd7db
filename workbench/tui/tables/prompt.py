"""Commands of the place Prompt, most useful first."""

from workbench.tui.command import Command

COMMANDS: tuple[Command, ...] = (
    Command(
        "prompt.find",
        "Find",
        ("slash",),
        "Find words in what is sent, or the listener that removed them.",
        "find",
        rank=0,
    ),
    Command(
        "prompt.check", "Check", ("f",), "Find everything that is wrong with the file, in all its scopes.", "check"
    ),
    Command(
        "prompt.filter",
        "Filter the list",
        ("F",),
        "List one owner or layer, what changed, or errors.",
        label="F",
    ),
    Command(
        "prompt.compare",
        "Compare",
        ("d",),
        "Compare it with what it was before, another scope, another file, or a snapshot.",
        "compare",
    ),
    Command(
        "prompt.trace",
        "Who changed it",
        ("t",),
        "Show in Trace which listener changed the entry, and how.",
        "who changed it",
        when="rewritten",
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
    Command(
        "prompt.leave",
        "Leave search, filter",
        ("escape",),
        "Forget what was searched for, then the filter.",
        "show all",
        in_palette=False,
        when="filtered",
    ),
    Command("prompt.other_pane", "Other pane", ("tab", "shift+tab"), "Go to the other pane.", in_palette=False),
)
