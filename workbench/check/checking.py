"""One pass over a composition: every layer assembled once, every rule asked once.

    async with open_composition("agent.yml", even_if_broken=True) as opened:
        for finding in await findings_of(opened):
            print(finding.place, finding.severity, finding.rule, finding.message)

The screen, the command and its formats all show what `findings_of` gives. Source: docs/checks.md 1 and 8.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath

from workbench.check.checked_scope import CheckedScope
from workbench.check.finding import Finding
from workbench.check.measure import sizes_of
from workbench.check.rule import RULES, Rule, RuleBook, broken_rule, findings_of_rule
from workbench.check.rules import FIRST_PARTY_RULES
from workbench.check.subject import Subject
from workbench.check.switches import without_switched_off
from workbench.config import LoadProblem, OpenedComposition, ScopeView, open_composition
from workbench.config.model import CheckEntry
from workbench.prompt import Position, preview
from workbench.prompt.owners import owner_of_listener


@dataclass(frozen=True, slots=True)
class FileReport:
    """What is wrong with one file."""

    file: str
    """As the person named it."""
    findings: tuple[Finding, ...]
    """In the order of the file."""
    is_usable: bool
    """Whether it could be opened; otherwise the findings are about the file itself."""

    @property
    def fails(self) -> bool:
        """Whether there is more than notes."""
        return any(finding.fails for finding in self.findings)


async def check_file(
    path: str | PathLike[str], *, profiles: Sequence[str] | None = None, settle_seconds: float = 2.0
) -> FileReport:
    """Open the file, check it, and close it. What keeps it from being used is in the report, too.

    `profiles` takes the place of those that the composition names.
    """
    async with open_composition(path, even_if_broken=True, settle_seconds=settle_seconds) as opened:
        findings = await findings_of(opened, profiles=profiles)
        return FileReport(fspath(path), findings, not opened.problems)


async def findings_of(opened: OpenedComposition, *, profiles: Sequence[str] | None = None) -> tuple[Finding, ...]:
    """Everything that is wrong with an opened composition, in the order of its file.

    Our own rules look in a thread, so that a screen stays responsive; rules of plugins look on the loop, where
    their plugins live.
    """
    problems = [finding_of_problem(problem) for problem in opened.problems]
    subject = await subject_of(opened, profiles)
    findings = await asyncio.to_thread(_by_our_rules, subject)
    rules = list(FIRST_PARTY_RULES)
    for rule, labels in _own_rules(opened, findings):
        rules.append(rule)
        findings += findings_of_rule(rule, subject.seen_from(labels))
    counted = without_switched_off(_merged(findings), subject.composition, rules)
    return tuple(sorted((*problems, *counted), key=lambda finding: finding.reading_order))


def _by_our_rules(subject: Subject) -> list[Finding]:
    return [finding for rule in FIRST_PARTY_RULES for finding in findings_of_rule(rule, subject)]


async def subject_of(opened: OpenedComposition, profiles: Sequence[str] | None = None) -> Subject:
    """What rules look at: each layer of the composition, assembled once."""
    composition = opened.composition
    if profiles is not None:
        settings = (composition.entries.check or CheckEntry())._replace(profiles=tuple(profiles))
        composition = replace(composition, entries=composition.entries._replace(check=settings))
    sent = _sent_labels(opened.scopes)
    scopes = []
    for view in opened.scopes:
        seen = await preview(opened.prompt, opened.assemble_context(view.label))
        tools = opened.tools  # None while it is loaded anew
        known = frozenset(() if tools is None else tools.known_names(view.key))
        scopes.append(CheckedScope(view.label, seen, view.label in sent, known))
    check = composition.entries.check
    sizes = await sizes_of(scopes, check.budgets if check else None)
    return Subject(composition, scopes, opened.runtime.fibers(), opened.notes, sizes)


def finding_of_problem(problem: LoadProblem) -> Finding:
    """What keeps a file from being used, as a finding."""
    position = None
    if problem.line is not None:
        position = Position(problem.file, problem.line, problem.column or 1)
    return Finding(
        rule="file",
        severity="error",
        message=problem.message,
        remedy=problem.remedy,
        name=problem.file,
        position=position,
    )


def _sent_labels(views: Iterable[ScopeView]) -> set[str]:
    """Agents, and layers that no agent lies in: an inherited layer is judged by those that inherit it."""
    views = tuple(views)
    parents = {view.label: view.parent_label for view in views}
    with_agents: set[str] = set()
    for view in views:
        label: str | None = view.label
        if view.agent is not None:
            while label is not None and label not in with_agents:
                with_agents.add(label)
                label = parents[label]
    return {view.label for view in views if view.agent is not None or view.label not in with_agents}


def _own_rules(opened: OpenedComposition, findings: list[Finding]) -> Iterator[tuple[Rule, list[str]]]:
    """The rules that plugins bring, each with the layers that its listener hears. A bad one is a finding."""
    heard: dict[int, list[str]] = {}
    listeners = {}
    for view in opened.scopes:
        for listener in opened.runtime.events.audience(RULES.name, view.key):
            if listener.live and not listener.ledger.closed:
                listeners[id(listener)] = listener
                heard.setdefault(id(listener), []).append(view.label)
    for identity, listener in listeners.items():
        owner = owner_of_listener(listener)
        book = RuleBook(owner)
        try:
            listener.function(book)
        except Exception as error:
            findings.append(broken_rule(f"that plugin {owner.plugin} brings", error, owner, listener.function))
        for rule in book.rules:
            yield rule, heard[identity]


def _merged(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The same finding in several scopes is one."""
    scopes: dict[Finding, dict[str, None]] = {}
    for finding in findings:
        scopes.setdefault(replace(finding, scopes=()), {}).update(dict.fromkeys(finding.scopes))
    for finding, labels in scopes.items():
        yield replace(finding, scopes=tuple(labels))
