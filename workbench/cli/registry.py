"""`workbench registry`: what is registered, by whom, in which layer."""

from __future__ import annotations

from workbench.cli.compositions import Unusable
from workbench.cli.diagnostics import print_error, print_notes, print_problems
from workbench.cli.exit_codes import ExitCode
from workbench.cli.formats.as_registry import registry_json, registry_lines
from workbench.cli.log import log_on
from workbench.cli.output import Output, standard_error, standard_output
from workbench.cli.running import run_async
from workbench.config.opened import open_composition
from workbench.config.problems import LoadError
from workbench.config.registry.facts import LedgerEntry, Registry
from workbench.config.registry.reading import RegistryReader
from workbench.config.registry.scopes import scopes_of
from workbench.config.samples import locate

Ledgers = dict[int, tuple[LedgerEntry, ...]]


def run(file: str, by: str, *, json: bool) -> ExitCode:
    """Print everything that is registered. A plugin that does not run is a finding."""
    output, errors = standard_output(), standard_error()
    try:
        registry, ledgers = run_async(_read(file, errors))
    except Unusable:
        return ExitCode.UNUSABLE
    if json:
        output.json(registry_json(registry, ledgers, file=file))
    else:
        output.lines(registry_lines(registry, by))
    idle = [plugin for plugin in registry.plugins if plugin.state != "active"]
    if idle:
        print_error("not every plugin is active, so something may be missing here", errors)
    return ExitCode.FOUND if idle else ExitCode.OK


async def _read(file: str, errors: Output) -> tuple[Registry, Ledgers]:
    """Raises `Unusable`."""
    try:
        with log_on(errors):
            async with open_composition(locate(file)) as opened:
                reader = RegistryReader(opened.runtime)
                registry = reader.read(scopes_of(opened))
                ledgers = {plugin.uid: reader.ledger(plugin.uid) for plugin in registry.plugins}
                notes = opened.notes
    except LoadError as error:
        print_problems(error.problems, errors)
        raise Unusable from None
    print_notes(notes, errors)
    return registry, ledgers
