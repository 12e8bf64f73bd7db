"""The table of runtime-context snapshots holds in a log, whatever a compaction removes."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agent.log.building import Run, user
from workbench.agent.log import Replace, Session
from workbench.agent.snapshots import PRODUCER, due_text, is_own
from workbench.prompt import RUNTIME_CONTEXT_CLEARED

steps = st.lists(
    st.tuples(st.sampled_from(["", "", "a", "b"]), st.integers(0, 3), st.integers(0, 3), st.booleans()),
    min_size=1,
    max_size=12,
)


def compact(run: Run, first: int, length: int) -> None:
    """Replace some of the surface by a summary."""
    nodes = run.session.surface.nodes
    chosen = nodes[first : first + length]
    if chosen:
        run.append("user/message", user("SUM"), Replace(chosen[0], chosen[-1]), *chosen)


def on_surface(session: Session) -> list[str]:
    """Texts of the own snapshots that the model reads."""
    return [m["content"][0]["text"] for m in session.surface.messages() if is_own(m)]


@settings(deadline=None)
@given(steps)
def test_each_request_holds_the_context_that_is_in_force(played: list[tuple[str, int, int, bool]]) -> None:
    run = Run()
    session = run.session
    ever = False
    for now, first, length, adds_text in played:
        if adds_text:
            run.append("user/message", user("said"))
        compact(run, first, length)
        own = [event for event in session.events if event.type == "user/message" and is_own(event.data)]
        last = own[-1] if own else None
        retained = last is not None and last.seq in session.surface
        text = due_text(now, None if last is None else last.data, retained)
        count = len(own)
        if text is not None:
            run.append("user/message", user(text, kind="plugin", plugin=PRODUCER, form="snapshot", sections=[]))
        read = on_surface(session)
        if now:
            ever = True
            assert read[-1] == now
            assert (text is None) == (retained and last is not None and last.data["content"][0]["text"] == now)
        elif ever:
            assert read[-1] == RUNTIME_CONTEXT_CLEARED
        else:
            assert (read, count, text) == ([], 0, None)
        again = [event for event in session.events if event.type == "user/message" and is_own(event.data)]
        assert len(again) - count == (text is not None)
        if again:  # and nothing more is due in a retry of the same step
            assert due_text(now, again[-1].data, again[-1].seq in session.surface) is None
