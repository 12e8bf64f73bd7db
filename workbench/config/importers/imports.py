"""The key `imports` of a composition: each item names one file, and what it is.

Source: docs/compositions.md 18.
"""

from __future__ import annotations

import os

from workbench.config.importers.imported import Imported
from workbench.config.importers.instructions import import_instructions
from workbench.config.importers.markdown import import_markdown
from workbench.config.importers.tools import import_tools, selected
from workbench.config.model import CompositionEntries, ConfigRow, ImportEntry
from workbench.config.nodes import path_text
from workbench.config.problems import LoadError
from workbench.config.readers import NotWhole, Reading, Wrong
from workbench.config.textfile import TextFile

OPTIONS: dict[str, frozenset[str]] = {
    "tools": frozenset({"scope", "only"}),
    "instructions": frozenset({"scope", "name", "order", "root", "limit"}),
    "markdown": frozenset({"scope", "name", "order"}),
}
"""Kinds of import, and what else an item of that kind may say."""


def with_imports(reading: Reading, entries: CompositionEntries) -> tuple[CompositionEntries, tuple[ConfigRow, ...]]:
    """The entries with all that is imported behind them, and a report of each import."""
    rows: list[ConfigRow] = []
    for entry in entries.imports:
        try:
            imported, row = _Import(reading, entry).run()
        except Wrong as wrong:
            reading.report(wrong, entry.at)
            continue
        except LoadError as error:
            reading.problems += error.problems
            continue
        rows.append(row)
        entries = entries._replace(
            sections=(*entries.sections, *(each._replace(at=entry.at) for each in imported.sections)),
            tools=(*entries.tools, *(each._replace(at=entry.at) for each in imported.tools)),
            agents=(*entries.agents, *(each._replace(at=entry.at) for each in imported.agents)),
            plugins=(*entries.plugins, *(each._replace(at=entry.at) for each in imported.plugins)),
        )
    return entries, tuple(rows)


class _Import:
    """One item of `imports`."""

    def __init__(self, reading: Reading, entry: ImportEntry) -> None:
        self.reading, self.entry = reading, entry
        self.inside = entry.at[len(reading.prefix) :]

    def run(self) -> tuple[Imported, ConfigRow]:
        """What the item imports. Raises `Wrong` and `LoadError`."""
        kind, name = self._kind()
        if kind == "tools":
            imported = self._tools(import_tools(self._file(kind, name)))
        elif kind == "markdown":
            imported = self._in_place(import_markdown(self._file(kind, name)))
        else:
            imported = self._in_place(self._instructions(name))
        line, column = self.reading.document.place(self.reading.document.offset(self.inside))
        return imported, imported.row(name, kind, line, column)

    def _kind(self) -> tuple[str, str]:
        given = [kind for kind in OPTIONS if getattr(self.entry, kind) is not None]
        if not given and self._has_problems():
            raise NotWhole
        if len(given) != 1:
            message = "an import names one file" if given else "this import names no file"
            remedy = f"write one of {', '.join(f'`{kind}:`' for kind in OPTIONS)}"
            raise Wrong(self._offset(), message, remedy)
        [kind] = given
        for option in sorted({"scope", "only", "name", "order", "root", "limit"} - OPTIONS[kind]):
            if getattr(self.entry, option) is not None:
                known = ", ".join(sorted(OPTIONS[kind]))
                raise Wrong(self._offset(option), f'"{option}" says nothing about {kind}', f"known here: {known}")
        return kind, getattr(self.entry, kind)

    def _has_problems(self) -> bool:
        """Whether something has been said about the item already."""
        about = path_text(self.inside)
        return any(problem.path.startswith(about) for problem in self.reading.problems)

    def _file(self, kind: str, name: str) -> TextFile:
        try:
            return self.reading.read_file(name)
        except LoadError as error:
            [problem] = error.problems
            place = f"{problem.line}:{problem.column}: " if problem.line else ""
            message = f"{problem.file}: {place}{problem.message}"
            raise Wrong(self._offset(kind), message, problem.remedy) from None

    def _tools(self, imported: Imported) -> Imported:
        if self.entry.only is not None:
            imported, missing = selected(imported, self.entry.only)
            for name, remedy in missing:
                message = f'{self.entry.tools} has no tool "{name}"'
                self.reading.report(Wrong(self._offset("only"), message, remedy), (*self.entry.at, "only"))
        scope = self.entry.scope
        return imported._replace(tools=tuple(tool._replace(scope=scope) for tool in imported.tools))

    def _instructions(self, name: str) -> Imported:
        # Names lead from the file that imports; `read_file` puts the rest of the way in front of them.
        folder = os.path.dirname(self.reading.document.file)
        if not os.path.exists(os.path.join(folder, name)):
            raise Wrong(self._offset("instructions"), f"{name}: there is no such directory", "check the path")
        imported, problems = import_instructions(
            self.reading.read_file, folder, name, self.entry.root, self.entry.limit
        )
        self.reading.problems += problems
        return imported

    def _in_place(self, imported: Imported) -> Imported:
        """With the name, order and scope that the item gives."""
        entry = self.entry
        return imported._replace(
            sections=tuple(
                section._replace(
                    name=entry.name or section.name,
                    order=self._order(section.order),
                    text=section.text._replace(value=section.text.value.removesuffix("\n")),
                    scope=section.scope or entry.scope,
                )
                for section in imported.sections
            ),
            agents=tuple(agent._replace(scope=entry.scope) for agent in imported.agents),
        )

    def _order(self, usual: float | str) -> float | str:
        """Behind the persona, in the order of the imports, when nothing else is said."""
        if self.entry.order is not None:
            return self.entry.order
        return usual if isinstance(usual, str) else 10 + int(self.entry.at[-1])

    def _offset(self, key: str = "") -> int:
        return self.reading.document.offset((*self.inside, key) if key else self.inside)
