"""Rules that are off, for a file or for one entry of it, each with its reason.

Source: docs/checks.md 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workbench.check.finding import Finding
from workbench.check.rule import Rule
from workbench.check.subject import place_in
from workbench.config import Composition
from workbench.config.model import CheckEntry, RuleSwitch
from workbench.config.problems import did_you_mean

SWITCH = "switch"
ALWAYS_ON = frozenset({"file", "rule", SWITCH})
"""What is wrong with the file, with a rule or with a switch cannot be switched off by the file."""


def without_switched_off(
    findings: Iterable[Finding], composition: Composition, rules: Iterable[Rule]
) -> Iterator[Finding]:
    """The findings that count, and what is wrong with the switches."""
    switches = (composition.entries.check or CheckEntry()).off
    used: set[int] = set()
    for finding in findings:
        off = [index for index, switch in enumerate(switches) if switches_off(switch, finding)]
        used.update(off)
        if not off:
            yield finding
    known = [id for rule in rules for id in rule.ids]
    for index, switch in enumerate(switches):
        yield from _wrong(switch, index in used, known, composition)


def switches_off(switch: RuleSwitch, finding: Finding) -> bool:
    """Whether the switch means this finding."""
    if finding.rule.split("/", 1)[0] in ALWAYS_ON:
        return False
    if switch.rule != finding.rule and not finding.rule.startswith(f"{switch.rule}/"):
        return False
    entries = _entries(switch)
    return not entries or (finding.part, finding.name) in entries


def _entries(switch: RuleSwitch) -> set[tuple[str, str]]:
    names = {part: getattr(switch, part) for part in ("section", "context", "variable", "tool")}
    return {(part, name) for part, name in names.items() if name is not None}


def _wrong(switch: RuleSwitch, is_used: bool, known: list[str], composition: Composition) -> Iterator[Finding]:
    position = place_in(composition.document, (*switch.at, "rule"))
    if switch.rule not in known:
        yield Finding(
            rule=f"{SWITCH}/unknown-rule",
            message=f'there is no rule "{switch.rule}" to switch off',
            remedy=did_you_mean(switch.rule, known, f"there are: {', '.join(id for id in known if '/' not in id)}"),
            position=position,
            length=len(switch.rule),
        )
    elif not is_used:
        yield Finding(
            rule=f"{SWITCH}/unused",
            severity="note",
            message=f"rule {switch.rule} is off and finds nothing here",
            remedy="remove the switch",
            position=position,
            length=len(switch.rule),
        )
    if not switch.reason.strip():
        yield Finding(
            rule=f"{SWITCH}/no-reason",
            message=f"rule {switch.rule} is off without a reason",
            remedy="add `reason:`, for whoever reads it next",
            position=position,
            length=len(switch.rule),
        )
