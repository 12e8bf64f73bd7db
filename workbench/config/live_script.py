"""A script for `workbench run`: what the person says, what the model answers, or both.

Source: docs/compositions.md 19.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from workbench.config.compose import parse_yaml
from workbench.config.model_scripts import script_of
from workbench.config.nodes import Mapping, Node, Sequence
from workbench.config.problems import LoadError
from workbench.config.readers import Reading, Wrong, kind_of, line
from workbench.config.textfile import read_text
from workbench.models.script import Script


class LiveScript(NamedTuple):
    """What a script file says."""

    messages: tuple[str, ...]
    """Said one after another."""
    script: Script | None
    """The model's answers; None: they come from the agent's own provider."""


def load_live_script(path: str | Path) -> LiveScript:
    """The script in a file. Raises `LoadError` with every mistake at its place."""
    name = str(path)
    text = read_text(Path(path), name).text
    document, problems = parse_yaml(text, name)
    root = document.root
    if not isinstance(root, Mapping) or "messages" not in root.entries:
        return LiveScript((), script_of(document, problems))
    reading = Reading(document, lambda file: read_text(Path(file), file))
    messages = _messages(reading, root.entries["messages"].value)
    problems += reading.problems
    script = None
    if len(root.entries) > 1:
        answers = Mapping(root.start, root.end, tag=root.tag)
        answers.entries = {key: entry for key, entry in root.entries.items() if key != "messages"}
        try:
            script = script_of(document, [], answers)
        except LoadError as error:
            problems += error.problems
    if problems:
        raise LoadError(problems)
    return LiveScript(messages, script)


def _messages(reading: Reading, node: Node) -> tuple[str, ...]:
    if not isinstance(node, Sequence):
        wrong = Wrong(node.start, f"a list of messages was expected, and this is {kind_of(node)}")
        reading.report(wrong, ("messages",))
        return ()
    said: list[str] = []
    for index, item in enumerate(node.items):
        try:
            said.append(line(reading, item, ("messages", index)))
        except Wrong as wrong:
            reading.report(wrong, ("messages", index))
    return tuple(said)
