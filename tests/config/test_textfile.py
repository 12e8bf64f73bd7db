"""Bytes that may or may not be a text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.compositions import Write
from workbench.config.problems import LoadError
from workbench.config.textfile import COMPOSITION_LIMIT, TEXT_LIMIT, decode, read_text


def refusal(content: bytes) -> str:
    with pytest.raises(LoadError) as caught:
        decode(content, "f")
    [problem] = caught.value.problems
    return str(problem)


@given(st.text())
def test_every_text_comes_through(text: str) -> None:
    expected = text.replace("\r\n", "\n").removeprefix("\ufeff")
    assert decode(text.encode(), "f") == expected


def test_control_characters_are_text() -> None:
    assert decode(b"a\x00b\x1b[2J\x7f", "f") == "a\x00b\x1b[2J\x7f"


def test_line_ends_become_lf_and_a_lone_cr_stays() -> None:
    assert decode(b"a\r\nb\rc\n", "f") == "a\nb\rc\n"


def test_a_byte_order_mark_is_no_text() -> None:
    assert decode(b"\xef\xbb\xbfa", "f") == "a"


@pytest.mark.parametrize(("encoding", "name"), [("utf-16", "UTF-16"), ("utf-16-be", ""), ("utf-32", "UTF-32")])
def test_other_encodings_are_named(encoding: str, name: str) -> None:
    content = "naïve\n".encode(encoding)
    assert (f"this is {name}" if name else "not UTF-8") in refusal(content)


def test_binary_is_refused_with_the_offset_of_the_byte() -> None:
    assert refusal(b"one\ntw\xc3\xb6\xff\x00") == (
        "f:2:4: this is not UTF-8 text: byte 8 is 0xFF; save it as UTF-8; a binary file cannot be a text"
    )


def test_a_file_cut_inside_a_character_is_half_saved() -> None:
    assert "f:1:3: the file ends inside a character, at byte 2" in refusal("ab€".encode()[:-1])


def test_the_hash_is_that_of_the_text(write: Write) -> None:
    hashes = {
        read_text(write(name, content), name).content_hash
        for name, content in (("a", b"x\ny\n"), ("b", b"x\r\ny\r\n"), ("c", b"\xef\xbb\xbfx\ny\n"))
    }
    assert len(hashes) == 1


def test_what_cannot_be_read_is_said_in_one_line(write: Write, tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for path, reason in (
        (Path("nowhere"), "there is no such file"),
        (tmp_path, "this is a directory"),
        (loop, "the file cannot be read"),
        (Path("nul\0"), "the file cannot be read"),
        (write("file", "") / "below", "the file cannot be read"),
    ):
        with pytest.raises(LoadError, match=reason):
            read_text(path, "f")


def test_sizes_are_limited(tmp_path: Path) -> None:
    huge = tmp_path / "huge"
    with open(huge, "wb") as file:
        file.truncate(50 * 1024 * 1024)
    with pytest.raises(LoadError, match=r"f: 16 MiB is the limit here, and the file has 52,428,800 bytes; keep"):
        read_text(huge, "f", TEXT_LIMIT)
    with pytest.raises(LoadError, match=r"1 MiB is the limit here.*`file:`"):
        read_text(huge, "f", COMPOSITION_LIMIT)
    with pytest.raises(LoadError, match="the file is longer"):
        read_text(Path("/dev/zero"), "f")
