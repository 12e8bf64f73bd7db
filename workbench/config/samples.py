"""The compositions that come with the workbench, found by name.

Source: docs/compositions.md 14.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from workbench.config.problems import LoadError, LoadProblem, did_you_mean

_PACKAGE = Path(__file__).resolve().parents[1]
_FOLDERS = (_PACKAGE / "_data" / "sample_configs", _PACKAGE.parent / "sample_configs")
"""In an installed package; beside it, in a checkout."""

FIRST = "coding-agent"
"""The sample that a newcomer opens without having read of any."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A composition to learn from."""

    name: str
    path: Path
    description: str
    """One line."""

    @property
    def is_broken(self) -> bool:
        """Whether it is there to show an error."""
        return self.name.startswith("broken")


def samples() -> tuple[Sample, ...]:
    """All samples by name: the one to begin with, those that work, then those that are broken on purpose."""
    found = [Sample(path.stem, path, _description(path)) for path in sorted(_folder().glob("*.yml"))]
    return tuple(sorted(found, key=lambda sample: (sample.is_broken, sample.name != FIRST, sample.name)))


def find_sample(name: str) -> Path | None:
    """The file of a sample, with or without its ending; None when there is none of that name."""
    stem = name.removesuffix(".yml")
    if not stem or os.path.basename(stem) != stem:
        return None
    path = _folder() / f"{stem}.yml"
    return _from_here(path) if path.is_file() else None


def locate(file: str) -> Path:
    """The file that a person means: an existing file, else a sample. Raises `LoadError`."""
    if os.path.lexists(file):
        return Path(file)
    sample = find_sample(file)
    if sample is not None:
        return sample
    names = [sample.name for sample in samples()]
    remedy = did_you_mean(file, names, "check the path, or list the samples with `workbench samples`")
    raise LoadError([LoadProblem(file, None, None, "", "there is no such file or sample", remedy)])


def _folder() -> Path:
    return next((folder for folder in _FOLDERS if folder.is_dir()), _FOLDERS[-1])


def _from_here(path: Path) -> Path:
    """Relative to the working directory where that is below it: shorter, and the same on every machine."""
    try:
        return path.relative_to(Path.cwd())
    except (ValueError, OSError):
        return path


_DESCRIPTION = re.compile(r"^description: *(.*)$", re.MULTILINE)
_COMMENT = re.compile(r"^# *(.*)$", re.MULTILINE)


def _description(path: Path) -> str:
    """From the text alone, since some samples cannot be parsed."""
    text = path.read_text(encoding="utf-8")
    found = _DESCRIPTION.search(text) or _COMMENT.search(text)
    return found[1].strip("\"' ") if found else ""
