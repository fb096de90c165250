"""Turn annotations into JSON Schema (Draft 2020-12 that means the same in Draft 7) and converters.

A tuple of different types is an array of fixed length whose items may have any of the types,
because the drafts spell positions differently; its converter checks each position.
"""

from __future__ import annotations

import collections
import collections.abc as abc
import re
import types
import typing
from collections.abc import Callable
from typing import Any

from hermes.schema.annotations.atoms import atom, literal
from hermes.schema.annotations.conversion import Form, either, fits, shown
from hermes.schema.annotations.field import ANNOTATED, constrain, read
from hermes.schema.annotations.foreign import foreign, is_foreign
from hermes.schema.annotations.plain import BadAnnotation, Convert, Schema, plain
from hermes.schema.annotations.records import is_record, record
from hermes.schema.annotations.scope import Scope, find, of_class

_ARRAYS: dict[Any, Convert | None] = {
    list: None,
    abc.Sequence: None,
    abc.MutableSequence: None,
    abc.Iterable: None,
    abc.Collection: None,
    abc.Set: set,
    abc.MutableSet: set,
    set: set,
    frozenset: frozenset,
    collections.deque: collections.deque,
}
_OBJECTS: dict[Any, Convert | None] = {
    dict: None,
    abc.Mapping: None,
    abc.MutableMapping: None,
    collections.OrderedDict: collections.OrderedDict,
}
_WRAPPERS = (typing.Required, typing.NotRequired, typing.Final, typing.ClassVar)
_HINT = (
    "Use str, int, float, bool, list, dict, Literal, Enum, a dataclass, TypedDict or model, "
    "or Any; take what a model cannot write (connections, functions) from ctx."
)


class _Slot:
    """A type that is being built: its name once it turned out to contain itself."""

    __slots__ = ("convert", "name", "needs_convert")

    def __init__(self, *, needs_convert: bool) -> None:
        self.name: str | None = None
        self.convert: Convert | None = None
        self.needs_convert = needs_convert

    def late(self, value: Any) -> Any:
        return self.convert(value) if self.convert else value


class Builder:
    """Turn the annotations of one function into forms; ``definitions`` holds recursive types."""

    def __init__(self, scope: Scope) -> None:
        self.definitions: dict[str, Schema] = {}
        self._scope = scope
        self._bindings: dict[Any, Any] = {}
        self._open: dict[Any, _Slot] = {}
        self._named: dict[Any, Form] = {}

    def form(self, annotation: Any) -> Form:
        """Return the form of an annotation.

        Raises:
            BadAnnotation: it has no JSON form, or a name in it is not known.
        """
        schema = plain(annotation)
        if schema is not None:
            return Form(schema)
        if isinstance(annotation, (str, typing.ForwardRef)):
            return self._forward(annotation)
        if isinstance(annotation, types.UnionType):
            return either([self.form(arg) for arg in annotation.__args__])
        origin = getattr(annotation, "__origin__", None)
        if origin is None:
            return self._bare(annotation)
        return self._generic(annotation, origin, getattr(annotation, "__args__", ()))

    def _bare(self, annotation: Any) -> Form:
        if isinstance(annotation, type):
            return self._class(annotation, ())
        if isinstance(annotation, typing.TypeVar):
            return self._type_variable(annotation)
        if annotation is typing.LiteralString:
            return Form({"type": "string"})
        if hasattr(annotation, "__supertype__"):
            return self.form(annotation.__supertype__)
        if hasattr(annotation, "__value__"):  # `type X = …`, Python 3.12
            make = lambda: self.form(annotation.__value__)  # noqa: E731 (read once, right below)
            return self._recursive(annotation, annotation.__name__, make)
        if type(annotation).__name__ == "InitVar":
            return self.form(annotation.type)
        raise _unsupported(annotation)

    def _generic(self, annotation: Any, origin: Any, args: tuple[Any, ...]) -> Form:
        if isinstance(annotation, ANNOTATED):
            return self._annotated(annotation, origin, annotation.__metadata__)
        if origin is typing.Union:
            return either([self.form(arg) for arg in args])
        if origin is typing.Literal:
            return literal(args)
        if origin in _WRAPPERS:
            return self.form(args[0])
        if hasattr(origin, "__value__"):
            return self._bound(origin, args, lambda: self.form(origin.__value__))
        if isinstance(origin, type):
            return self._class(origin, args, annotation)
        raise _unsupported(annotation)

    def _class(self, kind: Any, args: tuple[Any, ...], annotation: Any = None) -> Form:
        if kind in _ARRAYS:
            return self._array(_ARRAYS[kind], args)
        if kind in _OBJECTS:
            return self._object(_OBJECTS[kind], args)
        if kind is tuple:
            return self._tuple(args)
        if is_foreign(kind):
            whole = annotation if args else kind
            return foreign(whole, lambda name, make: self._define((whole, name), name, make))
        if is_record(kind):
            make = lambda: record(kind, self._member, self._resolve)  # noqa: E731 (same)
            key = (kind, repr(args)) if args else kind
            return self._bound(kind, args, lambda: self._recursive(key, kind.__name__, make))
        form = None if args and kind is not re.Pattern else atom(kind)
        if form is None:
            raise _unsupported(annotation or kind)
        return form

    def _array(self, factory: Convert | None, args: tuple[Any, ...]) -> Form:
        if not args:
            return Form({"type": "array"}, factory)
        item, convert = self.form(args[0])
        schema = {"type": "array", "items": item} if item else {"type": "array"}
        return Form(schema, _each(convert, factory))

    def _tuple(self, args: tuple[Any, ...]) -> Form:
        if not args or (len(args) == 2 and args[1] is ...):
            return self._array(tuple, args[:1])
        places = [self.form(arg) for arg in args]
        schema: Schema = {"type": "array", "minItems": len(places), "maxItems": len(places)}
        items = either(places).schema if places else {}
        if items:
            schema["items"] = items
        return Form(schema, _placing(places))

    def _object(self, factory: Convert | None, args: tuple[Any, ...]) -> Form:
        if not args:
            return Form({"type": "object"}, factory)
        if len(args) != 2:
            raise BadAnnotation(
                "a dict has a type for its keys and one for its values", "Write dict[str, …]."
            )
        key, item = self._key(args[0]), self.form(args[1])
        schema: Schema = {"type": "object"}
        if key.schema:
            schema["propertyNames"] = key.schema
        if item.schema:
            schema["additionalProperties"] = item.schema
        return Form(schema, _mapped(key.convert, item.convert, factory))

    def _key(self, annotation: Any) -> Form:
        if annotation is int:
            return Form({"pattern": r"^-?\d+$"}, _whole)
        form = self.form(annotation)
        if form.schema == {"type": "string"}:
            return Form({}, form.convert)
        if form.schema and form.schema.get("type") != "string":
            raise BadAnnotation(
                f"a dict with keys of type {_name(annotation)} has no JSON form",
                "Use str keys, or a list of objects.",
            )
        return form

    def _annotated(self, annotation: Any, base: Any, metadata: tuple[Any, ...]) -> Form:
        if any(is_foreign(item) for item in metadata):
            return foreign(annotation, lambda name, make: self._define((base, name), name, make))
        return constrain(self.form(base), read(metadata))

    def _type_variable(self, variable: Any) -> Form:
        if variable in self._bindings:
            return self.form(self._bindings[variable])
        if variable.__constraints__:
            return either([self.form(item) for item in variable.__constraints__])
        return self.form(variable.__bound__) if variable.__bound__ else Form({})

    def _bound(self, kind: Any, args: tuple[Any, ...], make: Callable[[], Form]) -> Form:
        """Build with the type parameters of a generic standing for its arguments."""
        outer = self._bindings
        given = (outer.get(arg, arg) if isinstance(arg, typing.TypeVar) else arg for arg in args)
        variables = getattr(kind, "__parameters__", ()) or getattr(kind, "__type_params__", ())
        self._bindings = {**outer, **dict(zip(variables, given, strict=False))}
        try:
            return make()
        finally:
            self._bindings = outer

    def _member(self, annotation: Any, owner: type) -> Form:
        outer, self._scope = self._scope, of_class(owner, self._scope)
        try:
            return self.form(annotation)
        finally:
            self._scope = outer

    def _resolve(self, annotation: Any, owner: type) -> Any:
        return find(annotation, of_class(owner, self._scope))

    def _forward(self, reference: Any) -> Form:
        text: str = getattr(reference, "__forward_arg__", reference)
        found = find(reference, self._scope)
        if isinstance(found, type) or not text.isidentifier():
            return self.form(found)
        return self._recursive(("alias", text), text, lambda: self.form(found))

    def _recursive(self, key: Any, name: str, make: Callable[[], Form]) -> Form:
        """Build a type that may contain itself; then it lives in ``$defs`` under its name."""
        if key in self._named:
            return self._named[key]
        if key in self._open:
            slot = self._open[key]
            slot.name = slot.name or self._free_name(name)
            convert = slot.late if slot.needs_convert else None
            return Form({"$ref": f"#/$defs/{slot.name}"}, convert)
        before = dict(self.definitions), dict(self._named)
        form, slot = self._attempt(key, make, needs_convert=False)
        if slot.name is None:
            return form
        if form.convert is not None:
            self.definitions, self._named = before
            form, slot = self._attempt(key, make, needs_convert=True)
        assert slot.name is not None  # the second attempt meets itself where the first one did
        self.definitions[slot.name] = form.schema
        self._named[key] = Form({"$ref": f"#/$defs/{slot.name}"}, form.convert)
        return self._named[key]

    def _attempt(
        self, key: Any, make: Callable[[], Form], *, needs_convert: bool
    ) -> tuple[Form, _Slot]:
        slot = self._open[key] = _Slot(needs_convert=needs_convert)
        try:
            form = make()
        finally:
            del self._open[key]
        slot.convert = form.convert
        return form, slot

    def _define(self, key: Any, name: str, make: Callable[[], Schema]) -> str:
        if key not in self._named:
            free = self._free_name(name)
            self._named[key] = Form({"$ref": free})
            self.definitions[free] = make()
        return str(self._named[key].schema["$ref"])

    def _free_name(self, name: str) -> str:
        wanted = re.sub(r"\W+", "_", name).strip("_") or "Type"
        taken = {slot.name for slot in self._open.values()} | set(self.definitions)
        taken |= {form.schema["$ref"] for form in self._named.values()}
        free, number = wanted, 2
        while free in taken:
            free, number = f"{wanted}{number}", number + 1
        return free


def _name(annotation: Any) -> str:
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)


def _unsupported(annotation: Any) -> BadAnnotation:
    return BadAnnotation(f"the type {_name(annotation)} has no JSON form", _HINT)


def _whole(value: Any) -> int:
    return int(value)


def _each(item: Convert | None, factory: Convert | None) -> Convert | None:
    if item is None:
        return factory

    def convert(value: Any) -> Any:
        parts = [_at(index, item, part) for index, part in enumerate(value)]
        return factory(parts) if factory else parts

    return convert


def _mapped(key: Convert | None, item: Convert | None, factory: Convert | None) -> Convert | None:
    if key is None and item is None:
        return factory

    def convert(value: Any) -> Any:
        pairs = {
            _at(name, key, name) if key else name: _at(name, item, part) if item else part
            for name, part in value.items()
        }
        return factory(pairs) if factory else pairs

    return convert


def _placing(places: list[Form]) -> Convert:
    def convert(value: Any) -> Any:
        if len(value) != len(places):
            raise ValueError(f"expected {len(places)} items, got {len(value)}")
        parts = []
        for index, (part, (schema, inner)) in enumerate(zip(value, places, strict=True)):
            if not fits(schema, part):
                raise ValueError(f"[{index}]: {shown(part)} does not fit {schema}")
            parts.append(_at(index, inner, part) if inner else part)
        return tuple(parts)

    return convert


def _at(place: int | str, convert: Convert, value: Any) -> Any:
    try:
        return convert(value)
    except ValueError as error:
        where = f"[{place}]" if isinstance(place, int) else place
        raise ValueError(f"{where}: {error}") from error
