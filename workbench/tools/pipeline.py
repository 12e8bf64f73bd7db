"""The pipeline of tool calls: everything that a loop or a plugin imports to take part in it.

Source: docs/tools.md 9.
"""

from workbench.tools.calls import (
    AddedContext,
    BatchOutcome,
    CancelLike,
    CodeDispatch,
    ContentBlock,
    ToolCall,
    ToolFailure,
    ToolFault,
    ToolResult,
    ToolSink,
    failed,
    text_block,
)
from workbench.tools.decisions import (
    ACCEPT,
    ALLOW,
    UNSET,
    Accept,
    Allow,
    Ask,
    Block,
    Deny,
    Failure,
    Success,
)
from workbench.tools.events import (
    APPROVAL,
    CHANGE,
    EXECUTE,
    POST_EXECUTE,
    PRE_EXECUTE,
    RESULT,
    ApprovalRequest,
    Invocation,
    Settled,
)
from workbench.tools.executor import ToolExecutor
from workbench.tools.output import OutputDeclaration
from workbench.tools.runs import ToolRun

__all__ = [
    "ACCEPT",
    "ALLOW",
    "APPROVAL",
    "CHANGE",
    "EXECUTE",
    "POST_EXECUTE",
    "PRE_EXECUTE",
    "RESULT",
    "UNSET",
    "Accept",
    "AddedContext",
    "Allow",
    "ApprovalRequest",
    "Ask",
    "BatchOutcome",
    "Block",
    "CancelLike",
    "CodeDispatch",
    "ContentBlock",
    "Deny",
    "Failure",
    "Invocation",
    "OutputDeclaration",
    "Settled",
    "Success",
    "ToolCall",
    "ToolExecutor",
    "ToolFailure",
    "ToolFault",
    "ToolResult",
    "ToolRun",
    "ToolSink",
    "failed",
    "text_block",
]
