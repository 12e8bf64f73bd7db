"""The place Session over a long log: its first screen, a step that is gone to, and a whole timeline.

    python tests/benchmarks/bench_session_place.py

The first screen is everything from a path to the drawn lines, against reading the file and decoding each line of
it. A jump is everything from another chosen step to the drawn lines of its details, against drawing the lines
around an empty place once, which is what any key costs. The last row is told for its own sake: the whole
timeline with verdicts, which is made in a thread while the first screen stands.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import orjson

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.agent.log.building import Run, header, text
from tests.benchmarks.measure import HEADER, compare, settings
from workbench.agent.log import LoggedEvent, SessionLog
from workbench.agent.log.file_events import FileEvents
from workbench.agent.log.scanning import open_reading, scan_header
from workbench.agent.log.timeline import TimelineBuilder
from workbench.agent.verdicts.judging import quarter
from workbench.config.sessions.story import open_story
from workbench.tui.commands import commands_of
from workbench.tui.log_subject import LogSubject
from workbench.tui.places.base import TABS
from workbench.tui.places.session.model import SessionModel
from workbench.tui.view import frame
from workbench.tui.view.session import columns, row_line, session_sentence
from workbench.tui.view.session_rows import StepRows

FIRST_GOAL = 0.2
JUMP_GOAL = 5.0
WHOLE_GOAL = 15.0
LINES = 40
CHUNK = {"type": "text-delta", "index": 0, "text": "some words of an answer"}


def written(path: Path, events: int) -> None:
    """A log of about so many events, most of them chunks; every tenth step has another system text."""
    run = Run(path)
    step = 0
    while len(run.session.events) < events:
        step += 1
        run.begin_turn()
        run.begin_step(f"question {step}")
        run.send(header(f"You run on m1.\n\n# Now\nIt is {step // 10}.\n\n# Rules\n" + "Be brief. " * 200))
        for _ in range(190):
            run.append("assistant/chunk", {**run.place, "chunk": CHUNK})
        run.answer(text(f"answer {step}"))
        run.end_step()
        run.end_turn()
    run.session.close_now()


def main() -> None:
    how = settings(__doc__ or "")
    print(HEADER)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.jsonl"
        events = 5_000 if how.quick else 100_000
        written(path, events)

        def decode_all() -> int:
            with open(path, "rb") as file:
                return sum(len(orjson.loads(line)) for line in file)

        def first_screen() -> int:
            subject = LogSubject.open_now(path, path.name)
            rows = StepRows(subject)
            shape = columns(120, has_times=True)
            drawn = [row_line(row, shape, rows.most, is_cursor=False, has_focus=True) for row in rows[-LINES:]]
            subject.close()
            return len(drawn)

        print(
            compare(first_screen, decode_all, how).line(
                f"first screen of {events:,} events / decode all", FIRST_GOAL
            )
        )

        subject = LogSubject.open_now(path, path.name)
        story = open_story(path)
        subject.tracks[0].timeline = story.timeline(quarter)
        subject._stories[id(subject.tracks[0])] = story
        model = SessionModel()
        model.load(subject)
        keys = cycle([row.key for row in model.rows if row.key is not None][:: max(1, len(model.rows) // 37)])

        def jump() -> int:
            model.chosen, model.follows = next(keys), False
            made = model.detail(116, blanks=True)
            session_sentence(model.rows, short=False)
            return sum(len(made[row]) for row in range(min(LINES, len(made))))

        def empty_place() -> int:
            bar = frame.context_bar("a.yml", "main", "12 tok", frame.LIVE, 80, short=False)
            tabs = frame.tab_bar(TABS, "Session", "What happened, step by step?", 118)
            hints = frame.key_hints(commands_of("session", "app"), 116)
            return len(bar.left) + len(tabs.left) + len(hints.left)

        print(compare(jump, empty_place, how).line("jump to another step / empty place", JUMP_GOAL))

        def whole() -> int:
            with open_reading(path) as file:
                head = scan_header(file).header
            builders = []

            def told_to(events: FileEvents) -> Callable[[LoggedEvent], None]:
                builders.append(TimelineBuilder(head, event_of=events.__getitem__))
                return builders[0].add

            opened = SessionLog.open_told(path, told_to)
            opened.close()
            return len(builders[0].finished().turns)

        print(compare(whole, decode_all, how).line("open and judge every request / decode all", WHOLE_GOAL))
        story.close()
        subject.close()


if __name__ == "__main__":
    main()
