"""Where versions are kept: one database, written by any number of processes.

Source: docs/team.md 9.
"""
