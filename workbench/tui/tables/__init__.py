"""The commands of each place, of the panes, and those that work everywhere; `commands.py` puts them together."""
