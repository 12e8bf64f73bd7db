"""The two halves of a package as texts: what is refused before anything runs, and what is compiled."""
