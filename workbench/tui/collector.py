"""When Python's garbage collector looks for cycles: not while the screen comes up, and not through what stays.

At the start nearly everything that is made stays: modules, classes, style sheets, the prompt. Looking through it
again and again takes a tenth of the start; later, one full look holds the loop for longer than a key may take.
For a program that is the workbench; inside of another one the collector is left alone.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def at_rest() -> Iterator[None]:
    """Inside, the collector rests until `resume` or `keep`."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def resume() -> None:
    """It looks at everything again, as it usually does."""
    gc.enable()


def keep() -> None:
    """What is there now stays: it looks at nothing of it any more. The few cycles that a start leaves stay, too."""
    gc.freeze()
    gc.enable()


def let_go() -> None:
    """What was kept is looked at as everything else."""
    gc.unfreeze()
    gc.enable()
