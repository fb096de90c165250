import datetime
import enum
from typing import Annotated, Any, List, Literal, Optional, Union  # noqa: UP035 (one is a case)

import pytest

from hermes.schema.annotations.plain import plain

STRING, INTEGER, NULL = {"type": "string"}, {"type": "integer"}, {"type": "null"}
STRINGS = {"type": "array", "items": STRING}


class Colour(enum.Enum):
    RED = "red"


class Name(str):
    __slots__ = ()


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (str, STRING),
        (int, INTEGER),
        (float, {"type": "number"}),
        (bool, {"type": "boolean"}),
        (None, NULL),
        (type(None), NULL),
        (Any, {}),
        (object, {}),
        (list, {"type": "array"}),
        (list[str], STRINGS),
        (list[Any], {"type": "array"}),
        (list[list[str]], {"type": "array", "items": STRINGS}),
        (dict, {"type": "object"}),
        (dict[str, int], {"type": "object", "additionalProperties": INTEGER}),
        (dict[str, Any], {"type": "object"}),
        (str | None, {"type": ["string", "null"]}),
        (Optional[str], {"type": ["string", "null"]}),  # noqa: UP045 (the older spelling)
        (Union[int, str], {"type": ["integer", "string"]}),  # noqa: UP007 (the older spelling)
        (int | float, {"type": "number"}),
        (list[str] | None, {"anyOf": [STRINGS, NULL]}),
        (str | list[str], {"anyOf": [STRING, STRINGS]}),
        (str | Any, {}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Literal[1, None], {"type": ["integer", "null"], "enum": [1, None]}),
        (Literal["a", 1, True], {"enum": ["a", 1, True]}),
        (Literal["a"] | None, {"type": ["string", "null"], "enum": ["a", None]}),
        (Literal["a", 1] | None, {"enum": ["a", 1, None]}),
    ],
)
def test_a_plain_annotation_has_its_schema(annotation, schema):
    assert plain(annotation) == schema


@pytest.mark.parametrize(
    "annotation",
    [
        Name,
        Colour,
        Literal[Colour.RED],
        datetime.date,
        list[datetime.date],
        dict[str, Colour],
        dict[int, str],
        datetime.date | None,
        set[str],
        tuple[int, str],
        List[str],  # noqa: UP006 (the older spelling)
        Annotated[str, "Words."],
        list["str"],
        "str",
        5,
    ],
)
def test_any_other_annotation_has_none(annotation):
    assert plain(annotation) is None


def test_a_schema_shares_nothing_with_the_next_one():
    for annotation in (str, list[str], Literal["a"], str | None):
        first = plain(annotation)
        first["type"] = first["enum"] = first["items"] = "changed"
        assert plain(annotation) != first
    plain(list[str])["items"]["type"] = "changed"
    assert plain(list[str]) == STRINGS
