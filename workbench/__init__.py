"""Prompt Workbench: see the prompt that a harness assembles, live, and who owns each line of it."""

__version__ = "0.1.0"
