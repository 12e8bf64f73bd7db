"""Children: agents that an agent starts, by providers that come and go.

Source: docs/agents.md 12.
"""
