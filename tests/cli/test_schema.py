"""`workbench schema`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Cli
from workbench.cli.schema import SCHEMA
from workbench.config.schema import json_schema


def test_the_committed_schema_is_the_generated_one() -> None:
    assert SCHEMA.read_text(encoding="utf-8") == json.dumps(json_schema(), indent=2) + "\n", (
        "run: python -m workbench.config.schema > workbench/_schema/composition.schema.json"
    )


def test_it_is_printed(cli: Cli) -> None:
    ran = cli("schema")
    assert (ran.code, ran.err) == (0, "")
    assert json.loads(ran.out) == json_schema()


def test_it_ships_with_the_package() -> None:
    assert SCHEMA.is_relative_to(Path(json_schema.__code__.co_filename).parents[1])
