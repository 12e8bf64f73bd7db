"""Keys: from a named environment variable, else from the system's keyring. Never in a message, log or repr.

Source: docs/models.md 8.
"""

from __future__ import annotations

import os
from importlib import import_module

from workbench.models.errors import MISSING_CREDENTIAL, ModelError
from workbench.models.openai.settings import OpenAISettings

SHORTEST_SECRET = 6
"""Characters. Local servers take any word, such as `none`, which is also a word of their messages."""


class Key:
    """A key that shows itself only to who asks for `header`."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    @property
    def header(self) -> str:
        """The value of the `Authorization` header."""
        return f"Bearer {self._value}"

    def hidden_in(self, text: str) -> str:
        """The text of a server without the key, which some repeat in their messages."""
        return text.replace(self._value, "[key]") if len(self._value) >= SHORTEST_SECRET else text

    def __repr__(self) -> str:
        return "Key([hidden])"

    def __reduce__(self) -> str:
        raise TypeError("a key is not written anywhere")


def find_key(settings: OpenAISettings) -> Key | None:
    """The key of an endpoint; None when it wants none. May ask the keyring, which blocks.

    Raises `MISSING_CREDENTIAL`, which names the variable or the keyring's entry.
    """
    places: list[str] = []
    if settings.api_key_env is not None:
        value = os.environ.get(settings.api_key_env, "").strip()
        if value:
            return _checked(value, f"the environment variable {settings.api_key_env}")
        places.append(f"set the environment variable {settings.api_key_env}")
    if settings.keyring_service is not None:
        entry = f"{settings.keyring_service!r} of user {settings.keyring_user!r}"
        value = (_from_keyring(settings) or "").strip()
        if value:
            return _checked(value, f"the keyring entry {entry}")
        places.append(f"store it in the keyring as {entry}")
    if places:
        raise ModelError(MISSING_CREDENTIAL, f"there is no key for {settings.host}: {', or '.join(places)}")
    return None


def _from_keyring(settings: OpenAISettings) -> str | None:
    try:
        keyring = import_module("keyring")
    except ImportError:
        raise ModelError(
            MISSING_CREDENTIAL,
            f"the key for {settings.host} is said to be in the keyring: install prompt-workbench[keyring]",
        ) from None
    try:
        value = keyring.get_password(settings.keyring_service, settings.keyring_user)
    except Exception as error:  # each backend has errors of its own
        raise ModelError(
            MISSING_CREDENTIAL, f"the keyring did not give the key for {settings.host}: {type(error).__name__}"
        ) from None
    return value if isinstance(value, str) else None


def _checked(value: str, place: str) -> Key:
    if not value.isascii() or not value.isprintable() or " " in value:
        raise ModelError(MISSING_CREDENTIAL, f"{place} holds characters that no key has")
    return Key(value)
