"""Random damage to a case file: it is usable, or it says what is wrong. Nothing else happens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.check.case_file import load_cases

CORPUS = Path(__file__).resolve().parents[1] / "conformance" / "prompt"
TEXT = (CORPUS / "waterfall.json").read_text(encoding="utf-8")
CASES: list[dict[str, Any]] = json.loads(TEXT)["cases"]

any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
same_file = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def usable_or_explained(file: Path) -> None:
    cases, problems = load_cases([file])
    assert bool(cases) != bool(problems)
    for problem in problems:
        assert problem.message
        assert problem.remedy
        assert str(problem).startswith(str(file))


@same_file
@given(data=st.data())
def test_damaged_bytes(data: st.DataObject, tmp_path: Path) -> None:
    content = TEXT.encode()
    start = data.draw(st.integers(0, len(content)))
    end = start + data.draw(st.integers(0, 40))
    file = tmp_path / "c.json"
    file.write_bytes(content[:start] + data.draw(st.binary(max_size=8)) + content[end:])
    usable_or_explained(file)


@same_file
@given(data=st.data())
def test_other_values(data: st.DataObject, tmp_path: Path) -> None:
    case = json.loads(json.dumps(data.draw(st.sampled_from(CASES))))
    holder: Any = case
    while True:
        key = data.draw(st.sampled_from(sorted(holder) if isinstance(holder, dict) else list(range(len(holder)))))
        inner = holder[key]
        if not isinstance(inner, dict | list) or not inner or data.draw(st.integers(0, 3)) == 0:
            break
        holder = inner
    holder[key] = data.draw(any_json)
    file = tmp_path / "c.json"
    file.write_text(json.dumps({"cases": [case]}), encoding="utf-8")
    usable_or_explained(file)
