"""The names in reach of a host half. Imports the standard library alone, and little of it: the probe loads it.

Source: docs/dynamic-packages.md 9.2.
"""

from __future__ import annotations

import builtins
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

PLAIN = """abs all any ascii bin bool bytearray bytes callable chr complex dict divmod enumerate filter float
format frozenset hash hex int isinstance issubclass iter len list map max min next object oct ord pow property
range repr reversed round set slice sorted staticmethod classmethod str sum super tuple zip
NotImplemented Ellipsis __build_class__""".split()

EXCEPTIONS = {
    name: value
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, Exception)
}
_BUILTINS = {**{name: getattr(builtins, name) for name in PLAIN}, **EXCEPTIONS}

INTERPRETER_IMPORTS = ("time", "_strptime", "warnings")
"""What the interpreter itself imports in the frame of a package: for dates, and for what is never awaited."""

_EVALUATION = "evaluation of further source is withheld: write the code into the package itself"
_SCOPES = "namespaces are withheld: name what you need"
_TRAPS = {
    "open": "files are not opened here: declare `fs` in `inject` and use `ctx.fs`",
    "input": "nobody can be asked here: take an argument of a tool instead",
    "eval": _EVALUATION,
    "exec": _EVALUATION,
    "compile": _EVALUATION,
    "globals": _SCOPES,
    "locals": _SCOPES,
    "vars": _SCOPES,
    "breakpoint": "there is no debugger here: use print",
}


class WithheldError(RuntimeError):
    """Something that a package does not have; the message says what to use instead."""


class WithheldName(AttributeError):
    """The same for an attribute."""


def make_namespace(
    name: str,
    helpers: dict[str, Any],
    *,
    print_: Callable[..., None],
    due: list[bool],
    look: Callable[[], None],
    substitute: Callable[[str], str],
) -> dict[str, Any]:
    """The globals of one evaluation. `helpers` are bound beside the builtins; ticks call `look` while `due[0]`."""
    names = dict(_BUILTINS)
    names.update(_GUARDED)
    for trapped, why in _TRAPS.items():
        names[trapped] = _trap(trapped, why)
    names["__import__"] = _import_trap(substitute)
    names["print"] = print_
    names["__debug__"] = True
    # Ticks are read so often that they stand nearer than the builtins.
    return {"__name__": name, "__builtins__": names, "__due__": due, "__look__": look, **helpers}


def _trap(name: str, why: str) -> Callable[..., Any]:
    def trap(*_args: object, **_options: object) -> None:
        raise WithheldError(f"{name}() is not available in a package: {why}")

    trap.__name__ = trap.__qualname__ = name
    return trap


def _import_trap(substitute: Callable[[str], str]) -> Callable[..., Any]:
    real = builtins.__import__

    def import_(name: str, *args: Any, **options: Any) -> Any:
        if name in INTERPRETER_IMPORTS:
            return sys.modules.get(name) or real(name, *args, **options)
        raise WithheldError(f"{name!r} cannot be imported in a package: {substitute(name)}")

    return import_


def _checked(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"the name of an attribute is a text, not {type(name).__name__}")
    if name.startswith("_") or name in ("mro",):
        raise WithheldName(f"names that begin with an underscore are withheld, such as {name!r}")
    return name


def _guarded_getattr(value: Any, name: str, *default: Any) -> Any:
    return getattr(value, _checked(name), *default)


def _guarded_hasattr(value: Any, name: str) -> bool:
    if not isinstance(name, str) or name.startswith("_"):
        return False
    offers = type(value).__dict__.get("__offers__")
    if offers is not None:
        return bool(offers.__func__(name))
    return hasattr(value, name)


def _guarded_setattr(value: Any, name: str, given: Any) -> None:
    setattr(value, _checked(name), given)


class _TypeMeta(type):
    """`isinstance(x, type)` goes on to mean what it says."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, type)

    def __call__(cls, *args: Any) -> Any:
        if len(args) != 1:
            raise WithheldError("type() takes one argument in a package: write a class statement")
        return type(args[0])


class _Type(metaclass=_TypeMeta):
    """The builtin `type`, for asking alone."""


_GUARDED: dict[str, Any] = {
    "getattr": _guarded_getattr,
    "hasattr": _guarded_hasattr,
    "setattr": _guarded_setattr,
    "type": _Type,
}


class _FrozenMeta(type):
    def __setattr__(cls, name: str, value: object) -> None:
        raise WithheldName(f"{cls.__name__!r} cannot be changed: it is shared")


_views: dict[str, Any] = {}


def helper_view(name: str) -> Any:
    """A read-only view of a helper module: its public names, without the modules that it imports itself."""
    view = _views.get(name)
    if view is None:
        module = __import__(name)
        public = getattr(module, "__all__", None) or [each for each in vars(module) if not each.startswith("_")]
        members: dict[str, Any] = {}
        for each in public:
            value = getattr(module, each, None)
            if not isinstance(value, type(sys)):
                members[each] = staticmethod(value) if callable(value) and not isinstance(value, type) else value
        view = _views[name] = frozen_object(name, members)
    return view


def frozen_object(name: str, members: dict[str, Any]) -> Any:
    """An object whose attributes are these, and cannot be changed."""
    body = {**members, "__slots__": (), "__setattr__": _refuse_change, "__delattr__": _refuse_change}
    return _FrozenMeta(name, (), body)()


def _refuse_change(self: object, name: str, *_value: object) -> None:
    raise WithheldName(f"{name!r} of {type(self).__name__!r} cannot be changed")
