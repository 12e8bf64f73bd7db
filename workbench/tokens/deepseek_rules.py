"""DeepSeek's rules of splitting, in a form that is encoded at almost twice the speed, to the same tokens.

The vocabulary file splits in three passes: digits, then Han and kana, then the rest by words, punctuation and
blanks. Its last pass ends in `\\s+(?!\\S)|\\s+`, blanks but for the one that may begin the next word, and a
lookahead needs a backtracking engine, which is slow and gives up on some texts, with the whole process. Here it
is one pass without those two rules. What no rule takes is left as a piece of its own, and as words and
punctuation take the blank before them anyway, the same blanks remain. Where they would not, `parts` cuts:

- beside characters that no rule takes, such as U+0000 or U+200D: they would be one piece with the blanks;
- before the last of several blanks, where nothing takes it: a tab before punctuation, say.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any
from unicodedata import category

_HAN = "一-龥\u3040-ゟ゠-ヿ"
_DIGITS, _HAN_RUNS = r"\p{N}{1,3}", f"[{_HAN}]+"
_WORDS = (
    r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+"""
    r"|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+"
).replace(r"\r\n", "\r\n")  # the file holds the line ends themselves
_KNOWN = [_DIGITS, _HAN_RUNS, _WORDS + r"|\s+(?!\S)|\s+"]
"""The three passes of the file."""
_OTHER_WORDS = _WORDS.replace(r"[\p{L}\p{M}]", rf"[\p{{L}}\p{{M}}--[{_HAN}]]").replace(
    r" ?[\p{P}\p{S}]", rf" ?[\p{{P}}\p{{S}}--[{_HAN}]]"
)
_ONE_PASS = f"{_DIGITS}|{_HAN_RUNS}|{_OTHER_WORDS}"


def in_one_pass(pre_tokenizer: dict[str, Any]) -> dict[str, Any]:
    """The splitting part of a vocabulary file; unchanged when it is not the one that is known."""
    steps = pre_tokenizer.get("pretokenizers", [])
    if [_pattern(step) for step in steps[:-1]] != _KNOWN:
        return pre_tokenizer
    return pre_tokenizer | {"pretokenizers": [steps[0] | {"pattern": {"Regex": _ONE_PASS}}, steps[-1]]}


def _pattern(step: dict[str, Any]) -> str | None:
    if (step.get("type"), step.get("behavior"), step.get("invert")) != ("Split", "Isolated", False):
        return None
    pattern: str | None = step.get("pattern", {}).get("Regex")
    return pattern


_BLANK = "\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_ODD = re.compile(
    "[^\t\n\r -~\xa1-\xac\xae-\u02ff\u0400-\u052f\u2010-\u2027\u2030-\u205e\u2190-\u23ff\u2500-\u27bf"
    "\u3001-\u303e\u3041-\u3096\u309b-\u30ff\u4e00-\u9fa5\uac00-\ud7a3\uff01-\uff5e\U0001f300-\U0001f64f]"
)
"""Everything but characters that some rule takes for certain, and that are no blanks but the usual ones."""
_TAB_BEFORE_OTHERS = re.compile(r"\t(?![\t\n\r 0-9A-Za-z])")
_BLANKS = re.compile(f"[{_BLANK}]{{2,}}|[{_BLANK}](?=[^!-~])|(?<=[^!-~])[{_BLANK}]")
"""Blanks, but for single ones between plain characters, which need no cut."""
_HAN_CHARACTER = re.compile(f"[{_HAN}]")


def parts(text: str) -> list[str]:
    """The text, cut where the single pass would not split it as the three do."""
    if not _ODD.search(text) and not ("\t" in text and _TAB_BEFORE_OTHERS.search(text)):
        return [text]
    cuts = [0, *_cuts(text), len(text)]
    return [text[start:end] for start, end in pairwise(cuts) if start < end]


def _cuts(text: str) -> list[int]:
    cuts: list[int] = []
    for blanks in _BLANKS.finditer(text):
        start, end = blanks.span()
        if start and _is_taken_by_no_rule(text[start - 1]):
            cuts.append(start)
        if end == len(text):
            continue
        last, following = text[end - 1], text[end]
        is_untaken = _is_taken_by_no_rule(following)
        if end - start > 1 and last not in "\r\n" and (is_untaken or (last != " " and _is_mark(following))):
            cuts.append(end - 1)
        if is_untaken:
            cuts.append(end)
    return cuts


def _is_taken_by_no_rule(character: str) -> bool:
    return category(character) in ("Cc", "Cf", "Co") and character not in "\t\n\v\f\r\x85"


def _is_mark(character: str) -> bool:
    """Punctuation or a symbol, but for those that go with kana."""
    return category(character)[0] in "PS" and not _HAN_CHARACTER.match(character)
