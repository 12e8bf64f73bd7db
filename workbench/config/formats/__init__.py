"""One assembly in forms that leave the workbench: JSON, Markdown, the body of a request."""
