"""A harness's own config, a list of rows in the `cordis.yml` form, taken over as far as it concerns prompts.

Nothing in such a file is evaluated, and nothing unknown is fatal. Source: docs/compositions.md 10.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from workbench.config.importers.harness_rows import (
    HarnessRow,
    HarnessRows,
    is_expression,
    short_name,
)
from workbench.config.model import AgentEntry, CompositionEntries, ConfigRow, Outcome, PluginEntry
from workbench.config.nodes import Mapping, Node, Path, Scalar, Sequence, path_text
from workbench.config.readers import Reader, Reading, Wrong, flag, line, listing, optional, string, text

CONTRIBUTORS: MappingProxyType[str, PluginEntry] = MappingProxyType({
    "dsh-tool-bash": PluginEntry(use="shell", config={"dialect": "bash"}),
    "dsh-tool-pwsh": PluginEntry(use="pwsh"),
    "dsh-tool-fs": PluginEntry(use="files", config={"tools": ["read", "write", "edit"]}),
    "dsh-tool-fs-search": PluginEntry(use="files", config={"tools": ["glob", "grep"]}),
    "dsh-tool-todo": PluginEntry(use="todo"),
    "dsh-tool-web": PluginEntry(use="web"),
    "dsh-tool-jobs": PluginEntry(use="jobs"),
    "dsh-tool-lsp": PluginEntry(use="lsp"),
    "dsh-tool-skill": PluginEntry(use="skills"),
    "dsh-subagent": PluginEntry(use="subagents"),
    "dsh-subagent-spawn-in-process": PluginEntry(use="subagent_provider", config={"name": "spawn"}),
    "dsh-subagent-fork-in-process": PluginEntry(
        use="subagent_provider", config={"name": "fork", "inherits_parent_context": True}
    ),
    "dsh-tool-subagent": PluginEntry(use="subagent"),
    "dsh-agent-instructions": PluginEntry(use="instructions"),
    "dsh-plan-mode": PluginEntry(use="plan_policy"),
})  # fmt: skip
"""Packages that have a contributor here."""

OPTIONS: MappingProxyType[str, dict[str, str]] = MappingProxyType({
    "dsh-tool-subagent": {"provider": "provider", "toolName": "tool_name", "backgroundMode": "background_mode"},
    "dsh-subagent-spawn-in-process": {"providerName": "name"},
    "dsh-subagent-fork-in-process": {"providerName": "name"},
})  # fmt: skip
"""Options of packages whose value is a text, and what the contributor calls them."""

SETTINGS_PACKAGES = frozenset({"dsh-system-prompt", "dsh-acp-demo"})

_SETTINGS: MappingProxyType[str, tuple[str, Reader[Any]]] = MappingProxyType({
    "persona": ("persona", text),
    "toolOrder": ("tool_order", optional(listing(line))),
    "includeHarnessIdentity": ("include_harness_identity", flag),
    "includeRuntimeContext": ("include_runtime_context", flag),
})  # fmt: skip
"""Key of a row's config, field of the composition, and how its value is read."""


def read_rows(reading: Reading, root: Sequence) -> tuple[CompositionEntries, tuple[ConfigRow, ...]]:
    """What the rows, and those of the files they include, say about prompts; and what became of each row."""
    taken = _Taken()
    found = HarnessRows(reading, root)
    rows = [_Row(row, taken).read() for row in found.rows]
    found.finish()
    settings = {name: value for name, (value, _) in taken.settings.items()}
    entries = CompositionEntries(agents=tuple(taken.agents), plugins=tuple(taken.plugins), **settings)
    return entries, (*rows, *found.reports)


@dataclass(slots=True)
class _Taken:
    """What has been taken over so far; a setting with the row that it came from."""

    settings: dict[str, tuple[Any, str]] = field(default_factory=dict)
    agents: list[AgentEntry] = field(default_factory=list)
    plugins: list[PluginEntry] = field(default_factory=list)


class _Row:
    """One row while it is read."""

    def __init__(self, row: HarnessRow, taken: _Taken) -> None:
        self.placed, self.taken = row, taken
        self.id, self.package = row.id, row.package
        self.known_as = short_name(row.package)
        self.config = row.config
        self.reading = row.reading if row.config is None else row.config.reading
        """Of the file that the config stands in."""
        self.path = () if row.config is None else row.config.path
        """Of the config."""
        self.taken_over: list[str] = []
        self.notes: list[str] = list(row.patched)

    def read(self) -> ConfigRow:
        """Take over what concerns prompts, and note what is left out."""
        outcome = self._outcome()
        line, column = self.placed.reading.document.place(self.placed.row.start)
        config = None if self.config is None else self.config.node
        if outcome != "disabled" and isinstance(config, Mapping):
            self._settings(config)
            self._agents(config)
        if outcome == "plugin":
            self._plugin(config)
        elif outcome == "unknown":
            what = f"{self.id}: {self.package} is unknown here, left out"
            taken = f"; taken over: {', '.join(self.taken_over)}" if self.taken_over else ""
            self.notes.append(f"{self.placed.place}: {what}{taken}")
        if config is not None:
            self._expressions(config, ("config",))
        return ConfigRow(self.id, self.package, line, column, outcome, tuple(self.taken_over), tuple(self.notes))

    def _outcome(self) -> Outcome:
        if self.placed.is_disabled:
            return "disabled"
        if self.known_as in SETTINGS_PACKAGES:
            return "settings"
        return "plugin" if self.known_as in CONTRIBUTORS else "unknown"

    def _plugin(self, config: Node | None) -> None:
        contributor = CONTRIBUTORS[self.known_as]
        options = self._options(config) if isinstance(config, Mapping) else {}
        if options:
            contributor = contributor._replace(config={**(contributor.config or {}), **options})
        self.taken.plugins.append(contributor._replace(at=self.placed.path))
        self.taken_over.append(f"plugin {contributor.use}")

    def _options(self, config: Mapping) -> dict[str, Any]:
        """Options that the contributor has, too, by its own names; the others are noted."""
        names = OPTIONS.get(self.known_as, {})
        options: dict[str, Any] = {}
        left: list[str] = []
        for key, entry in config.entries.items():
            value = entry.value
            if key in names and isinstance(value, Scalar) and value.is_text and not is_expression(value):
                options[names[key]] = value.text
            elif key not in _SETTINGS and key != "enableRunInBackground":
                left.append(key)
        background = config.entries.get("enableRunInBackground")
        if background and isinstance(background.value, Scalar) and background.value.value is False:
            options["background_mode"] = "none"
        if left:
            what = f"{self.id}: these options of {self.package} are not taken over: {', '.join(left)}"
            self._note(config, what)
        return options

    def _settings(self, config: Mapping) -> None:
        for key, (setting, read) in _SETTINGS.items():
            if key not in config.entries or is_expression(config.entries[key].value):
                continue
            node, path = config.entries[key].value, (*self.path, key)
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
                    self._agent(agent, (*self.path, "agents", index), f"{self.id}-{index + 1}")
        elif self.known_as in SETTINGS_PACKAGES and "model" in config.entries:
            self._agent(config, self.path, self.id)

    def _agent(self, config: Mapping, path: Path, otherwise: str) -> None:
        name = self._fact(config, "id", path) or otherwise
        if any(name == agent.name for agent in self.taken.agents):
            self._note(config, f"{self.id}: there is an agent {name} already, left out")
            return
        model, provider, cwd = (self._fact(config, key, path) for key in ("model", "provider", "cwd"))
        self.taken.agents.append(AgentEntry(at=path, name=name, model=model, provider=provider, cwd=cwd))
        self.taken_over.append(f"agent {name}")

    def _fact(self, config: Mapping, key: str, path: Path) -> str | None:
        if key not in config.entries or is_expression(config.entries[key].value):
            return None
        try:
            return optional(string)(self.reading, config.entries[key].value, (*path, key))
        except Wrong as wrong:
            self.reading.report(wrong, (*path, key))
            return None

    def _expressions(self, node: Node, inside: Path) -> None:
        if is_expression(node):
            assert isinstance(node, Scalar)
            what = f"{self.id}: {path_text(inside)} is an expression, which is not evaluated"
            self._note(node, f"{what}: !!js {node.text}")
        elif isinstance(node, Mapping):
            for key, entry in node.entries.items():
                self._expressions(entry.value, (*inside, key))
        elif isinstance(node, Sequence):
            for index, item in enumerate(node.items):
                self._expressions(item, (*inside, index))

    def _note(self, node: Node, what: str) -> None:
        line, column = self.reading.document.place(node.start)
        self.notes.append(f"{self.reading.document.file}:{line}:{column}: {what}")
