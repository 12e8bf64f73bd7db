"""A style sheet that is not parsed again while nothing in it is another."""

from __future__ import annotations

from textual.css.stylesheet import Stylesheet


class SteadyStylesheet(Stylesheet):
    """Textual parses all style sheets anew whenever it has looked at the theme, at the start three times.

    They only have to be where a variable has another value than when they were parsed.
    """

    _has_new_values = False

    def set_variables(self, variables: dict[str, str]) -> None:
        """The values that `$names` stand for."""
        if variables != self._variables:
            self._has_new_values = bool(self._rules)  # else nothing has been parsed with the old ones
            super().set_variables(variables)

    def reparse(self) -> None:
        """Parses what was parsed with other values; what is new is parsed when it is first applied."""
        if self._has_new_values:
            super().reparse()
            self._has_new_values = False
