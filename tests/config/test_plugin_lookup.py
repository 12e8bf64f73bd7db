"""From `use:` to code."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.compositions import Write
from workbench.config import plugin_lookup
from workbench.config.local_plugins import forget_local
from workbench.config.plugin_code import PluginImportFailed, PluginMissing
from workbench.config.plugin_lookup import find_plugin
from workbench.plugins import todo


def missing(use: str) -> str:
    with pytest.raises(PluginMissing) as caught:
        find_plugin(use, "")
    return f"{caught.value.message}; {caught.value.remedy}"


def failure(plugin: Any) -> str:
    with pytest.raises(PluginImportFailed) as caught:
        plugin.apply(None)
    return str(caught.value)


def test_first_party_plugins_are_taken_whole() -> None:
    assert find_plugin("todo", "") is todo
    assert find_plugin("harness-source", "") is find_plugin("harness_source", "")


def test_dotted_paths_and_attributes_in_them() -> None:
    assert find_plugin("workbench.plugins.todo", "") is todo
    assert find_plugin("workbench.plugins.todo:apply", "") is todo.apply


def test_entry_points_of_installed_distributions(monkeypatch: pytest.MonkeyPatch) -> None:
    point = SimpleNamespace(name="acme", module="workbench.plugins.todo", attr="apply")
    monkeypatch.setattr(plugin_lookup, "entry_points", lambda: iter([point]))
    assert find_plugin("acme", "") is todo.apply
    assert missing("acne").endswith('did you mean "acme"?')


@pytest.mark.parametrize(
    ("use", "said"),
    [
        ("shel", 'there is no plugin "shel"; did you mean "shell"?'),
        ("x", 'there is no plugin "x"; name a first-party plugin, an entry point'),
        ("no_such_package.module:x", 'there is no module "no_such_package"; install its distribution'),
        ("workbench.plugins.tdo", 'there is no module "workbench.plugins.tdo"'),
        (
            "workbench.plugins.todo:aply",
            '"workbench.plugins.todo:aply": the module has no "aply"; did you mean "apply"?',
        ),
        ("gone.py", "gone.py: there is no such file; check the path"),
        ("gone.py:x", "gone.py: there is no such file"),
    ],
)
def test_what_is_not_there_is_said_with_a_remedy(use: str, said: str) -> None:
    assert missing(use).startswith(said)


def test_a_file_is_executed_for_each_load_and_shares_no_state(write: Write) -> None:
    write(
        "plugs/own.py",
        "from dataclasses import dataclass\n@dataclass\nclass State:\n    n: 'int' = 0\ndef apply(ctx): ...\n",
    )
    before = set(sys.modules)
    first: Any = find_plugin("own.py", "plugs")
    second: Any = find_plugin("own.py", "plugs")
    assert first.name == "own"
    assert first.State is not second.State
    write("plugs/own.py", "name = 'other'\napply = print\n")  # within one second, and not longer: no cache is asked
    third: Any = find_plugin("own.py", "plugs")
    assert third.name == "other"
    for plugin in (first, second.State, third):
        forget_local(plugin)
    assert set(sys.modules) == before


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("x = 1\ndef f(:\n", "it cannot be imported: bad.py:2: SyntaxError: "),
        ("import os\n\nos.no_such\n", "it cannot be imported: bad.py:3: AttributeError: "),
        (
            "import no_such_module\n",
            "it cannot be imported: bad.py:1: ModuleNotFoundError: No module named 'no_such_module'",
        ),
        ("def f():\n    raise SystemExit(3)\nf()\n", "it cannot be imported: bad.py:2: SystemExit: 3"),
    ],
)
def test_code_that_cannot_be_imported_is_a_plugin_that_says_so(write: Write, source: str, said: str) -> None:
    write("bad.py", source)
    before = set(sys.modules)
    plugin: Any = find_plugin("bad.py", "")
    assert plugin.name == "bad"
    assert failure(plugin).startswith(said)
    assert set(sys.modules) == before


def test_an_interrupt_by_the_person_is_not_swallowed(write: Write) -> None:
    write("bad.py", "raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        find_plugin("bad.py", "")
