"""Words and shell commands, as the limits see them."""

from __future__ import annotations

import pytest

from workbench.team.shell_commands import starts_sleep
from workbench.team.words import count_words


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("one two\tthree\nfour", 4),
        ("— … !!! 🙂", 0),
        ("it's one-word a/b@c.d", 3),
        ("日本語です。", 5),
        ("한국어 abc漢字def", 7),
        ("カタカナー", 5),
        ("№5 ½", 2),
        ("x" * 10_000, 1),
    ],
)
def test_words(text: str, count: int) -> None:
    assert count_words(text) == count


SLEEPING = [
    "sleep 1",
    "  sleep   5",
    "cd /w && sleep 1",
    "bash -c 'sleep 1'",
    'bash -lc "cd x; sleep 1"',
    "/bin/sleep 1 &",
    "env A=1 sleep 1",
    "env -u X sleep 1",
    "A=1 B=2 sleep 1",
    "nohup sleep 100 >/dev/null 2>&1 &",
    "time sleep 1",
    "timeout 5 sleep 1",
    "timeout -s KILL 5s /usr/bin/sleep 1",
    "nice -n 10 sleep 1",
    "echo $(sleep 1)",
    'echo "$(sleep 1)"',
    "echo `sleep 1`",
    "cat f | sleep 1",
    "if true; then sleep 1; fi",
    "while :; do sleep 1; done",
    "f() { sleep 1; }; f",
    "(sleep 1)",
    "{ sleep 1; }",
    "! sleep 1",
    "true || sleep 1",
    "ls;sleep 1",
    "ls\nsleep 1",
    "diff <(sleep 1) f",
    "'sleep' 1",
    'sl"ee"p 1',
    "\\sleep 1",
    "eval 'sleep 1'",
    "exec sleep 1",
    "sh -c \"bash -c 'sleep 1'\"",
    "sudo -u ann sleep 1",
    "echo 1 | xargs sleep",
    "case x in x) sleep 1;; esac",
    "coproc sleep 1",
    "bash -c -- 'sleep 1'",
    "env -S 'sleep 1'",
    "env --split-string='sleep 1'",
    "trap 'sleep 1' EXIT",
    "find . -exec sleep 1 \\;",
    "find . -name x -exec bash -c 'sleep 1' \\;",
]
AWAKE = [
    "echo sleep",
    'grep "sleep 5" f',
    "echo 'sleep 1; sleep 2'",
    "ls sleep",
    "./sleep.sh",
    "sleepy 1",
    "cat <<E\nsleep 1\nE",
    "# sleep 1\nls",
    "python3 -c 'import time; time.sleep(1)'",
    "git log --grep sleep",
    "man sleep",
    "find . -name sleep",
    "trap - EXIT; echo sleep",
    "env SLEEP='sleep 1' ls",
    "",
    "((",
]


@pytest.mark.parametrize("command", SLEEPING)
def test_what_sleeps(command: str) -> None:
    assert starts_sleep(command)


@pytest.mark.parametrize("command", AWAKE)
def test_what_does_not(command: str) -> None:
    assert not starts_sleep(command)


@pytest.mark.parametrize(
    ("command", "sleeps"),
    [
        ("Start-Sleep 5", True),
        ("start-sleep -Seconds 5", True),
        ("sleep 5", True),
        ("cd x; Start-Sleep 5", True),
        ("Get-Item x | Start-Sleep", True),
        ("if ($x) { Start-Sleep 1 }", True),
        ("$x = Start-Sleep 1", True),
        ("& 'Start-Sleep' 1", True),
        ('"a $(Start-Sleep 1)"', True),
        ("Write-Output Start-Sleep", False),
        ("Write-Output 'a; Start-Sleep 1'", False),
        ("# Start-Sleep 1", False),
        ("Get-Help Start-Sleep", False),
    ],
)
def test_powershell(command: str, sleeps: bool) -> None:
    assert starts_sleep(command, "pwsh") is sleeps
