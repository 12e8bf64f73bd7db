"""Tools that a provider would refuse: FC-08 of the field cases, and every kind of rule."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from tests.check.conftest import Found
from workbench.check.profile import SHIPPED, Profile, ProfileError, made_profile, profile, shipped_profile
from workbench.check.rules.tool_schemas import refusals_of
from workbench.check.schema_rules import KINDS
from workbench.check.subject import CheckedTool
from workbench.prompt import Owner, ToolView

KIT = '''\
import json
from workbench.prompt import ToolProviderResult, ToolSchema

name, inject = "remote-kit", ["system_prompt"]
GIVEN = json.loads("""[
 {"name": "calendar.list", "inputSchema": {"type": "object", "properties": {}}},
 {"name": "pick", "inputSchema": {"anyOf": [{"type": "object", "properties": {"id": {"type": "string"}}},
                                            {"type": "object", "properties": {"name": {"type": "string"}}}]}},
 {"name": "tags", "inputSchema": {"type": "object", "properties": {"tags": {"type": "array"}}}},
 {"name": "ok_tool", "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}}}]""")

def apply(ctx):
    schemas = [ToolSchema(each["name"], "", each["inputSchema"]) for each in GIVEN]
    ctx.system_prompt.tools(lambda context: ToolProviderResult(schemas))
'''
STRICT_NAMES = {
    "name": "strict names, object at top, arrays need items",
    "rules": [
        {"rule": "name", "pattern": "[a-zA-Z0-9_-]{1,64}", "source": "s"},
        {"rule": "plain-top", "keywords": ["anyOf"], "source": "s"},
        {"rule": "array-items", "source": "s"},
    ],
}


def pointers(findings: Any) -> list[tuple[str, str, str | None]]:
    return sorted((each.name, each.rule, each.pointer) for each in findings if each.part == "tool")


THREE = [
    ("calendar.list", "tool-schema/name", ""),
    ("pick", "tool-schema/plain-top", "/anyOf"),
    ("tags", "tool-schema/array-items", "/properties/tags"),
]


async def test_three_of_four_tools_are_refused_with_tool_owner_pointer_and_rule(found: Found) -> None:
    check = "plugins: [kit.py]\ncheck: {profiles: [mine.json]}\n"
    findings = await found(check, kit_py=KIT, mine_json=json.dumps(STRICT_NAMES))
    assert pointers(findings) == THREE
    assert {(each.owner and each.owner.plugin, each.severity) for each in findings} == {("remote-kit", "error")}


async def test_a_profile_that_allows_dots_reports_the_other_two(found: Found) -> None:
    rules = [{"rule": "name", "pattern": "[a-zA-Z0-9_.-]{1,64}", "source": "s"}, *STRICT_NAMES["rules"][1:]]
    check = "plugins: [kit.py]\ncheck: {profiles: [mine.json]}\n"
    findings = await found(check, kit_py=KIT, mine_json=json.dumps({"name": "dots", "rules": rules}))
    assert pointers(findings) == THREE[1:]


async def test_without_a_named_provider_they_are_warnings(found: Found) -> None:
    findings = await found("plugins: [kit.py]\n", kit_py=KIT)
    assert {each.severity for each in findings} == {"warning"}
    assert set(THREE) <= set(pointers(findings))
    assert any(each.message.startswith("openai, deepseek refuse tool calendar.list") for each in findings)


async def test_a_tool_of_the_composition_leads_to_its_value_in_the_file(found: Found) -> None:
    composition = (
        "tools:\n  - name: t\n    description: d\n    parameters:\n      type: object\n"
        "      properties:\n        '0':\n          anyOf:\n"
        "            - {type: string}\n            - {type: array}\n"
    )
    [finding] = await found(composition, profiles=("openai",))
    assert (finding.pointer, str(finding.position)) == ("/properties/0/anyOf/1", "agent.yml:10:15")


async def test_an_unknown_profile_is_a_finding_at_its_place(found: Found) -> None:
    [finding] = await found("check: {profiles: [openai, antropic]}\n")
    assert (finding.rule, finding.severity, str(finding.position)) == (
        "tool-schema/profile",
        "error",
        "agent.yml:1:28",
    )
    assert 'did you mean "anthropic"' in finding.message


def refused(by: Profile, parameters: Any, name: str = "t") -> list[tuple[str, str | None]]:
    owner = Owner("kit", 1)
    view = ToolView(name, "", json.dumps(parameters), owner, "global", "effective", None, (), None)
    return [(each.rule, each.pointer) for each in refusals_of(CheckedTool(view, (), parameters), [by])]


def one(kind: str, **options: Any) -> Profile:
    return made_profile({"name": "x", "rules": [{"rule": kind, "source": "s", **options}]})


A_TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("by", "parameters", "expected"),
    [
        (one("object-at-top"), {"type": "object"}, []),
        (one("object-at-top"), {"type": ["object"]}, [""]),
        (one("object-at-top"), True, [""]),
        (one("array-items"), {"properties": {"items": {"type": "array", "items": {}}}}, []),
        (one("array-items"), {"properties": {"a": {"type": ["array", "null"]}}}, ["/properties/a"]),
        (one("array-items"), {"default": {"type": "array"}, "enum": [{"type": "array"}]}, []),
        (one("closed-objects"), {"type": "object", "additionalProperties": False}, []),
        (one("closed-objects"), {"type": "object", "properties": {"a/b": {"properties": {"c": A_TEXT}}}},
         ["", "/properties/a~1b"]),
        (one("all-required"), {"properties": {"a": A_TEXT, "b": A_TEXT}, "required": ["a"]}, [""]),
        (one("all-required"), {"properties": {"a": A_TEXT}, "required": ["a"]}, []),
        (one("refused-keywords", keywords=["not"]), {"$defs": {"not": {"not": {}}}}, ["/$defs/not/not"]),
        (one("known-keywords", keywords=["properties"]), {"properties": {"const": {"const": 1}}},
         ["/properties/const/const"]),
        (one("property-keys", pattern="[a-z]+"), {"properties": {"a": {"properties": {"$x": {}}}}},
         ["/properties/a/properties/$x"]),
        (one("property-keys", pattern="[a-z]+", where="top"), {"properties": {"a": {"properties": {"$": {}}}}}, []),
        (one("string-formats", formats=["date-time"]), {"type": "string", "format": "uri"}, ["/format"]),
        (one("string-formats", formats=["date-time"]), {"type": "integer", "format": "int32"}, []),
        (one("string-enums"), {"type": "integer", "enum": [1]}, ["/enum"]),
        (one("string-enums"), {"type": "string", "enum": ["a", None]}, ["/enum"]),
        (one("string-enums"), {"type": "string", "enum": ["a"]}, []),
        (one("defined-required"), {"properties": {"a": {}}, "required": ["a", "b"]}, ["/required/1"]),
        (one("valid-2020-12"), {"items": [{}], "exclusiveMinimum": True, "required": True, "type": "int"},
         ["/items", "/exclusiveMinimum", "/required", "/type"]),
        (one("valid-2020-12"), {"type": ["string", "null"], "exclusiveMinimum": 0, "items": {}}, []),
        (one("property-count", most=1), {"properties": {"a": {"properties": {"b": {}}}}}, [""]),
        (one("enum-count", most=1), {"enum": ["a", "b"]}, [""]),
        (one("depth", most=1), {"type": "object", "properties": {"a": {"type": "object"}}}, ["/properties/a"]),
        (one("depth", most=2), {"type": "object", "properties": {"a": {"type": "object"}}}, []),
    ],
)  # fmt: skip
def test_kinds_of_rules(by: Profile, parameters: Any, expected: list[str]) -> None:
    assert [pointer for _, pointer in refused(by, parameters)] == expected


@pytest.mark.parametrize(
    "schema",
    [
        {"items": [{}]},
        {"exclusiveMinimum": True},
        {"exclusiveMaximum": False},
        {"required": True},
        {"required": [1]},
        {"properties": []},
        {"enum": "a"},
        {"type": "int"},
        {"type": []},
        {"type": 3},
        {"properties": {"a": {"anyOf": [{"items": []}]}}},
    ],
)
def test_what_is_called_invalid_is_invalid_by_the_standard(schema: Any) -> None:
    assert refused(one("valid-2020-12"), schema)
    with pytest.raises(SchemaError):
        Draft202012Validator.check_schema(schema)


def test_a_schema_that_is_no_schema_is_judged_without_a_fall() -> None:
    for name in SHIPPED:
        for broken in (
            None,
            [],
            "x",
            {"properties": [], "required": 3, "enum": 1, "items": 4, "anyOf": {}, "type": 5},
        ):
            refused(shipped_profile(name), broken)


def test_nothing_is_rewritten() -> None:
    parameters = {"type": "object", "properties": {"a": {"type": "array"}}}
    before = json.dumps(parameters)
    for name in SHIPPED:
        refused(shipped_profile(name), parameters)
    assert json.dumps(parameters) == before


@pytest.mark.parametrize("name", SHIPPED)
def test_every_rule_of_a_shipped_profile_names_a_public_page(name: str) -> None:
    shipped = shipped_profile(name)
    assert shipped.name == name
    assert shipped.rules
    assert all(rule.source.startswith("https://") for rule in shipped.rules)


def test_every_kind_is_used_or_tried() -> None:
    used = {rule.kind for name in SHIPPED for rule in shipped_profile(name).rules}
    assert set(KINDS) - used == {"property-keys"} - used


@pytest.mark.parametrize(
    "data", [[], {}, {"name": "x"}, {"name": "x", "rules": [{"rule": "nam", "source": "s"}]},
             {"name": "x", "rules": [{"rule": "name", "source": "s"}]}, {"name": "x", "rules": [], "extends": "y"}]
)  # fmt: skip
def test_a_profile_that_is_none_is_refused(data: Any) -> None:
    with pytest.raises(ProfileError):
        made_profile(data)


def test_a_profile_file_that_is_missing_is_refused() -> None:
    with pytest.raises(ProfileError, match="cannot be read"):
        profile("nowhere.json")


async def test_too_many_tools(found: Found) -> None:
    tools = "".join(f"  - {{name: t{number}, description: d}}\n" for number in range(129))
    findings = await found(f"tools:\n{tools}", profiles=("deepseek",))
    assert [(each.rule, each.part) for each in findings] == [("tool-schema/tool-count", "prompt")]
