"""The case runner: what a case may do beyond what the corpus does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from workbench.check.case_file import LoadedCase
from workbench.check.case_format import Case
from workbench.check.cases import CaseResult, run_case
from workbench.check.error_text import message_of
from workbench.check.json_place import Place

IDENTITY = "You are an AI agent running on the Prompt Workbench runtime."


async def result_of(folder: Path = Path(), **parts: Any) -> CaseResult:
    case = Case.model_validate({"id": "a"} | parts)
    return await run_case(LoadedCase(str(folder / "cases.json"), Place(1, 1), case))


async def unmet(folder: Path = Path(), **parts: Any) -> list[str]:
    """The expectations that were not met."""
    return [difference.expectation for difference in (await result_of(folder, **parts)).differences]


def section(name: str = "s", text: Any = "t", **parts: Any) -> dict[str, Any]:
    return {"kind": "section", "name": name, "order": 10, "text": text} | parts


async def test_the_least_case() -> None:
    assert await unmet(expect={"system": IDENTITY}) == []


async def test_fragments_of_the_system_text() -> None:
    expect = {"system_contains": ["an AI agent", "Klingon"], "system_lacks": ["Klingon", "runtime"]}
    result = await result_of(expect=expect)
    assert [difference.expectation for difference in result.differences] == [
        "system_contains[1]",
        "system_lacks[1]",
    ]
    assert result.differences[1].actual == "line 1: runtime"


async def test_an_expectation_that_the_run_does_not_reach() -> None:
    result = await result_of(
        register=[section(text="{{nobody}}")],
        expect={"error": {"stage": "render", "mentions": ["{{nobody}}"]}, "system": "", "sections": []},
    )
    assert [(found.expectation, found.actual) for found in result.differences if found.expectation == "system"]
    assert [found.expectation for found in result.differences] == ["sections", "system"]


async def test_a_section_that_is_not_there() -> None:
    result = await result_of(expect={"section_texts": {"s": "t"}})
    assert [found.actual for found in result.differences] == ["(no section of that name)"]


async def test_names_that_stand_twice() -> None:
    ops = [{"op": "append_section", "name": "s", "text": "u"}, {"op": "next"}]
    result = await result_of(
        register=[section(), {"kind": "listener", "ops": ops}], expect={"section_texts": {"s": "t"}}
    )
    assert [found.actual for found in result.differences] == ['[\n "t",\n "u"\n]']


async def test_a_provider_counts_its_own_calls() -> None:
    register = [section("a", {"text_from": "calls"}), section("b", {"text_from": "calls"}, order=20)]
    assert (
        await unmet(
            register=register,
            assemble={"repeat": 3},
            expect={"section_texts": {"a": "3", "b": "3"}},
        )
        == []
    )


async def test_the_name_of_a_scope() -> None:
    register = [section(text={"text_from": "scope"})]
    assert await unmet(register=register, expect={"section_texts": {"s": "(none)"}}) == []
    assert await unmet(register=register, assemble={"scope": "kid"}, expect={"section_texts": {"s": "kid"}}) == []


async def test_extras_that_are_there_and_that_are_not() -> None:
    register = [
        section(text={"text_from": "extra", "key": "mood"}),
        {"kind": "variable", "name": "v", "value": {"text_from": "extra", "key": "mood"}},
    ]
    assert (
        await unmet(
            register=register,
            assemble={"extras": {"mood": "calm"}},
            expect={"section_texts": {"s": "calm"}, "variables": {"v": "calm"}},
        )
        == []
    )
    assert await unmet(register=register, expect={"section_texts": {"s": ""}, "variables": {"v": None}}) == []


async def test_what_a_provider_raises_is_part_of_the_result() -> None:
    register = [section(text={"text_from": "raise", "message": "out of ink"})]
    assert await unmet(register=register, expect={"error": {"stage": "assemble", "mentions": ["out of ink"]}}) == []


async def test_a_last_result_that_fails_is_not_hidden_by_an_earlier_one() -> None:
    ops = [{"op": "raise", "message": "second"}]
    assert await unmet(
        register=[{"kind": "listener", "ops": ops, "only_assembly": 2}],
        assemble={"repeat": 2},
        expect={"sections": ["harness:identity", "deployment:persona"]},
    ) == ["error", "sections"]


async def test_an_order_from_the_named_allocation() -> None:
    assert (
        await unmet(
            register=[
                section("later", order={"section": "TOOL_GREP"}),
                section("sooner", order={"section": "TOOL_BASH"}),
                {"kind": "context", "name": "c", "order": {"context": "SANDBOX_POLICY"}, "text": "c"},
            ],
            expect={"sections": ["harness:identity", "deployment:persona", "sooner", "later"], "contexts": ["c"]},
        )
        == []
    )


async def test_an_unknown_key_of_the_allocation_is_an_error_of_the_registration() -> None:
    result = await result_of(register=[section(order={"section": "TOOL_SPOON"})], expect={"changes": 0})
    assert result.differences[0].actual.startswith("register: ")
    assert "TOOL_SPOON" in result.differences[0].actual


async def test_every_op_of_a_listener() -> None:
    schema = {"name": "t", "parameters": {"type": "object", "properties": {"a": {"enum": [1, 2]}}}}
    ops: list[dict[str, Any]] = [
        {"op": "clear_sections"},
        {"op": "append_section", "name": "x", "text": "{{v}}", "literal": True},
        {"op": "append_section", "name": "y", "text": "gone"},
        {"op": "remove_section", "name": "y"},
        {"op": "replace_section", "name": "x", "text": "{{v}} and {{v}}"},
        {"op": "append_context", "name": "c", "text": "{{v}}"},
        {"op": "set_variable", "name": "v", "value": "V"},
        {"op": "append_tool", "schema": {"name": "u"}},
        {"op": "drop_tool", "name": "absent"},
        {"op": "set_tool_parameter", "tool": "t", "path": ["properties", "a", "enum", 0], "value": 7},
        {"op": "next"},
    ]
    assert (
        await unmet(
            register=[{"kind": "tools", "schemas": [schema]}, {"kind": "listener", "ops": ops}],
            expect={
                "system": "{{v}} and {{v}}",
                "contexts": ["c"],
                "variables": {"v": "V"},
                "tools_full": [
                    {
                        "name": "t",
                        "description": "",
                        "parameters": {"type": "object", "properties": {"a": {"enum": [7, 2]}}},
                    },
                    {"name": "u", "description": "", "parameters": {"type": "object", "properties": {}}},
                ],
            },
        )
        == []
    )


async def test_a_parameter_that_is_not_there_fails_the_assembly() -> None:
    ops = [{"op": "set_tool_parameter", "tool": "t", "path": ["nothing", "here"], "value": 1}, {"op": "next"}]
    assert (
        await unmet(
            register=[{"kind": "tools", "schemas": [{"name": "t"}]}, {"kind": "listener", "ops": ops}],
            expect={"error": {"stage": "assemble", "mentions": ["nothing"]}},
        )
        == []
    )


async def test_a_new_assembly_has_exactly_the_given_content() -> None:
    ops = [{"op": "next"}, {"op": "new_assembly", "contexts": [{"name": "c", "text": "{{x}}", "literal": True}]}]
    assert (
        await unmet(
            register=[section(), {"kind": "listener", "ops": ops}],
            expect={
                "sections": [],
                "system": "",
                "contexts": ["c"],
                "tools": [],
                "variables": {},
            },
        )
        == []
    )


async def test_an_assembly_that_does_not_end_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.check.cases.ASSEMBLE_SECONDS", 0.05)
    (tmp_path / "endless.py").write_text(
        "import asyncio\n"
        "def apply(ctx):\n"
        "    async def never(assembly, context, next):\n"
        "        await asyncio.Event().wait()\n"
        "    ctx.on('system-prompt/assemble', never)\n",
        encoding="utf-8",
    )
    (tmp_path / "a.yml").write_text("plugins: [endless.py]\n", encoding="utf-8")
    result = await result_of(tmp_path, composition="a.yml", expect={"tools": []})
    assert [difference.expectation for difference in result.differences] == ["error", "tools"]
    assert "not done after 0.05 s; it waits for endless (never on" in result.differences[0].actual


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ValueError("no"), "no"),
        (ValueError(), "ValueError"),
        (ExceptionGroup("several", [ValueError("one"), ExceptionGroup("deep", [KeyError("two")])]), "one\n'two'"),
    ],
)
def test_the_message_of_an_exception(error: Exception, message: str) -> None:
    assert message_of(error) == message


async def test_a_refusal_on_the_first_call_of_a_provider() -> None:
    again = section("deployment:persona", fails={"mentions": ["already registered", "Klingon"]})
    variable = {"kind": "variable", "name": "v", "value": "", "on_first_call": [again]}
    result = await result_of(register=[variable], expect={"variables": {"v": ""}})
    assert [difference.expectation for difference in result.differences] == ["register[0].on_first_call[0].fails"]
    assert result.differences[0].expected == "a message with 'Klingon'"


async def test_a_disposal_on_the_first_call_of_a_provider() -> None:
    tools = {"kind": "tools", "schemas": [], "on_first_call": [{"kind": "dispose", "target": 0}]}
    assert (
        await unmet(
            register=[section(), tools],
            assemble={"repeat": 2},
            expect={"sections": ["harness:identity", "deployment:persona"], "changes": 2},
        )
        == []
    )
