"""Case files that cannot be used say where and what to do, and never pass in silence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.check.case_file import find_case_files, load_case_file, load_cases
from workbench.config.problems import LoadError


def case(**parts: Any) -> dict[str, Any]:
    return {"id": "a", "register": [], "assemble": {"scope": None}, "expect": {"system": ""}} | parts


def section(**parts: Any) -> dict[str, Any]:
    return {"kind": "section", "name": "s", "order": 1, "text": "t"} | parts


def written(folder: Path, *cases: dict[str, Any], name: str = "cases.json") -> Path:
    file = folder / name
    file.write_text(json.dumps({"topic": "t", "cases": list(cases)}, indent=1), encoding="utf-8")
    return file


def problems_of(file: Path) -> list[str]:
    with pytest.raises(LoadError) as caught:
        load_case_file(file)
    return [str(problem).removeprefix(f"{file}:") for problem in caught.value.problems]


def problem_of(folder: Path, **parts: Any) -> str:
    (problem,) = problems_of(written(folder, case(**parts)))
    return problem


REFUSED = {
    "unknown case key": ({"regster": []}, 'unknown key "regster"; did you mean "register"?'),
    "unknown expectation": ({"expect": {"sytem": ""}}, 'unknown key "sytem"; did you mean "system"?'),
    "unknown expectation, far": ({"expect": {"qqq": ""}}, 'unknown key "qqq"; known here: sections, '),
    "nothing expected": ({"expect": {}}, "nothing is expected, so the case could not fail; "),
    "null expected": ({"expect": {"system": None}}, "`system` is null, which checks nothing; "),
    "wrong type expected": ({"expect": {"changes": "1"}}, 'expected a whole number, not "1"; '),
    "no expectation": ({"expect": 3}, "expected an object, not 3; "),
    "error without mentions": (
        {"expect": {"error": {"stage": "load"}}},
        'the key "mentions" is missing; add it',
    ),
    "unknown stage": (
        {"expect": {"error": {"stage": "lod", "mentions": []}}},
        "expected 'load', 'register', 'assemble' or 'render', not \"lod\"; ",
    ),
    "unknown kind": ({"register": [{"kind": "secton"}]}, 'unknown kind "secton"; did you mean "section"?'),
    "no kind": ({"register": [{"name": "s"}]}, 'the key "kind" is missing; add it'),
    "no entry": ({"register": ["s"]}, 'expected an object, not "s"; '),
    "unknown entry key": ({"register": [section(txt="t")]}, 'unknown key "txt"; did you mean "text"?'),
    "no order": (
        {"register": [{"kind": "section", "name": "s", "text": ""}]},
        'the key "order" is missing; ',
    ),
    "unknown order": (
        {"register": [section(order={"flot": "nan"})]},
        'an order is expected, not {"flot": "nan"}; ',
    ),
    "unknown float": ({"register": [section(order={"float": "x"})]}, "expected 'nan', 'inf' or '-inf', not"),
    "unknown provider": (
        {"register": [section(text={"text_from": "scop"})]},
        'a text is expected, or a provider, not {"text_from": "scop"}; write',
    ),
    "text that is none": ({"register": [section(text=5)]}, "a text is expected, or a provider, not 5; "),
    "null is no text": ({"register": [section(text=None)]}, "a text is expected, or a provider, not null; "),
    "extra without key": (
        {"register": [section(text={"text_from": "extra"})]},
        'the key "key" is missing; add it',
    ),
    "listener without a way out": (
        {"register": [{"kind": "listener", "ops": [{"op": "clear_sections"}]}]},
        "ops must contain exactly one `next` or one `stop`, or else a `raise`; ",
    ),
    "listener with two": (
        {"register": [{"kind": "listener", "ops": [{"op": "next"}, {"op": "next"}]}]},
        "ops must contain exactly one `next` or one `stop`, or else a `raise`; ",
    ),
    "ops behind stop": (
        {"register": [{"kind": "listener", "ops": [{"op": "stop"}, {"op": "clear_sections"}]}]},
        "nothing after `stop` would run; make it the last op; ",
    ),
    "unknown op": (
        {"register": [{"kind": "listener", "ops": [{"op": "nxt"}]}]},
        'unknown op "nxt"; did you mean "next"?',
    ),
    "unknown op key": (
        {"register": [{"kind": "listener", "ops": [{"op": "drop_tool", "nam": "x"}, {"op": "next"}]}]},
        'unknown key "nam"; did you mean "name"?',
    ),
    "target that does not exist": ({"dispose": [0]}, "dispose[0]: no register entry 0 was made before it; "),
    "target that comes later": (
        {"register": [{"kind": "dispose", "target": 1}, section()]},
        "register[0]: no register entry 1 was made before it; ",
    ),
    "target of a first call": (
        {
            "register": [
                {"kind": "tools", "schemas": [], "on_first_call": [{"kind": "dispose", "target": 7}]},
            ]
        },
        "register[0].on_first_call[0]: no register entry 7 was made before it; ",
    ),
    "target that was refused": (
        {"register": [section(order=True, fails={"mentions": []})], "dispose": [0]},
        "dispose[0]: register[0] leaves nothing that could be disposed; ",
    ),
    "unknown target": ({"dispose": [{"scop": "kid"}]}, 'unknown key "scop"; did you mean "scope"?'),
    "scope called global": ({"assemble": {"scope": "global"}}, "`global` is the layer without a scope; "),
    "no repetition": (
        {"assemble": {"scope": None, "repeat": 0}},
        "input should be greater than or equal to 1",
    ),
    "two starts": ({"config": {}, "composition": "a.yml"}, "`config` and `composition` exclude each other"),
    "config key": ({"config": {"personna": ""}}, 'unknown key "personna"; did you mean "persona"?'),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_case_that_means_nothing_is_refused(name: str, tmp_path: Path) -> None:
    parts, expected = REFUSED[name]
    problems = problems_of(written(tmp_path, case(**parts)))
    assert any(expected in problem for problem in problems), problems
    assert all(problem[0].isdigit() for problem in problems), "every problem has a line"


def test_a_problem_has_line_column_and_path(tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    file.write_text('{"cases": [\n {"id": "a",\n  "expect": {"sytem": ""}}]}', encoding="utf-8")
    with pytest.raises(LoadError) as caught:
        load_case_file(file)
    assert str(caught.value) == f'{file}:3:14: unknown key "sytem"; did you mean "system"?'
    assert caught.value.problems[0].path == "cases[0].expect.sytem"


def test_all_problems_of_a_file_at_once(tmp_path: Path) -> None:
    assert len(problems_of(written(tmp_path, case(expect={"x": 1}), case(id="b", register=[{"kind": "x"}])))) == 2


def test_a_file_full_of_mistakes_shows_the_first_ones(tmp_path: Path) -> None:
    file = written(tmp_path, *(case(id=str(number), expect={"x": 1}) for number in range(200)))
    problems = problems_of(file)
    assert len(problems) == 51
    assert any("150 more mistakes are not shown; mend these first" in problem for problem in problems)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "is empty; "),
        (b" \n", "is empty; "),
        (b'{"cases": [', ":1:12: not JSON: expecting value"),
        (b'{"cases": []}', ":1:2: the list is empty, so nothing would be tested; "),
        (b'{"topic": "t"}', ':1:1: the key "cases" is missing; '),
        (b'{"casess": []}', 'unknown key "casess"; did you mean "cases"?'),
        (b"[]", ":1:1: is no case file; "),
        (b"nul", ":1:1: not JSON: "),
        (b"\xff\xfe{", ":1:1: not UTF-8: byte 0xff at offset 0; save the file as UTF-8"),
        (b'{"a": 1,\n "a": 2}', ':2:2: the key "a" is given twice in one object; keep one of the two'),
        (b'{"cases": [NaN]}', ":1:12: NaN is not JSON; "),
        (b"[" * 100_000, "cannot be parsed: "),
        (b'{"cases": [' + b"1" * 5000 + b"]}", "cannot be parsed: "),
    ],
)
def test_a_file_that_is_no_case_file(content: bytes, expected: str, tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    file.write_bytes(content)
    with pytest.raises(LoadError) as caught:
        load_case_file(file)
    assert expected in str(caught.value)
    assert str(file) in str(caught.value)


def test_a_byte_order_mark_is_no_obstacle(tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    file.write_text(json.dumps({"cases": [case()]}), encoding="utf-8-sig")
    assert [loaded.case.id for loaded in load_case_file(file)] == ["a"]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="no such file or folder; check the path"):
        find_case_files([tmp_path / "nothing"])
    with pytest.raises(LoadError, match="cannot be read: no such file or directory"):
        load_case_file(tmp_path / "nothing")


def test_a_folder_without_case_files(tmp_path: Path) -> None:
    (tmp_path / ".hidden").mkdir()
    written(tmp_path / ".hidden", case())
    with pytest.raises(LoadError, match="holds no case file"):
        find_case_files([tmp_path])


def test_files_of_a_folder_come_in_order_and_once(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    files = [
        written(tmp_path / "deep", case(), name="z.json"),
        written(tmp_path, case(id="b"), name="x.json"),
    ]
    assert find_case_files([tmp_path, files[1]]) == sorted(files)


def test_ids_are_unique_over_all_files(tmp_path: Path) -> None:
    written(tmp_path, case(), case(id="b"), name="1.json")
    written(tmp_path, case(), name="2.json")
    cases, problems = load_cases([tmp_path])
    assert len(cases) == 3
    (problem,) = problems
    assert 'the id "a" is taken by' in str(problem)
    assert "1.json:4:3; ids are unique over all files of a run" in str(problem)


def test_one_unusable_file_does_not_hide_the_others(tmp_path: Path) -> None:
    written(tmp_path, case(), name="good.json")
    (tmp_path / "bad.json").write_text("{", encoding="utf-8")
    cases, problems = load_cases([tmp_path])
    assert [loaded.case.id for loaded in cases] == ["a"]
    assert len(problems) == 1
