import dataclasses
import datetime
import functools

import pydantic
import pytest

from hermes.base.errors import ConfigError
from hermes.schema.annotations.field import Field
from hermes.schema.signature import describe


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


class Service:
    """A service."""

    def method(self, a: int, b: str = "x"):
        """Do it."""

    @classmethod
    def made(cls, a: int): ...

    @staticmethod
    def still(a: int): ...

    def __call__(self, a: int): ...


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **keywords):
        return function(*args, **keywords)

    return wrapper


def base(a: int, b: str, c: float = 1.0):
    """Do it."""


@pytest.mark.parametrize(
    ("function", "names", "description"),
    [
        (Service().method, ["a", "b"], "Do it."),
        (Service.made, ["a"], ""),
        (Service.still, ["a"], ""),
        (Service(), ["a"], "A service."),
        (logged(base), ["a", "b", "c"], "Do it."),
        (logged(logged(base)), ["a", "b", "c"], "Do it."),
        (functools.partial(base, 1), ["b", "c"], "Do it."),
        (functools.partial(base, b="secret"), ["a", "c"], "Do it."),
        (functools.partial(functools.partial(base, 1), c=2.0), ["b"], "Do it."),
        (functools.partial(Service().method, 1), ["b"], "Do it."),
        (Point, ["x", "y"], "Point(x: int, y: int = 0)"),
    ],
)
def test_other_callables_are_described_by_what_a_call_must_give(function, names, description):
    described = describe(function)
    assert list(described.parameters["properties"]) == names
    assert described.description == description


def unknown_name(place: "Nowhere"): ...  # noqa: F821 (the point: the name does not exist)


def unknown_inside(places: "list[Nowhere]"): ...  # noqa: F821 (same)


def without_form(place: complex): ...


def nested_without_form(place: list[dict[str, complex]]): ...


def by_position(place, /): ...


def any_number(*places: int): ...


def bad_limit(place: str = Field("a", ge=1)): ...


FACTORY = pydantic.Field(default_factory=list)


def bad_factory(place: list = FACTORY): ...


def bad_keywords(**place: datetime.date): ...


@dataclasses.dataclass
class Holder:
    inner: complex


def bad_member(place: Holder): ...


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (unknown_name, ["'place'", "'Nowhere'"]),
        (unknown_inside, ["'places'", "'list[Nowhere]'"]),
        (without_form, ["'place'", "complex"]),
        (nested_without_form, ["'place'", "complex"]),
        (by_position, ["'place'", "position only"]),
        (any_number, ["'*places'"]),
        (bad_limit, ["'place'", "ge=1"]),
        (bad_factory, ["'place'", "default_factory"]),
        (bad_keywords, ["'**'"]),
        (bad_member, ["'place'", "'inner' of Holder", "complex"]),
        (Service.method, ["'self'"]),
    ],
    ids=lambda item: getattr(item, "__name__", ""),
)
def test_what_cannot_be_offered_is_refused_with_function_parameter_and_fix(function, said):
    with pytest.raises(ConfigError) as caught:
        describe(function)
    for words in [f"{function.__name__}()", *said]:
        assert words in str(caught.value)
    assert caught.value.hint
    assert str(caught.value).startswith(f"{__file__}:{function.__code__.co_firstlineno}: ")


@pytest.mark.parametrize("function", [len, 3, "text"])
def test_what_has_no_readable_signature_is_refused(function):
    with pytest.raises(ConfigError):
        describe(function)
