"""What the walk shows, step by step: data only."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.tui.view.entries import EntryKey


@dataclass(frozen=True, slots=True)
class Step:
    """One stop of the walk."""

    caption: str
    """One or two sentences to be read aloud."""
    sample: str
    """Name of a shipped composition."""
    place: str = "Prompt"
    """Title of the place."""
    target: object = None
    """What is looked at there, as that place knows it."""
    commands: tuple[str, ...] = ()
    """Ids of commands that are carried out then."""
    undo: tuple[str, ...] = ()
    """Those that take back what the ones above have changed, when the step is left."""
    scope: str = ""
    """Label of the scope; empty: the first agent's."""
    says: str = ""
    """Said to the first agent, once for each time that the sample is opened; the step comes when that is done, or
    waits for a person."""
    sheet: tuple[str, ...] = ()
    """Actions of the sheet that the commands have opened: what a person does with a request."""
    then: tuple[str, ...] = ()
    """Ids of commands that are carried out after them."""
    needs_page: bool = False
    """It is left out where the extra `page` is missing."""
    asked: tuple[str, ...] = ()
    """Ids of the commands that a person would have given; their keys are named beside the caption."""


SAID = "Show me what each step costs."
"""To the agent of the live sample: each step of it needs what came of that."""
STEPS: tuple[Step, ...] = (
    Step(
        "A harness builds its system prompt anew before every request, from parts that many plugins own. "
        "This is one such prompt, live: every line, in the order in which the model reads it.",
        "coding-agent",
    ),
    Step(
        "The bar at the left edge says who owns a line. tool:bash belongs to the plugin shell: its file, layer, "
        "order and cost stand below. Nobody had to write that into a file of prompts.",
        "coding-agent",
        target=EntryKey("section", "tool:bash", "global"),
        asked=("lines.down", "lines.up"),
    ),
    Step(
        "Values of variables are underlined. Here their names stand in their place: {{model}} is strict, and one "
        "without a value stops the request before it is sent.",
        "coding-agent",
        target=EntryKey("section", "deployment:persona", "global"),
        commands=("prompt.names",),
        undo=("prompt.names",),
        asked=("prompt.names",),
    ),
    Step(
        "A misspelt variable: the screen says what cannot happen, where, and what was meant. The other sections "
        "stay readable.",
        "broken-unknown-variable",
    ),
    Step(
        "How did a prompt come to be? The stages of one assembly on one axis. Five listeners reshape it, one "
        "around the next.",
        "waterfall",
        place="Trace",
        asked=("app.trace",),
    ),
    Step(
        "Each listener with what it changed, word for word. This one rewrote a sentence of a section that belongs "
        "to somebody else.",
        "waterfall",
        place="Trace",
        target=("listener", "house_voice", "soften"),
        asked=("lines.down", "lines.up"),
    ),
    Step(
        "This one did not call next: everything behind it never ran. Without the trace that is a line that is "
        "missing for no visible reason.",
        "waterfall",
        place="Trace",
        target=("listener", "forgetful", "look"),
        asked=("lines.down", "lines.up"),
    ),
    Step(
        "What is registered, by whom, in which layer? The tree is live. A plugin that waits says for what.",
        "reviewers",
        place="Registry",
        asked=("app.registry",),
    ),
    Step(
        "Grouped by owner: each plugin with its state and everything it has registered. Stopping one takes all of "
        "it back, and the proof is shown.",
        "reviewers",
        place="Registry",
        commands=("registry.group",),
        undo=("registry.group", "registry.group"),
        asked=("registry.group",),
    ),
    Step(
        "Another scope reads another prompt from the same registry: its own sections shadow the ones of the layers "
        "around it, and its tools can be restricted.",
        "reviewers",
        scope="security-reviewer",
        asked=("app.scope",),
    ),
    Step(
        "While a harness runs, its model can extend it. Here it has written a package with two halves: one for "
        "this process, one for a web page. The page needs a person: the badge stands in every place.",
        "packages-live",
        place="Packages",
        target="dyn-1",
        says=SAID,
        needs_page=True,
        asked=("app.packages",),
    ),
    Step(
        "Who asks, in our words, and what the package says of itself, behind a bar. Nothing was executed yet. The "
        "key that opens this answers nothing.",
        "packages-live",
        place="Packages",
        target="dyn-1",
        commands=("app.answer",),
        says=SAID,
        needs_page=True,
        asked=("app.answer",),
    ),
    Step(
        "What would it change? Its host half is executed, the next request assembled, and all of it undone, with "
        "the proof that nothing is left: before anybody has allowed anything.",
        "packages-live",
        place="Packages",
        target="dyn-1",
        commands=("app.answer",),
        sheet=("what_if",),
        says=SAID,
        needs_page=True,
        asked=("packages.what_if",),
    ),
    Step(
        "Allowed. Open the page, here with a key, or with its address. The panel in it is live: it asks its host "
        "half for news, and the model works on.",
        "packages-live",
        place="Packages",
        target="dyn-1",
        commands=("app.answer",),
        sheet=("allow",),
        then=("packages.open_page",),
        says=SAID,
        needs_page=True,
        asked=("packages.open_page", "packages.copy_address"),
    ),
    Step(
        "Each package has a card: its pages, what it has registered, what it prints, what it does to the request, "
        "and what a stop would cost. The sources are one key away.",
        "packages-live",
        place="Packages",
        target="dyn-1",
        says=SAID,
        needs_page=True,
        asked=("packages.sources", "packages.pages"),
    ),
    Step(
        "Stopped: the panel leaves every page, all that it had registered is undone, and the runtime was searched "
        "for anything that is left of it.",
        "packages-live",
        place="Packages",
        target="dyn-1",
        commands=("packages.stop",),
        says=SAID,
        needs_page=True,
        asked=("packages.stop",),
    ),
)
