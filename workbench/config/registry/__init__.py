"""What is registered in a runtime, by whom and in which layer, as plain data: for screens, commands and embedders.

Source: docs/registry.md.
"""
