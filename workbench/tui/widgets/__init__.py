"""Widgets that draw lines themselves. None of them knows the runtime, a place, or the app."""
