"""Refusals of the façade: attribute errors, made by hand so that they carry nothing live."""

from __future__ import annotations

from collections.abc import Callable


class FacadeRefusal(AttributeError):
    """A package reached for what it is not given. The message says what there is."""


Refuse = Callable[[str], FacadeRefusal]
"""Makes a refusal with this message, and notes it."""


class PluginShapeError(ValueError):
    """An evaluated module is not the shape of a plugin."""
