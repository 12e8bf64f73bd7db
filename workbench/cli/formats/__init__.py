"""The forms in which `workbench render` prints a preview. Pure functions: preview in, text out."""
