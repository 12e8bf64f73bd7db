"""The place Session."""
