"""Rules that a plugin brings: the example of the page, and rules that raise."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import workbench
from tests.check.conftest import Found
from workbench.check.checking import findings_of
from workbench.check.rule import RuleBook
from workbench.check.rules import FIRST_PARTY_RULES
from workbench.config import open_composition
from workbench.prompt import Owner

PAGE = (Path(workbench.__file__).parent / "docs" / "checks.md").read_text(encoding="utf-8")
RULE = re.search(r'^```python\n(""".*?)^```$', PAGE, re.MULTILINE | re.DOTALL)
COMPOSITION = re.search(r"^```yaml\n(plugins:.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
SAID = re.search(r"^    (agent.yml:.*house/.*)$", PAGE, re.MULTILINE)


async def test_the_example_of_the_page(found: Found) -> None:
    assert RULE
    assert COMPOSITION
    assert SAID
    [finding] = await found(COMPOSITION[1], house_rules_py=RULE[1])
    assert f"{finding.place}: {finding.severity} {finding.rule}: {finding.message}" == SAID[1]


async def test_a_rule_goes_with_its_plugin(found: Found, tmp_path: Path) -> None:
    assert RULE
    assert COMPOSITION
    assert await found(COMPOSITION[1], house_rules_py=RULE[1])
    async with open_composition("agent.yml") as opened:
        assert await findings_of(opened)
        [plugin] = [fiber for fiber in opened.runtime.fibers() if fiber.name == "house_rules"]
        await plugin.dispose()
        assert await findings_of(opened) == ()


BRINGS = """\
from workbench.check.finding import Finding

def apply(ctx):
    ctx.on("check/rules", lambda rules: rules.add("house/seen", seen, kinds=["scope"]))

def seen(subject):
    for scope in subject.scopes:
        yield Finding(rule="scope", severity="note", message=scope.label)
"""


async def test_a_rule_of_a_scope_judges_that_scope(found: Found) -> None:
    findings = await found("agents: [{name: a}, {name: b}]\nplugins: [{use: kit.py, scope: a}]\n", kit_py=BRINGS)
    assert [(each.rule, each.message) for each in findings] == [("house/seen/scope", "a")]


async def test_a_kind_of_such_a_rule_can_be_switched_off(found: Found) -> None:
    off = "check: {off: [{rule: house/seen/scope, reason: r}]}\n"
    assert await found(f"plugins: [kit.py]\n{off}", kit_py=BRINGS) == ()


RAISES = """\
from workbench.check.finding import Finding

def apply(ctx):
    ctx.on("check/rules", lambda rules: rules.add("house/first", first))
    ctx.on("check/rules", cannot_add)
    ctx.on("check/rules", lambda rules: rules.add("house/last", last))

def first(subject):
    yield Finding(message="before")
    raise ValueError("no idea")

def cannot_add(rules):
    rules.add("NO HOUSE", first)

def last(subject):
    return [Finding(message="last")]
"""


async def test_a_rule_that_raises_is_a_finding_about_the_rule(found: Found) -> None:
    findings = await found("plugins: [kit.py]\n", kit_py=RAISES)
    said = {(each.rule, each.message, each.severity) for each in findings}
    assert ("house/first", "before", "warning") in said
    assert ("house/last", "last", "warning") in said
    assert ("rule", "the rule house/first raised ValueError: no idea", "error") in said
    broken = [each for each in findings if each.rule == "rule"]
    assert len(broken) == 2
    assert all(each.owner and each.owner.plugin == "kit" and each.position for each in broken)


@pytest.mark.parametrize("id", ["shouting", "house/", "House/x", "house/x/y", "house/x\n"])
def test_an_id_without_a_house_is_refused(id: str) -> None:
    with pytest.raises(ValueError, match="house/rule"):
        RuleBook(Owner("kit", 1)).add(id, lambda subject: ())


def test_every_rule_of_ours_is_on_the_page() -> None:
    ids = [rule.id for rule in FIRST_PARTY_RULES]
    assert len(set(ids)) == len(ids)
    assert [id for id in ids if f"| `{id}" not in PAGE] == []
    assert all(rule.summary for rule in FIRST_PARTY_RULES)
