"""Read and check a tool that is one HTTP request."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from hermes.base.messages import Json
from hermes.runtime.yaml_tools.spec.fields import Fields, shown
from hermes.runtime.yaml_tools.spec.spec import (
    METHODS,
    Auth,
    AuthKind,
    HttpAction,
    Location,
    Method,
    Parameter,
    Retries,
    Secret,
)
from hermes.runtime.yaml_tools.spec.templates import placeholders

KEYS = ("endpoint", "method", "auth", "headers", "query", "body", "retries")
BODILESS: tuple[Method, ...] = ("GET", "HEAD", "OPTIONS", "DELETE")
_REPEATABLE: tuple[Method, ...] = (*BODILESS, "PUT")
_ADDRESS = re.compile(r"([^:/?#]+)://([^/?#]*)([^?#]*)(?:\?([^#]*))?\Z")
_HOST_PART = re.compile(r"[A-Za-z0-9._-]+\Z")
_ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+\Z")
_SECRET_HEADERS = frozenset(
    {"authorization", "proxy-authorization", "cookie", "x-api-key", "api-key", "x-auth-token"}
)
_FRAMING_HEADERS = frozenset({"host", "content-length", "transfer-encoding", "connection"})
_AUTH_KEYS: dict[AuthKind, tuple[str, ...]] = {
    "none": (),
    "bearer": ("token_env",),
    "basic": ("username_env", "password_env"),
    "header": ("name", "value_env"),
    "query": ("name", "value_env"),
}


def read_http(tool: Fields, parameters: tuple[Parameter, ...]) -> HttpAction:
    """Return the request that a tool file describes; every parameter has its place in it."""
    method = tool.choice("method", METHODS, "GET")
    origin, path, address_query = _address(tool, parameters)
    action = HttpAction(
        origin=origin,
        path=path,
        address_query=address_query,
        method=method,
        auth=_auth(tool),
        headers=_headers(tool),
        query=_query(tool),
        body=tool.value.get("body"),
        retries=_retries(tool, method),
    )
    if action.body is not None and method in ("GET", "HEAD"):
        tool.wrong("body", f"a {method} request has no body", "Use `query`, or `method: POST`.")
    _check_placeholders(tool, action, parameters)
    return _place(tool, action, parameters)


def _address(tool: Fields, parameters: tuple[Parameter, ...]) -> tuple[str, str, str]:
    text = tool.text("endpoint", example="https://api.example.com/v1/{city}").strip()
    match = _ADDRESS.match(text)
    if match is None:
        if text:
            fix = "Write it like https://api.example.com/v1/{city}, without a #fragment."
            tool.wrong("endpoint", f"{shown(text)} is not a web address", fix)
        return "", "", ""
    scheme, host, path, query = match.groups()
    origin = f"{scheme}://{host}"
    if not placeholders(scheme) and scheme.lower() not in ("http", "https"):
        tool.wrong(
            "endpoint", f"the scheme {shown(scheme)} is not known", "Use https:// or http://."
        )
    _check_host(tool, host)
    for name in placeholders(origin):
        _check_origin_parameter(tool, name, parameters)
    return origin, path or "/", query or ""


def _check_host(tool: Fields, host: str) -> None:
    if "@" in host:
        fix = "Remove it and use `auth: {type: basic, username_env: …, password_env: …}`."
        tool.wrong("endpoint", "a user name or password in the address", fix)
        return
    try:
        parts = urlsplit(f"https://{re.sub(r'[{][A-Za-z0-9_]*[}]', '1', host)}")
        is_good = bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_good = False
    if not is_good or re.search(r"[\s\\%<>\"'|^`\x00-\x1f]", host):
        tool.wrong(
            "endpoint", f"{shown(host)} is not a host", "Write it like api.example.com:8080."
        )


def _check_origin_parameter(tool: Fields, name: str, parameters: tuple[Parameter, ...]) -> None:
    for item in parameters:
        if item.name != name:
            continue
        if item.enum is None:
            fix = f"Give the parameter {name!r} an `enum` of allowed values, or write the host out."
            tool.wrong("endpoint", f"a call could choose any host through {{{name}}}", fix)
        elif not all(_HOST_PART.match(str(value)) for value in item.enum):
            fix = "Use letters, digits, dots and dashes only."
            tool.wrong("endpoint", f"a value of {name!r} does not fit in a host", fix)


def _auth(tool: Fields) -> Auth:
    if not tool.has("auth"):
        return Auth()
    fields = tool.mapping("auth")
    kind = fields.choice("type", tuple(_AUTH_KEYS), "none")
    wanted = _AUTH_KEYS[kind]
    for key in fields.value:
        if key != "type" and key not in wanted:
            _wrong_auth_key(fields, key, kind, wanted)
    if "type" not in fields.value and fields.value:
        fields.wrong(None, "missing 'type'", f"Add `type:` with one of: {', '.join(_AUTH_KEYS)}.")
    name = fields.text("name", example="X-API-Key") if "name" in wanted else ""
    if kind == "header" and name and not _HEADER_NAME.match(name):
        fields.wrong("name", f"{shown(name)} is not a header's name", "Write it like X-API-Key.")
    secrets = tuple(read_secret(fields, key) for key in wanted if _is_expected(fields, key))
    return Auth(kind, name, secrets)


def _is_expected(fields: Fields, key: str) -> bool:
    """Say whether a variable should be named: a user name may come without a password."""
    was_literal = key.removesuffix("_env") in fields.value
    may_miss = key == "password_env" and key not in fields.value
    return key.endswith("_env") and not was_literal and not may_miss


def _wrong_auth_key(fields: Fields, key: str, kind: str, wanted: tuple[str, ...]) -> None:
    if f"{key}_env" in {name for names in _AUTH_KEYS.values() for name in names}:
        fix = f"Put it in an environment variable and name that: `{key}_env: MY_{key.upper()}`."
        fields.wrong(key, "a secret must not be written in the file", fix)
    else:
        known = ", ".join(("type", *wanted))
        fields.wrong(
            key, f"unknown key {key[:60]!r} for auth type {kind!r}", f"Known keys: {known}."
        )


def read_secret(fields: Fields, key: str) -> Secret:
    """Return the variable named under a key; the value is never shown, it may be the secret."""
    name = fields.value.get(key)
    if name is None:
        name = fields.text(key, example="MY_VARIABLE")
    elif not isinstance(name, str) or not _ENV_NAME.match(name):
        fix = f"Put the value in a variable and write its name: `{key}: MY_VARIABLE`."
        fields.wrong(key, "is not the name of an environment variable", fix)
        return Secret("")
    return Secret(name)


def read_value(fields: Fields, key: str) -> Json | Secret:
    """Return a template, or the variable that ``{value_env: NAME}`` names."""
    value = fields.value[key]
    if isinstance(value, dict) and "value_env" in value:
        inner = fields.inner(value, key)
        inner.only(("value_env",))
        return read_secret(inner, "value_env")
    return value


def _headers(tool: Fields) -> dict[str, Json]:
    fields = tool.mapping("headers")
    headers: dict[str, Json] = {}
    for name in fields.value:
        value = read_value(fields, name)
        if not _HEADER_NAME.match(name) or name.lower() in _FRAMING_HEADERS:
            fields.wrong(name, f"the header {shown(name)} cannot be set", "Remove it.")
        elif isinstance(value, (dict, list)) or value is None:
            fields.wrong(name, f"must be text, not {shown(value)}", f'Write `{name}: "value"`.')
        elif name.lower() in _SECRET_HEADERS and not isinstance(value, Secret):
            fix = "Use `auth`, or `{value_env: MY_VARIABLE}` as the value."
            fields.wrong(name, "a secret must not be written in the file", fix)
        elif isinstance(value, str) and re.search(r"[\x00-\x1f\x7f]", value):
            fields.wrong(name, "has a line break or a control character", "Write it on one line.")
        else:
            headers[name] = value
    return headers


def _query(tool: Fields) -> dict[str, Json]:
    fields = tool.mapping("query")
    return {name: read_value(fields, name) for name in fields.value}


def _retries(tool: Fields, method: Method) -> Retries:
    if not tool.has("retries"):
        return Retries()
    fields = tool.mapping("retries")
    fields.only(("attempts", "on", "backoff_seconds", "unsafe"))
    if method not in _REPEATABLE and not fields.flag("unsafe"):
        fix = "Remove `retries`, or add `unsafe: true` if sending it twice does no harm."
        tool.wrong("retries", f"a {method} request may act twice when it is sent again", fix)
    return Retries(
        attempts=fields.integer("attempts", 3, 1, 10),
        on=fields.integers("on", (429, 502, 503, 504), 400, 599),
        backoff_seconds=float(fields.number("backoff_seconds", 0.5, 0, 60)),
    )


def _check_placeholders(
    tool: Fields, action: HttpAction, parameters: tuple[Parameter, ...]
) -> None:
    places = {
        "endpoint": [action.origin, action.path, action.address_query],
        "headers": action.headers,
        "query": action.query,
        "body": action.body,
    }
    for key, template in places.items():
        check_known(tool, key, template, parameters)
    for item in parameters:
        if item.name in placeholders([action.origin, action.path]) and not item.is_always_set:
            fix = f"Add `required: true` or a `default` to the parameter {item.name!r}."
            tool.wrong(
                "endpoint", f"{{{item.name}}} may be unset, which leaves a hole in the path", fix
            )


def check_known(tool: Fields, key: str, template: Json, parameters: tuple[Parameter, ...]) -> None:
    """Note every placeholder under a key that no parameter fills."""
    known = {item.name for item in parameters}
    for name in placeholders(template):
        if name not in known:
            fix = f"Add it to `parameters`, or write {{{{{name}}}}} for literal braces."
            tool.wrong(key, f"there is no parameter for {{{name[:60]}}}", fix)


def _place(tool: Fields, action: HttpAction, parameters: tuple[Parameter, ...]) -> HttpAction:
    """Give every parameter that no template mentions its place in the request."""
    headers, query, body = dict(action.headers), dict(action.query), action.body
    where: dict[Location, set[str]] = {
        "path": set(placeholders([action.origin, action.path])),
        "query": set(placeholders([action.address_query, action.query])),
        "header": set(placeholders(action.headers)),
        "body": set(placeholders(action.body)),
    }
    for item in parameters:
        location = _location(tool, item, where, action.method)
        template = f"{{{item.name}}}"
        if location == "query":
            query.setdefault(item.name, template)
        elif location == "header":
            headers.setdefault(item.name.replace("_", "-"), template)
        elif location == "body" and isinstance(body, dict | None):
            body = {item.name: template, **(body or {})}
        elif location == "body":
            fix = f"Mention {template} in `body`, or make `body` a mapping."
            tool.wrong("body", f"the parameter {item.name!r} has no place in it", fix)
    return HttpAction(
        action.origin,
        action.path,
        action.address_query,
        action.method,
        action.auth,
        headers,
        query,
        body,
        action.retries,
    )


def _location(
    tool: Fields, item: Parameter, where: dict[Location, set[str]], method: Method
) -> Location | None:
    """Return where a parameter must be added, or None when a template already carries it."""
    found = [place for place, names in where.items() if item.name in names]
    wanted = item.location
    if wanted in found or (found and wanted is None):
        return None
    if found:
        fix = f"Correct `location`, or move {{{item.name}}}."
        tool.wrong(
            "parameters", f"{item.name!r} has location {wanted} but stands in the {found[0]}", fix
        )
    elif wanted == "path":
        fix = f"Write {{{item.name}}} where it belongs in the endpoint."
        tool.wrong("endpoint", f"{item.name!r} has location path but is not in it", fix)
    elif wanted == "body" and method in ("GET", "HEAD"):
        fix = "Use `location: query`."
        tool.wrong("parameters", f"{item.name!r} has location body, which {method} has not", fix)
    else:
        return wanted or ("query" if method in BODILESS else "body")
    return None
