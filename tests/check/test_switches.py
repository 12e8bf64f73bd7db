"""Rules that are off, and what is wrong with the switches."""

from __future__ import annotations

import pytest

from tests.check.conftest import Found

TEXT = 'sections:\n  - {name: a, order: 1, text: "x\\u200by"}\n  - {name: b, order: 2, text: "x\\u200by \\e"}\n'


async def rules(found: Found, *switches: str) -> list[tuple[str, str]]:
    listed = "".join(f"    - {switch}\n" for switch in switches)
    findings = await found(TEXT + f"check:\n  off:\n{listed}")
    return [(each.rule, each.name) for each in findings]


HIDDEN_A, HIDDEN_B = ("characters/hidden", "a"), ("characters/hidden", "b")
CONTROL_B = ("characters/control", "b")


@pytest.mark.parametrize(
    ("switches", "expected"),
    [
        (["{rule: characters, reason: r}"], []),
        (["{rule: characters/hidden, reason: r}"], [CONTROL_B]),
        (["{rule: characters, section: b, reason: r}"], [HIDDEN_A]),
        (["{rule: characters, section: a, reason: r}", "{rule: characters, section: b, reason: r}"], []),
        (["{rule: characters}"], [("switch/no-reason", "")]),
        (["{rule: characters, reason: r}", "{rule: equal-orders, reason: r}"], [("switch/unused", "")]),
        (["{rule: characters, reason: r}", "{rule: charakters, reason: r}"], [("switch/unknown-rule", "")]),
        (["{rule: characters, context: a, reason: r}"], [HIDDEN_A, HIDDEN_B, CONTROL_B, ("switch/unused", "")]),
    ],
)
async def test_switches(found: Found, switches: list[str], expected: list[tuple[str, str]]) -> None:
    assert sorted(await rules(found, *switches)) == sorted(expected)


async def test_a_switch_that_names_no_rule_is_told_which_there_are(found: Found) -> None:
    findings = await found("check: {off: [{rule: equal-order, reason: r}]}\n")
    assert findings[0].remedy == 'did you mean "equal-orders"?'
    assert str(findings[0].position) == "agent.yml:1:22"


async def test_problems_of_the_file_cannot_be_switched_off(found: Found) -> None:
    findings = await found("check: {off: [{rule: file, reason: r}]}\npersna: x\n")
    assert [each.rule for each in findings] == ["file"]
