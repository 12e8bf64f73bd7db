"""Composition files: read with every position, loaded into a running Runtime, watched."""
