"""Drafts: what they hold, what they are laid over, and that they survive."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.team.scenario import D0, rule, skill
from workbench.team.comparing import conflict_texts, default_review
from workbench.team.config import ProposedConfig, TeamConfig, default_config, read_shape
from workbench.team.drafts import Draft, DraftError, DraftFolder
from workbench.team.snapshot import TeamSnapshot
from workbench.team.validation import Limits, judge

DEFAULTS = default_config(D0, "manual")


def saved(draft: Draft, config: TeamConfig = DEFAULTS) -> TeamConfig:
    """What a save of the draft on this configuration stores."""
    return judge(draft.over(config), config, D0, Limits()).config


def test_an_empty_draft_is_its_base() -> None:
    assert Draft(0).is_empty
    assert saved(Draft(0)) == DEFAULTS


def test_edits_of_everything() -> None:
    first = saved(
        Draft(
            0,
            sections={"communication": "C1"},
            overrides={"runtime/work": {"text": "W"}},
            skills={"a": skill("a"), "b": skill("b")},
            accept_mode="automatic",
            rules={name: rule(name, name.upper(), "do") for name in ("x", "y", "z")},
        )
    )
    assert [each.id for each in first.policy.rules] == ["x", "y", "z"]
    second = saved(
        Draft(
            1,
            overrides={"runtime/work": None},
            skills={"a": None, "b": skill("b", content="new")},
            rules={"y": rule("y", "Y", "do", enabled=False)},
            rule_order=("z", "x"),
        ),
        first,
    )
    assert second.overrides == {}
    assert [(each.name, each.content) for each in second.skills] == [("b", "new")]
    assert [(each.id, each.enabled) for each in second.policy.rules] == [("z", True), ("x", True), ("y", False)]
    assert (second.policy.accept_mode, second.sections.communication) == ("automatic", "C1")


def test_edits_revert_nobody_elses() -> None:
    mine = Draft(1, rules={"x": rule("x", "X", "mine")}, skills={"a": skill("a", content="mine")})
    theirs = saved(Draft(1, sections={"ticket_scope": "theirs"}, rules={"y": rule("y", "Y", "theirs")}))
    both = saved(mine.rebased(2), theirs)
    assert {each.instruction for each in both.policy.rules} == {"mine", "theirs"}
    assert both.sections.ticket_scope == "theirs"


def test_the_three_texts_of_a_conflict() -> None:
    base = TeamSnapshot(1, 0, DEFAULTS, D0)
    theirs = saved(Draft(1, sections={"ticket_scope": "theirs", "communication": "both"}))
    draft = Draft(1, sections={"communication": "mine"}, skills={"a": skill("a")}, accept_mode="maybe")
    draft = draft.with_override("runtime/work", "mine")
    texts = {each.name: each for each in conflict_texts(base, TeamSnapshot(2, 0, theirs, D0), draft.over(DEFAULTS))}
    assert {name: each.changed_by for name, each in texts.items()} == {
        "runtime/work": "ours",
        "communication": "both",
        "ticket_scope": "theirs",
        "policy": "ours",
        "skill/a": "ours",
    }
    assert (texts["communication"].base, texts["communication"].theirs, texts["communication"].ours) == (
        "C",
        "both",
        "mine",
    )


def test_the_review_of_a_changed_default() -> None:
    config = saved(Draft(0).with_override("runtime/work", "W\n"))
    review = default_review(TeamSnapshot(1, 0, config, D0.changed({"runtime/work": "P2"})).part("runtime/work"))
    assert (review.base, review.theirs, review.ours, review.changed_by) == ("P:runtime/work", "P2", "W", "both")
    assert default_review(TeamSnapshot(1, 0, DEFAULTS, D0).part("runtime/work")).changed_by == "nobody"


def test_drafts_survive_and_are_kept_whole(tmp_path: Path) -> None:
    folder = DraftFolder(tmp_path / "drafts")
    assert folder.load("store") is None
    draft = Draft(3, sections={"communication": "日本語 \x1b[31m"}, places={"communication": (1, 2)})
    folder.keep("store", draft)
    assert DraftFolder(tmp_path / "drafts").load("store") == draft
    assert folder.load("another store") is None
    assert [each.suffix for each in folder.folder.iterdir()] == [".json"]
    folder.keep("store", Draft(3))
    assert folder.load("store") is None
    folder.drop("store")


def test_a_draft_that_cannot_be_read_is_left_alone(tmp_path: Path) -> None:
    folder = DraftFolder(tmp_path)
    folder.path_of("store").write_text("{", encoding="utf-8")
    with pytest.raises(DraftError, match="cannot be read"):
        folder.load("store")
    assert folder.path_of("store").read_text(encoding="utf-8") == "{"
    blocked = DraftFolder(folder.path_of("store"))
    with pytest.raises(DraftError, match="cannot be kept"):
        blocked.keep("store", Draft(0, accept_mode="manual"))


def test_a_proposal_has_the_shape_of_a_save() -> None:
    config = saved(Draft(0, overrides={"runtime/work": {"text": "W"}}, rules={"x": rule("x", "X", "do")}))
    assert read_shape(ProposedConfig, config.as_proposal()).overrides["runtime/work"].base
