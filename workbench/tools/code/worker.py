"""The child process of `run_code`. Standard library only: it is started by its path, beside the package.

Frames in both directions: four bytes of length, then JSON. The program runs in the main thread; a second
thread takes the replies. What the program prints goes through the same frames; raw writes to the first two
descriptors end in the pipe of standard error, which the parent counts.

Source: docs/tools.md 10.3.
"""

from __future__ import annotations

import ast
import builtins
import json
import os
import sys
import threading
import traceback
from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:  # a module less to load in every child
    from collections.abc import Iterator
    from typing import Any

PROGRAM = "<program>"


class ToolCallError(Exception):
    """A call of a tool failed. `tool` names it, `code` says how."""

    def __init__(self, message: str, tool: str, code: str) -> None:
        super().__init__(message)
        self.tool = tool
        self.code = code


class Channel:
    """Frames to and from the parent."""

    def __init__(self) -> None:
        self._in = os.fdopen(os.dup(0), "rb")
        self._out = os.fdopen(os.dup(1), "wb")
        # The program's own writes to descriptor 1 must never look like frames.
        os.dup2(2, 1)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        self._lock = threading.Lock()

    def send(self, message: dict[str, Any]) -> None:
        data = json.dumps(message, ensure_ascii=True, allow_nan=False).encode()
        with self._lock:
            self._out.write(len(data).to_bytes(4, "big") + data)
            self._out.flush()

    def receive(self) -> Any:
        head = self._in.read(4)
        if len(head) < 4:
            os._exit(4)  # the parent is gone
        return json.loads(self._in.read(int.from_bytes(head, "big")))


class Printed:
    """Standard output of the program: the beginning and the end of it are kept."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, channel: Channel, limit: int, flood: int) -> None:
        self._channel = channel
        self._head_left = limit * 3 // 4
        self._tail_limit = limit - self._head_left
        self._flood = flood
        self._total = 0
        self._tail: deque[str] = deque()
        self._tail_size = 0
        self._dropped = 0
        self._pending: list[str] = []
        self._pending_size = 0
        self._lock = threading.RLock()

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() takes a str, not {type(text).__name__}")
        with self._lock:
            self._total += len(text)
            if self._total > self._flood:
                self._channel.send({"op": "flood", "limit": self._flood})
                os._exit(3)
            head, rest = text[: self._head_left], text[self._head_left :]
            if head:
                self._head_left -= len(head)
                self._pending.append(head)
                self._pending_size += len(head)
                if self._pending_size > 4096:
                    self.flush()
            if rest:
                self._keep_tail(rest)
        return len(text)

    def _keep_tail(self, text: str) -> None:
        self._tail.append(text)
        self._tail_size += len(text)
        while self._tail_size > self._tail_limit:
            over = self._tail_size - self._tail_limit
            first = self._tail.popleft()
            if len(first) > over:
                self._tail.appendleft(first[over:])
                first = first[:over]
            self._dropped += len(first)
            self._tail_size -= len(first)

    def flush(self) -> None:
        with self._lock:
            if self._pending:
                self._channel.send({"op": "print", "text": "".join(self._pending)})
                self._pending, self._pending_size = [], 0

    def finish(self) -> None:
        with self._lock:
            self.flush()
            mark = f"\n[… {self._dropped} characters left out …]\n" if self._dropped else ""
            text = mark + "".join(self._tail)
            if text:
                self._channel.send({"op": "print", "text": text})

    def isatty(self) -> bool:
        return False

    def writable(self) -> bool:
        return True


class Bound:
    """One tool: `tools.NAME(key=value)`, or with one mapping of arguments."""

    def __init__(self, calls: Calls, name: str) -> None:
        self._calls = calls
        self.__name__ = name

    def __call__(self, *positional: Any, **arguments: Any) -> Any:
        name = self.__name__
        if positional:
            if len(positional) > 1 or not isinstance(positional[0], dict):
                raise TypeError(f"tools.{name} takes keyword arguments, or one dict of arguments")
            arguments = {**positional[0], **arguments}
        return self._calls.call(name, arguments)

    def __repr__(self) -> str:
        return f"<tool {self.__name__}>"


class Tools:
    """All tools that the program can reach."""

    def __init__(self, calls: Calls, names: list[str]) -> None:
        self.__dict__["_bound"] = {name: Bound(calls, name) for name in names}

    def __getattr__(self, name: str) -> Bound:
        return self[name]

    def __getitem__(self, name: str) -> Bound:
        try:
            bound: Bound = self.__dict__["_bound"][name]
            return bound
        except KeyError:
            known = ", ".join(self) or "(none)"
            raise AttributeError(f"there is no tool {name!r}; there are: {known}") from None

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("tools cannot be changed")

    def __dir__(self) -> list[str]:
        return list(self)

    def __iter__(self) -> Iterator[str]:
        return iter(self.__dict__["_bound"])


class Calls:
    """Calls that wait for their replies, from any thread."""

    def __init__(self, channel: Channel, printed: Printed) -> None:
        self._channel = channel
        self._printed = printed
        self._lock = threading.Lock()
        self._count = 0
        self._waiting: dict[int, list[Any]] = {}

    def call(self, name: str, arguments: dict[str, Any]) -> Any:
        try:
            json.dumps(arguments, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise TypeError(f"the arguments of tools.{name} are not JSON: {error}") from None
        answered = threading.Event()
        entry: list[Any] = [answered, None]
        with self._lock:
            self._count += 1
            number = self._count
            self._waiting[number] = entry
        self._printed.flush()
        self._channel.send({"op": "call", "id": number, "name": name, "arguments": arguments})
        answered.wait()
        reply = entry[1]
        if reply["ok"]:
            return reply["value"]
        raise ToolCallError(reply["message"], name, reply["code"])

    def serve(self) -> None:
        while True:
            reply = self._channel.receive()
            with self._lock:
                entry = self._waiting.pop(reply["id"], None)
            if entry is not None:
                entry[1] = reply
                entry[0].set()


def compiled(source: str) -> tuple[Any, bool]:
    """The program as the body of one function, so that it may `return` and `await`."""
    tree = ast.parse(source, PROGRAM)
    waits = _awaits(tree.body)
    kind: Any = ast.AsyncFunctionDef if waits else ast.FunctionDef
    nothing = ast.arguments(
        posonlyargs=[], args=[], vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[]
    )
    function = kind(
        name="program",
        args=nothing,
        body=tree.body or [ast.Pass()],
        decorator_list=[],
        returns=None,
        type_comment=None,
    )
    if sys.version_info >= (3, 12):
        function.type_params = []
    module = ast.Module(body=[function], type_ignores=[])
    ast.fix_missing_locations(module)
    return compile(module, PROGRAM, "exec"), waits


def _awaits(body: list[ast.stmt]) -> bool:
    """Whether the top level waits for something."""
    todo: list[ast.AST] = list(body)
    inner = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.Await, ast.AsyncFor, ast.AsyncWith)):
            return True
        if isinstance(node, ast.comprehension) and node.is_async:
            return True
        if not isinstance(node, inner):
            todo.extend(ast.iter_child_nodes(node))
    return False


def run(source: str, tools: Tools) -> Any:
    code, waits = compiled(source)
    space: dict[str, Any] = {
        "__name__": "__main__",
        "__builtins__": builtins,
        "tools": tools,
        "ToolCallError": ToolCallError,
    }
    exec(code, space)
    if waits:
        import asyncio

        return asyncio.run(space["program"]())
    return space["program"]()


def explained(error: BaseException) -> str:
    """The traceback, with the frames of the program alone, and their lines."""
    if isinstance(error, SyntaxError) and error.filename == PROGRAM:
        return "".join(traceback.format_exception_only(type(error), error)).rstrip()
    shown = traceback.TracebackException.from_exception(error)
    todo = [shown]
    while todo:
        each = todo.pop()
        own = [frame for frame in each.stack if frame.filename == PROGRAM]
        each.stack = traceback.StackSummary.from_list(own or each.stack)
        todo.extend(inner for inner in (each.__cause__, each.__context__) if inner is not None)
    return "".join(shown.format()).rstrip()


def remember_lines(source: str) -> None:
    import linecache

    lines = [line + "\n" for line in source.splitlines()]
    linecache.cache[PROGRAM] = (len(source), None, lines, PROGRAM)


def main() -> None:
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from fence import fence, give_up_rights, limit_memory  # type: ignore[import-not-found]

    del sys.path[0]
    channel = Channel()
    order = channel.receive()
    printed = Printed(channel, order["output_limit"], order["flood_limit"])
    calls = Calls(channel, printed)
    output: Any = printed
    sys.stdout = sys.stderr = output
    sys.stdin = None
    sys.excepthook = lambda kind, error, trace: print(explained(error))
    remember_lines(order["code"])
    limit_memory(order["memory_limit"])
    give_up_rights()
    threading.Thread(target=calls.serve, daemon=True).start()
    fence({sys.prefix, sys.base_prefix, os.path.dirname(os.__file__), *filter(os.path.isabs, sys.path)})
    channel.send({"op": "ready"})
    try:
        value = run(order["code"], Tools(calls, order["names"]))
        try:
            answer = json.dumps(value, ensure_ascii=True, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise TypeError(f"the program returned what is not JSON: {error}") from None
        if len(answer) > order["value_limit"]:
            raise ValueError(
                f"the program returned {len(answer)} characters, and {order['value_limit']} are allowed: "
                "return only what is needed"
            )
        end: dict[str, Any] = {"op": "done", "value": value}
    except BaseException as error:
        end = {"op": "failed", "message": explained(error)[-8000:]}
    printed.finish()
    channel.send(end)
    os._exit(0)


if __name__ == "__main__":
    main()
