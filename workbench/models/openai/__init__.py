"""The provider `openai`: any endpoint that speaks chat completions.

The HTTP library is imported with the first call. Source: docs/models.md 8.
"""

from workbench.models.openai import plugin
from workbench.models.openai.endpoint import OpenAIProvider
from workbench.models.openai.settings import OpenAISettings

__all__ = ["OpenAIProvider", "OpenAISettings", "plugin"]
