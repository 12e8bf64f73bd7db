"""Code mode: tools as functions of a Python program. Source: docs/tools.md 10."""
