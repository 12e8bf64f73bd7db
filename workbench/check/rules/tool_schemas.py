"""Tool schemas that a provider would refuse. They are reported, and never rewritten."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from workbench.check.finding import Finding
from workbench.check.json_pointer import steps
from workbench.check.profile import USUAL, Profile, ProfileError, ProfileRule, profile
from workbench.check.rule import Rule
from workbench.check.schema_nodes import schema_nodes
from workbench.check.schema_rules import KINDS, TOOL_COUNT, Refusal, ToolSchemaNodes
from workbench.check.subject import CheckedTool, Subject
from workbench.config.nodes import Document, Path, Sequence
from workbench.prompt import Position


def refused_schemas(subject: Subject) -> Iterator[Finding]:
    """By the profiles that the composition names, else by those that are usual."""
    chosen = subject.settings.profiles
    profiles: list[Profile] = []
    folder = os.path.dirname(subject.file)
    for index, name in enumerate(USUAL if chosen is None else chosen):
        try:
            profiles.append(profile(name, folder))
        except ProfileError as error:
            yield _unusable_profile(subject, index, error)
    for tool in subject.tools:
        yield from refusals_of(tool, profiles, subject, is_chosen=chosen is not None)
    yield from _too_many(subject, profiles, is_chosen=chosen is not None)


def refusals_of(
    tool: CheckedTool, profiles: Iterable[Profile], subject: Subject | None = None, *, is_chosen: bool = True
) -> Iterator[Finding]:
    """What the profiles refuse of one tool. What several refuse alike is one finding that names them all.

    It is an error for a profile that somebody chose, and a warning otherwise.
    """
    seen = ToolSchemaNodes(tool.view.name, tool.parameters, tuple(schema_nodes(tool.parameters)))
    refusals: dict[tuple[str, Refusal], list[tuple[str, ProfileRule]]] = {}
    for each in profiles:
        for rule in each.rules:
            if rule.judge is not None:
                for refusal in rule.judge(seen):
                    refusals.setdefault((rule.kind, refusal), []).append((each.name, rule))
    for (kind, refusal), by in refusals.items():
        names = list(dict.fromkeys(name for name, _ in by))
        at = f" at {refusal.pointer}" if refusal.pointer else ""
        verb = "refuses" if len(names) == 1 else "refuse"
        yield Finding(
            rule=kind,
            severity="error" if is_chosen else "warning",
            message=f"{', '.join(names)} {verb} tool {tool.view.name}{at}: {refusal.message}",
            remedy=refusal.remedy,
            part="tool",
            name=tool.view.name,
            owner=tool.view.owner,
            position=_position(tool, refusal.pointer, kind, subject),
            scopes=tool.scopes,
            pointer=refusal.pointer,
            source=by[0][1].source,
        )


def _too_many(subject: Subject, profiles: list[Profile], *, is_chosen: bool) -> Iterator[Finding]:
    for scope in subject.scopes:
        for each in profiles:
            for rule in each.rules:
                if rule.kind == TOOL_COUNT and len(scope.tools) > rule.most:
                    yield Finding(
                        rule=TOOL_COUNT,
                        severity="error" if is_chosen else "warning",
                        message=f"{each.name} refuses {len(scope.tools)} tools: at most {rule.most} are allowed",
                        remedy="restrict the tools of this scope",
                        part="prompt",
                        scopes=(scope.label,),
                        source=rule.source,
                    )


def _position(tool: CheckedTool, pointer: str, kind: str, subject: Subject | None) -> Position | None:
    """In the composition's own tools the place of the value; else that of the tool."""
    if subject is not None:
        for entry in subject.composition.entries.tools:
            if entry.name == tool.view.name and (entry.scope or "global") == tool.view.layer:
                if subject.composition.document.at((*entry.at, "name")) is None:
                    break  # It stands in a file of its own; the place of its description is known.
                if kind == "name":
                    return subject.place((*entry.at, "name"))
                path = _path(subject.composition.document, (*entry.at, "parameters"), pointer)
                return subject.place(path, of_key=True)
    source = tool.view.source
    return None if source is None else source.position(tool.view.description, 0)


def _path(document: Document, path: Path, pointer: str) -> Path:
    """The path of what a JSON pointer leads to, where a number is the index of a list or a key."""
    for key in steps(pointer):
        path = (*path, int(key) if isinstance(document.at(path), Sequence) else key)
    return path


def _unusable_profile(subject: Subject, index: int, error: ProfileError) -> Finding:
    return Finding(
        rule="profile",
        severity="error",
        message=str(error),
        remedy="name a profile that is there",
        position=subject.place((*subject.settings.at, "profiles", index)),
    )


TOOL_SCHEMA = Rule(
    "tool-schema",
    refused_schemas,
    "A provider would refuse the tool; the kinds are those of the provider profiles.",
    (*KINDS, TOOL_COUNT, "profile"),
)
