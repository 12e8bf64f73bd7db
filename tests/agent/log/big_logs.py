"""Session logs of any size and one shape, written line by line, since a recorder of them would take an hour.

    python tests/agent/log/big_logs.py PATH MEGABYTES [compacts|grows|drifts]

A step holds what a real one holds: a few dozen chunks, an answer with a tool call, and the tool's result, which
is most of it. `compacts`: the conversation is summed up after every hundred steps, as one that fits into a
context window is; `grows`: never; `drifts`: as `compacts`, and a clock near the top of the system text changes at
every step, so that a header is recorded with each.
"""

from __future__ import annotations

import hashlib
import random
import sys
from pathlib import Path
from typing import Any, Literal

import orjson

from workbench.agent.log.canonical import message_line, system_line, tool_line
from workbench.values.frozen import freeze

Shape = Literal["compacts", "grows", "drifts"]
_WORDS = "the model reads what a plugin has written into the prompt before each request and says so again".split()
_TOOL = {"name": "", "description": "", "parameters": {"type": "object", "properties": {}}}


class _Writer:
    def __init__(self, path: Path, shape: Shape, seed: int) -> None:
        self.file = open(path, "wb", buffering=1 << 20)  # noqa: SIM115
        self.shape = shape
        self.random = random.Random(seed)
        self.seq = self.size = 0
        self.time = 1_790_000_000_000
        self.nodes: list[tuple[int, bytes]] = []
        self.header_seq = -1
        self.tools = [freeze({**_TOOL, "name": f"tool_{n}", "description": self.words(400)}) for n in range(12)]
        self.rules = "\n\n".join(f"# Rules {n}\n{self.words(1200)}" for n in range(6))
        self.head = b""
        self.digest: Any = None
        self.digested = 0

    def words(self, characters: int) -> str:
        text = " ".join(self.random.choices(_WORDS, k=characters // 5))
        return f"{self.random.getrandbits(64):x} {text}"[:characters]

    def put(self, record: dict[str, Any]) -> None:
        line = orjson.dumps(record) + b"\n"
        self.size += len(line)
        self.file.write(line)

    def event(self, event_type: str, data: dict[str, Any], **more: Any) -> int:
        self.time += self.random.randrange(5, 50)
        self.put({"type": event_type, "seq": self.seq, "time": self.time, "data": data, **more})
        self.seq += 1
        return self.seq - 1

    def message(self, event_type: str, data: dict[str, Any], *cited: int) -> None:
        said = data if event_type == "user/message" else data["message"]
        more: dict[str, Any] = {"sourceEventSeqs": list(cited)} if cited else {}
        self.nodes.append((self.event(event_type, data, surfaceOp="append", **more), message_line(said)))

    def header(self, clock: int, reason: str) -> None:
        system = f"You are an agent.\n\n# Now\nIt is {clock}.\n\n{self.rules}"
        config = {"provider": "scripted", "model": "m1"}
        header = {"config": config, "system": system, "tools": self.tools}
        self.header_seq = self.event("request/header", {"header": header, "reason": reason})
        self.head = system_line(system) + b"".join(map(tool_line, self.tools))
        self.digest = None

    def send(self, place: dict[str, int]) -> None:
        if self.digest is None:
            self.digest, self.digested = hashlib.sha256(self.head), 0
        for _, line in self.nodes[self.digested :]:
            self.digest.update(line)
        self.digested = len(self.nodes)
        data = {**place, "attempt": 1, "headerSeq": self.header_seq, "messageCount": len(self.nodes)}
        self.event("request/sent", {**data, "digest": self.digest.hexdigest()}, ignorable=True)

    def compact(self, step: int) -> None:
        keep = self.nodes[-4:]
        gone = [seq for seq, _ in self.nodes[:-4]]
        said = _user(f"Summary {step}: " + self.words(3000), step)
        self.event("compaction/start", {"instruction": "Sum up."})
        op = {"op": "replace", "start": gone[0], "end": gone[-1]}
        seq = self.event("user/message", said, surfaceOp=op, sourceEventSeqs=gone)
        self.event("compaction/end", {"outcome": "completed"})
        self.nodes = [(seq, message_line(said)), *keep]
        self.digest = None


def _user(text: str, number: int) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    return {"id": f"u{number}", "role": "user", "content": content, "source": {"kind": "user"}}


def write_log(path: Path, megabytes: float, shape: Shape = "compacts", seed: int = 7) -> int:
    """Writes a log of about that size; how many requests it holds."""
    log = _Writer(path, shape, seed)
    log.put({"type": "session", "version": 0, "id": f"big-{shape}", "createdAt": log.time, "cwd": "/w"})
    log.header(0, "initial")
    step = turn = 0
    while log.size < megabytes * 1_000_000:
        turn += 1
        log.event("turn/start", {"turn": turn})
        for nth in range(1, 9):
            step += 1
            place = {"turn": turn, "step": nth}
            if nth == 1 and step > 1 and (step // 8) % 12 == 0 and shape != "grows":
                log.compact(step)
            log.event("step/start", place)
            if nth == 1:
                log.message("user/message", _user(f"Question {turn}: {log.words(300)}", step))
            if step > 1 and (shape == "drifts" or step % 40 == 0):
                log.header(step, "change")
            log.send(place)
            _answer(log, place, step)
            log.event("step/end", place)
        log.event("turn/end", {"turn": turn, "reason": {"kind": "completed"}})
    log.file.close()
    return step


def _answer(log: _Writer, place: dict[str, int], step: int) -> None:
    chunks = [
        log.event("assistant/chunk", {**place, "chunk": {"type": "text-delta", "index": 0, "text": log.words(60)}})
        for _ in range(24)
    ]
    usage = {"inputTokens": 900 + step % 50, "cacheReadTokens": 20_000 + step, "outputTokens": 300}
    chunks.append(log.event("assistant/chunk", {**place, "chunk": {"type": "usage", "usage": usage}}))
    finish = {"type": "finish", "reason": {"kind": "tool-calls"}}
    chunks.append(log.event("assistant/chunk", {**place, "chunk": finish}))
    call = {"type": "tool-call", "id": f"c{step}", "name": "tool_3", "arguments": '{"path": "src/a.py"}'}
    content = [{"type": "text", "text": log.words(1200)}, call]
    answer = {"id": f"a{step}", "role": "assistant", "content": content}
    log.message("assistant/message", {**place, "message": answer, "usage": usage}, *chunks)
    begun = {"callId": call["id"], "name": call["name"], "arguments": call["arguments"]}
    called = log.event("tool/call", {**place, **begun})
    said = {"type": "text", "text": log.words(log.random.choice((800, 3000, 5000, 16_000)))}
    block = {"type": "tool-result", "toolCallId": call["id"], "content": [said], "isError": False}
    source = {"kind": "tool", "callId": call["id"]}
    message = {"id": f"r{step}", "role": "user", "content": [block], "source": source}
    log.message("tool/result", {**place, "message": message}, called)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[3]))
    chosen: Any = sys.argv[3] if len(sys.argv) > 3 else "compacts"
    print(write_log(Path(sys.argv[1]), float(sys.argv[2]), chosen), "requests")
