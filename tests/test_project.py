"""What holds for the project as a whole: what is tracked, what the docs point at, what the wheel carries."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "workbench" / "docs"
LONGEST_FILE = 500
"""Lines of a file of the package, at the very most; CI names every file above 450, tests included."""

POINTER = re.compile(r"\b(?P<page>[a-z][a-z-]*\.md)`?(?P<sections>(?:,? \d+(?:\.\d+)*(?: \([^)]*\))?)+)")
"""`docs/runtime.md 6.2 (undo), 7`: a page and the numbers of its sections."""


@cache
def tracked_files() -> tuple[Path, ...]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    paths = (ROOT / name for name in listed.stdout.decode().split("\0") if name)
    return tuple(path for path in paths if path.is_file())


def tracked_texts() -> list[tuple[str, str]]:
    """Name and content of every tracked file that is text."""
    found = []
    for path in tracked_files():
        try:
            found.append((path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")))
        except UnicodeDecodeError:
            continue
    return found


def hits(pattern: str) -> list[str]:
    return [
        f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]}"
        for name, text in tracked_texts()
        for match in re.finditer(pattern, text)
    ]


def test_no_tracked_file_names_a_path_of_one_machine() -> None:
    assert hits("|".join(re.escape(f"{folder}/") for folder in (ROOT, Path.home()))) == []


def test_no_tracked_file_names_the_host_of_a_package_registry() -> None:
    names = "pypi", "pythonhosted", "npmjs", "deb.debian"
    assert hits("|".join(rf"\b{re.escape(name)}\.(?:org|com)\b" for name in names)) == []


def test_the_lock_file_is_not_tracked() -> None:
    assert not [path for path in tracked_files() if path.name == "uv.lock"]


def test_files_stay_readable() -> None:
    lengths = {name: text.count("\n") for name, text in tracked_texts() if name.endswith(".py")}
    too_long = {
        name: lines for name, lines in lengths.items() if name.startswith("workbench/") and lines > LONGEST_FILE
    }
    assert too_long == {}, "a file this long is two things: split it by what they mean"


def headings(page: str) -> set[str]:
    """Numbers of the numbered sections of one page."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return set(re.findall(r"^#+ (\d+(?:\.\d+)*)\.? ", text, re.MULTILINE))


def pointers() -> list[tuple[str, str, str]]:
    """File, page and section number of everything that points into the docs."""
    found = []
    for name, text in tracked_texts():
        if name.startswith("tests/conformance/") or not name.endswith((".py", ".md")):
            continue
        for match in POINTER.finditer(text):
            numbers = re.findall(r"(?<![\w.])\d+(?:\.\d+)*", re.sub(r"\([^)]*\)", "", match["sections"]))
            found += [(name, match["page"], number) for number in numbers]
    return found


def test_every_pointer_into_the_docs_finds_its_section() -> None:
    found = pointers()
    assert found, "the pattern of pointers finds nothing"
    pages = {page for _, page, _ in found}
    known = {page: headings(page) if (DOCS / page).exists() else set() for page in pages}
    assert [pointer for pointer in found if pointer[2] not in known[pointer[1]]] == []


def test_every_link_between_the_pages_leads_to_a_file() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md"))]
    missing = [
        f"{page.name}: {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert missing == []


def test_every_page_stands_on_the_map() -> None:
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    pages = sorted(set(DOCS.glob("*.md")) - {DOCS / "index.md"})
    assert [page.name for page in pages if page.name not in index] == []


def uv(*arguments: str | Path) -> None:
    """Run uv; `uv run` tells its children where it is, which need not be on PATH."""
    command = os.environ.get("UV") or shutil.which("uv")
    if not command:
        pytest.skip("needs uv")
    subprocess.run([command, *arguments, "--quiet"], check=True)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    folder = tmp_path_factory.mktemp("dist")
    uv("build", "--wheel", "--out-dir", folder, ROOT)
    (built,) = folder.glob("*.whl")
    return built


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_wheel_carries_themes_samples_and_docs(wheel: Path) -> None:
    packed = set(zipfile.ZipFile(wheel).namelist())
    expected = {"workbench/py.typed"}
    for path in tracked_files():
        name = path.relative_to(ROOT).as_posix()
        if name.startswith(("themes/", "sample_configs/")):
            expected.add(f"workbench/_data/{name}")
        elif name.startswith("workbench/"):
            expected.add(name)
    assert expected - packed == set()
    assert not [name for name in packed if name.startswith("tests/")]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_an_installed_wheel_finds_its_samples(wheel: Path, tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    python = venv / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    uv("venv", "--python", sys.executable, venv)
    uv("pip", "install", "--python", python, wheel)

    def workbench(*arguments: str) -> str:
        command = [python.with_name("workbench"), *arguments]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True).stdout

    assert "coding-agent" in workbench("samples")
    assert workbench("render", "coding-agent").startswith("You are an AI agent")
