"""Scripts of the `scripted` provider from YAML files, with the line of every mistake.

Source: docs/models.md 4.
"""

from __future__ import annotations

from pathlib import Path

from workbench.config.compose import parse_yaml
from workbench.config.nodes import Document, Node, plain_data
from workbench.config.problems import LoadError, LoadProblem
from workbench.config.textfile import read_text
from workbench.models.script import Script, ScriptError, ScriptMistake, read_script


def load_script(path: str | Path) -> Script:
    """The script in a file. Raises `LoadError` with file, line and column of every mistake."""
    name = str(path)
    return parse_script(read_text(Path(path), name).text, name)


def parse_script(text: str, file: str) -> Script:
    """The script in a text; `file` is what messages call it. Raises `LoadError`."""
    return script_of(*parse_yaml(text, file))


def script_of(document: Document, problems: list[LoadProblem], root: Node | None = None) -> Script:
    """The script in a document, or in one value of it. `problems` are known already. Raises `LoadError`."""
    node = document.root if root is None else root
    if node is None:
        problems.append(document.problem(0, (), "the script is empty", "give it `sessions`"))
        raise LoadError(problems)
    try:
        script = read_script(plain_data(node), document.file)
    except ScriptError as error:
        raise LoadError([*problems, *(_problem(document, mistake) for mistake in error.mistakes)]) from None
    if problems:
        raise LoadError(problems)
    return script


def _problem(document: Document, mistake: ScriptMistake) -> LoadProblem:
    find = document.key_offset if mistake.at_key else document.offset
    return document.problem(find(mistake.path), mistake.path, mistake.message, mistake.remedy)
