"""Compaction: a conversation that becomes too long is replaced by its summary and a recent tail.

Source: docs/agents.md 13.
"""

from workbench.agent.compaction.compactor import Compaction, CompactionConfig

__all__ = ["Compaction", "CompactionConfig"]
