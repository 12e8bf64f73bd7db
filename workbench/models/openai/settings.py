"""How an endpoint is reached. Source: docs/models.md 8."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal
from urllib.parse import urlsplit

from workbench.models.request import CallConfig

if TYPE_CHECKING:
    from pydantic import ConfigDict


@dataclass(frozen=True, slots=True)
class OpenAISettings:
    """One endpoint. Raises `ValueError` for an address that cannot be used."""

    __pydantic_config__: ClassVar[ConfigDict] = {"extra": "forbid", "strict": True}

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
        """The settings that a mapping describes. Raises `pydantic.ValidationError` with every mistake."""
        from pydantic import TypeAdapter  # only where settings come from a file

        read: OpenAISettings = TypeAdapter(cls).validate_python(dict(values))
        return read

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
