"""What a page says, read; how often it may speak; and what its browser is called."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.page import limits
from workbench.page.browsers import LONGEST, browser_of
from workbench.page.messages import Asked, Garbage, cut, read
from workbench.page.rate import Bucket

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)


OBJECTS = st.dictionaries(st.sampled_from(["call", "type", "x"]), JSON)


@given(st.text() | JSON.map(json.dumps) | OBJECTS.map(json.dumps))
def test_any_text_is_a_message_or_garbage(text: str) -> None:
    try:
        asked = read(text)
    except Garbage:
        return
    assert 0 <= asked.call < 2**53
    assert type(asked.call) is int


@given(st.dictionaries(st.sampled_from(["a", "b", "c"]), JSON))
def test_fields_are_what_is_asked_for_or_garbage(fields: dict[str, Any]) -> None:
    asked = Asked(1, "t", fields)
    for taken in (lambda: asked.text("a", 5), lambda: asked.flag("b"), lambda: asked.names("c")):
        try:
            value = taken()  # type: ignore[no-untyped-call]
        except Garbage:
            continue
        assert isinstance(value, bool) or all(len(each) <= limits.NAME for each in value)
    text = fields.get("a")
    if isinstance(text, str):
        assert asked.text("a", 5) == (text if len(text) <= 5 else f"{text[:4]}…")


def test_cut() -> None:
    assert (cut("abc", 3), cut("abcd", 3), cut("", 3)) == ("abc", "ab…", "")


def test_a_bucket_fills_up_again() -> None:
    now = 0.0
    bucket = Bucket(2, 3, lambda: now)
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
    now = 0.4
    assert not bucket.take()
    now = 0.5
    assert [bucket.take(), bucket.take()] == [True, False]
    now = 1.5
    assert [bucket.take(2.5), bucket.take(2)] == [False, True]
    now = 1000.0
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox 140"),
        ("Mozilla/5.0 (X11) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36", "Chrome 141"),
        ("Mozilla/5.0 (X11) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0",
         "Edge 141"),
        ("Mozilla/5.0 (X11) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/141.0 Safari/537.36",
         "Chromium (headless) 141"),
        ("Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15",
         "Safari 18"),
        ("", ""),
        ("curl/8", "curl/8"),
        ("x" * 500, "x" * LONGEST),
        ("Firefox/" + "9" * 400, "Firefox 99999"),
    ],
)  # fmt: skip
def test_browsers_have_short_names(agent: str, name: str) -> None:
    assert browser_of(agent) == name
