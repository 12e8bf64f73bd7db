"""Composition files: read with every position, loaded into a running Runtime, followed while they change.

    async with open_composition("agent.yml") as opened:
        assembly = await opened.prompt.assemble(opened.assemble_context("main"))

Names are imported when they are first asked for, so that a list of samples does not load a YAML parser.
Source: docs/compositions.md.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.config.composition import Composition, load
    from workbench.config.opened import OpenedComposition, UnknownScope, open_composition
    from workbench.config.problems import LoadError, LoadProblem
    from workbench.config.samples import Sample, find_sample, locate
    from workbench.config.scope_views import ScopeView

_HOMES = {
    "Composition": "composition",
    "load": "composition",
    "ScopeView": "scope_views",
    "OpenedComposition": "opened",
    "UnknownScope": "opened",
    "open_composition": "opened",
    "LoadError": "problems",
    "LoadProblem": "problems",
    "Sample": "samples",
    "find_sample": "samples",
    "locate": "samples",
}

__all__ = [
    "Composition",
    "LoadError",
    "LoadProblem",
    "OpenedComposition",
    "Sample",
    "ScopeView",
    "UnknownScope",
    "find_sample",
    "load",
    "locate",
    "open_composition",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
