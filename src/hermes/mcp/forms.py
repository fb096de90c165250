"""What a server asks a person in a form, and whether an answer fits it.

A form never asks for a secret: the protocol forbids it, and what is typed goes through a model's
tools. A server that needs one has to send the person to an address of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hermes.base.messages import Json
from hermes.base.secret_names import is_secret_name
from hermes.base.text import head_and_tail
from hermes.mcp.people import Field, Form
from hermes.policy.threats import visible
from hermes.schema.check import problems, sentences

_MOST_FIELDS = 30
_LONGEST = 2_000
_SECRET = re.compile(
    r"\b(?:passwords?|passphrases?|passcodes?|api[ _-]?keys?|secret(?:s| keys?)?|private keys?|"
    r"(?:access|auth|api|bearer|refresh|session)[ _-]?tokens?|credit card|card number|cvv|cvc|"
    r"one[ -]time code|otp|seed phrase|recovery phrase|social security)\b",
    re.I,
)
_KINDS = frozenset({"string", "number", "integer", "boolean"})


class Refused(ValueError):
    """A form that no person is shown."""


def form_of(server: str, message: str, schema: Mapping[str, Json]) -> Form:
    """Return the form that a schema describes.

    Raises:
        Refused: it asks for a secret, or it is no form.
    """
    properties = schema.get("properties", {})
    required = schema.get("required") or []
    if not isinstance(properties, Mapping) or not isinstance(required, (list, tuple)):
        raise Refused("the server's form is no form")
    if len(properties) > _MOST_FIELDS:
        raise Refused(f"the server's form has more than {_MOST_FIELDS} fields")
    fields = tuple(
        _field(str(name), one, is_required=name in required) for name, one in properties.items()
    )
    return Form(server, _text(message), fields)


def defaults_of(form: Form) -> dict[str, Json] | None:
    """Return the answer that leaves all as it is; None where a field has to be filled in."""
    if any(field.is_required and field.default is None for field in form.fields):
        return None
    return {field.name: field.default for field in form.fields if field.default is not None}


def filled(form: Form, given: Mapping[str, Any]) -> tuple[dict[str, Json], tuple[str, ...]]:
    """Return an answer as the server takes it, and what is wrong with it."""
    content: dict[str, Json] = {}
    wrong: list[str] = []
    for field in form.fields:
        value = _value(field, given.get(field.name))
        if value is None:
            value = field.default
        if value is None:
            wrong.extend([f"{field.title}: it is needed"] if field.is_required else [])
            continue
        found = sentences(problems(dict(field.schema), value))
        wrong.extend(f"{field.title}: {sentence}" for sentence in found)
        content[field.name] = value
    return content, tuple(wrong)


def _field(name: str, schema: Any, *, is_required: bool) -> Field:
    if not isinstance(schema, Mapping):
        raise Refused(f"the field {name!r} of the server's form is no field")
    title, about = _text(schema.get("title")) or name, _text(schema.get("description"))
    is_password = schema.get("format") == "password" or schema.get("writeOnly") is True
    said = any(_SECRET.search(text) for text in (name.replace("_", " "), title, about))
    if is_password or said or is_secret_name(name):
        raise Refused(f"the server's form asks for a secret: {title!r}")
    kind, choices = _kind(name, schema)
    default = schema.get("default")
    return Field(name, title, about, kind, choices, default, is_required, schema)


def _kind(name: str, schema: Mapping[str, Json]) -> tuple[str, tuple[tuple[str, str], ...]]:
    if schema.get("type") == "array":
        items = schema.get("items")
        choices = _choices(items) if isinstance(items, Mapping) else ()
        if choices:
            return "many", choices
    elif choices := _choices(schema):
        return "one", choices
    elif schema.get("type") in _KINDS:
        return str(schema["type"]), ()
    raise Refused(f"the field {name!r} of the server's form is of no kind that forms have")


def _choices(schema: Mapping[str, Json]) -> tuple[tuple[str, str], ...]:
    named = schema.get("oneOf") or schema.get("anyOf")
    if isinstance(named, list):
        found = [one for one in named if isinstance(one, Mapping) and "const" in one]
        return tuple((str(one["const"]), _text(one.get("title") or one["const"])) for one in found)
    values, names = schema.get("enum"), schema.get("enumNames")
    if not isinstance(values, list):
        return ()
    words = names if isinstance(names, list) and len(names) == len(values) else values
    return tuple((str(value), _text(word)) for value, word in zip(values, words, strict=True))


def _value(field: Field, given: Any) -> Json:
    """Return what was given as the field has it; text stands for what it spells."""
    if isinstance(given, (list, tuple)) and field.kind == "many":
        return [_chosen(field, str(each)) for each in given]
    if not isinstance(given, str):
        return given
    text = given.strip() if field.kind != "string" else given
    if not text:
        return None
    if field.kind == "many":
        return [_chosen(field, part.strip()) for part in text.split(",") if part.strip()]
    if field.kind == "one":
        return _chosen(field, text)
    if field.kind == "boolean":
        return {"y": True, "yes": True, "true": True, "n": False, "no": False, "false": False}.get(
            text.lower(), text
        )
    return _number(field, text) if field.kind in ("number", "integer") else text


def _number(field: Field, text: str) -> Json:
    try:
        return int(text) if field.kind == "integer" else float(text)
    except ValueError:
        return text


def _chosen(field: Field, text: str) -> str:
    """Return the choice that a text stands for: its value, its words, or its number."""
    for number, (value, words) in enumerate(field.choices, 1):
        if text in (value, words):
            return value
        if text == str(number) and text not in dict(field.choices):
            return value
    return text


def _text(value: Any) -> str:
    return head_and_tail(visible(str(value)), _LONGEST) if value is not None else ""
