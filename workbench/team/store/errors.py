"""What can be wrong with a store, and what to do about it.

Source: docs/team.md 16.
"""

from __future__ import annotations

import errno
import sqlite3
from typing import Literal

StoreCode = Literal[
    "STORE_LOCKED",
    "STORE_READ_ONLY",
    "STORE_FULL",
    "STORE_CORRUPT",
    "STORE_NEWER",
    "STORE_GONE",
    "STORE_UNAVAILABLE",
    "STORE_MISSING_PACKAGE",
    "STORE_CLOSED",
]

_REMEDIES: dict[StoreCode, str] = {
    "STORE_LOCKED": "another process has been writing for a long time; wait for it, or end it, and save again",
    "STORE_READ_ONLY": "it may only be read here; correct the rights of the file and its folder, and save again",
    "STORE_FULL": "there is no room left; make some, and save again",
    "STORE_CORRUPT": "it is damaged; put it aside, bring a copy back, and save again",
    "STORE_NEWER": "a newer release has written it; install that one, or name another store",
    "STORE_GONE": "bring it back, or open the store anew",
    "STORE_UNAVAILABLE": "it cannot be reached; correct the address, or bring it back, and try again",
    "STORE_MISSING_PACKAGE": "install prompt-workbench[team], for PostgreSQL prompt-workbench[postgresql]",
    "STORE_CLOSED": "open it again",
}


class StoreError(Exception):
    """The store cannot do what was asked. Nothing is half written; a draft stays where it is."""

    def __init__(self, code: StoreCode, store: str, detail: str) -> None:
        super().__init__(f"store {store}: {detail}; {_REMEDIES[code]}")
        self.code = code
        self.store = store
        self.remedy = _REMEDIES[code]


_SQLITE_CODES: dict[int, StoreCode] = {
    sqlite3.SQLITE_BUSY: "STORE_LOCKED",
    sqlite3.SQLITE_LOCKED: "STORE_LOCKED",
    sqlite3.SQLITE_READONLY: "STORE_READ_ONLY",
    sqlite3.SQLITE_PERM: "STORE_READ_ONLY",
    sqlite3.SQLITE_FULL: "STORE_FULL",
    sqlite3.SQLITE_CORRUPT: "STORE_CORRUPT",
    sqlite3.SQLITE_NOTADB: "STORE_CORRUPT",
    sqlite3.SQLITE_CANTOPEN: "STORE_UNAVAILABLE",
    sqlite3.SQLITE_IOERR: "STORE_UNAVAILABLE",
}


_SQLSTATES: dict[str, StoreCode] = {
    "25006": "STORE_READ_ONLY",  # the transaction, or the server, only reads
    "42501": "STORE_READ_ONLY",  # the user may not
    "53100": "STORE_FULL",
    "55P03": "STORE_LOCKED",
    "XX001": "STORE_CORRUPT",
    "XX002": "STORE_CORRUPT",
}
"""Of PostgreSQL; everything else is a server that cannot be used now."""


def code_of_refusal(error: OSError) -> StoreCode:
    """What the system's refusal of a file or folder means."""
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "STORE_READ_ONLY"
    return "STORE_FULL" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "STORE_UNAVAILABLE"


def store_error(error: BaseException, store: str) -> StoreError:
    """What the database's own error means."""
    cause: BaseException = getattr(error, "orig", None) or error
    number = getattr(cause, "sqlite_errorcode", None)
    code: StoreCode = "STORE_UNAVAILABLE"
    if isinstance(number, int):
        code = _SQLITE_CODES.get(number & 0xFF, code)
    elif (state := getattr(cause, "sqlstate", None) or getattr(cause, "pgcode", None)) is not None:
        code = _SQLSTATES.get(state, code)
    elif isinstance(cause, ModuleNotFoundError):
        code = "STORE_MISSING_PACKAGE"
    detail = str(cause).splitlines()[0] if str(cause) else type(cause).__name__
    return StoreError(code, store, detail)
