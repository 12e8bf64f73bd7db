"""The text of a first composition, with comments that say where to go on."""

from __future__ import annotations

import json
from collections.abc import Sequence


def composition(name: str, model: str, plugins: Sequence[str]) -> str:
    """The text of a composition for one agent."""
    lines = [
        "# What the agent reads is put together from this file:",
        "#",
        "#   workbench FILE          look at it; edits show at once",
        "#   workbench render FILE   print it",
        "#   workbench check FILE    find what is wrong with it",
        "",
        "# Who the agent is and how it behaves. Tools bring their own guidance, so name none here.",
        "# {{model}} and {{cwd}} are filled in for each agent that gives them.",
        "persona: |-",
        f"  You are a careful assistant{', powered by {{model}}' if model else ''}.",
        "  Read before you write, do what was asked and nothing else, and say what remains open.",
        "",
        "agents:",
        f"  - name: {_quoted(name)}",
        f"    model: {_quoted(model)}" if model else "    # model: name-of-the-model",
        "    # cwd: /where/it/works",
        "",
        "# Tools, with what the prompt says about them. A Python file of your own can be named, too.",
        *(["plugins:", *(f"  - {plugin}" for plugin in plugins)] if plugins else ["# plugins:", "#   - files"]),
        "",
        "# Rules of your own. Smaller orders come first; the persona is 0, tools begin at 1000.",
        "sections:",
        "  - name: team:rules",
        "    order: 650",
        "    text: One logical change at a time, with its tests.",
        "",
        "# What changes during a session goes to the model behind the conversation, and leaves the cached",
        "# system text alone.",
        "# contexts:",
        "#   - name: sandbox:policy",
        "#     order: SANDBOX_POLICY",
        "#     text: There is no network.",
    ]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """As YAML reads it back: with quotes wherever something else could be meant."""
    is_word = text.replace("-", "").replace("_", "").isalnum() and text.isascii() and text[0].isalpha()
    if is_word and text.lower() not in ("true", "false", "null"):
        return text
    return json.dumps(text, ensure_ascii=not text.isprintable())
