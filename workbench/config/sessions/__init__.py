"""Sessions as they are looked at: logs of ours and of dsh, captured requests, and trees of them.

Source: docs/sessions.md 14.
"""
