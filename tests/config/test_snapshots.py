"""Prompts kept in files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.previews import CODING_AGENT, EMPTY, FAILING, HOSTILE_PREVIEW
from workbench.config.difference.request import request_difference
from workbench.config.snapshots import (
    SnapshotError,
    looks_like_snapshot,
    read_snapshot,
    saved_snapshots,
    snapshot_bytes,
)
from workbench.prompt.source import TextSource
from workbench.prompt.views import EntryView, Preview, ToolView


def write(path: Path, preview: Preview, file: str = "agent.yml") -> None:
    path.write_bytes(snapshot_bytes(preview, file=file, scope="main"))


def first_character_only(source: TextSource | None) -> TextSource | None:
    return None if source is None else replace(source, indent=None)


def as_it_is_kept(view: EntryView | ToolView) -> EntryView | ToolView:
    view = replace(view, source=first_character_only(view.source))
    if isinstance(view, ToolView):
        return replace(
            view, parameters_json=json.dumps(json.loads(view.parameters_json), ensure_ascii=False, indent=2)
        )
    return view


@pytest.mark.parametrize("preview", [CODING_AGENT, FAILING, EMPTY, HOSTILE_PREVIEW])
def test_a_snapshot_gives_the_preview_back(tmp_path: Path, preview: Preview) -> None:
    path = tmp_path / "one.json"
    write(path, preview)
    assert looks_like_snapshot(path)
    saved = read_snapshot(path)
    assert (saved.file, saved.scope, saved.saved is not None) == ("agent.yml", "main", True)
    for part in ("sections", "contexts", "tools"):
        assert list(getattr(saved.preview, part)) == list(map(as_it_is_kept, getattr(preview, part))), part
    for part in ("system", "context", "spans", "context_spans", "failures", "variables"):
        assert getattr(saved.preview, part) == getattr(preview, part)
    assert request_difference(preview, saved.preview).prefix is None


def test_half_a_character_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    write(path, replace(CODING_AGENT, system="a\ud800b"), file="\udcff.yml")
    saved = read_snapshot(path)
    assert (saved.file, saved.preview.system) == ("\udcff.yml", "a\ud800b")


def test_those_in_the_folder(tmp_path: Path) -> None:
    assert saved_snapshots(tmp_path / "none yet") == []
    write(tmp_path / "one.prompt.json", EMPTY)
    write(tmp_path / "two.prompt.json", EMPTY)
    (tmp_path / "other.txt").write_text("x")
    assert {each.name for each in saved_snapshots(tmp_path)} == {"one", "two"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "not readable as JSON: Expecting property name"),
        ("[" * 100_000, "not readable as JSON: maximum recursion"),
        ("\udc80", "not readable as JSON"),
        ("[]", "this is no saved prompt"),
        ('{"format": 2, "sections": []}', "it has format 2, and this workbench reads format 1"),
        ('{"format": 1, "sections": 3, "file": "", "scope": ""}', "sections: Input should be a valid list"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(SnapshotError) as caught:
        read_snapshot(path)
    assert f"{path}: {reason}" in str(caught.value)
    assert len(str(caught.value).splitlines()) <= 6


def test_a_file_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(SnapshotError, match="No such file"):
        read_snapshot(tmp_path / "gone.json")
    assert not looks_like_snapshot(tmp_path / "gone.json")


def test_keys_that_are_not_known_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write(path, CODING_AGENT)
    document = json.loads(path.read_text("utf-8"))
    document["later"] = document["sections"][0]["later"] = 1
    path.write_text(json.dumps(document), "utf-8")
    assert read_snapshot(path).preview.system == CODING_AGENT.system
