"""A harness's own config, a list of rows in the `cordis.yml` form, taken over as far as it concerns prompts.

Nothing in such a file is evaluated, and nothing unknown is fatal. Source: docs/compositions.md 10.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from workbench.config.model import AgentEntry, CompositionEntries, ConfigRow, Outcome, PluginEntry
from workbench.config.nodes import Mapping, Node, Path, Scalar, Sequence, path_text
from workbench.config.readers import Reader, Reading, Wrong, flag, line, listing, optional, string, text

EXPRESSION_TAG = "tag:yaml.org,2002:js"

CONTRIBUTORS: MappingProxyType[str, PluginEntry | None] = MappingProxyType({
    "dsh-tool-bash": PluginEntry(use="shell", config={"dialect": "bash"}),
    "dsh-tool-pwsh": PluginEntry(use="shell", config={"dialect": "pwsh"}),
    "dsh-tool-fs": PluginEntry(use="files", config={"tools": ["read", "write", "edit"]}),
    "dsh-tool-fs-search": PluginEntry(use="files", config={"tools": ["glob", "grep"]}),
    "dsh-tool-todo": PluginEntry(use="todo"),
    "dsh-tool-web": None,
    "dsh-tool-jobs": None,
    "dsh-tool-subagent": None,
    "dsh-agent-instructions": None,
    "dsh-plan-mode": None,
})  # fmt: skip
"""Packages that have a contributor here; None: not yet."""

SETTINGS_PACKAGES = frozenset({"dsh-system-prompt", "dsh-acp-demo"})

_SETTINGS: MappingProxyType[str, tuple[str, Reader[Any]]] = MappingProxyType({
    "persona": ("persona", text),
    "toolOrder": ("tool_order", optional(listing(line))),
    "includeHarnessIdentity": ("include_harness_identity", flag),
    "includeRuntimeContext": ("include_runtime_context", flag),
})  # fmt: skip
"""Key of a row's config, field of the composition, and how its value is read."""


def read_rows(reading: Reading, root: Sequence) -> tuple[CompositionEntries, tuple[ConfigRow, ...]]:
    """What the rows say about prompts, and what became of each row."""
    taken = _Taken()
    rows = tuple(_rows_in(reading, root, reading.prefix, taken))
    settings = {name: value for name, (value, _) in taken.settings.items()}
    entries = CompositionEntries(agents=tuple(taken.agents), plugins=tuple(taken.plugins), **settings)
    return entries, rows


@dataclass(slots=True)
class _Taken:
    """What has been taken over so far; a setting with the row that it came from."""

    settings: dict[str, tuple[Any, str]] = field(default_factory=dict)
    agents: list[AgentEntry] = field(default_factory=list)
    plugins: list[PluginEntry] = field(default_factory=list)


def _rows_in(reading: Reading, rows: Node, path: Path, taken: _Taken) -> Iterator[ConfigRow]:
    if not isinstance(rows, Sequence):
        reading.report(Wrong(rows.start, "a list of rows was expected"), path)
        return
    for index, row in enumerate(rows.items):
        place = (*path, index)
        if not isinstance(row, Mapping):
            reading.report(Wrong(row.start, "a row was expected", _NO_ROW), place)
            continue
        if "insert" in row.entries:
            yield from _rows_in(reading, row.entries["insert"].value, (*place, "insert"), taken)
        if "name" in row.entries or "id" in row.entries:
            yield _Row(reading, row, place, taken).read()
        elif "insert" not in row.entries:
            reading.report(Wrong(row.start, "this row has neither `id` nor `name`", _NO_ROW), place)


_NO_ROW = "a harness config is a list of rows with `id` and `name`; a composition is a mapping of keys"


_LEFT_OUT = {
    "unknown": "{} is unknown here, left out",
    "not yet": "{} has no contributor here yet, left out",
    "patch": "changes a row of another file, left out",
}


class _Row:
    """One row while it is read."""

    def __init__(self, reading: Reading, row: Mapping, path: Path, taken: _Taken) -> None:
        self.reading, self.row, self.path, self.taken = reading, row, path, taken
        self.package = self._name("name")
        self.id = self._name("id") or self.package
        self.known_as = self.package.rsplit("/", 1)[-1] if self.package.startswith("@") else self.package
        self.taken_over: list[str] = []
        self.notes: list[str] = []

    def read(self) -> ConfigRow:
        """Take over what concerns prompts, and note what is left out."""
        outcome = self._outcome()
        line, column = self.reading.document.place(self.row.start)
        config = self.row.entries["config"].value if "config" in self.row.entries else None
        if outcome != "disabled" and isinstance(config, Mapping):
            self._settings(config)
            self._agents(config)
        if outcome == "plugin":
            self._plugin(config)
        elif outcome in _LEFT_OUT:
            what = f"{self.id}: {_LEFT_OUT[outcome].format(self.package)}"
            taken = f"; taken over: {', '.join(self.taken_over)}" if self.taken_over else ""
            self._note(self.row, what + taken)
        if config is not None:
            self._expressions(config, (*self.path, "config"))
        return ConfigRow(self.id, self.package, line, column, outcome, tuple(self.taken_over), tuple(self.notes))

    def _outcome(self) -> Outcome:
        disabled = self.row.entries.get("disabled")
        if disabled and isinstance(disabled.value, Scalar) and disabled.value.value is True:
            return "disabled"
        if not self.package:
            return "patch"
        if self.known_as in SETTINGS_PACKAGES:
            return "settings"
        if self.known_as in CONTRIBUTORS:
            return "plugin" if CONTRIBUTORS[self.known_as] else "not yet"
        return "unknown"

    def _plugin(self, config: Node | None) -> None:
        contributor = CONTRIBUTORS[self.known_as]
        assert contributor is not None
        self.taken.plugins.append(contributor._replace(at=self.path))
        self.taken_over.append(f"plugin {contributor.use}")
        if config is not None:
            self._note(config, f"{self.id}: the options of {self.package} are not taken over")

    def _settings(self, config: Mapping) -> None:
        for key, (setting, read) in _SETTINGS.items():
            if key not in config.entries or _is_expression(config.entries[key].value):
                continue
            node, path = config.entries[key].value, (*self.path, "config", key)
            if setting in self.taken.settings:
                earlier = self.taken.settings[setting][1]
                self._note(node, f"{self.id}: {key} is left out, {earlier} gives it already")
                continue
            try:
                self.taken.settings[setting] = read(self.reading, node, path), self.id
                self.taken_over.append(key)
            except Wrong as wrong:
                self.reading.report(wrong, path)

    def _agents(self, config: Mapping) -> None:
        """Agents that the config starts; an application with a model of its own is one, too."""
        listed = config.entries.get("agents")
        if listed is not None and isinstance(listed.value, Sequence):
            for index, agent in enumerate(listed.value.items):
                if isinstance(agent, Mapping):
                    self._agent(agent, (*self.path, "config", "agents", index), f"{self.id}-{index + 1}")
        elif self.known_as in SETTINGS_PACKAGES and "model" in config.entries:
            self._agent(config, (*self.path, "config"), self.id)

    def _agent(self, config: Mapping, path: Path, otherwise: str) -> None:
        name = self._fact(config, "id", path) or otherwise
        if any(name == agent.name for agent in self.taken.agents):
            self._note(config, f"{self.id}: there is an agent {name} already, left out")
            return
        model, provider, cwd = (self._fact(config, key, path) for key in ("model", "provider", "cwd"))
        self.taken.agents.append(AgentEntry(at=path, name=name, model=model, provider=provider, cwd=cwd))
        self.taken_over.append(f"agent {name}")

    def _fact(self, config: Mapping, key: str, path: Path) -> str | None:
        if key not in config.entries or _is_expression(config.entries[key].value):
            return None
        try:
            return optional(string)(self.reading, config.entries[key].value, (*path, key))
        except Wrong as wrong:
            self.reading.report(wrong, (*path, key))
            return None

    def _expressions(self, node: Node, path: Path) -> None:
        if _is_expression(node):
            assert isinstance(node, Scalar)
            inside = path_text(path[len(self.reading.prefix) + 1 :])
            what = f"{self.id}: {inside} is an expression, which is not evaluated"
            self._note(node, f"{what}: !!js {node.text}")
        elif isinstance(node, Mapping):
            for key, entry in node.entries.items():
                self._expressions(entry.value, (*path, key))
        elif isinstance(node, Sequence):
            for index, item in enumerate(node.items):
                self._expressions(item, (*path, index))

    def _name(self, key: str) -> str:
        entry = self.row.entries.get(key)
        return entry.value.text if entry and isinstance(entry.value, Scalar) else ""

    def _note(self, node: Node, what: str) -> None:
        line, column = self.reading.document.place(node.start)
        self.notes.append(f"{self.reading.document.file}:{line}:{column}: {what}")


def _is_expression(node: Node) -> bool:
    return isinstance(node, Scalar) and node.tag == EXPRESSION_TAG
