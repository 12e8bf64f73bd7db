"""What a person compares: texts of two versions, of a conflict, and of a default that has changed.

Pure functions over names and texts. A name is a part key, the key of a section, `skill/NAME`, or `policy`.

Source: docs/team.md 14.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from workbench.team.builtin import Builtins, rendered
from workbench.team.snapshot import PartView, TeamSnapshot

POLICY_NAME = "policy"


@dataclass(frozen=True, slots=True)
class TextChange:
    """A text that two versions have different."""

    name: str
    before: str
    """As rendered; empty where there is none."""
    after: str


@dataclass(frozen=True, slots=True)
class ThreeTexts:
    """A text in three forms."""

    name: str
    base: str
    """What both others were made from."""
    theirs: str
    """In the newest version; of a default that has changed, the new one."""
    ours: str
    """In the draft; of a default that has changed, the team's."""

    @property
    def changed_by(self) -> Literal["nobody", "theirs", "ours", "both"]:
        """Whose text is another than the base. The same change on both sides counts as both."""
        is_theirs, is_ours = self.theirs != self.base, self.ours != self.base
        if is_theirs and is_ours:
            return "both"
        return "theirs" if is_theirs else "ours" if is_ours else "nobody"


def named_texts(proposal: Mapping[str, Any], builtins: Builtins) -> dict[str, str]:
    """Every text of a configuration in the form of a save, as it is rendered, by name.

    `Draft.over` and `TeamConfig.as_proposal` give that form. It need not be one that could be saved.
    """
    overrides = proposal["overrides"]
    texts = {
        key: rendered(overrides[key]["text"]) if key in overrides else builtin.text
        for key, builtin in builtins.parts.items()
    }
    texts |= {key: rendered(each["text"]) for key, each in overrides.items() if key not in texts}
    texts |= {name: rendered(text) for name, text in proposal["sections"].items()}
    for skill in proposal["skills"]:
        texts[f"skill/{skill['name']}"] = f"{skill['description']}\n\n{rendered(skill['content'])}"
    policy = proposal["policy"]
    lines = [f"accept mode: {policy['accept_mode']}"]
    for rule in policy["rules"]:
        disabled = "" if rule["enabled"] else " [disabled]"
        lines.append(f"- {rule['name']} ({rule['id']}): {rule['instruction']}{disabled}")
    texts[POLICY_NAME] = "\n".join(lines)
    return texts


def changed_texts(before: TeamSnapshot, after: TeamSnapshot) -> tuple[TextChange, ...]:
    """What two versions say differently."""
    old, new = (named_texts(each.config.as_proposal(), each.builtins) for each in (before, after))
    pairs = ((name, old.get(name, ""), new.get(name, "")) for name in dict.fromkeys((*old, *new)))
    return tuple(TextChange(*pair) for pair in pairs if pair[1] != pair[2])


def conflict_texts(base: TeamSnapshot, newest: TeamSnapshot, draft: Mapping[str, Any]) -> tuple[ThreeTexts, ...]:
    """The three texts of everything that somebody has changed since the base of a draft.

    `draft` is `draft.over(base.config)`: what the draft would have been saved as.
    """
    sides = [named_texts(each.config.as_proposal(), each.builtins) for each in (base, newest)]
    sides.append(named_texts(draft, base.builtins))
    names = dict.fromkeys(name for side in sides for name in side)
    texts = (ThreeTexts(name, *(side.get(name, "") for side in sides)) for name in names)
    return tuple(each for each in texts if each.changed_by != "nobody")


def default_review(view: PartView) -> ThreeTexts:
    """Base, new default and the team's text of a part; without an override all of them are the default."""
    base = view.default if view.base is None else view.base.text
    return ThreeTexts(view.key, base, view.default, view.effective)
