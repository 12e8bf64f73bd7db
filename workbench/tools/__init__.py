"""Tools: what the model may call, by layer, with restrictions, and how its calls are run.

What the loop and plugins need to take part in running calls is in `workbench.tools.pipeline`, which is
loaded with the first call. Source: docs/prompt-assembly.md 8, docs/tools.md.
"""

from workbench.tools.facade import ToolsFacade
from workbench.tools.registration import ToolError, ToolRegistration
from workbench.tools.registry import ToolRegistry

__all__ = ["ToolError", "ToolRegistration", "ToolRegistry", "ToolsFacade"]
