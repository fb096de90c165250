"""Turn a validator's errors into sentences a model can act on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from jsonschema_rs import ValidationError, ValidationErrorKind

from hermes.base.messages import Json
from hermes.base.text import nearest as nearest_words
from hermes.schema.fitting.shape import Shape, mapping
from hermes.schema.fitting.words import Path, expected, place, shown

_Kind = ValidationErrorKind
_SHAPES = (_Kind.Type, _Kind.Constant, _Kind.Enum, _Kind.FalseSchema)
_EXTRA = "additionalProperties"
_MAX_WORD = 100
MAX_PROBLEMS = 1_000


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong: where, what was given, what is expected, and what would be nearest."""

    path: str
    message: str
    given: str = ""
    expected: str = ""
    nearest: str | None = None

    def sentence(self) -> str:
        """Return the message, with the nearest valid value where there is one."""
        return f"{self.message}. Did you mean {self.nearest}?" if self.nearest else self.message


def explain(schema: Json, value: Json, errors: Iterable[ValidationError]) -> list[Problem]:
    """Return each different problem once, in the order of their places in the value."""
    found: dict[tuple[tuple[tuple[bool, int, str], ...], str], Problem] = {}
    explainer = _Explainer(schema, value)
    for error in _telling(errors):
        for path, problem in islice(explainer.problems(error), MAX_PROBLEMS - len(found)):
            order = tuple(
                (isinstance(p, str), p if isinstance(p, int) else 0, str(p)) for p in path
            )
            found.setdefault((order, problem.message), problem)
    return [found[key] for key in sorted(found)]


def _telling(errors: Iterable[ValidationError]) -> Iterator[ValidationError]:
    """Yield the errors, those of the branch that was meant in place of a union's own."""
    for error in errors:
        branch = _meant(error)
        if branch is None:
            yield error
        else:
            yield from _telling(branch)


def _meant(error: ValidationError) -> list[ValidationError] | None:
    """Return the errors of the branch that has the value's shape and the fewest faults."""
    if not isinstance(error.kind, (_Kind.AnyOf, _Kind.OneOfNotValid)):
        return None
    shaped = [
        branch
        for branch in error.kind.context
        if branch
        and not any(
            isinstance(e.kind, _SHAPES) and e.instance_path == error.instance_path for e in branch
        )
    ]
    if not shaped:
        return None
    return min(
        shaped, key=lambda errs: (sum(isinstance(e.kind, _SHAPES[1:3]) for e in errs), len(errs))
    )


class _Explainer:
    def __init__(self, schema: Json, value: Json) -> None:
        self.schema, self.value = schema, value
        self.resolve = Shape(schema).resolve

    def problems(self, error: ValidationError) -> Iterator[tuple[Path, Problem]]:
        """Yield the problems of one error, each with its place."""
        kind, path = error.kind, tuple(error.instance_path)
        around = look_up(self.schema, error.schema_path[:-1])
        if isinstance(kind, _Kind.Required):
            yield self._missing((*path, kind.property), mapping(around, "properties"))
        elif isinstance(kind, (_Kind.AdditionalProperties, _Kind.UnevaluatedProperties)):
            for name in kind.unexpected:
                yield self._unknown(path, name, mapping(around, "properties"))
        elif isinstance(kind, _Kind.FalseSchema) and error.schema_path[-1:] == [_EXTRA]:
            for name in look_up(self.value, path):
                yield self._unknown(path, name, {})
        else:
            yield path, self._unfit(error, path, around)

    def _missing(self, path: Path, properties: dict[str, Json]) -> tuple[Path, Problem]:
        schema = properties.get(str(path[-1]), True)
        wanted = self._expected(schema)
        about = schema.get("description") if isinstance(schema, dict) else None
        note = wanted.removeprefix("a ").removeprefix("an ")
        if isinstance(about, str) and about.strip():
            note += f": {about.strip().splitlines()[0][:_MAX_WORD]}"
        message = f"missing {place(path)!r} ({note})"
        return path, Problem(place(path), message, given="nothing", expected=wanted)

    def _unknown(self, path: Path, name: str, properties: dict[str, Json]) -> tuple[Path, Problem]:
        given = look_up(self.value, path)
        free = [known for known in properties if known not in given]
        near = nearest_words(name[:_MAX_WORD], free, limit=1)
        spot = place((*path, name))
        known = ", ".join(map(repr, list(properties)[:12])) or "no arguments"
        return (*path, name), Problem(
            spot,
            f"unknown argument {spot!r}",
            given=shown(given.get(name)),
            expected=known,
            nearest=repr(near[0]) if near else None,
        )

    def _unfit(self, error: ValidationError, path: Path, around: dict[str, Json]) -> Problem:
        given = shown(look_up_any(self.value, path))
        spot = place(path)
        name = repr(spot) if path else "arguments"
        wanted = _special(error) or self._expected(around)
        if wanted == "a value":
            return Problem(
                spot, f"{name}: given {given}, but {error.message}", given, error.message
            )
        message = f"{name}: given {given}, expected {wanted}"
        return Problem(spot, message, given, wanted, self._nearest(error, path))

    def _expected(self, schema: Json) -> str:
        return expected(schema, resolve=self.resolve)

    def _nearest(self, error: ValidationError, path: Path) -> str | None:
        kind = error.kind
        if isinstance(kind, _Kind.Enum):
            given = look_up_any(self.value, path)
            words = [option for option in kind.options if isinstance(option, str)]
            near = (
                nearest_words(given[:_MAX_WORD], words, limit=1) if isinstance(given, str) else []
            )
            return shown(near[0]) if near else None
        if isinstance(kind, (_Kind.Minimum, _Kind.Maximum)):
            return shown(kind.limit)
        return None


def _special(error: ValidationError) -> str | None:
    """Return what is expected where the schema around the error does not say it best."""
    kind = error.kind
    if isinstance(kind, _Kind.FalseSchema):
        return "nothing here"
    if isinstance(kind, _Kind.UniqueItems):
        return "a list without duplicates"
    if isinstance(kind, _Kind.PropertyNames):
        return f"other keys than {shown(kind.error.instance)}"
    if isinstance(kind, _Kind.MinProperties):
        return f"an object with at least {kind.limit} members"
    if isinstance(kind, _Kind.MaxProperties):
        return f"an object with at most {kind.limit} members"
    if isinstance(kind, _Kind.OneOfMultipleValid):
        return "a value that fits exactly one of the alternatives"
    if isinstance(kind, _Kind.Contains):
        return "a list with at least one item of the kind the schema names"
    if isinstance(kind, _Kind.Not):
        return "another value"
    return None


def look_up(document: Json, path: Iterable[str | int]) -> dict[str, Json]:
    """Return the object at a path, or an empty one where there is none."""
    found = look_up_any(document, path)
    return found if isinstance(found, dict) else {}


def look_up_any(document: Json, path: Iterable[str | int]) -> Json:
    """Return whatever is at a path, or None where the path leads nowhere."""
    for part in path:
        if isinstance(document, dict):
            document = document.get(part)
        elif isinstance(document, list) and isinstance(part, int) and part < len(document):
            document = document[part]
        else:
            return None
    return document
