"""References that cannot be resolved: FC-01, FC-02 and FC-03 of the field cases."""

from __future__ import annotations

import pytest

from tests.check.conftest import Found
from workbench.check.rules.references import faulty_groups

CI_EXPRESSION = """\
variables:
  - {name: registry_token, value: t}
sections:
  - name: team:release
    order: 10
    LITERAL
    text: |-
      Publish only from the main branch.
      Never print ${{ secrets.REGISTRY_TOKEN }} or $NPM_TOKEN.
      Costs are given as $5 to $9.
"""


async def test_a_ci_expression_is_one_error_at_its_braces(found: Found) -> None:
    [finding] = await found(CI_EXPRESSION.replace("LITERAL\n", "literal: false\n"))
    assert (finding.rule, finding.severity) == ("reference/malformed", "error")
    assert (finding.part, finding.name, (finding.line, finding.column)) == ("section", "team:release", (2, 14))
    assert str(finding.position) == "agent.yml:9:20"
    assert finding.owner is not None
    assert finding.owner.kind == "deployment"
    assert "{{ secrets.REGISTRY_TOKEN }}" in finding.message
    assert "not a variable name" in finding.message
    assert "literal" in finding.remedy


async def test_the_same_text_as_literal_is_clean(found: Found) -> None:
    assert await found(CI_EXPRESSION.replace("LITERAL\n", "literal: true\n")) == ()


async def test_generated_text_with_foreign_braces_says_register_as_literal(found: Found) -> None:
    kit = (
        'inject = ["system_prompt", "tools"]\nname = "browser-kit"\n'
        "from workbench.prompt import ToolSchema\n"
        'FILL = "Fill a form. Write {{first_name}} where the page should insert a value."\n'
        "def apply(ctx):\n"
        '    ctx.tools.register(ToolSchema("page_fill", FILL, {"type": "object", "properties": {}}))\n'
        '    ctx.system_prompt.section("kit:tools", 50, "- page_fill: " + FILL)\n'
    )
    findings = await found("plugins: [kit.py]\n", kit_py=kit)
    [finding] = [each for each in findings if each.rule.startswith("reference")]
    assert finding.rule == "reference/unknown"
    assert finding.owner is not None
    assert finding.owner.plugin == "browser-kit"
    assert (finding.name, finding.line, finding.column) == ("kit:tools", 1, 33)
    assert str(finding.position).endswith("kit.py:7:1")
    assert "register it as literal" in finding.remedy


async def test_a_variable_without_a_value_is_an_error_of_that_agent_alone(found: Found) -> None:
    [finding] = await found(
        "persona: You run on {{model}} in {{cwd}}.\n"
        "agents:\n  - {name: a, model: m-small, cwd: ''}\n  - {name: b, cwd: ''}\n"
    )
    assert (finding.rule, finding.scopes) == ("reference/no-value", ("b",))
    assert "give agent b a `model:`" in finding.remedy


async def test_without_agents_the_layer_is_judged_by_itself(found: Found) -> None:
    [finding] = await found("persona: You run on {{model}}.\n")
    assert (finding.rule, finding.scopes) == ("reference/no-value", ("(global)",))


async def test_a_near_name_is_suggested_and_scopes_are_one_finding(found: Found) -> None:
    [finding] = await found(
        "agents: [{name: a, model: m}, {name: b, model: m}]\n"
        "sections: [{name: s, order: 5, text: 'On {{modle}}.'}]\n"
    )
    assert finding.rule == "reference/unknown"
    assert "{{model}}" in finding.remedy
    assert finding.scopes == ("a", "b")


async def test_every_fault_of_a_text_is_found(found: Found) -> None:
    findings = await found(
        "contexts:\n  - name: c\n    order: 1\n    text: |-\n"
        "      {{nobody}} and {{ model }}\n      and {{cwd}} and {{x {{y}}\n"
    )
    assert [(each.rule, each.line, each.column) for each in findings] == [
        ("reference/unknown", 1, 1),
        ("reference/malformed", 1, 16),
        ("reference/no-value", 2, 5),
        ("reference/malformed", 2, 17),
    ]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("{{a}} {{b}} {{a}}", ["{{b}}"]),
        ("{{ x }}{{b}}{{}}", ["{{ x }}", "{{b}}", "{{}}"]),
        ("{{x\n}} {{b}}", ["{{x\n}}", "{{b}}"]),
        ("{{{a}}} {{b}}", ["{{{a}}} {{b}}"]),
        ("}} {{ {", []),
        ("", []),
    ],
)
def test_faulty_groups(text: str, written: list[str]) -> None:
    assert [group.written for group in faulty_groups(text, {"a": ""})] == written
