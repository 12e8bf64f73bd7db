"""The exception with which a body fails on purpose. On its own, since services raise it and are loaded early.

Source: docs/tools.md 9.1.
"""


class ToolFailure(Exception):
    """Raised by a body: the call fails with this code and message, and the model reads them."""

    def __init__(self, message: str, code: str = "TOOL_FAILED") -> None:
        super().__init__(message)
        self.code = code
