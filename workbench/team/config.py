"""What a team has configured, as it is stored and as a save proposes it.

Source: docs/team.md 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from workbench.team.builtin import Builtins
from workbench.team.problems import Problem, Refused


def _whole(text: str) -> str:
    if any("\ud800" <= character <= "\udfff" for character in text) if not text.isascii() else False:
        raise ValueError("a lone surrogate, half of a character, cannot be stored")
    return text


Text = Annotated[str, AfterValidator(_whole)]


class _Closed(BaseModel):
    """No key that is not named here, and no value that has to be converted."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Sections(_Closed):
    """The texts that a team writes itself."""

    communication: Text
    ticket_scope: Text
    delivery_requirements: Text


class Skill(_Closed):
    """Knowledge that a team adds."""

    name: Text
    description: Text
    content: Text


class Base(_Closed):
    """The default that an override was made from, whole: a later release may no longer have it."""

    sha256: Text
    text: Text


class Override(_Closed):
    """A team's own text of a part."""

    text: Text
    base: Base


class Rule(_Closed):
    """What may be taken up without being asked."""

    id: Text
    name: Text
    instruction: Text
    enabled: bool


class Policy(_Closed):
    """Which work is taken up proactively, and how it is accepted."""

    accept_mode: Text
    rules: Annotated[tuple[Rule, ...], Field(strict=False)] = ()

    def enabled_rules(self) -> tuple[Rule, ...]:
        """In configured order."""
        return tuple(rule for rule in self.rules if rule.enabled)


class TeamConfig(_Closed):
    """A whole configuration, as it is stored."""

    sections: Sections
    skills: Annotated[tuple[Skill, ...], Field(strict=False)]
    overrides: dict[Text, Override]
    policy: Policy

    def as_proposal(self) -> dict[str, Any]:
        """What a save of exactly this would send: bases are named by their sha256."""
        data = self.model_dump()
        for override in data["overrides"].values():
            override["base"] = override["base"]["sha256"]
        data["skills"], data["policy"]["rules"] = list(data["skills"]), list(data["policy"]["rules"])
        return data


class ProposedOverride(_Closed):
    """An override as a save sends it."""

    text: Text
    base: Text = ""
    """The sha256 of the default that the text was made from. Left out: that of the saved override."""


class ProposedPolicy(_Closed):
    """A policy, with every key."""

    accept_mode: Text
    rules: Annotated[tuple[Rule, ...], Field(strict=False)]


class ProposedConfig(_Closed):
    """A whole configuration, as a save sends it."""

    sections: Sections
    skills: Annotated[tuple[Skill, ...], Field(strict=False)]
    overrides: dict[Text, ProposedOverride]
    policy: ProposedPolicy


def default_config(builtins: Builtins, accept_mode: str) -> TeamConfig:
    """Revision 0: what is shipped."""
    return TeamConfig(
        sections=Sections(**builtins.sections),
        skills=(),
        overrides={},
        policy=Policy(accept_mode=accept_mode),
    )


_Model = TypeVar("_Model", bound=BaseModel)


def read_shape(model: type[_Model], data: object) -> _Model:
    """The data as this model. Raises `Refused`: `unknown_key`, `missing_key`, `wrong_type`, all at once."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise Refused(tuple(_problems(error))) from None


_CODES: dict[str, Literal["unknown_key", "missing_key"]] = {
    "extra_forbidden": "unknown_key",
    "missing": "missing_key",
}


_EXPECTED: dict[str, str] = {
    "string_type": "a text is expected",
    "bool_type": "true or false is expected",
    "tuple_type": "a list is expected",
    "dict_type": "an object is expected",
    "model_type": "an object is expected",
}


def _problems(error: ValidationError) -> Iterator[Problem]:
    for each in error.errors(include_url=False, include_context=False, include_input=False):
        path = path_of(part for part in each["loc"] if part != "[key]")
        match _CODES.get(each["type"], "wrong_type"):
            case "unknown_key":
                yield Problem("unknown_key", path, "there is no such key; take it out")
            case "missing_key":
                yield Problem("missing_key", path, "this key is required")
            case _:
                message = _EXPECTED.get(each["type"]) or each["msg"].removeprefix("Value error, ")
                yield Problem("wrong_type", path, message)


def path_of(parts: Iterator[str | int]) -> str:
    """`policy.rules[2].name`; a key that is no word is quoted, as in `overrides["runtime/work"].text`."""
    path = ""
    for part in parts:
        if isinstance(part, int):
            path += f"[{part}]"
        elif part.isidentifier():
            path += f".{part}" if path else part
        else:
            path += f'["{part}"]'
    return path
