"""Random runs: turns, tools, retries, changes of the header, replacements."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.agent.log.building import TOOL_A, TOOL_B, Run, header, text, user
from workbench.agent.log import Replace

HEADERS = [
    header(),
    header("You run on m1.\n\nX"),
    header(tools=[TOOL_A]),
    header(tools=[TOOL_A, TOOL_B]),
    header(tools=[TOOL_B, TOOL_A]),
    header(""),
    header(model="m2"),
    header(temperature=0.5),
]

moves = st.lists(
    st.one_of(
        st.tuples(st.just("turn"), st.sampled_from(HEADERS), st.text(max_size=4)),
        st.tuples(st.just("tools"), st.just(HEADERS[0]), st.text(max_size=4)),
        st.tuples(st.just("retry"), st.sampled_from(HEADERS), st.text(max_size=4)),
        st.tuples(st.just("compact"), st.just(HEADERS[0]), st.text(max_size=4)),
        st.tuples(st.just("empty"), st.sampled_from(HEADERS), st.text(max_size=4)),
    ),
    min_size=1,
    max_size=8,
)


def play(run: Run, move: str, of: object, said: str) -> None:
    match move:
        case "turn":
            run.whole_turn(said, "answer", of)  # type: ignore[arg-type]
        case "tools":
            run.tool_turn(said, "c1", "c2")
        case "retry":
            run.begin_turn()
            run.begin_step(said)
            run.send(HEADERS[0])
            run.append("user/message", user("snapshot"))
            run.send(of, attempt=2)  # type: ignore[arg-type]
            run.answer(text("x"))
            run.end_step()
            run.end_turn()
        case "compact":
            nodes = run.session.surface.nodes
            if nodes:
                half = nodes[: len(nodes) // 2 + 1]
                op = Replace(half[0], half[-1])
                run.append("user/message", user(f"sum {said}"), op, *half)
        case "empty":
            run.begin_turn()
            run.begin_step(said)
            run.send(of)  # type: ignore[arg-type]
            run.answer()
            run.end_step()
            run.end_turn()
