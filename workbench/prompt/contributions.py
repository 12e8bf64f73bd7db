"""Contributions: what plugins register, checked once at the door.

Source: docs/prompt-assembly.md 3.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from types import CodeType
from typing import TYPE_CHECKING, Literal

from workbench.prompt.errors import RegistrationError
from workbench.prompt.orders import code_units
from workbench.prompt.source import TextSource
from workbench.prompt.template import VARIABLE_NAME, compile_text
from workbench.prompt.tool_schema import GivenSchema, ToolProviderResult, ToolSchema

if TYPE_CHECKING:
    from workbench.core.activation import Activation
    from workbench.core.scopes import ScopeKey
    from workbench.prompt.assembly import AssembleContext

TextProvider = Callable[["AssembleContext"], str]
VariableProvider = Callable[["AssembleContext"], "str | None"]
ToolProvider = Callable[["AssembleContext"], ToolProviderResult]
SourceOfTool = Callable[[str, "ScopeKey | None"], "Contribution | None"]
"""For a registry of tools: the registration behind the name of a tool that a scope sees, for views."""
TextKind = Literal["section", "context"]
Kind = Literal["section", "context", "variable", "tools", "suppressor"]
CodePlace = tuple[CodeType, int]
"""The code that registered something and the instruction in it; a line is looked up only when asked for."""


@lru_cache(maxsize=4096)
def _line_of(code: CodeType, instruction: int) -> TextSource:
    """The line of code that holds an instruction."""
    for index, (line, *_rest) in enumerate(code.co_positions()):
        if index * 2 == instruction and line is not None:
            return TextSource(code.co_filename, line, 1, None)
    return TextSource(code.co_filename, code.co_firstlineno, 1, None)


class Contribution:
    """One registration: who made it, in which layer, and where its text or code stands."""

    __slots__ = ("code", "ledger", "name", "scope", "source")

    kind: Kind

    def __init__(
        self,
        name: str,
        ledger: Activation,
        scope: ScopeKey | None,
        source: TextSource | None,
        code: CodePlace | None,
    ) -> None:
        self.name = name
        self.ledger = ledger
        self.scope = scope
        self.source = source
        self.code = code

    @property
    def owner_name(self) -> str:
        return self.ledger.fiber.name

    def place(self) -> TextSource | None:
        """Where its text stands in a file; without one, where it was registered or is computed."""
        if self.source is not None:
            return self.source
        provider = self.provider_code()
        if provider is not None:
            return TextSource(provider.co_filename, provider.co_firstlineno, 1, None)
        if self.code is None:
            return None
        return _line_of(*self.code)

    def provider_code(self) -> CodeType | None:
        return None


class TextContribution(Contribution):
    """A section or a context."""

    __slots__ = ("_key", "_pieces", "complete", "is_open", "literal", "order", "provider", "text")

    def __init__(
        self,
        name: str,
        order: float,
        text: str | TextProvider,
        complete: bool,
        literal: bool,
        ledger: Activation,
        scope: ScopeKey | None,
        source: TextSource | None,
        code: CodePlace | None,
    ) -> None:
        self.name = name
        self.order = order
        self.complete = complete
        self.literal = literal
        self.ledger = ledger
        self.scope = scope
        self.source = source
        self.code = code
        if isinstance(text, str):
            self.text = text
            self.provider: TextProvider | None = None
            self.is_open = not literal and "{" in text
        else:
            self.text = ""
            self.provider = text
            self.is_open = not literal
        self._key: tuple[float, bytes] | None = None
        self._pieces: list[str] | bool | None = False
        """True: used once. False: never."""

    @property
    def key(self) -> tuple[float, bytes]:
        """What it is ordered by: its order, then its name in code-unit order."""
        if self._key is None:
            self._key = (self.order, code_units(self.name))
        return self._key

    def compiled(self) -> list[str] | None:
        """Its static text in pieces; None when only the exact scanner can judge it."""
        return [self.text] if self.literal else compile_text(self.text)

    def pieces(self) -> list[str] | None:
        """As `compiled`, kept from the second use on: most texts are rendered once and then stand in a layout."""
        kept = self._pieces
        if kept is False or kept is True:
            compiled = self.compiled()
            self._pieces = True if kept is False else compiled
            return compiled
        return kept

    def provider_code(self) -> CodeType | None:
        return getattr(self.provider, "__code__", None)


class SectionContribution(TextContribution):
    """A paragraph block of the system text."""

    __slots__ = ()
    kind = "section"


class ContextContribution(TextContribution):
    """A part of the runtime-context snapshot."""

    __slots__ = ()
    kind = "context"


class VariableContribution(Contribution):
    """The value of `{{name}}`."""

    __slots__ = ("provider",)
    kind = "variable"

    def __init__(
        self,
        name: str,
        provider: VariableProvider,
        ledger: Activation,
        scope: ScopeKey | None,
        source: TextSource | None,
        code: CodePlace | None,
    ) -> None:
        super().__init__(name, ledger, scope, source, code)
        self.provider = provider

    def provider_code(self) -> CodeType | None:
        return getattr(self.provider, "__code__", None)


class ToolsContribution(Contribution):
    """A provider of tool schemas."""

    __slots__ = ("detached", "encoded", "given", "openings", "provider", "source_of")
    kind = "tools"

    def __init__(
        self,
        provider: ToolProvider,
        ledger: Activation,
        scope: ScopeKey | None,
        code: CodePlace | None,
        source_of: SourceOfTool | None,
    ) -> None:
        super().__init__("", ledger, scope, None, code)
        self.provider = provider
        self.source_of = source_of
        self.given: tuple[GivenSchema, ...] | None = None
        self.openings = -1
        """The count of openings at which `given` was last seen to be unchanged."""
        self.encoded: bytes | None = None
        self.detached: tuple[ToolSchema, ...] = ()
        """The registry's own copies of what the provider gave last."""

    def provider_code(self) -> CodeType | None:
        return getattr(self.provider, "__code__", None)


class SuppressorContribution(Contribution):
    """Hides all contexts of its layer's assemblies."""

    __slots__ = ()
    kind = "suppressor"


def check_text(kind: TextKind, name: object, order: object, text: object) -> None:
    """Raises `RegistrationError` for a name, order or text that cannot be registered."""
    if not isinstance(name, str) or not name:
        raise RegistrationError("name", f"the name of a {kind} must be a string that is not empty, not {name!r}")
    if type(order) is not int and (type(order) is not float or not math.isfinite(order)):
        raise RegistrationError(
            "order", f"the order of {kind} {name!r} must be a finite int or float, not {order!r}"
        )
    if not isinstance(text, str) and not callable(text):
        raise RegistrationError(
            "text", f"the text of {kind} {name!r} must be a string or a function, not {type(text).__name__}"
        )


def check_variable(name: object, provider: object) -> None:
    """Raises `RegistrationError` for a variable that no reference could spell, or without a provider."""
    if not isinstance(name, str) or VARIABLE_NAME.fullmatch(name) is None:
        raise RegistrationError(
            "variable name",
            f"variable name {name!r} is invalid: use lower-case letters, digits and _ ([a-z][a-z0-9_]*)",
        )
    if not callable(provider):
        raise RegistrationError(
            "provider", f"the provider of variable {name!r} must be a function, not {type(provider).__name__}"
        )
