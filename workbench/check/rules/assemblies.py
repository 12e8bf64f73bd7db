"""Assemblies that fail, and several complete sections in one."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.check.checked_scope import CheckedScope
from workbench.check.finding import Finding
from workbench.check.rule import Rule
from workbench.check.subject import Subject
from workbench.prompt import Failure


def failed_assemblies(subject: Subject) -> Iterator[Finding]:
    """Why no prompt comes to be at all, apart from what has a rule of its own."""
    for scope in subject.scopes:
        for failure in scope.preview.failures:
            if scope.is_sent and failure.stage == "assemble" and failure.code != "complete":
                yield _finding(failure, scope, subject)


def several_complete(subject: Subject) -> Iterator[Finding]:
    """Two sections of one assembly that both want to be the whole of it."""
    for scope in subject.scopes:
        if not scope.is_sent or all(failure.code != "complete" for failure in scope.preview.failures):
            continue
        first, *others = [
            entry for entry in scope.preview.sections if entry.complete and entry.state == "effective"
        ]
        for entry in others:
            yield Finding(
                severity="error",
                message=f"section {entry.name} is complete, and so is section {first.name}",
                remedy="keep one of them complete in this scope",
                part="section",
                name=entry.name,
                owner=entry.owner,
                position=None if entry.source is None else entry.source.position(entry.text, 0),
                scopes=(scope.label,),
            )


def _finding(failure: Failure, scope: CheckedScope, subject: Subject) -> Finding:
    position = failure.position
    remedy = ""
    if failure.code == "tool_order":
        position = subject.place(("tool_order",))
        remedy = "remove the name from tool_order, or load the tool"
    return Finding(
        rule=failure.code.replace("_", "-").replace(" ", "-"),
        severity="error",
        message=failure.message,
        remedy=remedy,
        part="prompt",
        name=failure.name,
        owner=failure.owner,
        position=position,
        scopes=(scope.label,),
    )


ASSEMBLIES = Rule(
    "assembly",
    failed_assemblies,
    "The assembly fails: a provider or a listener raises, `tool_order` names an unknown tool, …",
    ("raised", "tool-order", "reserved", "result"),
)
SEVERAL_COMPLETE = Rule(
    "several-complete", several_complete, "More than one complete section is in force in a scope."
)
