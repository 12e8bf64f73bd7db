"""Files that people have already, taken into a composition: the key `imports`, and files opened directly.

Source: docs/compositions.md 18.
"""
