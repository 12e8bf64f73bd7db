"""Checks, in units of what they are beside: a render of the same file, and one validation of the same schemas.

uv run python tests/benchmarks/bench_check.py

Where the answer of a real MCP server is not at hand the schemas are made up, of the same size.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from measure import HEADER, Settings, compare, settings

from workbench.check.profile import shipped_profile
from workbench.check.rules.tool_schemas import refusals_of
from workbench.check.subject import CheckedTool
from workbench.prompt import Owner, ToolView

PROFILES = [shipped_profile(name) for name in ("openai-strict", "anthropic", "gemini", "deepseek")]
REAL_SCHEMAS = Path(__file__).parents[3] / "shared" / "data" / "tools" / "github-mcp-server.json"
WORKBENCH = str(Path(sys.executable).with_name("workbench"))
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def run(command: str) -> None:
    subprocess.run([WORKBENCH, command, "big"], check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT)


def tools() -> list[CheckedTool]:
    """117 tools."""
    if REAL_SCHEMAS.exists():
        listed = json.loads(REAL_SCHEMAS.read_text(encoding="utf-8"))["tools"]
        schemas = {each["name"]: each["inputSchema"] for each in listed}
    else:
        schemas = {f"tool_{number}": made_up(number) for number in range(117)}
    owner = Owner("bench", 1)
    return [
        CheckedTool(
            ToolView(name, "", json.dumps(schema), owner, "global", "effective", None, (), None), (), schema
        )
        for name, schema in schemas.items()
    ]


def made_up(number: int) -> dict[str, Any]:
    """An object with a handful of properties."""
    names = ("owner", "repo", "path", "branch", "query", "page")[: 2 + number % 5]
    properties: dict[str, Any] = {name: {"type": "string", "description": f"The {name}."} for name in names}
    properties["labels"] = {"type": "array", "items": {"type": "string"}}
    properties["state"] = {"type": "string", "enum": ["open", "closed"], "default": "open"}
    return {"type": "object", "properties": properties, "required": list(names[:2])}


def main() -> None:
    chosen = settings((__doc__ or "").split("\n", 1)[0])
    # A sample of 1 ms is one process, so a round is a handful of starts.
    processes = Settings(chosen.rounds, 1, chosen.quick)
    checked = tools()

    def by_profiles() -> None:
        for tool in checked:
            list(refusals_of(tool, PROFILES))

    def validated() -> None:
        for tool in checked:
            Draft202012Validator.check_schema(tool.parameters)

    print(HEADER)
    print(compare(by_profiles, validated, chosen).line("117 schemas, 4 profiles / jsonschema", 3))
    print(compare(lambda: run("check"), lambda: run("render"), processes).line("check big / render big", 5))


if __name__ == "__main__":
    main()
