"""How much one page may do, in one place.

Source: docs/page.md 5.
"""

from __future__ import annotations

MESSAGE_BYTES = 1024 * 1024
"""The longest message, in either direction; the source of a half and a reply with it included."""
PAGES = 64
"""Open pages at a time."""
CONNECTIONS = 4 * PAGES
"""Open connections at a time, whatever they ask for; one more is told so, and beyond `PAGES` more nobody is."""
MESSAGES_PER_SECOND = 200.0
MESSAGES_AT_ONCE = 500
"""What a page may send in one go, and then `MESSAGES_PER_SECOND`."""
CHARACTERS_OF_A_MESSAGE = 64 * 1024
"""A longer message counts as several."""
CALLS_IN_FLIGHT = 64
"""Calls of one page that have no reply yet."""
MISTAKES = 10
"""Messages that are none: a page that sends more of them is closed."""
UNREAD_BYTES = 8 * 1024 * 1024
"""What a page may leave unread before it is cut off."""
WRITTEN_BESIDE = 4
"""From so many pages on, what they are told in one turn is written beside the event loop."""
PING_SECONDS = 20.0
"""How often a page is asked whether it is still there, and how long it may take to say so."""
REQUEST_SECONDS = 10.0
"""How long a connection may take to say what it wants."""
TICKET_SECONDS = 120.0
"""How long a browser may take to start with an address that opens the page once."""
FAREWELL_SECONDS = 1.0
"""How long a page has to take note that it was closed."""

STAGE = 40
SLOT = 100
METHOD = 200
NAME = 200
MESSAGE = 2000
REASON = 500
WAITING_FOR = 20
"""How many services a page may say that it waits for."""
