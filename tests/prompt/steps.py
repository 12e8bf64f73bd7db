"""What random programs over a prompt registry are made of.

Source: docs/prompt-assembly.md 3, 4 and 9.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

NAMES = ("n0", "n1", "n2", "\U0001d518", "\ufb01")
VARIABLES = ("va", "vb", "vc")
LAYERS = (None, "child", "parent", "other")
ORDERS = (-5, 0, 0.0, -0.0, 0.5, 10, 10.0, 99)


@dataclass(frozen=True)
class AddText:
    kind: str
    layer: str | None
    name: str
    order: float
    text: str
    provider: bool = False
    literal: bool = False
    complete: bool = False


@dataclass(frozen=True)
class AddVariable:
    layer: str | None
    name: str
    value: str | None


@dataclass(frozen=True)
class AddSuppressor:
    layer: str | None


@dataclass(frozen=True)
class AddListener:
    layer: str | None
    edits: tuple[tuple[str, int, str], ...]
    """Each: name of the edit, an index, a text."""
    next_after: int
    """How many edits come before `next()`; the others come after it."""
    prepend: bool = False


@dataclass(frozen=True)
class Say:
    """A provider says something else from now on."""

    which: int
    text: str


@dataclass(frozen=True)
class Dispose:
    which: int


@dataclass(frozen=True)
class Move:
    """Bind `child` below another scope."""

    parent: str


@dataclass(frozen=True)
class Assemble:
    scope: str | None
    renders: int = 1


Step = AddText | AddVariable | AddSuppressor | AddListener | Say | Dispose | Move | Assemble

TEXT = st.lists(
    st.sampled_from(["{{va}}", "{{vb}}", "{{vc}}", "plain", "\n", " ", "{", "é", "日本", "👩‍👩‍👧"]), max_size=4
).map("".join)
ODD_TEXT = st.sampled_from(["{{ va }}", "{{va", "}}{{", "{{{va}}}", "{{unknown}}", "{{vb}}{{"])
ANY_TEXT = TEXT | TEXT | TEXT | ODD_TEXT
LAYER = st.sampled_from(LAYERS)
INDEX = st.integers(0, 6)
EDITS = (
    "set text",
    "set text by name",
    "append to each",
    "rename",
    "literal",
    "not literal",
    "insert",
    "append",
    "delete",
    "remove",
    "replace item",
    "pop",
    "reverse",
    "sort",
    "filter",
    "new list",
    "new assembly",
    "clear",
    "set variable",
    "no value",
    "drop variable",
    "order",
    "read",
    "extend",
    "slice",
)


def _rarely() -> st.SearchStrategy[bool]:
    return st.sampled_from([False] * 7 + [True])


ADD_TEXT = st.builds(
    AddText,
    kind=st.sampled_from(["section", "section", "context"]),
    layer=LAYER,
    name=st.sampled_from(NAMES),
    order=st.sampled_from(ORDERS),
    text=ANY_TEXT,
    provider=st.booleans(),
    literal=_rarely(),
    complete=st.sampled_from([False] * 20 + [True]),
)
ADD_VARIABLE = st.builds(
    AddVariable,
    layer=LAYER,
    name=st.sampled_from(VARIABLES),
    value=st.sampled_from(["", "A", "{{vb}}", "line\nline", "}}", None]),
)
ADD_LISTENER = st.builds(
    AddListener,
    layer=LAYER,
    edits=st.lists(st.tuples(st.sampled_from(EDITS), INDEX, TEXT), max_size=3).map(tuple),
    next_after=st.integers(0, 3),
    prepend=st.booleans(),
)
ASSEMBLE = st.builds(Assemble, scope=LAYER, renders=st.integers(1, 3))
STEP = st.one_of(
    ADD_TEXT,
    ADD_TEXT,
    ADD_VARIABLE,
    ADD_LISTENER,
    st.builds(AddSuppressor, layer=LAYER),
    st.builds(Say, which=st.integers(0, 20), text=ANY_TEXT),
    st.builds(Dispose, which=st.integers(0, 20)),
    st.builds(Dispose, which=st.integers(0, 20)),
    st.builds(Move, parent=st.sampled_from(["parent", "other"])),
    ASSEMBLE,
    ASSEMBLE,
    ASSEMBLE,
)
BASE = st.sampled_from(
    [
        (),
        tuple(AddVariable(None, name, "V") for name in VARIABLES),
        (
            *(AddVariable(None, name, "V") for name in VARIABLES),
            *(AddText("section", None, name, 10, "{{va}} and", provider=False) for name in NAMES[:4]),
            Assemble(None, 2),
            Assemble("child", 2),
        ),
    ]
)
PROGRAMS = st.tuples(BASE, st.lists(STEP, min_size=3, max_size=24).map(tuple), ASSEMBLE).map(
    lambda parts: (*parts[0], *parts[1], parts[2])
)
