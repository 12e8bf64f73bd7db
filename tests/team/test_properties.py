"""Versions and overrides over random histories, against a model of a few lines."""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.team.scenario import D0, SIZE_LIMIT, proposal, rule
from workbench.team.builtin import rendered
from workbench.team.compose import RuntimeEnv, compose_runtime_parts, fill, join_parts
from workbench.team.problems import Conflict, Refused
from workbench.team.store.versions import VersionStore
from workbench.team.validation import Limits, size_of

WORK, REPLIES = "runtime/work", "runtime/replies"
TEXTS = st.sampled_from(
    ["W", "W2", "P2", "P:runtime/work", "P:runtime/work\r\n", "", "{{x}} ${y}", "日本語\x1b[1m"]
)
DEFAULTS = st.sampled_from(["P:runtime/work", "P2", "P3"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("override"), st.sampled_from([WORK, REPLIES]), TEXTS, st.booleans()),
        st.tuples(st.just("default"), st.just(WORK), st.just(""), st.just(False)),
        st.tuples(st.just("upgrade"), st.just(WORK), DEFAULTS, st.just(False)),
        st.tuples(st.just("rules"), st.sampled_from(["a", "b"]), st.just(""), st.booleans()),
        st.tuples(st.just("section"), st.just("communication"), TEXTS, st.just(False)),
        st.tuples(st.just("restore"), st.just(""), st.just(""), st.booleans()),
        st.tuples(st.just("stale"), st.just(""), st.just(""), st.just(False)),
        st.tuples(st.just("wrong"), st.just(""), st.just(""), st.just(False)),
    ),
    max_size=14,
)


class Model:
    """What the specification says of overrides and versions, in the fewest words."""

    def __init__(self) -> None:
        self.overrides: dict[str, tuple[str, str]] = {}
        """Text and base by key."""
        self.history: list[dict[str, tuple[str, str]]] = [{}]

    def saved(self, overrides: dict[str, tuple[str, str]], defaults: dict[str, str]) -> None:
        self.overrides = {key: pair for key, pair in overrides.items() if rendered(pair[0]) != defaults[key]}
        self.history.append(self.overrides)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS)
def test_a_history_is_what_the_rules_say(steps: list[tuple[str, str, str, bool]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        address = Path(folder) / "team.db"
        with closing(VersionStore(address, builtins=D0, limits=Limits(SIZE_LIMIT))) as store:
            _follow(store, steps)
            final = [store.version(revision) for revision in range(store.newest_revision() + 1)]
        with closing(VersionStore(address, builtins=store.builtins, limits=Limits(SIZE_LIMIT))) as store:
            assert [store.version(version.revision) for version in final[1:]] == final[1:], (
                "also by another process"
            )


def _follow(store: VersionStore, steps: list[tuple[str, str, str, bool]]) -> None:
    model = Model()
    policy_version = 0
    for kind, key, text, flag in steps:
        newest = store.newest()
        defaults = {each: store.builtins.parts[each].text for each in (WORK, REPLIES)}
        given = newest.config.as_proposal()
        before = [store.version(revision) for revision in range(1, newest.revision + 1)]
        match kind:
            case "upgrade":
                store.builtins = D0.changed({WORK: text})
                continue
            case "override":
                base = model.overrides.get(key, ("", defaults[key]))[1]
                given["overrides"][key] = {"text": text}
                if flag:
                    base = defaults[key]
                    given["overrides"][key]["base"] = store.builtins.parts[key].sha256
                store.save(given, newest.revision)
                model.saved({**model.overrides, key: (text, base)}, defaults)
            case "default":
                given["overrides"].pop(key, None)
                store.save(given, newest.revision)
                model.saved({each: pair for each, pair in model.overrides.items() if each != key}, defaults)
            case "rules":
                given["policy"]["rules"] = [rule(key, key.upper(), "do", flag)]
                saved = store.save(given, newest.revision).version
                policy_version = (
                    newest.policy_version if saved.config.policy == newest.config.policy else saved.revision
                )
                assert saved.policy_version == policy_version
                model.saved(model.overrides, defaults)
            case "section":
                given["sections"][key] = text
                store.save(given, newest.revision)
                model.saved(model.overrides, defaults)
            case "restore":
                wanted = newest.revision // 2
                saved = store.restore("defaults" if flag else wanted, newest.revision).version
                model.saved({} if flag else model.history[wanted], defaults)
                assert saved.restored_from == ("defaults" if flag else wanted)
            case "stale":
                _refused(store, given, newest.revision + 1, Conflict)
            case _:
                _refused(store, {**given, "more": 1}, newest.revision, Refused)
        after = store.newest()
        stored = {each: (override.text, override.base.text) for each, override in after.config.overrides.items()}
        assert stored == model.overrides
        assert [store.version(revision) for revision in range(1, newest.revision + 1)] == before, "none was edited"
        assert after.revision - newest.revision == (kind not in ("stale", "wrong"))
        _snapshot_holds(store, model)


def _snapshot_holds(store: VersionStore, model: Model) -> None:
    snapshot = store.snapshot()
    assert snapshot.revision == store.newest_revision()
    for key in (WORK, REPLIES):
        default = store.builtins.parts[key].text
        text, base = model.overrides.get(key, (default, default))
        assert snapshot.effective(key) == rendered(text)
        is_marked = key in model.overrides and base != default and rendered(text) != default
        assert (key in snapshot.default_changed) == is_marked
    assert size_of(snapshot.config) <= SIZE_LIMIT
    for role, last in (("orchestrator", "runtime:policy"), ("worker", "runtime:environment")):
        parts = compose_runtime_parts(role, snapshot, RuntimeEnv())  # type: ignore[arg-type]
        assert parts[-1].section == last
        assert all(part.text for part in parts)
        assert join_parts(parts).count("## Ticket scope") == 1


def _refused(store: VersionStore, given: Any, base: int, error: type[Exception]) -> None:
    try:
        store.save(given, base)
    except error:
        return
    raise AssertionError("it was accepted")


TOKENS = st.sampled_from(["{version}", "{mode}", "{rules}", "{other}", "{{version}}", "text", "\n", "{", "}"])


@given(st.lists(TOKENS), st.lists(TOKENS), st.lists(TOKENS))
def test_templates_are_filled_in_one_pass(template: list[str], mode: list[str], rules: list[str]) -> None:
    values = {"{version}": "7", "{mode}": "".join(mode), "{rules}": "".join(rules)}
    expected, rest = "", "".join(template)
    while rest:
        token = next((each for each in values if rest.startswith(each)), None)
        expected += rest[0] if token is None else values[token]
        rest = rest[len(token or "x") :]
    assert fill("".join(template), values) == expected


@given(st.text(max_size=200))
def test_every_whole_text_comes_back_byte_for_byte(text: str) -> None:
    from workbench.team.config import TeamConfig, default_config
    from workbench.team.validation import judge

    given_config = proposal(communication=text)
    if any("\ud800" <= each <= "\udfff" for each in text):
        return
    config = judge(given_config, default_config(D0, "manual"), D0, Limits()).config
    assert TeamConfig.model_validate_json(config.model_dump_json()).sections.communication == text
