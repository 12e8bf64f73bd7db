"""The page in which browser halves run: its server, its protocol, its files.

Nothing here is imported before a composition asks for a page: it needs the extra `page`.

Source: docs/page.md.
"""
