"""A plugin that cannot be imported, for the sample broken-raising-plugin.yml."""

from __future__ import annotations

import keepers_log_of_another_project  # type: ignore[import-not-found]  # noqa: F401
