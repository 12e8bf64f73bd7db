"""Which programs a shell command starts, as far as its text says.

Source: docs/team.md 13.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_BEHIND = {
    "builtin", "busybox", "chronic", "command", "coproc", "doas", "env", "exec", "ionice", "nice", "nohup",
    "setsid", "stdbuf", "sudo", "time", "timeout", "xargs",
}  # fmt: skip
"""Programs that start the program which their arguments name."""
_RUN_BY_FIND = {"-exec", "-execdir", "-ok", "-okdir"}
_SHELLS = {"ash", "bash", "dash", "ksh", "sh", "zsh"}
_DEEPEST = 8
"""Levels of `bash -c` inside each other."""


def starts_sleep(command: str, dialect: str = "bash") -> bool:
    """Whether some simple command of it is `sleep`; in PowerShell also `Start-Sleep`."""
    if dialect == "pwsh":
        return any(name in ("sleep", "start-sleep") for name in _powershell_names(command))
    return "sleep" in _names(command, 0)


def _names(command: str, depth: int) -> Iterator[str]:
    """Names of all programs, without their folders."""
    source = command.encode("utf-8", "replace")
    pending = [_parser().parse(source).root_node]
    while pending:
        node = pending.pop()
        if node.type == "command":
            yield from _started(_words(node), depth)
        pending += node.children


def _started(words: Sequence[str], depth: int) -> Iterator[str]:
    """The program of one simple command, and those that it starts in turn."""
    while words:
        name = words[0].rpartition("/")[2]
        yield name
        rest = words[1:]
        if depth < _DEEPEST:
            for script in _scripts(name, rest):
                yield from _names(script, depth + 1)
        if name == "find":
            for index, word in enumerate(rest):
                if word in _RUN_BY_FIND:
                    yield from _started(rest[index + 1 :], depth)
        if name not in _BEHIND:
            return
        words = _behind(rest)


def _behind(words: Sequence[str]) -> Sequence[str]:
    """From the first word that may be a program: options, assignments, durations and priorities go first.

    An option may take a value, which looks like a program: every word up to one that is no option counts.
    """
    for index, word in enumerate(words):
        if word.rpartition("/")[2] in ({"sleep"} | _SHELLS | _BEHIND | {"eval"}):
            return words[index:]
        if not (word.startswith("-") or "=" in word or word[:1].isdigit() or _takes_value(words, index)):
            return words[index:]
    return ()


def _takes_value(words: Sequence[str], index: int) -> bool:
    return index > 0 and words[index - 1].startswith("-")


def _scripts(name: str, words: Sequence[str]) -> Iterator[str]:
    """Arguments of a program that are commands in turn: `bash -c`, `eval`, `trap`, `env -S`."""
    if name == "eval":
        yield " ".join(words)
    elif name == "trap":
        yield from words[:1]
    elif name in _SHELLS:
        for index, word in enumerate(words):
            if word.startswith("-") and not word.startswith("--") and word.endswith("c"):
                yield from [each for each in words[index + 1 :] if each != "--"][:1]
    elif name == "env":
        for index, word in enumerate(words):
            flag, _, value = word.partition("=")
            if flag in ("-S", "--split-string"):
                yield from [value] if value else words[index + 1 : index + 2]


def _words(command: Node) -> list[str]:
    """Name and arguments of a simple command, unquoted where that can be said."""
    words = []
    for child in command.children:
        if (
            child.type == "command_name"
            or command.field_name_for_child(command.children.index(child)) == "argument"
        ):
            words.append(_unquoted((child.text or b"").decode("utf-8", "replace")))
    return words


def _unquoted(word: str) -> str:
    """A word without its quotes. What is only known when it runs stays as it is written."""
    if len(word) > 2 and word[0] == "'" == word[-1] and "'" not in word[1:-1]:
        return word[1:-1]
    if word.startswith("$'") and word.endswith("'"):
        return word[2:-1]
    return re.sub(r"\\(.)|[\"']", lambda match: match[1] or "", word, flags=re.DOTALL)


@cache
def _parser() -> Parser:
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


_POWERSHELL_STRING = re.compile(r"@'.*?'@|'(?:[^']|'')*'|\"(?:[^\"`]|`.)*\"", re.DOTALL)
_POWERSHELL_COMMENT = re.compile(r"<#.*?#>|(?<![^\s;|&({])#[^\n]*", re.DOTALL)


def _powershell_names(command: str) -> Iterator[str]:
    """The first word of each statement, in lower case; what a string holds is looked at where it is run."""
    bare = _POWERSHELL_COMMENT.sub(" ", command)
    for string in _POWERSHELL_STRING.findall(bare):
        if "$(" in string:
            yield from _powershell_names(string.strip("\"'"))
    bare = re.sub(r"(?i)&\s*(['\"])([\w.-]+)\1", r"; \2 ", bare)
    bare = _POWERSHELL_STRING.sub(" '' ", bare)
    for statement in re.split(r"[;|&\n(){}=]|\$\(", bare):
        words = statement.split()
        if words:
            yield re.split(r"[\\/]", words[0])[-1].lower().removesuffix(".exe")
