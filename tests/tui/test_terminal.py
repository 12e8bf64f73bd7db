"""Byte by byte: nothing from data reaches the terminal as anything but visible text."""

from __future__ import annotations

import re
import sys

import pytest

from tests.support.terminal import ESCAPE, SEQUENCE, Terminal, plain

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")

APP = """
import tests.support.previews as p
from workbench.tui.app import WorkbenchApp
from workbench.tui.view.entries import PluginTrouble
from tests.tui.test_terminal import EVIL

owner = p.Owner(EVIL, 1)
evil = lambda kind="section", **f: p.entry(EVIL, 1, EVIL, owner, kind=kind, remark=EVIL, layer=EVIL, **f)
failure = p.replace(p.UNKNOWN, name=EVIL, owner=owner, group="{{" + EVIL + "}}", offset=0, length=9,
    message=EVIL, suggestion=EVIL, known=(EVIL,), position=p.Position(EVIL, 1, 1))
shown = p.preview(
    [p.entry("ok", 2, "A text with a value: {{model}}.", p.FILES), evil(source=p.TextSource(EVIL, 1, 1)),
     evil(state="shadowed", rendered=None), evil(changed_by=(owner,))],
    [evil("context")], [p.tool(EVIL, owner, EVIL, '{"' + EVIL + '": 1}')], [p.variable(EVIL, EVIL, EVIL)],
    scope=EVIL)
failing = p.preview([evil(rendered=None, failure=failure)], failures=[failure], scope=EVIL)
subject = p.FakeSubject(shown, name=EVIL, scopes=[p.ScopeChoice(EVIL, EVIL), p.ScopeChoice("b", EVIL)],
    notes=[EVIL], troubles=[PluginTrouble(owner, "failed", EVIL)])

class App(WorkbenchApp):
    BINDINGS = [("f11", "failing"), ("f6", "refused"), ("f8", "error")]
    def action_failing(self):
        subject.change(failing)
    def action_refused(self):
        subject.problems = [EVIL + ": " + EVIL]; subject.change()
    def action_error(self):
        subject.problems = (); subject.error = ValueError(EVIL); subject.change()
App(subject, name=EVIL).run()
"""

POINTER_SHAPE = re.compile(rb"\x1b\]22;[a-z-]+\x07")
"""Textual's own: the shape of the mouse pointer."""
COPY = re.compile(rb"\x1b\]52;c;[A-Za-z0-9+/=]+\x07")
HIDDEN = [
    *map(chr, range(0x20)),
    "\x7f",
    *map(chr, range(0x80, 0xA0)),
    *"\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
    *"\u00ad\u034f\u180e\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\ufeff\u2028\u2029\ud800",
]
EVIL = (
    "\x1b]0;owned\x07\x1b]2;owned\x1b\\\x1b]52;c;eA==\x07\x1b[31mred\x1b[2J\x1b[?1000l\x9b31m\x9d0;owned\x9c"
    "[/][bold]x[@click=app.quit]q[/]" + "".join(f"<{character}>" for character in HIDDEN)
)


def visible_only(received: bytes, *, joined: str = "") -> str:
    """What was written, as text; fails where anything of data could have steered the terminal.

    `joined`: an emoji of the data with a joiner that is right; what covers its second half leaves it there.
    """
    received = POINTER_SHAPE.sub(b"", received)
    assert b"\x1b]" not in received, "neither title nor clipboard"
    for sequence in set(SEQUENCE.findall(received)):
        assert sequence not in {b"\x1b[31m", b"\x1b[2J", b"\x1b\\"}, sequence
    text = plain(received)
    if joined:
        text = text.replace(joined, "").replace(joined[:-1], "")
    left = {character for character in text if character in HIDDEN} - {"\r", "\n"}
    around = [ascii(text[max(0, at - 40) : at + 20]) for at, character in enumerate(text) if character in left]
    assert not left, around[:3]
    assert not re.search(r"\x1b", text)
    return text


def without_copy(received: bytes) -> bytes:
    """Without the one copy that was asked for, which is made of letters that steer nothing."""
    left, count = COPY.subn(b"", received)
    assert count == 1
    assert b"\x1b]52;c;eA==" not in received, "that of the data"
    return left


def test_no_byte_of_data_steers_the_terminal() -> None:
    with Terminal(APP) as terminal:
        terminal.wait_for("value:")
        terminal.rest()
        for keys in ("jjjjjjj", "G", "\r", "jjjj", "w", "w", "v", "m", "v", "m", "/", "x\r", "n", ESCAPE):
            terminal.send(keys)
            terminal.rest(0.05)
        for keys in ("s", ESCAPE, ":", "x", ESCAPE, "F", "\x1b[B\x1b[B\r", ESCAPE, "S", ESCAPE, "X", ESCAPE, "E"):
            terminal.send(keys)
            terminal.rest(0.25)
        for keys in ("o", ESCAPE, "?", ESCAPE, "\x1b[23~", "e", "\x1b[17~", "o"):
            terminal.send(keys)
            terminal.rest(0.25)
        for keys in (ESCAPE, "\x1b[19~", "/", "\x1b[200~\x1b]0;owned\x07pasted\x1b[201~", "\x11"):
            terminal.send(keys)
            terminal.rest(0.25)
        assert terminal.end() == 0
    text = visible_only(terminal.received)
    for mark in ("‹ESC›", "‹BEL›", "‹CSI›", "‹RLO›", "‹ZWSP›", "‹CR›", "‹NUL›", "‹U+D800›", "‹DEL›"):
        assert mark in text
    assert "[@click=app.quit]q[/]" in text


def test_copy_is_the_only_way_to_the_clipboard() -> None:
    with Terminal(APP) as terminal:
        terminal.wait_for("value:")
        terminal.send("GGy")
        terminal.rest(0.3)
        terminal.send("q")
        assert terminal.end() == 0
    assert b"\x1b]" not in POINTER_SHAPE.sub(b"", without_copy(terminal.received))
