"""A composition with the code of its plugins at hand: all that can go wrong before anything is registered.

Source: docs/compositions.md 5.
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from workbench.config.composition import Composition, ReadComposition, empty_composition
from workbench.config.local_plugins import forget_local, is_local, local_file
from workbench.config.model import PluginEntry
from workbench.config.nodes import path_text
from workbench.config.plugin_code import PluginMissing
from workbench.config.plugin_lookup import find_plugin
from workbench.config.problems import LoadError, LoadProblem, did_you_mean


class PlannedPlugin(NamedTuple):
    """An entry and its code."""

    entry: PluginEntry
    code: object
    place: str
    """`file:line:column` of the entry."""
    identity: Hashable
    """Equal for two plans in which it is the same load: use, layer, config, and the text of a local file."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be loaded."""

    composition: Composition
    plugins: tuple[PlannedPlugin, ...]

    def forget(self, successor: Plan | None = None) -> None:
        """Let go of the modules that were made for it, but for those that `successor` goes on with."""
        kept = {id(plugin.code) for plugin in successor.plugins} if successor else set()
        for plugin in self.plugins:
            if id(plugin.code) not in kept:
                forget_local(plugin.code)


def plan_of(read: ReadComposition, running: Iterable[PlannedPlugin] = ()) -> Plan:
    """Find the plugins of a composition. Raises `LoadError` with every problem of both at once.

    The code of those that are `running` and the same is taken from there, not executed anew.
    """
    known: dict[Hashable, list[object]] = {}
    for plugin in running:
        known.setdefault(plugin.identity, []).append(plugin.code)
    planned, made, problems = _plan_plugins(read.composition, known)
    if read.problems or problems:
        for code in made:
            forget_local(code)
        raise LoadError((*read.problems, *problems), read.composition.files)
    return Plan(read.composition, planned)


def plan_nothing(path: str | Path) -> Plan:
    """What stands in for a file that cannot be used."""
    return Plan(empty_composition(path), ())


def _plan_plugins(
    composition: Composition, known: dict[Hashable, list[object]]
) -> tuple[tuple[PlannedPlugin, ...], list[object], list[LoadProblem]]:
    """The code of every plugin that is not disabled, what of it was made now, and what is wrong with the rest."""
    folder = os.path.dirname(composition.file)
    planned: list[PlannedPlugin] = []
    made: list[object] = []
    problems: list[LoadProblem] = []
    for entry in composition.entries.plugins:
        if entry.disabled:
            continue
        identity = _identity(composition, entry, folder)
        if known.get(identity):
            code = known[identity].pop(0)
        else:
            try:
                code = find_plugin(entry.use, folder)
            except PluginMissing as missing:
                problems.append(_problem(composition, entry, (), missing.message, missing.remedy))
                continue
            made.append(code)
            problems += _config_problems(composition, entry, code)
        planned.append(PlannedPlugin(entry, code, _place(composition, entry), identity))
    return tuple(planned), made, problems


def _identity(composition: Composition, entry: PluginEntry, folder: str) -> Hashable:
    text = composition.hashes.get(os.path.join(folder, local_file(entry.use))) if is_local(entry.use) else None
    return entry.use, entry.scope, repr(entry.config), text


def _config_problems(composition: Composition, entry: PluginEntry, code: object) -> list[LoadProblem]:
    """What a Pydantic `Config` says about the entry's config, each at the place of the value.

    The runtime validates it again when it loads the plugin; only here the places are known.
    """
    model: Any = getattr(code, "Config", None)
    if not hasattr(model, "model_validate"):
        return []
    try:
        model.model_validate({} if entry.config is None else entry.config)
    except Exception as error:
        details = getattr(error, "errors", None)
        if callable(details):
            return [_config_problem(composition, entry, model, each) for each in details()]
        # A validator of its own raised something else: the load will say so, with its owner.
    return []


def _config_problem(composition: Composition, entry: PluginEntry, model: Any, details: Any) -> LoadProblem:
    path = ("config", *details["loc"])
    if details["type"] == "extra_forbidden":
        known = list(getattr(model, "model_fields", ()) or getattr(model, "__annotations__", ()))
        remedy = did_you_mean(str(path[-1]), known, f"known here: {', '.join(known)}")
        return _problem(composition, entry, path, f'unknown key "{path[-1]}" for plugin {entry.use}', remedy)
    message = f"{path_text(path)} of plugin {entry.use}: {details['msg'][:1].lower()}{details['msg'][1:]}"
    return _problem(composition, entry, path, message, "")


def _problem(
    composition: Composition, entry: PluginEntry, path: tuple[str | int, ...], message: str, remedy: str
) -> LoadProblem:
    whole = (*entry.at, *(path or ("use",)))
    document = composition.document
    offset = document.key_offset(whole) if message.startswith("unknown key") else document.offset(whole)
    return document.problem(offset, whole, message, remedy)


def _place(composition: Composition, entry: PluginEntry) -> str:
    return str(composition.document.position(composition.document.offset(entry.at)))
