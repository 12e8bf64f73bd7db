"""What the plugins of random programs register, by name."""

from tests.support.registrations import effects, listeners, work
from tests.support.registrations.activation import (
    CALM_NAMES,
    REGISTRATIONS,
    Activation,
    Registration,
    unless_self,
)

CALM = tuple(CALM_NAMES)
"""Registrations whose presence does not depend on what happened before."""

__all__ = ["CALM", "REGISTRATIONS", "Activation", "Registration", "effects", "listeners", "unless_self", "work"]
