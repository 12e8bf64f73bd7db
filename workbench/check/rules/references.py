"""References that cannot be resolved: unknown, without a value, or malformed.

All of an entry, not only the first one, at which rendering stops.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from workbench.check.checked_scope import CheckedScope
from workbench.check.finding import Finding
from workbench.check.rule import Rule
from workbench.check.subject import Subject
from workbench.prompt import EntryView
from workbench.prompt.source import line_and_column
from workbench.prompt.template import Group, groups_of

AGENT_VARIABLES = frozenset({"model", "provider", "cwd"})
"""Variables that an agent's own keys give."""

_LITERAL = "register it as literal if somebody else wrote the text"


def unresolved(subject: Subject) -> Iterator[Finding]:
    """Every such reference of what is sent. A layer that only agents inherit from is judged by its agents."""
    positions = {(text.part, text.name, text.layer, text.text): text for text in subject.texts}
    for scope in subject.scopes:
        if not scope.is_sent or scope.preview.assembly is None:
            continue
        variables = scope.preview.assembly.variables
        for entry in (*scope.preview.sections, *scope.preview.contexts):
            if entry.failure is None:
                continue
            text = positions[entry.kind, entry.name, entry.layer, entry.text]
            for group in faulty_groups(entry.text, variables):
                kind, message, remedy = _judged(group, entry, variables, scope)
                yield text.finding(
                    message,
                    offset=group.offset,
                    length=len(group.written),
                    remedy=remedy,
                    kind=kind,
                    severity="error",
                    scopes=(scope.label,),
                )


def faulty_groups(text: str, variables: Mapping[str, str | None]) -> Iterator[Group]:
    """All groups that cannot be rendered, those behind a malformed one included."""
    begin = 0
    while begin < len(text):
        rest = text[begin:] if begin else text
        for found in groups_of(rest):
            group = Group(begin + found.offset, found.written, found.name)
            if group.name is None or variables.get(group.name) is None:
                yield group
            if group.name is None:
                if not group.written.endswith("}}"):
                    return
                begin = group.end
                break
        else:
            return


def _judged(
    group: Group, entry: EntryView, variables: Mapping[str, str | None], scope: CheckedScope
) -> tuple[str, str, str]:
    """Kind, message and remedy."""
    line, column = line_and_column(entry.text, group.offset)
    where = f"{entry.kind} {entry.name} ({line}:{column})"
    if group.name is None:
        near = _near(group.written.strip("{} \t\n$"), variables)
        remedy = f"write {{{{{near}}}}}, or {_LITERAL}" if near else _LITERAL
        return "malformed", f"malformed reference {group.written} in {where}: not a variable name", remedy
    if group.name not in variables:
        near = _near(group.name, variables)
        remedy = f"did you mean {{{{{near}}}}}? otherwise {_LITERAL}" if near else _LITERAL
        return "unknown", f"unknown variable {group.written} in {where}", remedy
    remedy = "give it a value for this scope, or do not refer to it here"
    if group.name in AGENT_VARIABLES:
        remedy = f"give agent {scope.label} a `{group.name}:`, or do not refer to it here"
    return "no-value", f"no value for {group.written} in {where}", remedy


def _near(written: str, variables: Mapping[str, str | None]) -> str:
    wanted = written.lower().replace("-", "_").replace(".", "_")
    near = get_close_matches(wanted, list(variables), n=1, cutoff=0.6)
    return near[0] if near else ""


REFERENCES = Rule(
    "reference",
    unresolved,
    "A {{reference}} that is unknown, has no value, or is malformed.",
    ("unknown", "no-value", "malformed"),
)
