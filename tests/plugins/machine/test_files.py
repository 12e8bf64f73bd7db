"""read, write, edit, glob and grep on real files: limits, confinement, and nothing half done."""

# ruff: noqa: ASYNC240

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from tests.plugins.machine.conftest import Use
from tests.support.tool_calls import Caller, call, error_of
from workbench.plugins.machine.places import Places, Refused
from workbench.plugins.machine.searching import matcher

# Reading


async def test_lines_come_with_their_numbers(use: Use, work: Path) -> None:
    (work / "a.txt").write_bytes("\ufeffone\r\ntwo ü\nthree".encode())
    result = await use("read", path="a.txt")
    assert result.text == "1\tone\n2\ttwo ü\n3\tthree"
    assert result.value == {"path": "a.txt", "first_line": 1, "text": "one\ntwo ü\nthree", "next_line": None}


async def test_a_part_says_where_to_go_on(use: Use, work: Path) -> None:
    (work / "long.txt").write_text("".join(f"line {number}\n" for number in range(1, 5001)))
    result = await use("read", path="long.txt", first_line=10, line_count=2)
    assert result.text == "10\tline 10\n11\tline 11\n[The file goes on. Read on with first_line 12.]"
    assert (await use("read", path="long.txt")).value["next_line"] == 2001
    end = await use("read", path="long.txt", first_line=4999)
    assert end.value["text"] == "line 4999\nline 5000"
    assert error_of(await use("read", path="long.txt", first_line=5001)) == "NO_SUCH_LINE"


async def test_long_lines_and_large_files_are_cut(use: Use, work: Path) -> None:
    (work / "wide.txt").write_text("ä" * 500_000 + "\nnext\n")
    result = await use("read", path="wide.txt")
    assert len(result.text) < 2100
    assert "the line goes on" in result.text
    assert result.text.endswith("2\tnext")
    (work / "many.txt").write_text(("x" * 1000 + "\n") * 1000)
    assert (await use("read", path="many.txt")).value["next_line"] == 263
    (work / "empty.txt").write_text("")
    assert (await use("read", path="empty.txt")).text == "[The file is empty.]"


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"\x89PNG\r\n\0\0", "BINARY"), (b"text\n" * 5000 + b"\0", "BINARY"), (b"caf\xe9\n", "NOT_TEXT")],
)
async def test_what_is_no_text_is_refused(use: Use, work: Path, content: bytes, code: str) -> None:
    (work / "file").write_bytes(content)
    assert error_of(await use("read", path="file", first_line=4000 if len(content) > 99 else 1)) == code
    assert error_of(await use("edit", path="file", old="text", new="x")) in ("BINARY", "NOT_TEXT", "WRONG_COUNT")
    assert (work / "file").read_bytes() == content


async def test_what_is_no_file_is_refused_at_once(use: Use, work: Path) -> None:
    os.mkfifo(work / "pipe")
    (work / "folder").mkdir()
    assert error_of(await use("read", path="pipe")) == "NOT_A_FILE"
    assert error_of(await use("write", path="pipe", content="x")) == "NOT_A_FILE"
    assert error_of(await use("read", path="folder")) == "IS_DIRECTORY"
    assert error_of(await use("write", path="folder", content="x")) == "IS_DIRECTORY"
    assert error_of(await use("read", path="missing")) == "NOT_FOUND"
    assert error_of(await use("read", path="a\0b")) == "INVALID_PATH"
    (work / "file").write_text("")
    assert error_of(await use("write", path="file/below", content="x")) in ("NOT_A_DIRECTORY", "SYSTEM_ERROR")


# Confinement


@pytest.mark.parametrize("path", ["../outside/secret.txt", "{outside}/secret.txt", "link.txt", "folder/secret.txt"])
async def test_nothing_outside_is_read_or_changed(use: Use, work: Path, outside: Path, path: str) -> None:
    (work / "link.txt").symlink_to(outside / "secret.txt")
    (work / "folder").symlink_to(outside)
    path = path.replace("{outside}", str(outside))
    results = [
        await use("read", path=path),
        await use("write", path=path, content="changed"),
        await use("edit", path=path, old="secret", new="changed"),
        await use("grep", pattern="secret", directory=path),
        await use("glob", pattern="*", directory=os.path.dirname(path) or path),
    ]
    assert [error_of(result) for result in results[:4]] == ["OUTSIDE"] * 4
    assert "secret\n" not in results[4].text
    assert "outside of the working directory" in results[0].text
    assert (outside / "secret.txt").read_text() == "secret\n"


async def test_a_search_does_not_follow_links_out(use: Use, work: Path, outside: Path) -> None:
    (work / "folder").symlink_to(outside)
    (work / "link.txt").symlink_to(outside / "secret.txt")
    assert "secret" not in (await use("grep", pattern="secret")).text
    assert (await use("glob", pattern="**/*.txt")).value == {"paths": [], "total": 0}


async def test_links_inside_and_paths_of_home_are_resolved(use: Use, work: Path) -> None:
    (work / "real.txt").write_text("real\n")
    (work / "link.txt").symlink_to("real.txt")
    assert (await use("read", path="link.txt")).value["path"] == "real.txt"
    await use("write", path="link.txt", content="new\n")
    assert ((work / "real.txt").read_text(), (work / "link.txt").is_symlink()) == ("new\n", True)
    assert error_of(await use("read", path="~/.profile")) == "OUTSIDE"


@pytest.mark.parametrize(
    ("places", "can_read", "can_write"),
    [
        (Places(True), False, False),
        (Places(True, readable=("../outside",)), True, False),
        (Places(True, writable=("../outside",)), True, True),
        (Places(False), True, True),
    ],
)
def test_the_composition_says_otherwise(
    work: Path, outside: Path, places: Places, can_read: bool, can_write: bool
) -> None:
    for writing, expected in ((False, can_read), (True, can_write)):
        if expected:
            real = places.resolve("../outside/secret.txt", str(work), writing=writing)
            assert real == os.path.realpath(outside / "secret.txt")
        else:
            with pytest.raises(Refused, match="outside"):
                places.resolve("../outside/secret.txt", str(work), writing=writing)


# Writing


async def test_a_file_is_written_whole_with_its_folders(use: Use, work: Path) -> None:
    content = "a\r\nb {{x}} ü\n"
    result = await use("write", path="new/deep/file.txt", content=content)
    assert result.value == {"path": "new/deep/file.txt", "is_new": True, "bytes": len(content.encode())}
    assert (work / "new/deep/file.txt").read_bytes() == content.encode()
    script = work / "run.sh"
    script.write_text("old")
    script.chmod(0o755)
    assert (await use("write", path="run.sh", content="new")).value["is_new"] is False
    assert (script.read_text(), script.stat().st_mode & 0o777) == ("new", 0o755)
    assert sorted(each.name for each in work.iterdir()) == ["new", "run.sh"]


async def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    use: Use, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (work / "file").write_text("old")

    def full(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    result = await use("write", path="file", content="new")
    assert (error_of(result), "No space left" in result.text) == ("SYSTEM_ERROR", True)
    assert [(each.name, each.read_text()) for each in work.iterdir()] == [("file", "old")]


async def test_edits_of_one_file_at_the_same_time_are_all_kept(caller: Caller, root: Any, work: Path) -> None:
    (work / "file").write_text("\n".join(f"<{number}>" for number in range(20)))
    fs = root.get("fs")
    await asyncio.gather(*(fs.replace("file", f"<{number}>", f"[{number}]", cwd=str(work)) for number in range(20)))
    assert (work / "file").read_text() == "\n".join(f"[{number}]" for number in range(20))


# Editing


async def test_a_passage_must_occur_as_often_as_expected(use: Use, work: Path) -> None:
    (work / "a.py").write_text("one\ntwo\none\n")
    result = await use("edit", path="a.py", old="one", new="1")
    assert error_of(result) == "WRONG_COUNT"
    assert "occurs 2 times" in result.text
    assert "lines 1, 3" in result.text
    assert error_of(await use("edit", path="a.py", old="three", new="3")) == "NO_MATCH"
    assert (work / "a.py").read_text() == "one\ntwo\none\n"
    assert (await use("edit", path="a.py", old="one", new="1", occurrences=2)).value["replaced"] == 2
    assert (await use("edit", path="a.py", old="two\n", new="")).value["first_line"] == 2
    assert (work / "a.py").read_text() == "1\n1\n"


async def test_a_passage_that_is_nearly_right_is_explained(use: Use, work: Path) -> None:
    (work / "dos.txt").write_bytes(b"one\r\ntwo\r\n")
    assert "CRLF" in (await use("edit", path="dos.txt", old="one\ntwo", new="x")).text
    (work / "tabs.txt").write_text("if x:\n\treturn 1\n")
    assert "white space" in (await use("edit", path="tabs.txt", old="if x:\n    return 1", new="x")).text
    await use("edit", path="dos.txt", old="one\r\n", new="1\r\n")
    assert (work / "dos.txt").read_bytes() == b"1\r\ntwo\r\n"


# Searching


async def test_what_version_control_ignores_is_left_out(use: Use, work: Path) -> None:
    for path, text in {
        ".git/config": "needle",
        ".gitignore": "*.log\n/build/\n!keep.log\n",
        "a.py": "needle here\n",
        "b.log": "needle",
        "keep.log": "needle",
        "build/out.py": "needle",
        "src/build/in.py": "needle",
        "src/.gitignore": "in.py\n",
        "picture.bin": "needle\0",
    }.items():
        (work / path).parent.mkdir(parents=True, exist_ok=True)
        (work / path).write_text(text)
    found = await use("grep", pattern="needle")
    assert {match["path"] for match in found.value["matches"]} == {"a.py", "keep.log"}
    listed = (await use("glob", pattern="**/*")).value["paths"]
    assert set(listed) == {".gitignore", "a.py", "keep.log", "src/.gitignore", "picture.bin"}


async def test_the_newest_files_come_first_and_the_rest_is_counted(use: Use, work: Path) -> None:
    for number in range(12):
        (work / f"{number}.txt").write_text("")
        os.utime(work / f"{number}.txt", (1000 + number, 1000 + number))
    result = await use("glob", pattern="*.txt", limit=3)
    assert result.value == {"paths": ["11.txt", "10.txt", "9.txt"], "total": 12}
    assert "9 more files" in result.text


async def test_matches_show_their_surroundings_once(use: Use, work: Path) -> None:
    (work / "a.txt").write_text("\n".join("abcXdefXghijk"))
    result = await use("grep", pattern="x", ignore_case=True, literal=True, context_lines=1)
    assert result.text.split("\n") == [
        "a.txt:3- c", "a.txt:4: X", "a.txt:5- d", "--", "a.txt:7- f", "a.txt:8: X", "a.txt:9- g",
    ]  # fmt: skip
    assert "limit of 1" in (await use("grep", pattern="X", limit=1)).text
    assert (await use("grep", pattern="X", files="*.md")).text == "[No line matches.]"
    assert (await use("grep", pattern="X", directory="a.txt")).value["matches"][0]["line"] == 4
    assert error_of(await use("grep", pattern="(")) == "INVALID_PATTERN"
    assert error_of(await use("grep", pattern="x", directory="nowhere")) == "NOT_FOUND"


async def test_a_pattern_that_never_ends_can_be_cancelled(caller: Caller, work: Path) -> None:
    (work / "evil.txt").write_text("a" * 5000 + "!")
    running = asyncio.create_task(caller.batch(call("grep", {"pattern": "(a+)+$"})))
    while ("flush", "") not in caller.sink.events:
        await asyncio.sleep(0.01)
    caller.cancel.set()
    await running
    assert error_of(caller.sink.results["c1"]) == "ABORTED"


@pytest.mark.parametrize(
    ("pattern", "matches", "misses"),
    [
        ("*.py", ["a.py", "src/b.py"], ["a.pyc", "py"]),
        ("src/*.py", ["src/a.py"], ["src/x/a.py", "a.py"]),
        ("src/**/*.py", ["src/a.py", "src/x/y/a.py"], ["a.py"]),
        ("**/test_?.py", ["test_1.py", "x/test_2.py"], ["test_12.py"]),
        ("*.{ts,tsx}", ["a.ts", "b/a.tsx"], ["a.js"]),
        ("[!a]*.md", ["b.md"], ["a.md"]),
        ("./a(1)+.txt", ["a(1)+.txt"], ["a1.txt"]),
    ],
)
def test_glob_patterns(pattern: str, matches: list[str], misses: list[str]) -> None:
    assert [path for path in matches + misses if matcher(pattern).fullmatch(path)] == matches


async def test_without_a_service_the_tool_says_what_is_missing(root: Any, use: Use) -> None:
    for fiber in root.runtime.fibers():
        if fiber.name == "machine":
            await fiber.dispose()
    for name, arguments in (("read", {"path": "a"}), ("bash", {"command": "true", "purpose": ""})):
        result = await use(name, **arguments)
        assert (error_of(result), "machine" in result.text) == ("NO_SERVICE", True)


async def test_the_to_do_list_comes_back(use: Use) -> None:
    items = [{"text": "Look", "state": "done"}, {"text": "Mend", "state": "active", "note": "waits"}]
    result = await use("todo_write", items=items)
    assert (result.text, result.value) == ("[x] Look\n[>] Mend (waits)", {"items": items})
    assert error_of(await use("todo_write", items=[{"text": "x", "state": "soon"}])) == "INVALID_ARGS"
