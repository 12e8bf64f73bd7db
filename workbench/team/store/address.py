"""Where a store is: a URL of SQLAlchemy, or the path of an SQLite file.

Source: docs/team.md 9.
"""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from workbench.team.store.errors import StoreError

APPLICATION = "prompt-workbench"
FILE = "team.db"


def default_store() -> str:
    """The store of the person who runs the program, in the user's data folder."""
    from platformdirs import user_data_path

    return str(user_data_path(APPLICATION, appauthor=False) / FILE)


def address_of(given: str | os.PathLike[str] | None) -> URL:
    """The URL. Raises `StoreError` (`STORE_UNAVAILABLE`) for what is none."""
    text = os.fspath(given) if given is not None else default_store()
    if "://" not in text:
        return URL.create("sqlite", database=os.path.abspath(os.path.expanduser(text)))
    try:
        return make_url(text)
    except ArgumentError as error:
        raise StoreError("STORE_UNAVAILABLE", text, str(error)) from None


def file_of(url: URL) -> Path | None:
    """The file of an SQLite store; None for one in memory, and for a server."""
    if url.get_backend_name() != "sqlite" or not url.database or url.database == ":memory:":
        return None
    path = url.database
    if path.startswith("file:"):
        path = unquote(urlsplit(path).path)
        if not path or path == ":memory:" or url.query.get("mode") == "memory":
            return None
    return Path(path)


def label_of(url: URL) -> str:
    """How a store is called: the path of a file, however it is opened; an address without its password."""
    file = file_of(url)
    return str(file) if file is not None else url.render_as_string(hide_password=True)


def is_in_memory(given: str | os.PathLike[str] | None) -> bool:
    """Whether it is an SQLite store that ends with its connection."""
    url = address_of(given)
    return url.get_backend_name() == "sqlite" and file_of(url) is None
