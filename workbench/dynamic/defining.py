"""The verb define: judge the arguments, compile the host half, judge the browser half, and only then mint an id.

Source: docs/dynamic-packages.md 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.dynamic.arguments import (
    Caller,
    check_keys,
    check_session,
    optional_half,
    optional_text,
    refused,
    required_text,
)
from workbench.dynamic.package import Package, Revision
from workbench.dynamic.refusals import missing
from workbench.dynamic.source.browser import check_browser
from workbench.dynamic.source.compiling import compile_aside, renamed
from workbench.dynamic.source.host import HostHalf, compile_host

if TYPE_CHECKING:
    from workbench.dynamic.service import DynamicPackages

UNNAMED = "<cordis>"
"""The file of a host half until it has an id."""


class Definition(NamedTuple):
    """What is asked for, once its arguments are judged."""

    name: str
    purpose: str
    code: str | None
    client: str | None
    package: Package | None
    """The one that gets a further revision."""


def define(service: DynamicPackages, caller: Caller, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """In one step. Raises `Refusal`."""
    given = _judged(service, caller, arguments)
    half = None if given.code is None else compile_host(given.code, UNNAMED, service.waterfalls())
    return _recorded(service, caller, given, half)


async def define_aside(service: DynamicPackages, caller: Caller, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The same, with a long host half compiled beside the loop. Raises `Refusal`."""
    given = _judged(service, caller, arguments)
    half = None
    if given.code is not None:
        half = await compile_aside(given.code, UNNAMED, service.waterfalls())
        service.check_open()  # it may have been unloaded meanwhile
        if given.package is not None and given.package.is_gone:
            raise missing(given.package.id)
    return _recorded(service, caller, given, half)


def _judged(service: DynamicPackages, caller: Caller, arguments: Mapping[str, Any]) -> Definition:
    check_keys(arguments, ("name", "purpose", "code", "client", "id"))
    check_session(caller, "cordis_define")
    name, purpose = required_text(arguments, "name"), required_text(arguments, "purpose")
    code, client = optional_half(arguments, "code"), optional_half(arguments, "client")
    if code is None and client is None:
        raise refused(
            "give at least one half: 'code' (Python, in this process) or 'client' (JavaScript, in a page)"
        )
    package_id = optional_text(arguments, "id")
    package = None if package_id is None else service.owned(caller, package_id)
    service.check_open()
    return Definition(name, purpose, code, client, package)


def _recorded(service: DynamicPackages, caller: Caller, given: Definition, half: HostHalf | None) -> dict[str, Any]:
    """In one step from here on: nobody else mints an id in between."""
    if given.client is not None:
        check_browser(given.client)
    package = given.package
    new_id = f"dyn-{service.counters.packages + 1}" if package is None else package.id
    number = 1 if package is None else package.newest.number + 1
    if half is not None:
        half = renamed(half, service.file_of(new_id, number))
    if package is None:
        service.counters.packages += 1
        package = Package(new_id, caller.session)
        service.add(package)
    package.revisions.append(Revision(number, given.name, given.purpose, half, given.client))
    service.changed(package)
    warnings = [*(half.warnings if half is not None else ())]
    if given.client is not None and not service.pages.all():
        warnings.append("no page is open: a run waits until one loads the browser half")
    return {
        "id": new_id,
        "revision": number,
        "name": given.name,
        "purpose": given.purpose,
        "host": half is not None,
        "client": given.client is not None,
        "warnings": warnings,
    }
