"""Words of the place Team: times, sizes, states and origins."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from workbench.tui.view.pieces import Line, Piece, outside
from workbench.tui.view.sizes import number

if TYPE_CHECKING:
    from workbench.team.version import VersionLine

MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
Now = Callable[[], datetime]


class TeamKeys(NamedTuple):
    """Keys of this person, for sentences; empty: none."""

    compare: str = "d"
    versions: str = "h"
    role: str = "o"
    read_again: str = "f6"
    open: str = "O"


DEFAULT_KEYS: Final = TeamKeys()


def local_now() -> datetime:
    """With the time zone of the machine."""
    return datetime.now().astimezone()


def when(moment: datetime | None, now: datetime) -> str:
    """`today 11:40`, `yesterday 17:02`, `12 May 09:15`, `12 May 2025`; revision 0 was shipped."""
    if moment is None:
        return "as shipped"
    local = moment.astimezone(now.tzinfo)
    days = (now.date() - local.date()).days
    clock = f"{local:%H:%M}"
    if days == 0:
        return f"today {clock}"
    if days == 1:
        return f"yesterday {clock}"
    day = f"{local.day} {MONTHS[local.month - 1]}"
    return f"{day} {clock}" if local.year == now.year else f"{day} {local.year}"


def size_word(size: int) -> str:
    """`1,204 B`."""
    return f"{number(size)} B"


def what_of(line: VersionLine) -> str:
    """What a revision did, in a few words. A restore names its source."""
    if line.revision == 0:
        return "shipped defaults"
    if line.restored_from is not None:
        return f"restored from {line.restored_from}"
    changes = [change.removeprefix("override ") for change in line.changes]
    return ", ".join(changes) if changes else "nothing changed"


def store_trouble(error: str) -> Line:
    """Why the store cannot do what was asked."""
    return (Piece("× ", "failed", bold=True), *outside(error))
