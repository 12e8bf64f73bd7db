"""The plugin runtime: contexts, fibers, effects, services, events and scopes."""
