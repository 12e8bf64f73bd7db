"""Screens on top of a place that are told when a dynamic package is another one."""

from __future__ import annotations

from abc import abstractmethod

from textual.screen import ModalScreen


class FollowsPackages(ModalScreen[None]):
    """Told after the place below it."""

    @abstractmethod
    def packages_changed(self) -> None:
        """A package, a request or a what-if is another one."""
        raise NotImplementedError
