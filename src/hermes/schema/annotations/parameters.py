"""Read the parameters of a callable off its code object; only odd callables need ``inspect``."""

from __future__ import annotations

import functools
import sys
from types import FunctionType, MethodType
from typing import Any, NamedTuple

from hermes.base.errors import ConfigError
from hermes.base.optional import load
from hermes.schema.annotations import scope
from hermes.schema.annotations.conversion import MISSING

_HAS_ARGS, _HAS_KEYWORDS = 0x04, 0x08  # bits of co_flags
_MAX_WRAPPERS = 64
_BY_NAME = "A model gives every argument by name: "


class Signature(NamedTuple):
    """The parameters of a callable, and the plain function inside it when there is one."""

    name: str
    doc: str | None
    function: Any  # FunctionType | None, which mypy would take for a method
    parameters: list[tuple[str, Any, Any]]  # name, annotation, default or MISSING
    takes_more: bool
    more: Any
    module: str

    def scope(self) -> scope.Scope:
        """Return where the names in its annotations are looked up."""
        if self.function is not None:
            return scope.of_function(self.function)
        module = sys.modules.get(self.module)
        return scope.Scope(f"module {self.module}", vars(module) if module else {}, dict)

    def refuse(self, message: str, hint: str) -> ConfigError:
        """Return the error that names this callable and where it stands."""
        code = self.function.__code__ if self.function is not None else None
        return ConfigError(
            message,
            file=code.co_filename if code else None,
            line=code.co_firstlineno if code else None,
            key=f"{self.name}()",
            hint=hint,
        )


def read(function: Any) -> Signature:
    """Return the signature of a function, method, partial or other callable.

    What a partial already gives is left out.

    Raises:
        ConfigError: it takes arguments that cannot be given by name, or is no callable.
    """
    plain, skip, given = _unwrap(function)
    if isinstance(plain, FunctionType) and "__signature__" not in plain.__dict__:
        return _from_code(function, plain, skip, given)
    return _from_inspect(function, given)


def _unwrap(function: Any) -> tuple[Any, int, set[str]]:
    """Return what a callable calls in the end, and which of its arguments are given already."""
    skip = 0
    given: set[str] = set()
    for _ in range(_MAX_WRAPPERS):
        if isinstance(function, FunctionType):
            wrapped = function.__dict__.get("__wrapped__")
            if wrapped is None or "__signature__" in function.__dict__:
                break
            function = wrapped
        elif isinstance(function, MethodType):
            function, skip = function.__func__, skip + 1
        elif isinstance(function, functools.partial):
            given.update(function.keywords)
            function, skip = function.func, skip + len(function.args)
        elif isinstance(function, staticmethod):
            function = function.__func__
        elif _is_callable_object(function):
            function = MethodType(type(function).__call__, function)
        else:
            break
    return function, skip, given


def _is_callable_object(value: Any) -> bool:
    bases = (vars(base) for base in type(value).__mro__)
    call = next((names["__call__"] for names in bases if "__call__" in names), None)
    return isinstance(call, FunctionType) and not isinstance(value, type)


def _from_code(function: Any, plain: FunctionType, skip: int, given: set[str]) -> Signature:
    code = plain.__code__
    count = code.co_argcount
    names = code.co_varnames[: count + code.co_kwonlyargcount]
    annotations = _annotations(plain)
    defaults = plain.__defaults__ or ()
    keyword_defaults = plain.__kwdefaults__ or {}
    first_default = count - len(defaults)
    parameters = []
    for index, name in enumerate(names):
        if index < skip or name in given:
            continue
        if index >= count:
            default = keyword_defaults.get(name, MISSING)
        else:
            default = defaults[index - first_default] if index >= first_default else MISSING
        parameters.append((name, annotations.get(name, Any), default))
    more = Any
    if code.co_flags & _HAS_KEYWORDS:
        last = code.co_varnames[len(names) + bool(code.co_flags & _HAS_ARGS)]
        more = annotations.get(last, Any)
    signature = Signature(
        plain.__name__,
        _doc(function, plain),
        plain,
        parameters,
        bool(code.co_flags & _HAS_KEYWORDS),
        more,
        plain.__module__,
    )
    _refuse_unnameable(signature, plain, skip)
    return signature


def _annotations(plain: FunctionType) -> dict[str, Any]:
    try:
        return plain.__annotations__
    except NameError as error:  # Python 3.14 reads annotations when asked for them
        broken = Signature(plain.__name__, None, plain, [], False, Any, plain.__module__)
        raise broken.refuse(
            f"its annotations use the unknown name {error.name!r}",
            "Import or define the name at the module's top level.",
        ) from None


def _refuse_unnameable(signature: Signature, plain: FunctionType, skip: int) -> None:
    code = plain.__code__
    if code.co_flags & _HAS_ARGS:
        name = code.co_varnames[code.co_argcount + code.co_kwonlyargcount]
        raise signature.refuse(
            f"parameter '*{name}' takes arguments without a name",
            f"{_BY_NAME}write `{name}: list[…]` instead.",
        )
    if code.co_posonlyargcount > skip:
        name = code.co_varnames[skip]
        raise signature.refuse(
            f"parameter {name!r} can be given by position only",
            f"{_BY_NAME}remove the `/` from the signature.",
        )
    if not skip and code.co_argcount and code.co_varnames[0] in ("self", "cls"):
        raise signature.refuse(
            f"parameter {code.co_varnames[0]!r} belongs to a method that is not bound",
            "Declare the bound method (`object.method`), or a function.",
        )


def _doc(function: Any, plain: FunctionType) -> str | None:
    if isinstance(function, (FunctionType, MethodType)):
        return function.__doc__
    if plain.__doc__ or isinstance(function, functools.partial):
        return plain.__doc__
    return type(function).__doc__


def _from_inspect(function: Any, given: set[str]) -> Signature:
    name = getattr(function, "__name__", type(function).__name__)
    module = getattr(function, "__module__", None) or type(function).__module__
    doc = getattr(function, "__doc__", None)
    empty = Signature(name, doc, None, [], False, Any, module)
    inspect = load("inspect")
    try:
        found = inspect.signature(function)
    except (TypeError, ValueError) as error:
        raise empty.refuse(
            f"its signature cannot be read: {error}", "Wrap it in a function."
        ) from None
    parameters: list[tuple[str, Any, Any]] = []
    more = MISSING
    for item in found.parameters.values():
        annotation = Any if item.annotation is item.empty else item.annotation
        if item.kind is item.VAR_KEYWORD:
            more = annotation
        elif item.kind in (item.VAR_POSITIONAL, item.POSITIONAL_ONLY):
            raise empty.refuse(
                f"parameter {item.name!r} can be given by position only",
                f"{_BY_NAME}wrap it in a function with named parameters.",
            )
        elif item.name not in given:
            default = MISSING if item.default is item.empty else item.default
            parameters.append((item.name, annotation, default))
    takes_more = more is not MISSING
    return empty._replace(
        parameters=parameters, takes_more=takes_more, more=more if takes_more else Any
    )
