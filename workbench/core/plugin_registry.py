"""Fibers by plugin.

Source: docs/runtime.md 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.core.fiber import Fiber


class PluginRegistry:
    """Fibers by plugin. Plugins are told apart by identity; one without fibers is not in it."""

    def __init__(self) -> None:
        self._by_id: dict[int, tuple[object, list[Fiber]]] = {}

    def __contains__(self, plugin: object) -> bool:
        return id(plugin) in self._by_id

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self) -> Iterator[object]:
        return iter([plugin for plugin, _ in self._by_id.values()])

    def __getitem__(self, plugin: object) -> tuple[Fiber, ...]:
        entry = self._by_id.get(id(plugin))
        return () if entry is None else tuple(entry[1])

    def add(self, fiber: Fiber) -> None:
        self._by_id.setdefault(id(fiber.code.plugin), (fiber.code.plugin, []))[1].append(fiber)

    def remove(self, fiber: Fiber) -> None:
        entry = self._by_id.get(id(fiber.code.plugin))
        if entry is not None and fiber in entry[1]:
            entry[1].remove(fiber)
            if not entry[1]:
                del self._by_id[id(fiber.code.plugin)]
