"""The commands. Thin: what they print comes from the rooms below, and no headless one loads Textual."""
