"""Rules for the whole suite."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import sys
import tempfile

import pytest
from hypothesis import settings

from tests.support.searches import IS_NEW

_SCRATCH = tempfile.mkdtemp(prefix="workbench-tests-")
for _name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
    os.environ[_name] = os.path.join(_SCRATCH, _name.lower())  # nothing of the person who runs the tests
for _name in ("COLUMNS", "LINES"):
    os.environ.pop(_name, None)  # a worker gets a size that readline has made up
atexit.register(shutil.rmtree, _SCRATCH, ignore_errors=True)
sys.dont_write_bytecode = False  # each process would compile everything, and each worker rewrite every assert
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

settings.register_profile("patient", deadline=None, derandomize=not IS_NEW)  # other suites may share the cores
settings.load_profile("patient")

SLOW_TIMEOUT = 900
"""Seconds for a slow test that names no limit of its own; all others have the one of pyproject.toml."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        is_long = item.get_closest_marker("slow") or item.get_closest_marker("deep")
        if is_long and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_TIMEOUT))


def pytest_collection_finish() -> None:
    """Modules and tests stay until the end: no collection of garbage has to look through them again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)  # `-p no:xdist`: to measure
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """The whole suite runs in one process more than there are cores (some tests wait for others), a file in one."""
    is_whole = config.args_source is not pytest.Config.ArgsSource.ARGS
    if not is_whole or config.option.usepdb:
        config.option.dist = "no"
        return 0
    config.option.dist = "worksteal"
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores + 1
