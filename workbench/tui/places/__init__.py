"""The places of the workbench: each is a screen that answers one question."""
