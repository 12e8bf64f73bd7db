"""What a package does to the request: what it broke, what it adds, and what its stop would cost."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from tests.agent.scenario import calls, say, text, world
from tests.dynamic.test_with_agents import define, with_packages
from tests.dynamic.world import H_GREET, H_SEC
from tests.dynamic.world import world as packages_world
from tests.tui.packages_by_hand import released
from tests.tui.test_place_packages import running
from tests.tui.test_view_packages import text as shown
from workbench.agent.log.timeline import timeline
from workbench.prompt import AssembleContext
from workbench.prompt.preview import preview
from workbench.tui.live import RuntimeSubject
from workbench.tui.places.packages.effect import effect_of, stop_cost, with_conversation
from workbench.tui.session_feed import Track, messages_sent
from workbench.tui.view.packages_data import BreakData, Effect, InForce, StopCost
from workbench.tui.view.packages_effect import effect_parts, stop_parts
from workbench.tui.view.sizes import CHARACTERS


def told(effect: Effect) -> str:
    return " ".join(shown((*effect_parts(released(), effect), *stop_parts(released(), effect))).split())


def test_words() -> None:
    section = InForce("section", "dyn:release-notes", "21 tok")
    effect = Effect(
        (section,), "section dyn:release-notes", BreakData("5.1", 241, 12_190), StopCost(250, 12_174, 95)
    )
    words = told(effect)
    assert "broke the prefix at request 5.1, token ≈ 241: ≈ 12,190 cached tokens were lost" in words
    assert "+ ≈ 95 tokens more in every request" in words
    assert "breaks at token ≈ 250, section dyn:release-notes, and reads ≈ 12,174 tokens anew, once" in words
    assert "1 timer, 1 listener, 1 tool, 1 section go" in words
    exact = told(Effect((section,), "x", BreakData("1.1", 2, 3, True), StopCost(1, 2, -1, True, True)))
    assert "≈" not in exact
    assert "− 1 token fewer in every request" in exact
    assert "it has changed parts of others" in exact
    assert "the next request breaks at section x" in told(Effect((section,), "section x")), "not counted yet"
    assert "the prefix stays whole" in told(Effect((InForce("context", "c"),)))
    assert "breaks" not in told(Effect())
    assert "reads ≈ 1 token anew" in told(Effect((section,), "x", None, StopCost(1, 1, 1)))


def test_the_conversation_is_read_anew_with_what_breaks() -> None:
    assert with_conversation(StopCost(5, 10, 3, True), 400) == StopCost(5, 410, 3, False)
    for whole in (StopCost(None, 0, 3, True), StopCost(5, 10, 3, True)):
        assert with_conversation(whole, 0 if whole.first_token else 400) == whole


async def test_the_break_that_it_made_is_found_in_the_session() -> None:
    script = (calls(define(H_SEC, "1")), calls(("cordis_run", {"id": "dyn-1"}, "2")), text("there"))
    async with world(*script) as w:
        w.root.agents.service.services.records_parts = True  # as in compositions
        await with_packages(w)
        subject = RuntimeSubject(w.root.runtime)
        packages = subject.packages
        assert packages is not None
        agent = await w.agent()
        await say(agent, "go")
        track = Track("main", timeline=timeline(agent.session.header, agent.session.events))
        feed: Any = SimpleNamespace(tracks=[track])
        now = await preview(w.root.system_prompt, AssembleContext())
        card = packages.card("dyn-1")
        assert card is not None
        effect = effect_of(now, CHARACTERS, card, feed)
        assert effect.broke is not None
        assert effect.broke.request == "1.3"
        assert effect.broke.lost > 0
        feed.tracks.append(Track("other"))
        assert effect_of(now, CHARACTERS, card, feed).broke.request.endswith(" of main")  # type: ignore[union-attr]
        await packages.stop("dyn-1")
        await packages.start("dyn-1")
        fresh = packages.card("dyn-1")
        assert fresh is not None
        assert effect_of(now, CHARACTERS, fresh, feed).broke is None, "another run has made it"
        assert messages_sent(feed.tracks, "main") > 0
        assert messages_sent(feed.tracks, "other") == 0


async def test_the_place_counts_what_a_stop_costs() -> None:
    async with packages_world() as made, running(made) as screen:
        note, greeter = await made.started(H_SEC, name="Note"), await made.started(H_GREET, name="Greeter")
        await screen.press("5")
        screen.packages.show_target(note)
        await screen.until(lambda: "anew, once" in screen.text())
        assert "in every request" in screen.text()
        screen.packages.show_target(greeter)
        await screen.until(lambda: "No section, context or tool of it is in force." in screen.text())
        assert "breaks" not in screen.text()
        assert await stop_cost(screen.app.viewing.preview, greeter) is None  # type: ignore[arg-type]
