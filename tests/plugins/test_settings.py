"""Settings: what Pydantic would say, mostly without asking it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workbench.plugins.settings import Between, Settings


@dataclass(frozen=True)
class Config(Settings):
    kind: Literal["a", "b"] = "a"
    count: Annotated[int, Between(1, 10)] = 5
    names: tuple[Literal["x", "y"], ...] = ("x",)
    root: str | None = None
    loud: bool = True


class Model(BaseModel):
    """The same, as Pydantic writes it."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["a", "b"] = "a"
    count: int = Field(default=5, ge=1, le=10)
    names: tuple[Literal["x", "y"], ...] = ("x",)
    root: str | None = None
    loud: bool = True


def said_by(error: ValidationError) -> list[tuple[str, tuple[int | str, ...], str]]:
    return [(each["type"], each["loc"], each["msg"].replace("Model", "Config")) for each in error.errors()]


def outcome(model: Any, values: object) -> object:
    """The values as taken, or what is wrong with them."""
    try:
        taken = model.model_validate(values)
    except ValidationError as error:
        return said_by(error)
    return {name: getattr(taken, name) for name in Model.model_fields}


plain = (
    st.none() | st.booleans() | st.integers(-2, 12) | st.floats(0, 12) | st.sampled_from(["a", "x", "3", "yes", ""])
)
anything = plain | st.lists(plain, max_size=3) | st.dictionaries(st.sampled_from(["a"]), plain, max_size=1)
mappings = st.dictionaries(st.sampled_from([*Model.model_fields, "knd"]), anything, max_size=5)


@given(mappings | anything)
def test_it_says_what_pydantic_says(values: object) -> None:
    assert outcome(Config, values) == outcome(Model, values)


def test_lists_become_tuples_and_nothing_else_changes() -> None:
    config = Config.model_validate({"names": ["y", "x"], "count": 10})
    assert config == Config(names=("y", "x"), count=10)


def test_the_known_keys() -> None:
    assert list(Config.model_fields) == ["kind", "count", "names", "root", "loud"]


@pytest.mark.parametrize("values", ["{}", "{'timeout_seconds': 30, 'dialect': 'pwsh', 'guidance': False}"])
def test_settings_that_are_right_load_no_pydantic(values: str) -> None:
    program = (
        "import sys, workbench.plugins.shell as shell\n"
        f"shell.Config.model_validate({values})\n"
        "assert 'pydantic' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
