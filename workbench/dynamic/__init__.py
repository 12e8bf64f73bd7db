"""Dynamic packages: a model, or a person, extends the running harness, and all of it can be undone with proof.

Nothing is imported here: the probe loads this package in a process of its own. Import what is needed from its
modules: `runner` and `toolset` (the two plugins), `service`, `people`, `cards`, `pages`, `events`.

Source: docs/dynamic-packages.md.
"""
