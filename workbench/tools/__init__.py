"""Tools: what the model may call, by layer, with restrictions.

Source: docs/prompt-assembly.md 8.
"""

from workbench.tools.registry import ToolError, ToolRegistration, ToolRegistry, ToolsFacade

__all__ = ["ToolError", "ToolRegistration", "ToolRegistry", "ToolsFacade"]
