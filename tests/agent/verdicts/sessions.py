"""Sessions with recorded owners, as FC-04, FC-05 and FC-07 need them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.agent.log.building import Run, header, text
from workbench.agent.log.timeline import Timeline, TimelineBuilder

SEPARATOR = "\n\n"


class Section(NamedTuple):
    """A section and who wrote it."""

    name: str
    text: str
    owner: str = "base-kit"
    kind: str = "plugin"
    listener: bool = False


class Story:
    """Steps of one session, each with its sections and tools."""

    def __init__(self, path: Path | None = None) -> None:
        self.run = Run(path)
        self._owners: object = None

    def step(self, sections: Iterable[Section], tools: Iterable[Mapping[str, Any]] = (), **config: Any) -> None:
        """A turn with one request."""
        sections = list(sections)
        run = self.run
        run.begin_turn()
        run.begin_step(f"say {run.turn}")
        system = SEPARATOR.join(section.text for section in sections)
        before = len(run.session.events)
        of = header(system, tools, **config)
        if run._header is None or run._header[1] != of:
            reason = "initial" if run._header is None else "change"
            event = run.append("request/header", {"header": of.to_json(), "reason": reason})
            run._header = event.seq, of
            assert event.seq == before
            run.session.append("request/parts", self._parts(sections, tools, event.seq), ignorable=True)
        run.send(of)
        run.answer(text(f"answer {run.turn}"))
        run.end_step()
        run.end_turn()

    def declare(self, cause: str, words: str, owner: str = "") -> None:
        """Somebody says why."""
        data = {"cause": cause, "words": words, "owner": owner}
        self.run.session.append("prompts/declared", data, ignorable=True)

    def timeline(self) -> Timeline:
        return self.builder().finished()

    def builder(self) -> TimelineBuilder:
        """With what its timeline tells of, to be read."""
        events = self.run.session.events
        builder = TimelineBuilder(self.run.session.header, event_of=events.__getitem__)
        for event in events:
            builder.add(event)
        return builder

    def _parts(self, sections: Iterable[Section], tools: Iterable[Mapping[str, Any]], seq: int) -> dict[str, Any]:
        stretches: list[dict[str, Any]] = []
        for section in sections:
            if stretches:
                stretches.append({"name": "", "owner": "", "length": len(SEPARATOR)})
            said = {"name": section.name, "owner": section.owner, "kind": section.kind, "length": len(section.text)}
            stretches.append(said | ({"listener": True} if section.listener else {}))
        owned = [{"name": tool["name"], "owner": "tool-kit"} for tool in tools]
        return {"headerSeq": seq, "system": stretches, "tools": owned}


IDENTITY = Section("harness:identity", "You are an agent.", "harness", "harness")
PERSONA = Section("deployment:persona", "You keep the harbour book.", "deployment", "deployment")
TOOLS = [Section(f"tool:t{n}", f"Use tool {n} only where it is asked for.", "tool-kit") for n in range(12)]


def clock(second: int) -> Section:
    """The section of FC-04."""
    return Section("clock:now", f"Time: 2031-02-03 04:05:0{second}", "clock-kit")


def fc04(path: Path | None = None) -> Story:
    """Clock with seconds near the top: three steps."""
    story = Story(path)
    for second in (1, 2, 3):
        story.step([IDENTITY, clock(second), PERSONA, *TOOLS])
    return story


RULES = "\n".join(f"Rule {n}: leave page {n} of the logbook exactly as it is." for n in range(1, 41))


def fc05(path: Path | None = None) -> Story:
    """Two listeners that make the prompt grow: five steps."""
    story = Story(path)
    whole = ""
    for _ in range(5):
        sections = [IDENTITY, PERSONA, Section("tail:rules", RULES, "tail-kit", listener=True)]
        if whole:
            sections.insert(0, Section("keep:previous", whole, "keep-kit", listener=True))
        whole = SEPARATOR.join(section.text for section in sections)
        story.step(sections)
    return story


def lookup(maximum: int, *, turned: bool = False) -> dict[str, Any]:
    """The tool of FC-07."""
    query = {"type": "string"}
    limit = {"type": "integer", "maximum": maximum}
    properties = {"limit": limit, "query": query} if turned else {"query": query, "limit": limit}
    return {"name": "lookup", "description": "Look up.", "parameters": {"type": "object", "properties": properties}}


ALPHA = {"name": "alpha", "description": "First.", "parameters": {"type": "object", "properties": {}}}
ZETA = {**ALPHA, "name": "zeta", "description": "Last."}
