"""Markdown with YAML front matter: settings that are known here, and a literal section.

Source: docs/compositions.md 18.3.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.config.compose import parse_yaml
from workbench.config.importers.imported import Imported
from workbench.config.model import AgentEntry, PluginEntry, SectionEntry, Text
from workbench.config.nodes import Document, Entry, Mapping, Scalar, Sequence
from workbench.config.problems import LoadError, did_you_mean
from workbench.config.readers import kind_of
from workbench.config.textfile import TextFile
from workbench.plugins.front_matter import FrontMatter, split_front_matter
from workbench.prompt.source import TextSource

KNOWN = ("name", "description", "model", "provider", "tools")

TOOLS: dict[str, tuple[str, str]] = {
    "bash": ("shell", ""),
    "pwsh": ("pwsh", ""),
    "read": ("files", "read"),
    "write": ("files", "write"),
    "edit": ("files", "edit"),
    "glob": ("files", "glob"),
    "grep": ("files", "grep"),
    "web_search": ("web", "web_search"),
    "web_fetch": ("web", "web_fetch"),
    "lsp": ("lsp", ""),
    "todo_write": ("todo", ""),
}
"""Names of tools, the contributor that has each, and which of its tools it is when there is a choice."""


def import_markdown(file: TextFile) -> Imported:
    """The section, and the agent that the front matter describes, if it does.

    Without front matter it is the whole file as one section. Front matter that cannot be read is a remark.
    """
    parts = split_front_matter(file.text)
    if parts is None:
        return _plain(file)
    settings = _Settings(file)
    if not settings.read(parts):
        return _plain(file)._replace(remarks=tuple(settings.remarks))
    name = settings.texts.get("name") or file.path.name
    # The line end behind the last line is the file's, not the text's.
    body = Text(parts.body.removesuffix("\n"), TextSource(file.name, parts.body_line, 1))
    section = SectionEntry(name, 10, body, literal=True)
    taken = [f"section {name}"]
    agents: tuple[AgentEntry, ...] = ()
    plugins: tuple[PluginEntry, ...] = ()
    if settings.makes_agent:
        agents = (AgentEntry(name, model=settings.texts.get("model"), provider=settings.texts.get("provider")),)
        plugins = tuple(plugin._replace(scope=name) for plugin in settings.plugins())
        section = section._replace(scope=name)
        taken += [f"agent {name}", *(f"plugin {plugin.use}" for plugin in plugins)]
    description = settings.texts.get("description", "")
    return Imported(
        sections=(section,),
        agents=agents,
        plugins=plugins,
        description=description,
        taken_over=tuple(taken),
        remarks=tuple(settings.remarks),
    )


def _plain(file: TextFile) -> Imported:
    text = Text(file.text, TextSource(file.name, 1, 1))
    section = SectionEntry(name=file.path.name, order=0, text=text, literal=True)
    return Imported(sections=(section,), taken_over=(f"section {section.name}",))


@dataclass(slots=True)
class _Settings:
    """What the front matter of a file says."""

    file: TextFile
    texts: dict[str, str] = field(default_factory=dict)
    tools: list[str] = field(default_factory=list)
    """Names as they are here."""
    makes_agent: bool = False
    remarks: list[str] = field(default_factory=list)

    def read(self, parts: FrontMatter) -> bool:
        """Take it over; False when there is none after all, such as prose between two rules."""
        try:
            # An empty line stands for the line of dashes, so that every place is that of the file.
            document, problems = parse_yaml(f"\n{parts.settings}", self.file.name)
        except LoadError as error:
            self.remarks.append(f"{error.problems[0]}; the front matter is text here")
            return False
        self.remarks += map(str, problems)
        root = document.root
        if root is None:
            return True
        if not isinstance(root, Mapping):
            return False
        for key, entry in root.entries.items():
            if key not in KNOWN:
                remedy = did_you_mean(key, KNOWN)
                said = f'"{key}" means nothing here, left out' + (f"; {remedy}" if remedy else "")
                self._note(document, entry.key, said)
            elif key == "tools":
                self.makes_agent = True
                self._read_tools(document, entry)
            else:
                self._read_text(document, key, entry)
        return True

    def _read_text(self, document: Document, key: str, entry: Entry) -> None:
        value = entry.value
        if not isinstance(value, Scalar) or not value.is_text or not value.text.strip():
            self._note(document, value, f'"{key}" must be a text, and this is {kind_of(value)}; left out')
            return
        try:
            value.text.encode()
        except UnicodeEncodeError:
            self._note(document, value, f'"{key}" holds half of a surrogate pair, left out')
            return
        self.texts[key] = value.text.strip()
        self.makes_agent = self.makes_agent or key == "model"

    def _read_tools(self, document: Document, entry: Entry) -> None:
        """A list, or names with commas between them."""
        value = entry.value
        items = value.items if isinstance(value, Sequence) else [value]
        for item in items:
            if not isinstance(item, Scalar) or not item.is_text:
                self._note(document, item, f"a name of a tool was expected, and this is {kind_of(item)}; left out")
                continue
            for written in filter(None, (part.strip() for part in item.text.split(","))):
                name = _name_here(written)
                if name is None:
                    self._note(document, item, f'no contributor has a tool "{written}", left out')
                elif name not in self.tools:
                    self.tools.append(name)

    def plugins(self) -> list[PluginEntry]:
        """The contributors that have the tools."""
        chosen: dict[str, list[str]] = {}
        for name in self.tools:
            use, choice = TOOLS[name]
            chosen.setdefault(use, []).extend([choice] if choice else [])
        return [PluginEntry(use, {"tools": names} if names else None) for use, names in chosen.items()]

    def _note(self, document: Document, node: Scalar | Sequence | Mapping, said: str) -> None:
        self.remarks.append(f"{document.position(node.start)}: {said}")


def _name_here(written: str) -> str | None:
    """`WebFetch`, `web-fetch` and `web_fetch` are one tool."""
    plain = written.lower().replace("-", "").replace("_", "")
    return next((name for name in TOOLS if name.replace("_", "") == plain), None)
