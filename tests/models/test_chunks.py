"""Blocks from chunks, against a naive model."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.models import BlockAssembler, ModelError, freeze
from workbench.models import chunks as made

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@st.composite
def answers(draw: st.DrawFn) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Blocks, and chunks of them: pieces interleaved at will, ends where they may stand, some left out."""
    blocks: list[dict[str, Any]] = []
    streams: list[list[Any]] = []
    for index in range(draw(st.integers(0, 4))):
        kind = draw(st.sampled_from(["text", "reasoning", "tool-call"]))
        pieces = draw(st.lists(TEXTS, max_size=5))
        whole = "".join(pieces)
        stream: list[Any] = [made.block_start(index, kind)]
        if kind == "tool-call":
            id, name = f"c{index}", draw(st.sampled_from(["bash", "read"]))
            # Only what was on a delta is known of a block that never ends.
            stream += [made.tool_call_delta(index, id, name, piece) for piece in ["", *pieces]]
            blocks.append({"type": kind, "id": id, "name": name, "arguments": whole})
        else:
            delta = made.text_delta if kind == "text" else made.reasoning_delta
            stream += [delta(index, piece) for piece in pieces]
            blocks.append({"type": kind, "text": whole})
        if draw(st.booleans()):
            stream.append(made.block_end(index, dict(blocks[-1])))  # type: ignore[arg-type]
        streams.append(stream)
    chunks: list[dict[str, Any]] = []
    while any(streams):
        chunks.append(draw(st.sampled_from([stream for stream in streams if stream])).pop(0))
    return blocks, chunks


@given(answers(), st.booleans())
def test_pieces_in_any_order_give_the_blocks(
    answer: tuple[list[dict[str, Any]], list[dict[str, Any]]], frozen: bool
) -> None:
    blocks, chunks = answer
    assembler = BlockAssembler()
    for chunk in chunks:
        assembler.feed(freeze(chunk) if frozen else chunk)
    assert assembler.content() == blocks
    assert assembler.tool_calls() == [block for block in blocks if block["type"] == "tool-call"]
    assert assembler.content(tool_calls=False) == [block for block in blocks if block["type"] != "tool-call"]
    assert assembler.shown() == [block for block in blocks if block.get("text", "").strip()]
    assert assembler.is_empty == (not blocks)
    assert assembler.finish_reason is None


def test_usage_and_finish() -> None:
    assembler = BlockAssembler()
    assembler.feed(made.usage_chunk({"inputTokens": 3, "outputTokens": 2}))
    assembler.feed(made.finish("stop"))
    assert assembler.usage == {"inputTokens": 3, "outputTokens": 2}
    assert assembler.finish_reason == {"kind": "stop"}
    assert assembler.failure is None


def test_the_failure_of_a_failed_attempt() -> None:
    assembler = BlockAssembler()
    assembler.feed(made.finish_error({"message": "no", "code": "AUTH"}))
    assert assembler.failure == {"message": "no", "code": "AUTH"}


def test_the_end_of_a_block_wins_over_its_pieces() -> None:
    assembler = BlockAssembler()
    assembler.feed(made.text_delta(0, "par"))
    assembler.feed(made.block_end(0, {"type": "text", "text": "whole"}))
    assert assembler.content() == [{"type": "text", "text": "whole"}]


@pytest.mark.parametrize(
    ("chunks", "says"),
    [
        (
            [{"type": "finish", "reason": {"kind": "stop"}}, {"type": "usage", "usage": {}}],
            "usage chunk after the finish",
        ),
        ([made.text_delta(0, "a"), made.reasoning_delta(0, "b")], "block 0, which is text"),
        ([made.block_end(0, {"type": "text", "text": ""}), made.text_delta(0, "b")], "after the end of its block"),
        ([{"type": "text-delta", "index": 0}], "without text"),
        ([{"type": "text-delta", "text": ""}], "without an index"),
        ([{"type": "block-start", "index": 0}], "without blockType"),
        ([{"type": "block-end", "index": 0, "block": "x"}], "without its block"),
        ([{"type": "finish"}], "without a reason"),
    ],
)
def test_what_cannot_be_a_stream(chunks: list[Any], says: str) -> None:
    assembler = BlockAssembler()
    with pytest.raises(ModelError, match=says) as caught:
        for chunk in chunks:
            assembler.feed(chunk)
    assert caught.value.code == "MALFORMED_RESPONSE"


def test_chunks_of_other_versions_are_left_out() -> None:
    assembler = BlockAssembler()
    assembler.feed({"type": "citation", "index": 0})
    assembler.feed({})
    assert assembler.is_empty
