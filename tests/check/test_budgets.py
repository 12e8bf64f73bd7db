"""Budgets per part and whole."""

from __future__ import annotations

from tests.check.conftest import Found

COMPOSITION = """\
include_harness_identity: false
persona: "0123456789"
contexts:
  - {name: c, order: 1, text: "0123456789"}
tools:
  - name: t
    description: "0123456789"
check:
  budgets:
    unit: characters
"""


async def limits(found: Found, *lines: str) -> list[tuple[str, str, str]]:
    findings = await found(COMPOSITION + "".join(f"    {line}\n" for line in lines))
    return [(each.rule, each.severity, each.message) for each in findings]


async def test_nothing_is_said_within_the_limits(found: Found) -> None:
    assert await limits(found, "whole: 10", "section: 10", "context: 10", "runtime_context: 200", "tool: 200") == []


async def test_every_limit_counts_for_itself(found: Found) -> None:
    said = await limits(
        found, "whole: 9", "section: 8", "context: 9", "runtime_context: 20", "tools: 30", "tool: 30"
    )
    assert {rule for rule, severity, _ in said if severity == "error"} == {
        "budget/whole",
        "budget/section",
        "budget/context",
        "budget/runtime-context",
        "budget/tools",
        "budget/tool",
    }
    assert ("budget/section", "error", "section deployment:persona has 10 characters; 8 are allowed") in said


async def test_the_limit_that_names_a_part_goes_first(found: Found) -> None:
    part = "parts: [{section: deployment:persona, limit: 10}, {tool: nobody, limit: 5}]"
    said = await limits(found, "section: 5", part)
    assert [(rule, severity) for rule, severity, _ in said] == [("budget/unused", "warning")]
    assert "there is no tool nobody" in said[0][2]


async def test_the_unit_is_in_the_message(found: Found) -> None:
    findings = await found("persona: one two three\ncheck:\n  budgets:\n    section: 1\n")
    assert {each.rule for each in findings} == {"budget/section"}
    assert all("tokens" in each.message for each in findings)
