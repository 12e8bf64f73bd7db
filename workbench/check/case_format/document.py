"""A case, what it expects, and the file that holds it."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from workbench.check.case_format.entries import (
    DisposeEntry,
    RegisterEntry,
    ScopeTarget,
    Target,
    ToolsEntry,
    VariableEntry,
)
from workbench.check.case_format.values import ScopeName, Strict

Stage = Literal["load", "register", "assemble", "render"]


class ServiceConfig(Strict):
    """Configuration of the prompt service. What is left out has its default."""

    persona: str = ""
    include_harness_identity: bool = True
    include_runtime_context: bool = True
    tool_order: list[str] | None = None


class Assemble(Strict):
    """What is assembled, and how often."""

    scope: ScopeName | None = None
    extras: dict[str, Any] = Field(default={})
    repeat: int = Field(default=1, ge=1)


class ExpectedError(Strict):
    """The run must fail in that stage, with a message that contains every fragment."""

    stage: Stage
    mentions: list[str]


class Expect(Strict):
    """Only the keys that are present are checked."""

    sections: list[str] | None = None
    section_texts: dict[str, str] | None = None
    system: str | None = None
    system_contains: list[str] | None = None
    system_lacks: list[str] | None = None
    contexts: list[str] | None = None
    context_snapshot: str | None = None
    tools: list[str] | None = None
    tools_full: list[dict[str, Any]] | None = None
    variables: dict[str, str | None] | None = None
    changes: int | None = None
    error: ExpectedError | None = None

    @model_validator(mode="after")
    def _expects_something(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("nothing is expected, so the case could not fail")
        for key in sorted(self.model_fields_set):
            if getattr(self, key) is None:
                raise ValueError(f"`{key}` is null, which checks nothing; leave it out or give a value")
        return self


class Case(Strict):
    """Inputs and what must come of them."""

    id: str = Field(min_length=1)
    about: str = ""
    source: str = ""
    config: ServiceConfig | None = None
    composition: str | None = Field(default=None, min_length=1)
    """A composition file to start from instead of a bare prompt service; relative to the case file."""
    scopes: dict[ScopeName, ScopeName] = Field(default={})
    register_: list[RegisterEntry] = Field(default=[], alias="register")
    dispose: list[Target] = Field(default=[])
    assemble: Assemble = Assemble()
    expect: Expect

    @model_validator(mode="after")
    def _starts_from_one_place(self) -> Self:
        if self.composition is not None and self.config is not None:
            raise ValueError("`config` and `composition` exclude each other: a composition brings its own")
        return self

    @model_validator(mode="after")
    def _targets_exist(self) -> Self:
        for index, entry in enumerate(self.register_):
            at = f"register[{index}]"
            if isinstance(entry, DisposeEntry):
                self._check_target(entry.target, before=index, at=at)
            if isinstance(entry, VariableEntry | ToolsEntry):
                self._check_later_targets(entry.on_first_call, at)
        for position, target in enumerate(self.dispose):
            self._check_target(target, before=len(self.register_), at=f"dispose[{position}]")
        return self

    def _check_later_targets(self, entries: list[RegisterEntry], at: str) -> None:
        """Those of entries which a provider performs during an assembly, when all others are made."""
        for index, entry in enumerate(entries):
            inside = f"{at}.on_first_call[{index}]"
            if isinstance(entry, DisposeEntry):
                self._check_target(entry.target, before=len(self.register_), at=inside)
            if isinstance(entry, VariableEntry | ToolsEntry):
                self._check_later_targets(entry.on_first_call, inside)

    def _check_target(self, target: Target, *, before: int, at: str) -> None:
        if isinstance(target, ScopeTarget):
            return
        if not 0 <= target < before:
            raise ValueError(f"{at}: no register entry {target} was made before it")
        entry = self.register_[target]
        if isinstance(entry, DisposeEntry) or entry.fails is not None:
            raise ValueError(f"{at}: register[{target}] leaves nothing that could be disposed")


class CaseDocument(Strict):
    """One case file."""

    topic: str = ""
    cases: list[Case] = Field(min_length=1)
