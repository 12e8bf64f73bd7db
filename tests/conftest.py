"""Rules for the whole suite."""

from __future__ import annotations

import pytest

SLOW_TIMEOUT = 900
"""Seconds for a slow test that names no limit of its own; all others have the one of pyproject.toml."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_TIMEOUT))
