"""Two texts, and two prompts, compared: pure functions over data, for commands and screens alike.

`lines` and `words` compare texts, `first_change` and `prompts` compare previews. Source: docs/cli.md 8.
"""
