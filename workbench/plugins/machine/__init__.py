"""This machine: the services `fs`, `shell` and `web` that tools use, and what the model is told of their limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from workbench.plugins.settings import Settings

if TYPE_CHECKING:
    from workbench.core import Context

name = "machine"
inject = ["system_prompt"]
provides = ["fs", "shell", "web"]

ServiceName = Literal["fs", "shell", "web"]


@dataclass(frozen=True)
class Config(Settings):
    """What tools may reach."""

    services: tuple[ServiceName, ...] = ("fs", "shell", "web")
    """An agent without commands needs no `shell`."""
    confined: bool = True
    """Files: only the agent's working directory and the two lists. Commands: they change nothing else."""
    writable: tuple[str, ...] = ()
    """Directories that may be used like the working directory; relative ones begin there."""
    readable: tuple[str, ...] = ()
    """Directories that may be read."""
    private_addresses: bool = False
    """True: pages of this machine and of private networks can be read."""
    context: bool = True
    """False leaves the runtime context `sandbox:policy` out, for a composition that states it itself."""


def apply(ctx: Context, config: Config) -> None:
    """Provide the chosen services, and state their limits."""
    from workbench.plugins.machine.files import LocalFiles
    from workbench.plugins.machine.places import Places
    from workbench.plugins.machine.policy import policy_text
    from workbench.plugins.machine.shell import LocalShell
    from workbench.plugins.machine.web import WebClient

    places = Places(config.confined, config.writable, config.readable)
    if "fs" in config.services:
        ctx.provide("fs", LocalFiles(places))
    if "shell" in config.services:
        shell = LocalShell(places, key_variables=lambda: _key_variables(ctx))
        ctx.effect(lambda: shell.close, "processes of the shell")
        ctx.provide("shell", shell)
    if "web" in config.services:
        ctx.provide("web", WebClient(config.private_addresses))
    if config.context:
        prompt = ctx.system_prompt
        prompt.context(
            "sandbox:policy",
            prompt.get_context_order("SANDBOX_POLICY"),
            lambda context: policy_text(config.services, places, context.agent),
            literal=True,
        )


def _key_variables(ctx: Context) -> frozenset[str]:
    """Of the model providers that there are now."""
    models = ctx.get("models")
    return frozenset() if models is None else models.key_variables()
