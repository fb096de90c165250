"""Find what a name in a string annotation stands for."""

from __future__ import annotations

import builtins
import functools
import sys
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any, ForwardRef

from hermes.schema.annotations.plain import MISSING, BadAnnotation

_BUILTIN: dict[str, Any] = vars(builtins)


class Scope:
    """The names an annotation may use: those of its module, then the ones near it."""

    __slots__ = ("_names", "_near", "_where")

    def __init__(
        self, where: str, names: dict[str, Any], near: Callable[[], dict[str, Any]]
    ) -> None:
        self._where = where
        self._names = names
        self._near = near

    def find(self, text: str) -> Any:
        """Return what the text of an annotation stands for.

        Raises:
            BadAnnotation: a name is not known, or the text is not an annotation.
        """
        found = self._names.get(text, MISSING)
        if found is MISSING:
            found = _BUILTIN.get(text, MISSING)
        return found if found is not MISSING else self._evaluate(text)

    def everything(self) -> dict[str, Any]:
        """Return all names that can be seen from here."""
        return {**self._names, **self._near()}

    def _evaluate(self, text: str) -> Any:
        try:
            code = _compiled(text)
            try:
                return eval(code, self._names)
            except NameError:
                return eval(code, self.everything())
        except NameError as error:
            raise BadAnnotation(
                f"the annotation {text!r} uses the name {error.name!r}, "
                f"which {self._where} does not know",
                "Import or define the name at the module's top level; an import under "
                "`if TYPE_CHECKING:` is not there at run time.",
            ) from None
        except (SyntaxError, TypeError, AttributeError, ValueError, LookupError) as error:
            raise BadAnnotation(
                f"the annotation {text!r} cannot be read: {error}", "Write a valid annotation."
            ) from None


@functools.lru_cache(maxsize=1024)
def _compiled(text: str) -> CodeType:
    return compile(text.strip(), "<annotation>", "eval", dont_inherit=True)


def of_function(function: FunctionType) -> Scope:
    """Return the scope of a function's annotations: its module, type parameters and closure."""

    def near() -> dict[str, Any]:
        names = {item.__name__: item for item in getattr(function, "__type_params__", ())}
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=False)
        for name, cell in cells:
            try:
                names[name] = cell.cell_contents
            except ValueError:  # the cell of a name that is not assigned yet is empty
                continue
        return names

    return Scope(f"module {function.__module__}", function.__globals__, near)


def of_module(name: str) -> Scope:
    """Return the scope of a module, if there is one of that name."""
    module = sys.modules.get(name)
    return Scope(f"module {name}", vars(module) if module else {}, dict)


def of_class(owner: type, outer: Scope) -> Scope:
    """Return the scope of a class's annotations; a class made in a function sees its scope too."""
    module = sys.modules.get(owner.__module__)
    names = vars(module) if module else {}

    def near() -> dict[str, Any]:
        return {**outer.everything(), **vars(owner), owner.__name__: owner}

    return Scope(f"module {owner.__module__}", names, near)


def find(reference: str | ForwardRef, scope: Scope) -> Any:
    """Return what a string or forward reference stands for, in the module it names.

    Raises:
        BadAnnotation: a name in it is not known.
    """
    if isinstance(reference, str):
        return scope.find(reference)
    home = reference.__forward_module__
    module = sys.modules.get(home) if isinstance(home, str) else home
    if module is not None:
        scope = Scope(f"module {module.__name__}", vars(module), scope.everything)
    return scope.find(reference.__forward_arg__)
