"""Long texts in pieces that can be encoded one by one, to the same tokens as the whole.

All vocabularies here split a text before they merge, by rules that look at a few kinds of characters only.
Between a letter and a digit, a blank or most punctuation, and between a line end and what follows it, each of
them always splits, whatever stands around. A text that is cut there has the tokens of its pieces, no others.

Pieces are needed: rules with a lookahead, as OpenAI has them, make the encoder backtrack, and where it does so
a million times over one run of blanks it ends the whole process. They also let a count be given up half-way.
"""

from __future__ import annotations

import re
from itertools import pairwise

PIECE = 8_192
"""Code points of a piece, at most. Twenty times as many are known to be safe; long Chinese texts are counted
faster in pieces of this size."""

_SPLIT_EVERYWHERE = re.compile(
    r"[A-Za-z](?=[0-9 \n!-&(-/:-@\[-`{-~])"  # not before an apostrophe: `'s` belongs to its word
    r"|\n(?=[^\s/])"  # a slash is taken along with the line ends before it
    r"|[一-龥](?=[，。、！？；：\n ])"
)
_CONTROL_LOOKALIKE = re.compile(r"<\|[a-z_]*[a-z](?=\|>)")
"""A cut inside it keeps the encoder from seeing a control token in what is plain text."""


def pieces(text: str, longest: int = PIECE) -> tuple[list[str], bool]:
    """The text in order, and whether it was cut only where every vocabulary splits.

    False means that a run of `longest` / 2 characters had no such place; a count may then be a few tokens off.
    """
    if len(text) <= longest and "<|" not in text:
        return [text] if text else [], True
    cuts = [0, *(match.end() for match in _CONTROL_LOOKALIKE.finditer(text)), len(text)]
    found: list[str] = []
    is_whole = True
    for start, end in pairwise(cuts):
        while end - start > longest:
            match = _SPLIT_EVERYWHERE.search(text, start + longest // 2, start + longest)
            is_whole &= match is not None
            cut = match.end() if match else start + longest
            found.append(text[start:cut])
            start = cut
        found.append(text[start:end])
    return [piece for piece in found if piece], is_whole
