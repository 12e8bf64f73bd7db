"""Rules, and the event by which a plugin brings its own.

    def apply(ctx):
        ctx.on("check/rules", lambda rules: rules.add("house/no-shouting", no_shouting, "Texts in capitals."))

Being a listener, a rule leaves with the plugin that brought it. Source: docs/checks.md 7.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from workbench.check.finding import Finding
from workbench.check.subject import Subject
from workbench.core import Event
from workbench.prompt import Owner
from workbench.prompt.failures import raised_at

Run = Callable[[Subject], Iterable[Finding]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: what it looks for, and the function that looks."""

    id: str
    run: Run
    summary: str
    """One line, for the page on rules and for lists."""
    kinds: tuple[str, ...] = ()
    """What its findings are called behind its id, where it finds more than one thing."""
    owner: Owner | None = None
    """The plugin that brought it; None: it belongs to the workbench."""

    @property
    def ids(self) -> tuple[str, ...]:
        """Its id, and those of its kinds."""
        return (self.id, *(f"{self.id}/{kind}" for kind in self.kinds))


class RuleBook:
    """What a listener of `check/rules` is given: adds rules in the name of its plugin."""

    def __init__(self, owner: Owner) -> None:
        self.rules: list[Rule] = []
        self._owner = owner

    def add(self, id: str, run: Run, summary: str = "", kinds: Iterable[str] = ()) -> None:
        """Add a rule. Its id names its house in front of a slash, so that no two plugins mean different things.

        Raises `ValueError` for an id of another form.
        """
        if not _OWN_ID.fullmatch(id):
            raise ValueError(f"the id of a rule is written house/rule in small letters, not {id!r}")
        self.rules.append(Rule(id, run, summary, tuple(kinds), self._owner))


RULES = Event("check/rules", "emit", (RuleBook,))
_OWN_ID = re.compile(r"[a-z][a-z0-9-]*/[a-z][a-z0-9-]*")


def findings_of_rule(rule: Rule, subject: Subject) -> list[Finding]:
    """What one rule finds. A rule that raises is itself a finding, and what it gave before that counts."""
    findings: list[Finding] = []
    try:
        for found in rule.run(subject):
            findings.append(replace(found, rule=f"{rule.id}/{found.rule}" if found.rule else rule.id))
    except Exception as error:
        findings.append(broken_rule(rule.id, error, rule.owner, rule.run))
    return findings


def broken_rule(what: str, error: Exception, owner: Owner | None, code: Callable[..., object]) -> Finding:
    """The finding about a rule that raised, or about the listener that brings it."""
    return Finding(
        rule="rule",
        severity="error",
        message=f"the rule {what} raised {type(error).__name__}: {error}",
        remedy="mend the rule, or remove the plugin that brings it",
        part="plugin",
        name=owner.plugin if owner else "workbench",
        owner=owner,
        position=raised_at(error, getattr(code, "__code__", None)),
    )
