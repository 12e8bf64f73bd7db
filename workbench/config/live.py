"""A composition that runs: its model providers answer, and its agents take turns.

Source: docs/compositions.md 19 and docs/agents.md 18.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from workbench.agent.agents import Agents, AgentsConfig
from workbench.agent.compaction import Compaction
from workbench.agent.options import AgentOptions
from workbench.agent.sessions import Sessions
from workbench.config.composition import Composition
from workbench.config.in_force import Service
from workbench.config.live_script import LiveScript, load_live_script
from workbench.config.model import AgentEntry, ModelEntry
from workbench.config.model_scripts import load_script
from workbench.config.opened import OpenedComposition, open_composition
from workbench.config.problems import LoadError, LoadProblem, did_you_mean
from workbench.models.recording import Recording, RecordingError
from workbench.models.replay import ReplayProvider
from workbench.models.scripted import ScriptedProvider
from workbench.models.service import Models

if TYPE_CHECKING:
    from workbench.agent.agent import Agent
    from workbench.core import Context

SCRIPTED = "scripted"
"""Name of the provider that `script` of the command line stands for."""


@dataclass(frozen=True, slots=True)
class LiveChoices:
    """What the person who starts it decides, beside the file."""

    agent: str | None = None
    """Name of the agent that is spoken to; None: the first one."""
    model: str | None = None
    """Instead of the agent's own."""
    script: str | None = None
    """A file of what the person says, of answers instead of the agent's provider, or of both."""
    session_log: str | None = None
    """Instead of that of the file."""


@dataclass(frozen=True, slots=True)
class LiveComposition:
    """What is there while it runs."""

    opened: OpenedComposition
    agent: Agent
    """Idle until somebody speaks to it."""
    messages: tuple[str, ...]
    """What the script wants to be said, one after another."""


@asynccontextmanager
async def open_live(
    path: str | os.PathLike[str], choices: LiveChoices | None = None
) -> AsyncIterator[LiveComposition]:
    """Open a composition with everything that runs agents, with `async with`.

    Raises `LoadError`, `AgentError`, and `LogError` for a session log that cannot be written to.
    """
    async with open_composition(path, services=live_services()) as opened:
        yield await start_live(opened, choices)


def live_services() -> list[Service]:
    """What a composition is opened with, so that its agents can run."""
    return [
        (Models, None),
        (Sessions, None),
        (Agents, AgentsConfig(variables=False, records_parts=True)),
        (Compaction, None),
    ]


async def start_live(opened: OpenedComposition, choices: LiveChoices | None = None) -> LiveComposition:
    """Register its model providers and start one of its agents. It was opened with `live_services`.

    Raises `LoadError`, `AgentError`, and `LogError` for a session log that cannot be written to.
    """
    choices = choices or LiveChoices()
    composition = opened.composition
    said = LiveScript((), None) if choices.script is None else load_live_script(choices.script)
    if said.script is not None:
        opened.runtime.root.models.register(ScriptedProvider(said.script, SCRIPTED))
    for model in composition.entries.models:
        if said.script is None or model.name != SCRIPTED:
            await _serve(opened.runtime.root, composition, model)
    entry = _agent_entry(composition, choices.agent)
    options = _options(opened, entry, choices, is_scripted=said.script is not None)
    log = choices.session_log or _beside(composition, composition.entries.session_log)
    agent = await _started(opened, options, _working_directory(composition, entry), log)
    _follow_edits(opened, agent, choices, is_scripted=said.script is not None)
    return LiveComposition(opened, agent, said.messages)


async def _started(opened: OpenedComposition, options: AgentOptions, cwd: str, log: str | None) -> Agent:
    """A log that exists is gone on with."""
    agents = opened.runtime.root.agents
    is_there = log is not None and await asyncio.to_thread(os.path.exists, log)
    agent: Agent = await (agents.resume(log, options) if is_there else agents.create(options, cwd=cwd, path=log))
    return agent


def _follow_edits(opened: OpenedComposition, agent: Agent, choices: LiveChoices, *, is_scripted: bool) -> None:
    """Let the agent be what its entry says after each edit: it counts from its next request on."""

    def edited() -> None:
        entries = opened.composition.entries.agents
        entry = next((entry for entry in entries if entry.name == agent.options.name), None)
        if entry is None or agent.driver.is_stopping:
            return
        options = _options(opened, entry, choices, is_scripted=is_scripted)
        if options.around is not None and agent.scope.parent is not options.around:
            agent.scope.move(options.around)
        agent.options = options

    opened.on_change(edited)


async def _serve(root: Context, composition: Composition, entry: ModelEntry) -> None:
    """Register the provider of an entry. Raises `LoadError`."""
    windows: dict[str, Any] = entry.context_windows or {}
    if entry.script is not None:
        script = load_script(_beside(composition, entry.script))
        root.models.register(ScriptedProvider(script, entry.name, context_windows=windows))
    elif entry.replay is not None:
        root.models.register(ReplayProvider(list(_recordings(composition, entry)), entry.name, windows))
    elif entry.endpoint is not None:
        from workbench.models.openai import OpenAISettings, plugin  # only where somebody calls one

        given = {key: value for key, value in entry.endpoint._asdict().items() if value is not None and key != "at"}
        try:
            settings = OpenAISettings(**given, name=entry.name, context_windows=windows)
        except ValueError as error:
            raise _problem(composition, (*entry.at, "endpoint", "base_url"), str(error)) from None
        await root.plugin(plugin, settings)


def _recordings(composition: Composition, entry: ModelEntry) -> Iterator[Recording]:
    for index, name in enumerate(entry.replay or ()):
        try:
            yield Recording.from_file(_beside(composition, name))
        except (OSError, RecordingError) as error:
            raise _problem(composition, (*entry.at, "replay", index), str(error)) from None


def _agent_entry(composition: Composition, name: str | None) -> AgentEntry:
    """The agent of that name, or the first one; without any, one that has no settings."""
    agents = {agent.name: agent for agent in composition.entries.agents}
    if name is None:
        return next(iter(agents.values()), AgentEntry("main"))
    if name not in agents:
        remedy = did_you_mean(name, agents, f"there are: {', '.join(agents) or 'none'}")
        raise LoadError([LoadProblem(composition.file, None, None, "", f'there is no agent "{name}"', remedy)])
    return agents[name]


def _options(
    opened: OpenedComposition, entry: AgentEntry, choices: LiveChoices, *, is_scripted: bool
) -> AgentOptions:
    settings = {"temperature": entry.temperature, "reasoningEffort": entry.reasoning_effort}
    key = next((view.key for view in opened.scopes if view.agent is not None and view.label == entry.name), None)
    options = AgentOptions(
        provider=entry.provider,
        model=entry.model,
        max_tokens=entry.max_tokens,
        name=entry.name,
        around=key,
        config={name: value for name, value in settings.items() if value is not None},
    )
    if is_scripted:
        options = replace(options, provider=SCRIPTED, model=options.model or SCRIPTED)
    elif options.provider is None and len(opened.composition.entries.models) == 1:
        options = replace(options, provider=opened.composition.entries.models[0].name)
    return options if choices.model is None else replace(options, model=choices.model)


def _working_directory(composition: Composition, entry: AgentEntry) -> str:
    """Of the agent: as its entry says, else where the command was started. Raises `LoadError`."""
    if entry.cwd is None:
        return os.getcwd()
    directory = os.path.abspath(os.path.expanduser(entry.cwd))
    if not os.path.isdir(directory):
        message = f"the working directory {entry.cwd} does not exist"
        remedy = "make it, or leave `cwd:` out to work where you are"
        raise _problem(composition, (*entry.at, "cwd"), message, remedy)
    return directory


def _beside(composition: Composition, name: str | None) -> Any:
    """A file that a composition names, relative to it."""
    return None if name is None else os.path.join(os.path.dirname(composition.file), name)


def _problem(composition: Composition, path: tuple[str | int, ...], message: str, remedy: str = "") -> LoadError:
    document = composition.document
    return LoadError([document.problem(document.offset(path), path, message, remedy)])
