"""Counting in threads that come and go."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import threading
from workbench.tokens import TokenCounter

def count(number):
    counter = TokenCounter.for_model("deepseek-chat")
    assert [counter.count_now(f"part {number} of {each}, run. ").tokens for each in range(20)]

for number in range(200):
    thread = threading.Thread(target=count, args=(number,))
    thread.start()
    thread.join()
print("counted")
"""


def test_the_encoder_outlives_the_thread_that_asked_for_it_first() -> None:
    """The encoder crashes the process once the thread has ended in which it was made: seen within 200 threads."""
    pytest.importorskip("kitoken")
    run = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stdout) == (0, "counted\n"), run.stderr
