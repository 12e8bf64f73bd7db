"""The workbench on a screen: it reads the runtime, and redraws when told that something changed."""
