"""Read the parameters of a callable off its code object; only odd callables need ``inspect``."""

from __future__ import annotations

import functools
from types import CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from hermes.base.errors import ConfigError
from hermes.base.optional import load
from hermes.schema.annotations.plain import MISSING

if TYPE_CHECKING:
    from hermes.schema.annotations.scope import Scope

CONTEXT = "ctx"
Parameter = tuple[str, Any, Any]
_HAS_ARGS, _HAS_KEYWORDS = 0x04, 0x08  # bits of co_flags
_MAX_WRAPPERS = 64
_BY_NAME = "A model gives every argument by name: "


class Signature:
    """The parameters of a callable, and the plain function inside it when there is one.

    A parameter is its name, its annotation, and its default or MISSING; ``more`` is what ``**``
    is annotated with, or MISSING without one. The context is not among the parameters.
    """

    __slots__ = (
        "_names",
        "doc",
        "function",
        "module",
        "more",
        "name",
        "parameters",
        "wants_context",
    )

    def __init__(self, name: str, doc: str | None, module: str, function: Any = None) -> None:
        self.name = name
        self.doc = doc
        self.module = module
        self.function = function  # FunctionType | None, which mypy would take for a method
        self.parameters: list[Parameter] = []
        self.more: Any = MISSING
        self.wants_context = False
        self._names: Scope | None = None

    @property
    def names(self) -> Scope:
        """Return where the names in its annotations are looked up."""
        if self._names is None:
            scope = load("hermes.schema.annotations.scope")
            if self.function is None:
                self._names = scope.of_module(self.module)
            else:
                self._names = scope.of_function(self.function)
        return self._names

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
    signature = Signature(plain.__name__, _doc(function, plain), plain.__module__, plain)
    code = plain.__code__
    _refuse_unnameable(signature, code, skip)
    annotations = _annotations(signature, plain)
    count = code.co_argcount
    names = code.co_varnames[: count + code.co_kwonlyargcount]
    defaults = plain.__defaults__ or ()
    known = dict(zip(names[count - len(defaults) : count], defaults, strict=True))
    known.update(plain.__kwdefaults__ or ())
    signature.wants_context = CONTEXT in names[skip:] and CONTEXT not in given
    signature.parameters = [
        (name, annotations.get(name, Any), known.get(name, MISSING))
        for name in names[skip:]
        if name != CONTEXT and name not in given
    ]
    if code.co_flags & _HAS_KEYWORDS:
        signature.more = annotations.get(code.co_varnames[len(names)], Any)
    return signature


def _annotations(signature: Signature, plain: FunctionType) -> dict[str, Any]:
    try:
        return plain.__annotations__
    except NameError as error:  # Python 3.14 reads annotations when asked for them
        raise signature.refuse(
            f"its annotations use the unknown name {error.name!r}",
            "Import or define the name at the module's top level.",
        ) from None


def _refuse_unnameable(signature: Signature, code: CodeType, skip: int) -> None:
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
    signature = Signature(name, doc, module)
    inspect = load("inspect")
    try:
        found = inspect.signature(function)
    except (TypeError, ValueError) as error:
        raise signature.refuse(
            f"its signature cannot be read: {error}", "Wrap it in a function."
        ) from None
    for item in found.parameters.values():
        annotation = Any if item.annotation is item.empty else item.annotation
        if item.kind is item.VAR_KEYWORD:
            signature.more = annotation
        elif item.kind in (item.VAR_POSITIONAL, item.POSITIONAL_ONLY):
            raise signature.refuse(
                f"parameter {item.name!r} can be given by position only",
                f"{_BY_NAME}wrap it in a function with named parameters.",
            )
        elif item.name in given:
            continue
        elif item.name == CONTEXT:
            signature.wants_context = True
        else:
            default = MISSING if item.default is item.empty else item.default
            signature.parameters.append((item.name, annotation, default))
    return signature
