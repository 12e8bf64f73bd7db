"""A catalogue of skills: names and descriptions in the prompt, the rest only when it is asked for.

A skill is a folder with a `SKILL.md`, whose front matter has `name` and `description`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.plugins.front_matter import split_front_matter
from workbench.plugins.guidance import following, shipped_text
from workbench.plugins.joined_text import Piece, joined
from workbench.plugins.parameters import closed_object
from workbench.plugins.settings import Settings
from workbench.prompt import TextSource, ToolSchema

if TYPE_CHECKING:
    from workbench.core import Context
    from workbench.tools.runs import ToolRun

log = logging.getLogger("workbench.plugins")

name = "skills"
inject = ["system_prompt", "tools"]

SKILL_FILE = "SKILL.md"
LONGEST_DESCRIPTION = 1024
"""Characters. What is longer belongs into the skill."""
LARGEST_FILE = 1024 * 1024
"""Bytes."""

SKILL_TOOL = ToolSchema(
    "skill",
    "Read a skill: instructions, and often scripts and examples, for one kind of task. Returns its text and "
    "the folder that its relative paths are meant from. The names are those of the catalogue in the system "
    "prompt.",
    closed_object(
        {"name": {"type": "string", "minLength": 1, "description": "Name of the skill, as the catalogue has it."}},
        ["name"],
    ),
)


@dataclass(frozen=True)
class Config(Settings):
    """Where the skills are."""

    folders: tuple[str, ...] = ("skills",)
    """Each holds one folder for each skill. Relative ones are meant from the working directory of the process."""


class Skill(NamedTuple):
    """One entry of the catalogue."""

    name: str
    description: str
    file: Path


def apply(ctx: Context, config: Config) -> None:
    """Register the tool and the catalogue; without any skill there is neither."""
    skills = tuple(_first_of_each_name(config))
    if not skills:
        return
    files = {skill.name: skill.file for skill in skills}

    async def read(arguments: Any, _run: ToolRun) -> Any:
        from workbench.plugins.bodies.skills import read as read_it

        return await read_it(files, arguments["name"])

    ctx.tools.register(SKILL_TOOL, read, is_concurrency_safe=True)
    prompt = ctx.system_prompt
    text, source = catalogue(skills)
    prompt.section(
        f"tool:{SKILL_TOOL.name}",
        prompt.get_section_order("TOOL_SKILL"),
        following(ctx, text, (SKILL_TOOL.name,)),
        literal=True,  # Descriptions are other people's text.
        source=source,
    )


def catalogue(skills: tuple[Skill, ...]) -> tuple[str, TextSource]:
    """What the prompt says of them."""
    introduction, source = shipped_text("skills")
    entries = (
        Piece(f"\n- `{skill.name}`: {skill.description}", TextSource(str(skill.file), 1, 1, None))
        for skill in skills
    )
    return joined((Piece(introduction + "\n", source), *entries))


def _first_of_each_name(config: Config) -> Iterator[Skill]:
    seen: dict[str, Path] = {}
    for folder in config.folders:
        for file in sorted(Path(folder).glob(f"*/{SKILL_FILE}")):
            skill = read_skill(file)
            if skill is None:
                continue
            if skill.name in seen:
                log.warning("%s: skill %s is left out, %s has it already", file, skill.name, seen[skill.name])
                continue
            seen[skill.name] = file
            yield skill


def read_skill(file: Path) -> Skill | None:
    """The skill in that file; None, with a warning, when it is none."""
    try:
        if file.stat().st_size > LARGEST_FILE:
            raise ValueError(f"it has more than {LARGEST_FILE:,} bytes")
        text = file.read_text(encoding="utf-8-sig")
        parts = split_front_matter(text)
        if parts is None:
            raise ValueError("it has no front matter")
        values = _settings(parts.settings)
        skill_name = _text(values, "name")
        description = " ".join(_text(values, "description").split())
    except (OSError, ValueError) as error:  # A UnicodeDecodeError is a ValueError, too.
        log.warning("%s is left out of the skills: %s", file, error)
        return None
    if len(description) > LONGEST_DESCRIPTION:
        log.warning("%s: the description has more than %s characters and is cut", file, LONGEST_DESCRIPTION)
        description = description[: LONGEST_DESCRIPTION - 1].rstrip() + "…"
    return Skill(skill_name, description, file)


def _settings(written: str) -> object:
    from ruamel.yaml import YAML  # needed by nobody who has no skills
    from ruamel.yaml.error import YAMLError

    try:
        return YAML(typ="safe", pure=True).load(written)
    except YAMLError as error:
        reason = getattr(error, "problem", None) or "it cannot be read"
        raise ValueError(f"its front matter is not YAML: {reason}") from None


def _text(values: object, key: str) -> str:
    value = values.get(key) if isinstance(values, dict) else None
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"its front matter has no {key}")
    return value.strip()
