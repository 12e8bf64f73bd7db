"""Whatever the files hold, an import gives entries, or problems with a place, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.config.composition import Composition, load
from workbench.config.problems import LoadError
from workbench.prompt import ToolSchema

words = st.sampled_from(
    """name description parameters inputSchema input_schema function type tools result object a \ud800 {{x}} insert
    id config path patches disabled plugin-include dsh-tool-bash model --- <unlisted-tools>""".split()
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=6),
    max_leaves=25,
)
damage = st.lists(st.tuples(st.integers(0, 2000), st.text(max_size=2)), max_size=3)


def damaged(text: str, places: list[tuple[int, str]]) -> str:
    for offset, replacement in places:
        if text:
            at = offset % len(text)
            text = text[:at] + replacement + text[at + 1 :]
    return text


def loaded_or_refused(path: Path) -> Composition | LoadError:
    try:
        return load(path)
    except LoadError as error:
        return error


def import_every_way(folder: Path, text: str) -> None:
    content = text.encode("utf-8", "surrogatepass")
    for name in ("t.json", "t.md", "AGENTS.md", "rows.yml"):
        (folder / name).write_bytes(content)
    composition = folder / "c.yml"
    kinds = {"tools": "t.json", "markdown": "t.md", "instructions": "."}
    composition.write_text(json.dumps({"imports": [{kind: name} for kind, name in kinds.items()]}))
    for path in (composition, *(folder / name for name in ("t.json", "t.md", "AGENTS.md", "rows.yml"))):
        loaded = loaded_or_refused(path)
        if isinstance(loaded, LoadError):
            assert all(problem.message for problem in loaded.problems)
            continue
        for tool in loaded.entries.tools:
            assert ToolSchema(tool.name, tool.description.value, tool.parameters).json
            assert tool.description.source.position(tool.description.value, len(tool.description.value))
        for section in loaded.entries.sections:
            assert section.text.source.position(section.text.value, len(section.text.value) // 2)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(value=json_values, places=damage, indent=st.sampled_from([None, 1]))
def test_json_of_any_kind(value: object, places: list[tuple[int, str]], indent: int | None, tmp_path: Path) -> None:
    import_every_way(tmp_path, damaged(json.dumps(value, indent=indent), places))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(value=st.dictionaries(words, json_values, max_size=4), body=st.text(max_size=30), places=damage)
def test_front_matter_of_any_kind(
    value: dict[str, object], body: str, places: list[tuple[int, str]], tmp_path: Path
) -> None:
    lines = "".join(f"{key}: {json.dumps(each)}\n" for key, each in value.items())
    import_every_way(tmp_path, damaged(f"---\n{lines}---\n{body}", places))
