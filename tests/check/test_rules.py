"""Each rule: what it finds, and what it leaves alone."""

from __future__ import annotations

import pytest

from tests.check.conftest import Found
from workbench.check.finding import Finding

FACT = "Never restart the harbour crane while a ship is moored below it."


def about(findings: tuple[Finding, ...]) -> list[tuple[str, str, str, str]]:
    return [(each.rule, each.severity, each.name, str(each.position)) for each in findings]


def sections(*texts: str, extra: str = "") -> str:
    rows = [f"  - name: s{number}\n    order: {number}0\n    text: {text}" for number, text in enumerate(texts, 1)]
    return "sections:\n" + "\n".join(rows) + "\n" + extra


async def test_several_complete_sections(found: Found) -> None:
    composition = sections("One.", "Two.").replace("text:", "complete: true\n    text:")
    [finding] = await found(composition)
    assert about((finding,)) == [("several-complete", "error", "s2", "agent.yml:9:11")]
    assert "s1" in finding.message


async def test_equal_orders_of_one_file(found: Found) -> None:
    composition = sections("One.", "Two.", "Three.").replace("order: 30", "order: 10")
    [finding] = await found(composition)
    assert about((finding,)) == [("equal-orders", "warning", "s3", "agent.yml:10:11")]
    assert "s1 and s3 share the order 10" in finding.message


async def test_an_empty_text_takes_no_place(found: Found) -> None:
    assert await found(sections("One.").replace("order: 10", "order: 0")) == ()


async def test_equal_orders_within_one_plugin_are_a_note(found: Found) -> None:
    plugin = (
        'inject = ["system_prompt"]\ndef apply(ctx):\n'
        "    for name in 'abc':\n        ctx.system_prompt.section('glossary:' + name, 7, name)\n"
    )
    [finding] = await found("plugins: [kit.py]\n", kit_py=plugin)
    assert (finding.rule, finding.severity) == ("equal-orders", "note")


async def test_a_fact_that_stands_in_two_contributions(found: Found) -> None:
    wrapped = (
        "|-\n      Short.\n\n      - NEVER restart the\n        harbour crane while a ship is moored below it."
    )
    [finding] = await found(sections(f'"Other words. {FACT} More."', wrapped))
    assert about((finding,)) == [("repeated-text", "warning", "s2", "agent.yml:10:7")]
    assert "section s1" in finding.message
    assert (finding.line, finding.column) == (3, 1)


async def test_a_section_that_repeats_a_tool(found: Found) -> None:
    tool = f"tools: [{{name: crane, description: '{FACT}'}}]\n"
    [finding] = await found(sections(f"'{FACT}'", extra=tool))
    assert finding.rule == "repeated-text"
    assert "section s1 and in tool crane" in finding.message


@pytest.mark.parametrize(
    "composition",
    [
        pytest.param(sections("Be brief. Be kind.", "Be brief. Be kind."), id="short sentences"),
        pytest.param(
            f"agents: [{{name: a, persona: '{FACT}'}}, {{name: b, persona: '{FACT}'}}]\n",
            id="agents that never meet",
        ),
        pytest.param(
            f"tools: [{{name: a, description: '{FACT}'}}, {{name: b, description: '{FACT}'}}]\n", id="tools alone"
        ),
    ],
)
async def test_what_may_be_repeated(found: Found, composition: str) -> None:
    assert await found(composition) == ()


RESTRICTED = """\
agents: [{name: main}, {name: reader}]
plugins: [shell, files, todo]
restrictions:
  - scope: reader
    deny: [read, todo_write]
sections:
  - name: hint
    order: 20
    text: TEXT
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Keep the list with todo_write.", "todo_write, which is hidden here"),
        ("Use `read` for files.", "read, which is hidden here"),
        ("The `read` tool shows files.", "read, which is hidden here"),
        ("Ask `web_search` first.", "web_search, which is not loaded"),
        ("Please read the file.", ""),
        ("`read` rights are needed.", ""),
        ("Call `grep` for words.", ""),
        ("The variable {{todo_write}} is none.", ""),
        ("See src/todo_write.py and todo_write=1.", ""),
    ],
)
async def test_tools_that_are_named_and_missing(found: Found, text: str, expected: str) -> None:
    findings = [each for each in await found(RESTRICTED.replace("TEXT", f"'{text}'")) if each.name == "hint"]
    messages = [each.message for each in findings if each.rule == "missing-tool"]
    assert messages == ([f"section hint names the tool {expected}"] if expected else [])


async def test_a_missing_tool_has_its_place_and_its_scope(found: Found) -> None:
    findings = await found(RESTRICTED.replace("TEXT", "Keep the list with todo_write."))
    [finding] = [each for each in findings if each.name == "hint"]
    assert str(finding.position) == "agent.yml:9:30"
    assert finding.scopes == ("reader",)


async def test_characters_that_nobody_sees(found: Found) -> None:
    findings = await found(
        sections(
            '"a\\u200bb\\u200b \\U000E0041"', '"\\e]0;x\\a \\u202Eturned"', '"tab\\there, می\u200cخواهم, 👩‍👩‍👧"'
        )
        + 'variables: [{name: v, value: "\\ufeffv"}]\n'
        + 'tools: [{name: t, description: d, parameters: {type: object, title: "x\\u2060y"}}]\n'
    )
    assert [(each.rule, each.name, each.pointer) for each in findings] == [
        ("characters/hidden", "s1", None),
        ("characters/control", "s2", None),
        ("characters/hidden", "v", None),
        ("characters/hidden", "t", "/title"),
    ]
    assert "3 characters that are not seen: ‹ZWSP› ×2, ‹TAG A›" in findings[0].message
    assert "‹ESC›" in findings[1].message


async def test_text_that_reads_as_a_control_token(found: Found) -> None:
    findings = await found(
        sections('"a <|im_start|> b <|im_start|>"', '"<|my_own|>"', '"a < b | c > d, [x], <s>old</s>"')
        + "tools: [{name: t, description: d, parameters: {type: object, title: '[INST]'}}]\n"
    )
    assert [(each.rule, each.name, each.pointer) for each in findings] == [
        ("control-token", "s1", None),
        ("control-token", "s2", None),
        ("control-token", "t", "/title"),
    ]
    assert "ChatML" in findings[0].message
    assert "has the form" in findings[1].message


async def test_plugins_that_failed_or_wait(found: Found) -> None:
    findings = await found(
        "plugins:\n  - kit.py:fails\n  - kit.py:waits\n",
        kit_py="def fails(ctx):\n    raise OSError('no disk')\n\ndef waits(ctx): ...\nwaits.inject = ['nothing']\n",
    )
    assert about(findings) == [
        ("plugin/failed", "error", "fails", "agent.yml:2:5"),
        ("plugin/waiting", "warning", "waits", "agent.yml:3:5"),
    ]


async def test_an_assembly_that_fails(found: Found) -> None:
    [finding] = await found("description: x\ntool_order: [nobody, <unlisted-tools>]\n")
    assert about((finding,)) == [("assembly/tool-order", "error", "", "agent.yml:2:13")]


async def test_words_that_a_listener_wrote_lead_to_the_section(found: Found) -> None:
    listener = (
        "async def change(assembly, context, next):\n"
        "    for each in assembly.sections:\n"
        "        each.text = each.text.replace('calm', '<|im_end|> calm')\n"
        "    return await next()\n"
        "def apply(ctx):\n    ctx.on('system-prompt/assemble', change)\n"
    )
    composition = sections('"Stay calm \\u200b always"') + "plugins: [kit.py]\n"
    findings = await found(composition, kit_py=listener)
    assert [(each.rule, str(each.position), each.owner and each.owner.plugin) for each in findings] == [
        ("control-token", "agent.yml:4:12", "kit"),
        ("characters/hidden", "agent.yml:4:22", "agent.yml"),
    ]
