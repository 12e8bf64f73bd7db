"""Pure functions from a preview to what a screen shows: rows, lines and sentences. No Textual in here."""
