"""A preview as the counts see it, without assembling one."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Entry:
    name: str
    rendered: str | None
    state: str = "effective"


@dataclass
class Tool:
    name: str
    description: str = "Does it."
    parameters_json: str = '{\n  "type": "object"\n}'
    state: str = "effective"


@dataclass
class Preview:
    system: str | None = "You are an agent.\n\nWork in /srv/app."
    context: str | None = ""
    sections: list[Entry] = field(
        default_factory=lambda: [
            Entry("identity", "You are an agent."),
            Entry("place", "Work in /srv/app."),
            Entry("empty", ""),
            Entry("old", None, state="shadowed"),
        ]
    )
    contexts: list[Entry] = field(default_factory=list)
    tools: list[Tool] = field(default_factory=lambda: [Tool("bash"), Tool("gone", state="removed"), Tool("read")])
