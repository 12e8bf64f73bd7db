"""Prompt assembly: contributions in layers, one path to the text that the model reads."""
