"""Commands of the place Session, most useful first."""

from workbench.tui.command import Command

COMMANDS: tuple[Command, ...] = (
    Command(
        "session.next_step",
        "Next step",
        ("n",),
        "Let the agent take one more step, and hold it before the one after; idle, say something.",
        "next step",
        rank=0,
        when="live",
    ),
    Command(
        "session.say",
        "Send a message",
        ("m",),
        "Say something to the agent.",
        "message",
        rank=0,
        when="live",
    ),
    Command(
        "session.cancel",
        "Cancel the turn",
        ("x",),
        "End the turn that runs.",
        "cancel turn",
        when="running",
    ),
    Command(
        "session.resend",
        "Send again",
        ("R",),
        "Say once more what the turn failed on.",
        "send again",
        label="R",
        when="failed",
    ),
    Command(
        "session.run_on", "Run on", ("u",), "Let steps follow each other without waiting.", "run on", when="held"
    ),
    Command(
        "session.open",
        "Read the request",
        ("enter", "right", "l"),
        "Read exactly what was sent.",
        "request",
        rank=0,
    ),
    Command(
        "session.prompt",
        "Open in Prompt",
        ("p",),
        "Show the prompt of this step, as it was sent.",
        "prompt",
        rank=0,
    ),
    Command("session.mark", "Mark", ("space",), "Mark a step, to compare another one with it.", "mark"),
    Command(
        "session.compare",
        "Compare",
        ("d",),
        "Compare this step with the marked one, else with the one before it.",
        "compare",
    ),
    Command("session.next_break", "Next break", ("b",), "Go to the next step that broke the prefix.", "break"),
    Command("session.previous_break", "Break before", ("B",), "Go to the break before this step.", label="B"),
    Command(
        "session.earlier",
        "Step before",
        ("less_than_sign", "comma"),
        "Look at the step before.",
        "step",
        label="< >",
    ),
    Command(
        "session.later", "Step after", ("greater_than_sign", "full_stop"), "Look at the step after.", label=">"
    ),
    Command(
        "session.now",
        "Back to now",
        ("z",),
        "Look at the newest step, and follow.",
        "newest",
        when="past",
    ),
    Command("session.trace", "Open in Trace", ("t",), "Show how the prompt of this step came to be.", "trace"),
    Command(
        "session.warnings",
        "Warnings and problems",
        ("o",),
        "List what is worth a warning.",
        "warnings",
        when="warned",
    ),
    Command(
        "session.copy", "Copy", ("y",), "Copy what is known about the step, or the request, as plain text.", "copy"
    ),
    Command(
        "session.back", "Back to the timeline", ("left", "h", "escape"), "Go back to the timeline.", label="← h"
    ),
    Command(
        "session.other_pane",
        "Other pane",
        ("tab", "shift+tab"),
        "Go to the other pane.",
        in_palette=False,
    ),
)
