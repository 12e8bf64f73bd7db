"""The place Packages."""
