"""The tools of a team's agents.

Source: docs/team.md 11.
"""
