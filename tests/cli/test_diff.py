"""`workbench diff`."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import AGENT, Cli

Git = Callable[..., None]


@pytest.fixture
def git(project: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """The project as a repository; runs git in it."""
    if shutil.which("git") is None:
        pytest.skip("needs git")
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: str) -> None:
        who = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *who, *arguments], cwd=project, check=True, capture_output=True)

    run("init", "--quiet")
    return run


def test_the_same_is_nothing_and_0(cli: Cli, project: Path) -> None:
    ran = cli("diff", "agent.yml", "agent.yml")
    assert (ran.code, ran.out, ran.err) == (0, "", "")


def test_two_files(cli: Cli, project: Path) -> None:
    other = AGENT.replace("Never say xyzzy.", "x").replace("On branch topic.", "On branch main.")
    other = other.replace("  - files\n", "  - files\n  - todo\n").replace("order: 50\n", "order: 50.5\n")
    Path("other.yml").write_text(other.replace("people do", "folk do"), encoding="utf-8")
    ran = cli("diff", "agent.yml", "other.yml")
    assert ran.code == 1
    assert ran.out.startswith(
        "--- agent.yml · main\n+++ other.yml · main\nfirst: section team:rules of other.yml is changed"
    )
    assert "~ section team:rules: changed · other.yml, global (other.yml:19)\n" in ran.out
    assert "    - Say it calmly, as calmly ⟦people⟧ do.\n    + Say it calmly, as calmly ⟦folk⟧ do.\n" in ran.out
    assert "    - On branch ⟦topic⟧.\n    + On branch ⟦main⟧.\n" in ran.out
    assert "+ tool todo_write: added · todo, global" in ran.out
    assert "\nprefix: it breaks at token " in ran.out
    last = ran.out.splitlines()[-1]
    assert re.fullmatch(r"1 section changed, 1 context changed, 1 tool added; [≈~]\+\d+ tokens", last)


def test_two_scopes_of_one_file(cli: Cli, project: Path) -> None:
    ran = cli("diff", "agent.yml", "--other-scope", "reviewer")
    assert ran.code == 1
    assert "--- agent.yml · main\n+++ agent.yml · reviewer\n" in ran.out
    assert "~ section deployment:persona: changed" in ran.out
    assert "- tool bash: removed" in ran.out
    assert cli("diff", "agent.yml", "-s", "reviewer", "--other-scope", "reviewer").code == 0
    assert cli("diff", "agent.yml", "agent.yml", "-s", "reviewer").code == 0


def test_json(cli: Cli, project: Path) -> None:
    Path("other.yml").write_text(AGENT.replace("Be brief.", "Be brief!"), encoding="utf-8")
    Path("tidy.py").write_text("def apply(ctx): pass\n", encoding="utf-8")
    ran = cli("diff", "agent.yml", "other.yml", "--format", "json")
    document = json.loads(ran.out)
    assert (ran.code, document["same"], document["before"]) == (1, False, "agent.yml · main")
    [changed] = [part for part in document["sections"] if part["state"] != "same"]
    assert changed["name"] == "team:rules"
    assert {"kind": "removed", "text": "."} in changed["pieces"]
    assert changed["after"]["source"] == {"file": "other.yml", "line": 18, "column": 7}
    assert document["first"]["name"] == "team:rules"
    prefix, tokens = document["prefix"], document["tokens"]
    assert (prefix["part"], prefix["name"], prefix["token"]) == ("system", "team:rules", prefix["kept"] + 1)
    assert prefix["lost"] > 0
    assert tokens["after"]["count"] > prefix["kept"]
    assert changed["tokens"]["before"]["count"] > 0
    assert json.loads(cli("diff", "agent.yml", "agent.yml", "-f", "json").out)["same"]


def test_changed_parameters_are_named(cli: Cli, project: Path) -> None:
    Path("other.yml").write_text(
        AGENT.replace("  - shell\n", "  - {use: shell, config: {timeout_seconds: 9}}\n"), encoding="utf-8"
    )
    ran = cli("diff", "agent.yml", "other.yml")
    assert "    ~ /properties/timeout_seconds/default: 120 -> 9\n" in ran.out


def test_moved_and_removed_sections(cli: Cli, project: Path) -> None:
    text = "include_harness_identity: false\nsections:\n"
    names = {"a": 1, "b": 2, "c": 3, "d": 4}
    lines = {name: f"  - {{name: {name}, order: {order}, text: text of {name}}}\n" for name, order in names.items()}
    Path("one.yml").write_text(text + "".join(lines.values()), encoding="utf-8")
    moved = lines["a"].replace("order: 1", "order: 9")
    Path("two.yml").write_text(text + moved + lines["b"] + lines["d"], encoding="utf-8")
    ran = cli("diff", "one.yml", "two.yml")
    assert "> section a: moved · two.yml" in ran.out
    assert "- section c: removed · one.yml" in ran.out
    assert "section b" not in ran.out.split("\n\n", 1)[1]
    assert ran.out.index("section c") < ran.out.index("> section a")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["agent.yml"], "with what?"),
        (["agent.yml", "agent.yml", "agent.yml"], "two files can be compared, not more"),
        (["agent.yml", "agent.yml", "--rev", "HEAD"], "--rev compares revisions of one file"),
        (["agent.yml", "-r", "a", "-r", "b", "-r", "c"], "two revisions can be compared, not more"),
        (["agent.yml", "gone.yml"], "there is no such file or sample"),
        (["agent.yml", "--other-scope", "reviewr"], 'there is no scope "reviewr"; did you mean "reviewer"?'),
    ],
)
def test_what_cannot_be_compared(cli: Cli, project: Path, arguments: list[str], said: str) -> None:
    ran = cli("diff", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_a_revision_with_all_its_files(cli: Cli, project: Path, git: Git) -> None:
    folder = project / "deep"
    (folder / "texts").mkdir(parents=True)
    (folder / "base.yml").write_text("persona: {file: texts/p.md}\nplugins: [plug.py]\n")
    (folder / "texts/p.md").write_text("one")
    (folder / "plug.py").write_text(
        "inject=['system_prompt']\ndef apply(ctx): ctx.system_prompt.section('p', 1, 'old')\n"
    )
    (folder / "main.yml").write_text("include: base.yml\ninclude_harness_identity: false\n")
    git("add", ".")
    git("commit", "-qm", "first")
    assert cli("diff", "deep/main.yml", "--rev", "HEAD").code == 0
    (folder / "texts/p.md").write_text("two")
    git("commit", "-qam", "second")
    shutil.move(folder / "plug.py", folder / "other.py")
    (folder / "base.yml").write_text("persona: {file: texts/p.md}\nplugins: [other.py]\n")
    ran = cli("diff", "deep/main.yml", "--rev", "HEAD~1", "--rev", "HEAD")
    assert (ran.code, ran.err) == (1, "")
    assert "--- HEAD~1:deep/main.yml · (global)\n+++ HEAD:deep/main.yml · (global)\n" in ran.out
    assert "    - one\n    + two\n" in ran.out
    assert "changed (HEAD:deep/texts/p.md:1:1)" in ran.out
    assert cli("diff", "deep/main.yml", "--rev", "HEAD").code == 0
    shutil.rmtree(folder)
    assert cli("diff", "deep/main.yml", "-r", "HEAD", "-r", "HEAD").code == 0


def test_what_a_revision_lacks_is_said_with_its_name(cli: Cli, project: Path, git: Git) -> None:
    git("add", "agent.yml")
    git("commit", "-qm", "without the plugin")
    ran = cli("diff", "agent.yml", "--rev", "HEAD")
    assert (ran.code, ran.out) == (2, "")
    assert "HEAD:agent.yml:13:10: error: HEAD:tidy.py: there is no such file" in ran.err


@pytest.mark.parametrize(
    ("revision", "said"),
    [
        ("nothing", "there is no revision nothing"),
        ("--all", "there is no revision --all"),
        ("HEAD:", "there is no revision"),
    ],
)
def test_revisions_that_do_not_exist(cli: Cli, project: Path, git: Git, revision: str, said: str) -> None:
    git("commit", "-q", "--allow-empty", "-m", "empty")
    ran = cli("diff", "agent.yml", f"--rev={revision}")
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert "revision HEAD has no such file" in cli("diff", "agent.yml", "--rev", "HEAD").err


def test_outside_of_a_repository(cli: Cli, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(project.parent))
    assert "this is in no git repository" in cli("diff", "agent.yml", "--rev", "HEAD").err
    monkeypatch.setenv("PATH", "")
    assert "git is not installed" in cli("diff", "agent.yml", "--rev", "HEAD").err


def test_a_snapshot_is_what_render_prints(cli: Cli, project: Path) -> None:
    Path("then.json").write_text(cli("render", "agent.yml", "--format", "json").out, encoding="utf-8")
    assert cli("diff", "then.json", "agent.yml").code == 0
    Path("agent.yml").write_text(AGENT.replace("On branch topic.", "On branch main."), encoding="utf-8")
    ran = cli("diff", "then.json", "agent.yml")
    assert ran.code == 1
    assert ran.out.startswith("--- then.json · main\n+++ agent.yml · main\n")
    assert "\nprefix: it stays: the runtime context is sent as a message behind all others\n" in ran.out
    ran = cli("diff", "then.json", "agent.yml", "--scope", "reviewer")
    assert (ran.code, ran.err) == (2, "error: then.json holds the prompt of scope 'main' alone\n")
    Path("then.json").write_text('{"format": 1, "file": "x", "sections": []}', encoding="utf-8")
    ran = cli("diff", "then.json", "agent.yml")
    assert ran.code == 2
    assert "then.json: scope: Field required" in ran.err
