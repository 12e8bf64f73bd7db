"""What first-party tools do when they are called. Loaded with the first call of each. Source: docs/tools.md 12."""
