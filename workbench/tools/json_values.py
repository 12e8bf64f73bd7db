"""The JSON values of tools: frozen copies, and foreign text at the door. One import for this room."""

from workbench.models.foreign_text import clean, clean_text
from workbench.models.frozen import FrozenDict, FrozenList, NotJson, freeze, thaw

__all__ = ["FrozenDict", "FrozenList", "NotJson", "clean", "clean_text", "freeze", "thaw"]
