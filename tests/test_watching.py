"""Watching files: what is told, once, and what is not."""

from __future__ import annotations

import asyncio
import os
import threading
from pathlib import Path

import pytest

from workbench import watching
from workbench.watching import Watch

QUIET = 0.05


async def told(watch: Watch) -> bool:
    return await asyncio.wait_for(watch.changed(), 20)


async def is_silent(watch: Watch) -> bool:
    """Nothing is told of what happened before a change that is told: events come in order."""
    try:
        await asyncio.wait_for(watch.changed(), 0.4)
    except TimeoutError:
        return True
    return False


async def test_each_way_to_save_a_file_is_told(tmp_path: Path) -> None:
    file = tmp_path / "prompt.yml"
    async with Watch([file], quiet=QUIET) as watch:
        file.write_text("new")
        assert await told(watch)
        with file.open("a") as written:
            written.write("more")
        assert await told(watch)
        (tmp_path / "prompt.yml~").write_text("over it")
        os.replace(tmp_path / "prompt.yml~", file)
        assert await told(watch)
        file.unlink()
        assert await told(watch)


async def test_many_changes_are_told_once(tmp_path: Path) -> None:
    file = tmp_path / "prompt.yml"
    async with Watch([file], quiet=0.3) as watch:
        for number in range(20):
            file.write_text(str(number))
        assert await told(watch)
        assert await is_silent(watch)


async def test_changes_without_end_are_told_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "LONGEST_SECONDS", 0.2)
    file = tmp_path / "prompt.yml"
    async with Watch([file], quiet=30) as watch:
        file.write_text("new")
        assert await told(watch)


async def test_other_files_and_reading_are_nothing(tmp_path: Path) -> None:
    file = tmp_path / "prompt.yml"
    file.write_text("as it is")
    async with Watch([file], quiet=QUIET) as watch:
        (tmp_path / "other.yml").write_text("new")
        file.read_text()
        os.replace(tmp_path / "other.yml", tmp_path / "another.yml")
        assert await is_silent(watch)


async def test_a_folder_tells_of_what_is_inside(tmp_path: Path) -> None:
    async with Watch([tmp_path], quiet=QUIET) as watch:
        (tmp_path / "own.yaml").write_text("new")
        assert await told(watch)


async def test_a_folder_that_comes_goes_and_comes_again(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "below" / "prompt.yml"
    async with Watch([file], quiet=QUIET) as watch:
        for _ in range(2):
            file.parent.mkdir(parents=True)
            assert await told(watch)
            file.write_text("new")
            assert await told(watch)
            file.unlink()
            file.parent.rmdir()
            file.parent.parent.rmdir()
            assert await told(watch)
            while not await is_silent(watch):
                pass


async def test_behind_links(tmp_path: Path) -> None:
    """The folder is a link, and so is the file in it."""
    real, kept = tmp_path / "real", tmp_path / "kept"
    real.mkdir()
    kept.mkdir()
    (kept / "text.md").write_text("as it is")
    (real / "prompt.yml").symlink_to(kept / "text.md")
    (tmp_path / "link").symlink_to(real, target_is_directory=True)
    async with Watch([tmp_path / "link" / "prompt.yml"], quiet=QUIET) as watch:
        (kept / "text.md").write_text("new")
        assert await told(watch)
        (real / "prompt.yml").unlink()
        assert await told(watch)


async def test_stop_ends_it_before_and_within_the_quiet(tmp_path: Path) -> None:
    file, stop = tmp_path / "prompt.yml", asyncio.Event()
    async with Watch([file], quiet=30) as watch:
        waiting = asyncio.ensure_future(watch.changed(stop))
        file.write_text("new")
        await asyncio.sleep(0.1)
        assert not waiting.done()
        stop.set()
        assert await asyncio.wait_for(waiting, 20) is False
        assert await asyncio.wait_for(watch.changed(stop), 20) is False


async def test_no_thread_is_left_however_it_ends(tmp_path: Path) -> None:
    async def watch_for_ever() -> None:
        async with Watch([tmp_path], quiet=QUIET) as watch:
            entered.set()
            await watch.changed()

    before = set(threading.enumerate())
    for _ in range(3):
        entered = asyncio.Event()
        task = asyncio.ensure_future(watch_for_ever())
        await entered.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    left = {each for each in threading.enumerate() if "watchdog" in type(each).__module__} - before
    for each in left:  # the reader that all share ends by itself
        each.join(20)
    assert not any(each.is_alive() for each in left)
