"""Turn a request template and a call's arguments into one request; pure, nothing is sent."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from hermes.base.errors import InvalidArguments, Unavailable
from hermes.base.json import encode
from hermes.base.messages import Json
from hermes.runtime.yaml_tools.spec.spec import Auth, HttpAction, Secret, ToolSpec
from hermes.runtime.yaml_tools.spec.templates import Unset, as_text, fill, fill_text, placeholders

Values = Mapping[str, Json]
Reveal = Callable[[Secret], str]
Pairs = tuple[tuple[str, str], ...]

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_JSON = "application/json"
_FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class Request:
    """One request; what proves the sender is kept apart, so that it can be left behind."""

    method: str
    url: str
    headers: Pairs = ()
    content: bytes | None = None
    secret_headers: Pairs = ()
    secret_query: Pairs = ()

    @property
    def secret_target(self) -> str:
        """The part of the query that must not stand in the address."""
        return _encoded(self.secret_query)


def build(
    spec: ToolSpec, action: HttpAction, arguments: dict[str, Json], reveal: Reveal
) -> Request:
    """Return the request of one call.

    Raises:
        InvalidArguments: a value does not fit where it would go.
    """
    values = spec.values(arguments)
    _check_enums(spec, action, values)
    content, content_type = _body(action, values)
    headers, secret_headers = _headers(action, values, reveal)
    known = {name.lower() for name, _ in (*headers, *secret_headers)}
    wanted = _JSON if spec.response.format == "json" else "*/*"
    usual = (("Accept", wanted), ("User-Agent", "hermes-tools"), ("Content-Type", content_type))
    headers += tuple(pair for pair in usual if pair[1] and pair[0].lower() not in known)
    query, secret_query = _query(action, values, reveal)
    url = fill_text(action.origin, values) + _path(action.path, values)
    return Request(
        method=action.method,
        url=f"{url}?{query}" if query else url,
        headers=headers,
        content=content,
        secret_headers=secret_headers + _proof(action.auth, reveal),
        secret_query=secret_query + _query_key(action.auth, reveal),
    )


def _check_enums(spec: ToolSpec, action: HttpAction, values: Values) -> None:
    chosen = placeholders(action.origin)
    for item in spec.parameters:
        if item.name in chosen and values.get(item.name) not in (item.enum or ()):
            raise InvalidArguments(f"{item.name} is not one of {list(item.enum or ())}")


def _path(template: str, values: Values) -> str:
    filled = fill_text(template, values, escape=_segment)
    for before, after in zip(template.split("/"), filled.split("/"), strict=True):
        if after in {".", ".."} and before != after:
            raise InvalidArguments(f"{after!r} cannot be a part of the address")
    return filled


def _segment(text: str) -> str:
    if not text or text in {".", ".."}:
        raise InvalidArguments(
            f"{text!r} cannot be a part of the address", hint="Give a real value."
        )
    return quote(text, safe="", errors="replace")


def _query(action: HttpAction, values: Values, reveal: Reveal) -> tuple[str, Pairs]:
    pairs: list[tuple[str, str]] = []
    secret: list[tuple[str, str]] = []
    for name, template in action.query.items():
        if isinstance(template, Secret):
            secret.append((name, reveal(template)))
        else:
            pairs += [(name, text) for text in _texts(template, values)]
    pieces = [*_written(action.address_query, values), _encoded(tuple(pairs))]
    return "&".join(piece for piece in pieces if piece), tuple(secret)


def _written(query: str, values: Values) -> list[str]:
    """Return the query that stands in the address itself, without the parts that have no value."""
    kept = []
    for piece in query.split("&"):
        try:
            kept.append(fill_text(piece, values, escape=_quoted))
        except Unset:
            continue
    return kept


def _texts(template: Json, values: Values) -> list[str]:
    try:
        value = fill(template, values)
    except Unset:
        return []
    items = value if isinstance(value, list) else [value]
    return [as_text(item) for item in items if item is not None]


def _headers(action: HttpAction, values: Values, reveal: Reveal) -> tuple[Pairs, Pairs]:
    headers: list[tuple[str, str]] = []
    secret: list[tuple[str, str]] = []
    for name, template in action.headers.items():
        if isinstance(template, Secret):
            secret.append((name, _clean(reveal(template), template.env)))
            continue
        text = ", ".join(_texts(template, values))
        if _CONTROL.search(text):
            raise InvalidArguments(
                f"the header {name} cannot hold a line break or a control character"
            )
        if text:
            headers.append((name, text))
    return tuple(headers), tuple(secret)


def _body(action: HttpAction, values: Values) -> tuple[bytes | None, str]:
    if action.body is None:
        return None, ""
    try:
        body = fill(action.body, values)
    except Unset:
        return None, ""
    declared = next(
        (text for name, text in action.headers.items() if name.lower() == "content-type"), ""
    )
    if isinstance(body, dict) and _FORM in str(declared):
        pairs = [(key, as_text(item)) for key, value in body.items() for item in _listed(value)]
        return _encoded(tuple(pairs)).encode(), _FORM
    if isinstance(body, str) and _JSON not in str(declared):
        return body.encode("utf-8", "replace"), "text/plain; charset=utf-8"
    return encode(body).encode(), _JSON


def _listed(value: Json) -> list[Json]:
    return value if isinstance(value, list) else [value]


def _proof(auth: Auth, reveal: Reveal) -> Pairs:
    values = [_clean(reveal(secret), secret.env) for secret in auth.secrets]
    match auth.kind:
        case "bearer":
            return (("Authorization", f"Bearer {values[0]}"),)
        case "basic":
            return (("Authorization", f"Basic {basic_pair(values)}"),)
        case "header":
            return ((auth.name, values[0]),)
    return ()


def basic_pair(values: list[str]) -> str:
    """Return a user name and a password as they travel in a header."""
    pair = ":".join((*values, "")[:2])
    return base64.b64encode(pair.encode("utf-8", "replace")).decode()


def _query_key(auth: Auth, reveal: Reveal) -> Pairs:
    return ((auth.name, reveal(auth.secrets[0]).strip()),) if auth.kind == "query" else ()


def _clean(value: str, env: str) -> str:
    value = value.strip()
    if _CONTROL.search(value):
        raise Unavailable(
            f"the environment variable {env} holds a line break or a control character",
            hint=f"Set {env} again without it.",
        )
    return value


def _quoted(text: str) -> str:
    return quote(text, safe="", errors="replace")


def _encoded(pairs: Pairs) -> str:
    return urlencode(pairs, quote_via=quote, safe="", errors="replace")
