"""What an exception says."""

from __future__ import annotations


def message_of(error: BaseException) -> str:
    """Its message; of a group, what each of its members says; without a message, its type."""
    if isinstance(error, BaseExceptionGroup):
        return "\n".join(message_of(member) for member in error.exceptions)
    return str(error) or type(error).__name__
