"""Processes that give up rights before they run what a model wrote. Source: docs/tools.md 13."""
