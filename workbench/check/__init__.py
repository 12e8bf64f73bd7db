"""Checks over a composition and its assemblies, and the case runner behind `workbench test`."""
