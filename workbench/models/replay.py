"""The provider `replay`: answers what was recorded, whatever it is asked.

Source: docs/models.md 5.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any

from workbench.models.chunks import Chunk, Usage, block_end, block_start, finish, text_delta, usage_chunk
from workbench.models.errors import REPLAY_MISS, UNKNOWN, ModelError
from workbench.models.provider import ModelCall
from workbench.models.recording import (
    RecordedAttempt,
    Recording,
    RecordingError,
    Step,
    chunks_of,
    in_binding_order,
)
from workbench.models.request import CallConfig, ModelRequest


class NotConsumed(AssertionError):
    """Recorded calls that nobody made."""


class ReplayProvider:
    """Replays recorded sessions. Live sessions take them by their first call, parents before children.

    The request is never compared: another persona and other tools get the recorded answers.
    """

    def __init__(
        self,
        recordings: Sequence[Recording],
        name: str = "replay",
        context_windows: Mapping[str, int] | None = None,
    ) -> None:
        self.name = name
        self.recordings = tuple(in_binding_order(recordings))
        self._context_windows = dict(context_windows or {})
        self._recording_of: dict[str, _Progress] = {}
        self._progress = [_Progress(recording) for recording in self.recordings]

    def stream(self, request: ModelRequest, call: ModelCall) -> AsyncIterator[Chunk]:
        """The recorded chunks of this turn, step and attempt. `REPLAY_MISS` when there are none."""
        progress = self._bound(call)
        if call.purpose == "compaction":
            return _summary(progress.next_summary(call))
        return _replayed(progress.attempt(call))

    def context_window(self, model: str) -> int | None:
        """What the constructor was told; `*` holds for all models."""
        return self._context_windows.get(model, self._context_windows.get("*"))

    def defaults(self, config: CallConfig) -> Mapping[str, Any]:
        return {}

    def unconsumed(self) -> list[str]:
        """The recorded calls that were not made: log and `turn/step/attempt`, or the number of a summary."""
        return [line for progress in self._progress for line in progress.unconsumed()]

    def assert_consumed(self) -> None:
        """Raises `NotConsumed` with every recorded call that was not made."""
        left = self.unconsumed()
        if left:
            raise NotConsumed("recorded calls that nobody made: " + "; ".join(left))

    def _bound(self, call: ModelCall) -> _Progress:
        progress = self._recording_of.get(call.session_id)
        if progress is None:
            bound = len(self._recording_of)
            if bound >= len(self._progress):
                raise ModelError(
                    REPLAY_MISS,
                    f"{len(self._progress)} recorded sessions are bound, and a further one began to call "
                    f"(turn {call.turn}, step {call.step})",
                )
            progress = self._recording_of[call.session_id] = self._progress[bound]
        return progress


class _Progress:
    """What of one recording was replayed."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._made: set[tuple[Step, int]] = set()
        self._summaries = 0

    def attempt(self, call: ModelCall) -> RecordedAttempt:
        step = (call.turn, call.step)
        recorded = self._recording.attempts.get(step, [])
        key = (step, call.attempt)
        asked = f"turn {call.turn}, step {call.step}, attempt {call.attempt}"
        if not 1 <= call.attempt <= len(recorded):
            there = f"it has {len(recorded)} for this step" if recorded else f"it has {self._steps()}"
            raise ModelError(REPLAY_MISS, f"{self._recording.name} has no call for {asked}; {there}")
        if key in self._made:
            raise ModelError(REPLAY_MISS, f"{self._recording.name}: the call for {asked} was replayed already")
        self._made.add(key)
        return recorded[call.attempt - 1]

    def next_summary(self, call: ModelCall) -> Mapping[str, Any]:
        summaries = self._recording.summaries
        if self._summaries >= len(summaries):
            raise ModelError(
                REPLAY_MISS,
                f"{self._recording.name} has {len(summaries)} compaction summaries, and one more was asked for "
                f"(turn {call.turn}, step {call.step})",
            )
        self._summaries += 1
        return summaries[self._summaries - 1]

    def unconsumed(self) -> Iterable[str]:
        name = self._recording.name
        for step, recorded in self._recording.attempts.items():
            for number in range(1, len(recorded) + 1):
                if (step, number) not in self._made:
                    yield f"{name} {step[0]}/{step[1]}/{number}"
        for number in range(self._summaries, len(self._recording.summaries)):
            yield f"{name} summary {number + 1}"

    def _steps(self) -> str:
        return ", ".join(f"{turn}/{step}" for turn, step in self._recording.attempts) or "none at all"


async def _replayed(recorded: RecordedAttempt) -> AsyncIterator[Chunk]:
    try:
        rows = await asyncio.to_thread(recorded.rows)  # may read a file
    except (OSError, RecordingError) as error:
        raise ModelError(REPLAY_MISS, f"the recording cannot be read any more: {error}") from error
    for row in rows:
        for chunk in chunks_of(row):
            yield chunk
    override = recorded.override
    if override is None:
        return
    if override.kind == "hang":
        await asyncio.get_running_loop().create_future()
    failure = override.error or ModelError(UNKNOWN, "the recorded call was broken off")
    raise ModelError.from_failure(failure.failure)


async def _summary(data: Mapping[str, Any]) -> AsyncIterator[Chunk]:
    text = _summary_text(data)
    yield block_start(0, "text")
    yield text_delta(0, text)
    yield block_end(0, {"type": "text", "text": text})
    usage: Usage | None = data.get("usage")
    if usage:
        yield usage_chunk(usage)
    yield finish("stop")


def _summary_text(data: Mapping[str, Any]) -> str:
    """The text, which other harnesses keep as a list of blocks."""
    summary = data.get("summary", data.get("text", ""))
    if isinstance(summary, str):
        return summary
    blocks = summary if isinstance(summary, list) else []
    return "".join(
        [block["text"] for block in blocks if isinstance(block, dict) and isinstance(block.get("text"), str)]
    )
