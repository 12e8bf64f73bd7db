"""Pages and a model that do anything in any order: every message has one reply, and in the end nothing is left."""

from __future__ import annotations

import asyncio
import contextlib
import random
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from tests.dynamic.world import B_BAD, B_OK, H_PING
from tests.support.page_server import PageClient, Served, served, until
from workbench.page import limits

STEPS = 60
PACKAGES = ("dyn-1", "dyn-2", "dyn-3", "dyn-9")
GARBAGE = ("", "{}", '{"call":1}', "[]", "\u0000", '{"call":1,"type":"fetch","id":7}')


class Disorder:
    """One program."""

    def __init__(self, s: Served, seed: int) -> None:
        self.s = s
        self.random = random.Random(seed)
        self.pages: list[PageClient] = []
        self.tasks: list[asyncio.Task[Any]] = []

    async def step(self) -> None:
        choices = [self.connect, self.leave, self.talk, self.talk, self.talk, self.model, self.model, self.person]
        await self.random.choice(choices)()
        if self.random.random() < 0.3:
            await asyncio.sleep(0)

    async def connect(self) -> None:
        if len(self.pages) < 5:
            how = self.random.choice([{}, {}, {"waits": True}, {"fails": True}])
            self.pages.append(await PageClient(self.s.url, **how).__aenter__())

    async def leave(self) -> None:
        if self.pages:
            page = self.pages.pop(self.random.randrange(len(self.pages)))
            if self.random.random() < 0.5:
                page.socket.transport.abort()
            await page.close()

    async def talk(self) -> None:
        """A page says something, which may be a lie or nothing at all."""
        if not self.pages:
            return
        page, choose = self.random.choice(self.pages), self.random.choice
        package_id, run = choose(PACKAGES), f"run-{self.random.randint(1, 6)}"
        if self.random.random() < 0.1:
            with contextlib.suppress(ConnectionClosed):
                await page.socket.send(choose(GARBAGE))
            return
        named = {"id": package_id, "run": run}
        kind, fields = choose(
            [
                ("answer", {"request": f"req-{self.random.randint(1, 6)}", "allow": self.random.random() < 0.7}),
                ("fetch", named),
                ("acknowledge", {**named, "state": choose(["loaded", "waiting", "failed"])}),
                ("load", {"id": package_id}),
                ("call", {**named, "method": choose(["ping", "nope"]), "args": [1]}),
                ("render-failed", {**named, "slot": "x", "message": "y", "withdrawn": True}),
                ("load", {"id": 7}),
            ]
        )
        self.tasks.append(asyncio.create_task(self.asked(page, str(kind), dict(fields))))

    async def asked(self, page: PageClient, kind: str, fields: dict[str, Any]) -> None:
        with contextlib.suppress(ConnectionClosed, ConnectionError):
            reply = await page.raw_ask(kind, **fields)
            assert ("value" in reply) != ("error" in reply)

    async def model(self) -> None:
        w, choose = self.s.world, self.random.choice
        tool = choose(["cordis_define", "cordis_run", "cordis_run", "cordis_stop", "cordis_undefine"])
        arguments: dict[str, Any] = {"id": choose(PACKAGES)}
        if tool == "cordis_define":
            arguments = {"name": "p", "purpose": "x", "code": H_PING, "client": choose([B_OK, B_BAD])}
            if len(w.dynamic.packages()) >= 3:
                arguments["id"] = choose(PACKAGES)
        self.tasks.append(w.running("S1", tool, **arguments))

    async def person(self) -> None:
        w = self.s.world
        if pending := w.dynamic.requests.pending():
            w.people.allow(pending[0].id) if self.random.random() < 0.7 else w.people.deny(pending[0].id)
        else:
            w.people.deliver_again(self.random.choice(PACKAGES))

    async def end(self) -> None:
        w = self.s.world
        async with asyncio.timeout(60):
            while w.dynamic.packages() or not all(
                task.done() for task in self.tasks
            ):  # some are still on their way
                for package in w.dynamic.packages():
                    await w.call("S1", "cordis_undefine", id=package.id)
                await asyncio.sleep(0.001)
            await asyncio.gather(*self.tasks)
        for page in self.pages:
            await until(
                lambda page=page: (page.packages == [] and not page.requests) or page.close_code is not None
            )
            await page.close()


@pytest.mark.parametrize("seed", range(6))
async def test_disorder_leaves_nothing(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if seed % 2:
        monkeypatch.setattr(limits, "WRITTEN_BESIDE", 2)
    async with served() as s:
        program = Disorder(s, seed)
        for _ in range(STEPS):
            await program.step()
        await program.end()
        await until(lambda: s.connections == 0)
        assert s.page.pages == ()
        assert s.world.dynamic.pages.all() == ()
        await s.world.check_clean(definitions=True)
