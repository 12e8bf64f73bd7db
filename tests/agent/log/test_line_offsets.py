"""Where lines begin, in four bytes each."""

from __future__ import annotations

from itertools import accumulate

from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.agent.log.line_offsets import LineOffsets
from workbench.agent.log.scanning import MAX_LINE


@given(
    st.lists(st.sampled_from([0, 1, 300, MAX_LINE]) | st.integers(0, MAX_LINE), max_size=300), st.integers(0, 300)
)
@settings(deadline=None)
def test_what_was_put_in_comes_out(lengths: list[int], cut: int) -> None:
    """Lines of any length that is read, several events in one; also when another pass has found the rest."""
    wanted = list(accumulate(lengths, initial=90))
    offsets, rest = LineOffsets(), LineOffsets()
    for each in wanted[:cut]:
        offsets.append(each)
    for each in wanted[cut:]:
        rest.append(each)
    offsets.extend(rest)
    assert [offsets[seq] for seq in range(len(offsets))] == wanted
    for seq, each in enumerate(wanted):
        assert offsets.first_at(seq) == wanted.index(each)
