"""Styles that are worked out again only where something about them is another."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from textual.app import App
from textual.css.stylesheet import Stylesheet
from textual.screen import Screen
from textual.theme import Theme


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


class SteadyStyles(App[int]):
    """Textual gives each widget its style anew whenever it has looked at the theme, too."""

    _mixed: tuple[Theme, dict[str, str], dict[str, str]] | None = None
    """A theme, our own variables for it, and all of them: Textual mixes some hundred colours."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self._styled: WeakKeyDictionary[Screen[Any], object] = WeakKeyDictionary()
        """By screen, what its widgets have got their styles from."""
        super().__init__(*args, **options)

    def get_css_variables(self) -> dict[str, str]:
        """The values that `$names` stand for in the theme in force."""
        theme, own = self.current_theme, self.get_theme_variable_defaults()
        if self._mixed is None or self._mixed[0] is not theme or self._mixed[1] != own:
            self._mixed = theme, own, super().get_css_variables()
        self.theme_variables = self._mixed[2]
        return self.theme_variables

    def refresh_css(self, animate: bool = True) -> None:
        """Gives all widgets of the screens their styles, where those may be other ones."""
        source = self.get_css_variables(), self.classes, self.ansi_theme
        screens = self.screen_stack
        if any(self._styled.get(screen) != source for screen in screens):
            super().refresh_css(animate)
        for screen in screens:
            self._styled[screen] = source
            screen._css_update_count = self._css_update_count
