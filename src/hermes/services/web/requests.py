"""Build a request from what a model gives, and tell what came back."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from hermes.base.errors import InvalidArguments
from hermes.base.json import NotJson, decode, encode_bytes
from hermes.base.messages import Json
from hermes.services.web.asking import Ask, Page, Pairs

_TEXTUAL = ("text/", "application/json", "application/xml", "application/javascript",
            "application/x-www-form-urlencoded", "application/x-ndjson", "image/svg")  # fmt: skip
_QUIET = frozenset({"set-cookie", "report-to", "nel", "permissions-policy", "alt-svc",
                    "content-security-policy", "content-security-policy-report-only"})  # fmt: skip
_JSON = "application/json"


def build(method: str, url: str, headers: Mapping[str, str], body: Json) -> Ask:
    """Return the request; a body that is no text goes as JSON, or as its content type says."""
    pairs = tuple((name, str(value)) for name, value in headers.items())
    kind = next((value for name, value in pairs if name.lower() == "content-type"), "")
    content, said = _content(body, kind.partition(";")[0].strip().lower())
    if said and not kind:
        pairs = (*pairs, ("content-type", said))
    elif said.startswith("multipart/"):
        others = tuple(pair for pair in pairs if pair[0].lower() != "content-type")
        pairs = (*others, ("content-type", said))
    return Ask(url, method, _checked(pairs), content)


def _content(body: Json, kind: str) -> tuple[bytes | None, str]:
    if body is None:
        return None, ""
    if isinstance(body, Mapping) and kind == "application/x-www-form-urlencoded":
        return urlencode({key: _field(value) for key, value in body.items()}, True).encode(), kind
    if isinstance(body, Mapping) and kind == "multipart/form-data":
        return multipart({key: _field(value) for key, value in body.items()}, {})
    if isinstance(body, str):
        return body.encode(), "text/plain; charset=utf-8" if not _is_json(body) else _JSON
    return encode_bytes(body), _JSON


def _is_json(text: str) -> bool:
    if not text.lstrip()[:1] in ("{", "["):  # noqa: E713 - one test of one letter
        return False
    try:
        decode(text)
    except NotJson:
        return False
    return True


def _field(value: Json) -> Any:
    if isinstance(value, bool) or value is None:
        return "" if value is None else str(value).lower()
    if isinstance(value, list):
        return [_field(each) for each in value]
    return value if isinstance(value, (str, int, float)) else encode_bytes(value).decode()


def multipart(
    fields: Mapping[str, Any], files: Mapping[str, tuple[str, bytes, str]]
) -> tuple[bytes, str]:
    """Return a form of several parts and its content type; a file is (name, bytes, type)."""
    boundary = f"hermes-{secrets.token_hex(16)}"
    parts = []
    for name, value in fields.items():
        for each in value if isinstance(value, list) else [value]:
            head = f'Content-Disposition: form-data; name="{_quoted(name)}"\r\n\r\n'
            parts.append(head.encode() + str(each).encode())
    for name, (file, data, kind) in files.items():
        head = (
            f'Content-Disposition: form-data; name="{_quoted(name)}"; filename="{_quoted(file)}"'
            f"\r\nContent-Type: {kind}\r\n\r\n"
        )
        parts.append(head.encode() + data)
    joined = b"".join(b"--%s\r\n%s\r\n" % (boundary.encode(), part) for part in parts)
    content_type = f"multipart/form-data; boundary={boundary}"
    return joined + f"--{boundary}--\r\n".encode(), content_type


def _quoted(text: str) -> str:
    return text.replace("\r", "%0D").replace("\n", "%0A").replace('"', "%22")


def _checked(pairs: Pairs) -> Pairs:
    for name, value in pairs:
        plain = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
        if not plain or any(letter in value for letter in "\r\n\0"):
            raise InvalidArguments(
                f"the header {name!r} has characters that no header has",
                hint="Names are letters, digits and dashes; values have no line breaks.",
            )
    return pairs


def is_text(page: Page) -> bool:
    """Say whether an answer can be shown as text."""
    kind = page.media_type
    if kind.startswith(_TEXTUAL) or kind.endswith(("+json", "+xml")):
        return True
    return not kind and b"\0" not in page.body[:1_024]


def told(page: Page) -> dict[str, Any]:
    """Return what came back, without its body."""
    shown = {name: value for name, value in page.header_map().items() if name not in _QUIET}
    answer: dict[str, Any] = {"status": page.status, "url": page.url}
    if page.reason:
        answer["reason"] = page.reason
    if page.redirects:
        answer["redirects"] = list(page.redirects)
    answer |= {"headers": shown, "seconds": page.seconds, "http": page.version}
    if page.is_cached:
        answer["cached"] = True
    return answer


def cut(page: Page, limit: int) -> str:
    """Say why there is less of a body than there should be."""
    if len(page.body) < limit:
        return f"The body broke off after {len(page.body):,} bytes."
    return f"Only the first {limit:,} bytes were read."


def shown_body(page: Page) -> dict[str, Any]:
    """Return the body as a model reads it: JSON as values, other text as text, bytes by size."""
    if not page.body:
        return {}
    if not is_text(page):
        return {
            "bytes": len(page.body),
            "note": f"The body is {page.media_type or 'binary'}; use save_to to keep it.",
        }
    text = page.text()
    if page.media_type in ("application/json", "text/json") or page.media_type.endswith("+json"):
        try:
            return {"json": decode(text)}
        except NotJson:
            pass
    return {"text": text}
