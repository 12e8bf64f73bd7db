"""Where versions are kept: one database, written by any number of processes.

Nothing here imports the database before a store is opened. Source: docs/team.md 9.
"""

DEFAULT_BUSY_TIMEOUT_MS = 5000
"""How long a save waits for another process that is writing."""
