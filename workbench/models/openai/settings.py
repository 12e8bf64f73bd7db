"""How an endpoint is reached. Source: docs/models.md 8."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, Literal, get_type_hints
from urllib.parse import urlsplit

from workbench.models.request import CallConfig

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


@dataclass(frozen=True, slots=True)
class OpenAISettings:
    """One endpoint. Raises `ValueError` for an address that cannot be used."""

    base_url: str
    """Up to and without `/chat/completions`, such as `http://127.0.0.1:8000/v1`."""
    name: str = "openai"
    """What a call configuration names."""
    api_key_env: str | None = None
    """Name of the environment variable that holds the key; None, with no keyring either: none is sent."""
    keyring_service: str | None = None
    """Service under which the system's keyring has the key, asked when the variable is not set."""
    keyring_user: str = "api-key"
    stream: bool = True
    """False: the answer is read as a whole, and mapped to the same chunks."""
    stream_idle_timeout_s: float = 300.0
    """Longest wait for the next byte, while somebody waits for one."""
    connect_timeout_s: float = 30.0
    headers: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)
    """Sent with each request, beside the key."""
    context_windows: Mapping[str, int] = field(default_factory=dict, hash=False)
    """Tokens by model; `*` holds for all others."""
    defaults: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """Attributes of `CallConfig` for calls that do not set them."""
    max_tokens_key: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    """How the endpoint calls the limit of an answer."""
    send_reasoning: bool = True
    """Whether earlier reasoning goes back as `reasoning_content`, which reasoning models with tools require."""

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.base_url)
            good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            good = False
        if not good:
            raise ValueError("base_url: an address with http:// or https:// was expected")
        if parts.username is not None or parts.query or parts.fragment:
            raise ValueError(
                "base_url: an address is no place for keys; name an environment variable in api_key_env"
            )
        for name, value in self.headers.items():
            if not _TOKEN.fullmatch(name) or not value.isascii() or not value.isprintable():
                raise ValueError(f"headers: {name!r} or its value cannot be sent")  # the value may be a secret
        for name in ("stream_idle_timeout_s", "connect_timeout_s"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name}: more than 0 seconds were expected")
        unknown = sorted(self.defaults.keys() - DEFAULTABLE)
        if unknown:
            known = ", ".join(sorted(DEFAULTABLE))
            raise ValueError(f"defaults: unknown {', '.join(unknown)}; known: {known}")
        CallConfig(**self.defaults)

    @classmethod
    def from_data(cls, values: Mapping[str, Any]) -> OpenAISettings:
        """The settings that a mapping describes.

        Raises `ValueError`: a `pydantic.ValidationError` with every mistake in keys and types, else as the class.
        """
        from pydantic import ConfigDict, create_model  # only where settings come from a file

        hints = get_type_hints(cls, include_extras=True)
        described: dict[str, Any] = {each.name: (hints[each.name], _pydantic_field(each)) for each in fields(cls)}
        model = create_model(
            cls.__name__, __config__=ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True), **described
        )
        return cls(**dict(model.model_validate(dict(values))))

    @property
    def endpoint(self) -> str:
        """Where requests are posted to."""
        return self.base_url.rstrip("/") + "/chat/completions"

    @property
    def host(self) -> str:
        """What messages call the endpoint."""
        return urlsplit(self.base_url).netloc


DEFAULTABLE = frozenset({"reasoning_effort", "temperature", "max_tokens", "stop"})
"""Attributes that a provider may fill in."""


def _pydantic_field(known: Field[Any]) -> Any:
    if known.default_factory is not MISSING:
        return known.default_factory()
    return ... if known.default is MISSING else known.default
