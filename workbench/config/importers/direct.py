"""Files of other forms that are opened, or included, as if they were compositions.

Source: docs/compositions.md 1 and 18.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from workbench.config.importers.imported import Imported
from workbench.config.importers.instructions import ReadFile, import_instructions
from workbench.config.importers.json_text import parse_json
from workbench.config.importers.markdown import import_markdown
from workbench.config.importers.tools import import_tools, is_tools_file
from workbench.config.model import CompositionEntries, ConfigRow
from workbench.config.nodes import Path
from workbench.config.problems import LoadError, LoadProblem
from workbench.config.textfile import TextFile
from workbench.plugins.instruction_chain import FILE_NAMES


class DirectImport(NamedTuple):
    """A file that stands for a composition of its own."""

    entries: CompositionEntries
    rows: tuple[ConfigRow, ...]
    problems: tuple[LoadProblem, ...] = ()


def import_directly(file: TextFile, read: ReadFile | None, at: Path = ()) -> DirectImport | None:
    """What the file holds; None when it is a composition or a harness config after all.

    With `read`, an instruction file brings the whole chain that ends in its directory. Raises `LoadError`.
    """
    problems: tuple[LoadProblem, ...] = ()
    if file.path.suffix.lower() == ".json":
        if not _holds_tools(file):
            return None
        kind, imported = "tools", import_tools(file)
    elif read is not None and file.path.name in FILE_NAMES:
        folder, name = os.path.split(file.name)
        kind, (imported, problems) = "instructions", import_instructions(read, folder, name)
    else:
        kind, imported = "markdown", import_markdown(file)
    return DirectImport(_entries(imported, at), (imported.row(file.name, kind, 1, 1),), problems)


def _entries(imported: Imported, at: Path) -> CompositionEntries:
    return CompositionEntries(
        description=imported.description,
        include_harness_identity=False,
        agents=tuple(each._replace(at=at) for each in imported.agents),
        plugins=tuple(each._replace(at=at) for each in imported.plugins),
        sections=tuple(each._replace(at=at) for each in imported.sections),
        tools=tuple(each._replace(at=at) for each in imported.tools),
    )


def _holds_tools(file: TextFile) -> bool:
    try:
        value = parse_json(file).value
    except LoadError:
        if file.text.lstrip().startswith("["):
            raise
        return False  # It may be YAML that is no JSON; whoever reads that says what is wrong with it.
    return is_tools_file(value, frozenset(CompositionEntries._fields))
