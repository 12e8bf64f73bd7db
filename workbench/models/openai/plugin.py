"""The plugin that registers an endpoint. Source: docs/models.md 8."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workbench.models.openai.endpoint import OpenAIProvider
from workbench.models.openai.settings import OpenAISettings

if TYPE_CHECKING:
    from workbench.core import Context

name = "openai"
inject = ["models"]
owner_kind = "harness"


def Config(values: Mapping[str, Any] | OpenAISettings | None) -> OpenAISettings:
    """The settings that a mapping describes. Raises `pydantic.ValidationError`."""
    return values if isinstance(values, OpenAISettings) else OpenAISettings.from_data(values or {})


def apply(ctx: Context, settings: OpenAISettings) -> None:
    """Register the provider for as long as the plugin runs. When it stops, its connections are closed."""
    provider = OpenAIProvider(settings)
    ctx.effect(lambda: provider.aclose, f"connections to {settings.host}")
    ctx.models.register(provider)
