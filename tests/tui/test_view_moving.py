"""Going somewhere and back, filtering, finding by letters: pure functions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tests.support.previews as p
from workbench.tui.places.base import TABS
from workbench.tui.view.entries import PluginTrouble, keyed
from workbench.tui.view.filter import EVERYTHING, Filter, filter_items, typed
from workbench.tui.view.jumps import jumps
from workbench.tui.view.picker import Item, picker_rows, search
from workbench.tui.view.trail import Spot, Trail


def spot(number: int) -> Spot:
    return Spot("Prompt", "main", number)


def test_back_and_forward_are_those_of_a_browser() -> None:
    trail = Trail()
    assert trail.back(spot(0)) is None
    trail.leave(spot(0))
    trail.leave(spot(1))
    assert trail.back(spot(2)) == spot(1)
    assert trail.back(spot(1)) == spot(0)
    assert trail.back(spot(0)) is None
    assert trail.forward(spot(0)) == spot(1)
    assert trail.forward(spot(1)) == spot(2)
    assert trail.forward(spot(2)) is None
    assert trail.back(spot(2)) == spot(1)
    trail.leave(spot(1))
    assert trail.forward(spot(3)) is None
    assert trail.back(spot(3)) == spot(1)


@given(st.lists(st.tuples(st.sampled_from(["leave", "back", "forward"]), st.integers(0, 5)), max_size=60))
def test_a_trail_is_bounded_and_back_undoes_forward(steps: list[tuple[str, int]]) -> None:
    trail = Trail(limit=5)
    here = spot(9)
    for action, number in steps:
        if action == "leave":
            trail.leave(here)
            here = spot(number)
        else:
            was, could = here, trail.can_go_forward
            there = trail.back(here) if action == "back" else trail.forward(here)
            assert action == "back" or (there is not None) == could
            if there is not None:
                here = there
                returned = trail.forward(here) if action == "back" else trail.back(here)
                assert returned is not None
                if action == "back":
                    assert returned == was
                    assert trail.back(returned) == here
                else:
                    assert trail.forward(returned) is not None
        assert len(trail._spots) <= 6


ENTRIES = dict(keyed(p.CODING_AGENT, [PluginTrouble(p.WEB, "failed", "no network")]))


def names(chosen: Filter, changed: frozenset[object] = frozenset()) -> list[str]:
    return [key.name for key, entry in ENTRIES.items() if chosen.lists(key, entry, changed)]  # type: ignore[arg-type]


def test_filters_add_up() -> None:
    assert names(EVERYTHING) == [key.name for key in ENTRIES]
    assert names(Filter(owner="bash")) == ["tool:bash", "bash"]
    assert names(Filter(owner="bash", changed=True)) == ["tool:bash"]
    assert names(Filter(error=True)) == ["web"]
    read = next(key for key in ENTRIES if key.name == "tool:read")
    assert names(Filter(changed=True), frozenset({read})) == ["tool:bash", "tool:read"]
    assert names(Filter(layer="main")) == []
    assert not EVERYTHING
    assert Filter(owner="bash", error=True).words == "owner:bash is:error"


def test_what_can_be_filtered_by_is_counted_and_taken() -> None:
    items = {item.id: item for item in filter_items(ENTRIES, (), Filter(owner="bash"))}
    assert items["owner:files"].note == "4 entries"
    assert items["is:error"].note == "1 entry"
    assert items["all"].note == "now owner:bash"
    assert Filter(owner="bash").taken("is:changed") == Filter(owner="bash", changed=True)
    assert Filter(owner="bash").taken("owner:a:b") == Filter(owner="a:b")
    assert Filter(owner="bash").taken("all") == EVERYTHING


def test_everything_with_a_name_can_be_jumped_to() -> None:
    scopes = p.FakeSubject().scopes
    found = jumps(TABS, scopes, "Prompt", ENTRIES, p.CODING_AGENT, ["shell", "shell", "files"])
    by_group: dict[str, list[str]] = {}
    for position, jump in enumerate(found):
        assert jump.item.id == f"jump:{position}"
        by_group.setdefault(jump.item.group, []).append(jump.item.title)
    assert by_group["Jump to"] == [key.name for key in ENTRIES]
    assert by_group["Plugins"] == ["shell", "files"]
    assert by_group["Scopes"] == ["(global)", "main", "reviewer"]
    assert "bash" in by_group["Owners"]
    assert all(jump.item.help for jump in found)


TITLES = st.lists(st.text("ab:c 日", max_size=12), max_size=20)


@given(TITLES, st.text("ab:c日", max_size=4))
def test_matched_letters_are_those_of_the_query(titles: list[str], query: str) -> None:
    items = [Item(str(index), title, group=str(index % 3)) for index, title in enumerate(titles)]
    found = search(items, query)
    for each in found:
        if query:
            assert "".join(each.item.title[at] for at in each.at) == query
    if query:
        expected = {item.id for item in items if _is_subsequence(query, item.title)}
        assert {each.item.id for each in found} == expected
    rows = picker_rows(found)
    assert [row.item for row in rows if row.item is not None] == list(range(len(found)))


def _is_subsequence(query: str, title: str) -> bool:
    rest = iter(title)
    return all(letter in rest for letter in query)


def test_where_no_title_fits_the_help_is_looked_at() -> None:
    items = [Item("a", "Find", help="Find words, or the listener that removed them."), Item("b", "Moved")]
    assert [each.item.id for each in search(items, "who removed")] == []
    assert [(each.item.id, each.at) for each in search(items, "listener Removed")] == [("a", ())]
    assert [each.item.id for each in search(items, "moved")] == ["b"], "titles come before"


def test_a_word_that_begins_with_the_letters_comes_first() -> None:
    items = [Item("1", "unread"), Item("2", "tool:read"), Item("3", "r-e-a-d"), Item("4", "read")]
    assert [each.item.id for each in search(items, "read")][:2] == ["4", "2"]
    assert search(items, "read")[1].at == (5, 6, 7, 8)


@pytest.mark.parametrize(
    ("query", "words", "rest"),
    [
        ("two words", "", "two words"),
        ("owner:Bash", "owner:bash", ""),
        ("owner:bash  two words ", "owner:bash", "two words "),
        ("layer:main is:changed is:error x", "layer:main is:changed is:error", "x"),
        ("owner:", "", ""),
        ("is:cha", "", ""),
        ("is:green x", "", "is:green x"),
        ("what is:changed", "", "what is:changed"),
        ("  padded", "", "  padded"),
        ("", "", ""),
    ],
)
def test_fields_stand_before_the_words_that_are_looked_for(query: str, words: str, rest: str) -> None:
    found = typed(query)
    assert (found.filter.words, found.words) == (words, rest)
    assert found.filter.is_typed is bool(words)
