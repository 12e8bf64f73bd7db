"""What a person can do from any place: go somewhere and back, copy, save, export, open an editor."""
