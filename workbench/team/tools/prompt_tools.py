"""Reading and saving prompts from inside a session.

Source: docs/team.md 11.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workbench.prompt import ToolSchema
from workbench.team.problems import Conflict, Problem, Refused
from workbench.team.store.errors import StoreError
from workbench.team.validation import size_of
from workbench.team.version import Version
from workbench.tools.calls import ToolFailure

if TYPE_CHECKING:
    from workbench.team.parts import Role
    from workbench.team.plugin import TeamPrompts
    from workbench.tools.facade import ToolsFacade
    from workbench.tools.runs import ToolRun

LATEST = "latest"
"""Names the newest message of a person: requests do not show a model the ids of messages."""

SAVE = ToolSchema(
    "orchestrator_prompts_save",
    "Save the team's own text of prompt parts as a new revision. Only when a person has asked for exactly this "
    "change: name that person's message. Parts that are not named stay as they are. Read the newest revision "
    "first with orchestrator_read, and give it as base_revision. It is read from the next model request on.",
    {
        "type": "object",
        "properties": {
            "base_revision": {
                "type": "integer",
                "minimum": 0,
                "description": "The newest revision, which the change was made from.",
            },
            "overrides": {
                "type": "object",
                "description": "By part key: the new text, or null to follow the default again.",
                "additionalProperties": {
                    "anyOf": [
                        {"type": "null"},
                        {
                            "type": "object",
                            "properties": {
                                "text": {"type": "string", "description": "The whole text of the part."},
                                "base": {
                                    "type": "string",
                                    "description": "sha256 of the default that the text was made from. Without it, "
                                    "the recorded one stays.",
                                },
                            },
                            "required": ["text"],
                            "additionalProperties": False,
                        },
                    ]
                },
            },
            "request_message_id": {
                "type": "string",
                "description": "Id of the message in which a person asked for this change, or `latest` for the "
                "newest message of a person in this session.",
            },
        },
        "required": ["base_revision", "overrides", "request_message_id"],
        "additionalProperties": False,
    },
)

READ = ToolSchema(
    "orchestrator_read",
    "Read the team's prompts: the newest revision with its overridden parts, the text of one revision, or one part "
    "with its default.",
    {
        "type": "object",
        "properties": {
            "what": {"type": "string", "enum": ["prompts"], "description": "What to read."},
            "revision": {"type": "integer", "minimum": 0, "description": "The texts of this revision."},
            "part": {"type": "string", "description": "One part: its effective text, its base and its default."},
        },
        "required": ["what"],
        "additionalProperties": False,
    },
)

SKILL = ToolSchema(
    "skill",
    "Load the content of a skill by its name in the catalogue.",
    {
        "type": "object",
        "properties": {"name": {"type": "string", "minLength": 1, "description": "Name of the skill."}},
        "required": ["name"],
        "additionalProperties": False,
    },
)


def register_prompt_tools(tools: ToolsFacade, team: TeamPrompts, role: Role) -> None:
    """The tools of a role, in the layer of the facade."""
    reading = _Reading(team, role)
    tools.register(READ, reading.read, is_concurrency_safe=True)
    tools.register(SKILL, reading.skill, is_concurrency_safe=True)
    if role == "orchestrator":
        tools.register(SAVE, _Saving(team).save)


def failure_of(error: Refused) -> ToolFailure:
    """A refusal as the model reads it: every code, with its path."""
    codes = set(error.codes)
    return ToolFailure("\n".join(map(str, error.problems)), codes.pop() if len(codes) == 1 else "refused")


class _Saving:
    def __init__(self, team: TeamPrompts) -> None:
        self._team = team

    async def save(self, arguments: Any, run: ToolRun) -> Any:
        facts = self._team.facts_of(run.session_id)
        wanted = arguments["request_message_id"]
        if wanted == LATEST:
            wanted = next(reversed(facts.people), wanted)
        if wanted not in facts.people:
            raise ToolFailure(
                f"no person wrote the message {wanted!r} in this session; name the one in which a person asked "
                "for this change",
                "NOT_REQUESTED",
            )
        try:
            saved = await self._saved(arguments["base_revision"], arguments["overrides"])
        except Refused as error:
            raise failure_of(error) from None
        except StoreError as error:
            raise ToolFailure(str(error), error.code) from None
        dropped = list(saved.dropped_parts)
        return {"revision": saved.version.revision, "dropped_parts": dropped, "requested_in": wanted}

    async def _saved(self, base: int, overrides: Mapping[str, Any]) -> Any:
        newest = await self._team.store.newest()
        if newest.revision != base:
            raise Conflict(base, newest.revision)
        proposal = newest.config.as_proposal()
        unknown = []
        for key, given in overrides.items():
            if given is not None:
                proposal["overrides"][key] = dict(given)
            elif proposal["overrides"].pop(key, None) is None and key not in self._team.builtins.parts:
                unknown.append(Problem("unknown_part", key, f"there is no part {key!r}", {"part": key}))
        if unknown:
            raise Refused(tuple(unknown))
        return await self._team.save(proposal, base, "tool")


class _Reading:
    def __init__(self, team: TeamPrompts, role: Role) -> None:
        self._team = team
        self._is_main = role == "orchestrator"

    async def read(self, arguments: Any, run: ToolRun) -> Any:
        try:
            if "part" in arguments:
                return await self._part(arguments["part"])
            if "revision" in arguments:
                return await self._revision(arguments["revision"], run.session_id)
            return await self._newest()
        except Refused as error:
            raise failure_of(error) from None
        except StoreError as error:
            raise ToolFailure(str(error), error.code) from None

    async def skill(self, arguments: Any, run: ToolRun) -> str:
        try:
            snapshot = await self._team.refresh()
        except StoreError as error:
            raise ToolFailure(str(error), error.code) from None
        content = snapshot.skill_content(arguments["name"])
        if content is None:
            known = ", ".join(snapshot.skill_descriptions())
            raise ToolFailure(f"there is no skill {arguments['name']!r}; there are: {known}", "UNKNOWN_SKILL")
        return content

    async def _newest(self) -> Any:
        snapshot = await self._team.refresh()
        told: dict[str, Any] = {"revision": snapshot.revision}
        if self._is_main:
            told["overridden"] = [
                {"part": view.key, "base": view.base.sha256, "default": view.default_sha256}
                for view in map(snapshot.part, snapshot.overridden)
                if view.base is not None
            ]
            told["default_changed"] = list(snapshot.default_changed)
        else:
            told["overridden"] = list(snapshot.overridden)
        return {**told, "bytes": size_of(snapshot.config), "limit": self._team.store.limits.size}

    async def _revision(self, revision: int, session_id: str) -> Any:
        if not self._is_main and revision not in self._team.facts_of(session_id).revisions:
            raise ToolFailure(
                f"this session has made no request under revision {revision}; only its own may be read here",
                "NOT_RECORDED",
            )
        return _texts(await self._team.store.version(revision))

    async def _part(self, key: str) -> Any:
        if not self._is_main:
            raise ToolFailure("single parts are read by the main session alone", "NOT_ALLOWED")
        snapshot = await self._team.refresh()
        if key not in snapshot.builtins.parts:
            raise ToolFailure(
                f"there is no part {key!r}; there are: {', '.join(snapshot.builtins.parts)}", "unknown_part"
            )
        view = snapshot.part(key)
        return {
            "part": key,
            "state": view.state,
            "effective": view.effective,
            "base": None if view.base is None else view.base.model_dump(),
            "default": {"sha256": view.default_sha256, "text": view.default},
        }


def _texts(version: Version) -> dict[str, Any]:
    config = version.config.model_dump(mode="json")
    config["overrides"] = {key: override["text"] for key, override in config["overrides"].items()}
    return {"revision": version.revision, "policy_version": version.policy_version, **config}
