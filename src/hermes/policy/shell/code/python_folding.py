"""Compute what Python's own functions give for constants: text methods, decoders, paths."""

from __future__ import annotations

import base64
import binascii
import codecs
import posixpath
import urllib.parse
import zlib
from collections.abc import Callable

from hermes.policy.shell.code.python_values import (
    NOBODY_KNOWS,
    Arguments,
    PathText,
    Ref,
    Taint,
    joined,
    path_joined,
    text_of,
)
from hermes.policy.shell.effects import UNKNOWN

_LIMIT = 200_000
_SAFE_METHODS = frozenset((
    "lower", "upper", "strip", "lstrip", "rstrip", "split", "rsplit", "splitlines", "title",
    "swapcase", "capitalize", "startswith", "endswith", "encode", "decode", "removeprefix",
    "removesuffix", "hex", "partition", "rpartition", "find", "index", "count", "casefold",
    "keys", "values", "items", "get", "copy", "isdigit", "translate",
))  # fmt: skip
_CALM = frozenset(("len", "bool", "isinstance", "type", "hash", "id", "any", "all", "callable"))
_BROKEN = (
    ValueError, TypeError, LookupError, AttributeError, ArithmeticError, binascii.Error, zlib.error,
    MemoryError,
)  # fmt: skip


def folded(name: str, given: Arguments) -> object | None:
    """Return what a well-known pure function gives, None when it is none of those."""
    pure = _PURE.get(name)
    if pure is None:
        return None
    if any(isinstance(value, Taint) for value in given.values) and name not in _CALM:
        return None
    try:
        return pure(given)
    except _BROKEN:
        return NOBODY_KNOWS


def method_folded(owner: object, name: str, given: Arguments) -> object:
    """Return what a method of a constant gives, the unknown when it cannot be told."""
    try:
        return _method(owner, name, given)
    except _BROKEN:
        return UNKNOWN if isinstance(owner, str) else NOBODY_KNOWS


def _method(owner: object, name: str, given: Arguments) -> object:
    if name == "join" and isinstance(owner, str | bytes):
        return _join(text_of(owner), given.get(0))
    if name == "format" and isinstance(owner, str):
        return _format(owner, given)
    if name == "replace" and isinstance(owner, str | bytes):
        return _replaced(owner, given)
    if name == "decode" and isinstance(owner, bytes | str):
        return _codec_decoded(owner, text_of(given.get(0, "encoding") or "utf-8"))
    if name == "append" and isinstance(owner, list) and len(owner) < 1000:
        owner.append(given.get(0))
        return None
    if name in _SAFE_METHODS and isinstance(owner, str | bytes | dict | list):
        if any(isinstance(value, Ref | Taint) for value in given.all()):
            return NOBODY_KNOWS
        result = getattr(owner, name)(*given.values, **given.named)
        return list(result) if isinstance(owner, dict) and name != "get" else result
    return NOBODY_KNOWS


def _replaced(owner: str | bytes, given: Arguments) -> object:
    if len(owner) * (len(text_of(given.get(1))) + 1) > _LIMIT:
        return UNKNOWN
    old, new = given.get(0), given.get(1)
    if isinstance(owner, str) and isinstance(old, str) and isinstance(new, str):
        return owner.replace(old, new)
    if isinstance(owner, bytes) and isinstance(old, bytes) and isinstance(new, bytes):
        return owner.replace(old, new)
    return UNKNOWN


def _join(glue: str, parts: object) -> object:
    if isinstance(parts, str):
        parts = list(parts)
    if not isinstance(parts, list | tuple):
        return Taint(parts.kind, parts.detail) if isinstance(parts, Taint) else UNKNOWN
    if glue and len(glue) * len(parts) > _LIMIT:
        return UNKNOWN
    woven: list[object] = []
    for part in parts:
        woven += [glue, part] if woven else [part]
    return joined(woven)


def _format(pattern: str, given: Arguments) -> object:
    values = [text_of(value) for value in given.values]
    named = {key: text_of(value) for key, value in given.named.items()}
    try:
        text = pattern.format(*values, **named)
    except _BROKEN:
        text = UNKNOWN
    whole = joined(given.all())
    return Taint(whole.kind, whole.detail, text) if isinstance(whole, Taint) else text


def _codec_decoded(data: object, codec: str) -> object:
    codec = codec.lower().replace("-", "_")
    if codec in {"rot13", "rot_13"}:
        return codecs.decode(text_of(data), "rot13")
    raw = data if isinstance(data, bytes) else text_of(data).encode("latin-1", "replace")
    if codec in {"hex", "hex_codec"}:
        return bytes.fromhex(raw.decode("ascii", "replace"))
    if codec in {"base64", "base64_codec"}:
        return base64.b64decode(raw)
    if codec in {"zlib", "zip", "zlib_codec"}:
        return _inflated(raw)
    if codec == "unicode_escape":
        return codecs.decode(raw, "unicode_escape")
    return raw.decode(codec, "replace")


def _inflated(data: object) -> object:
    if not isinstance(data, bytes):
        return NOBODY_KNOWS
    return zlib.decompressobj(wbits=47).decompress(data, _LIMIT)


def _raw(given: Arguments) -> bytes:
    value = given.get(0)
    if isinstance(value, bytes):
        return value
    if isinstance(value, str) and UNKNOWN not in value:
        return value.encode("ascii", "ignore")
    raise TypeError


def _padded(given: Arguments) -> bytes:
    raw = _raw(given)
    return raw + b"=" * (-len(raw) % 4)


def _byte_string(given: Arguments) -> object:
    value = given.get(0)
    if isinstance(value, list | tuple) and all(isinstance(item, int) for item in value):
        return bytes(item for item in value if isinstance(item, int))
    if isinstance(value, str):
        return value.encode()
    return value if isinstance(value, bytes) else NOBODY_KNOWS


def _listed(given: Arguments) -> object:
    value = given.get(0)
    if isinstance(value, Ref):  # the names of the environment are no secret
        return NOBODY_KNOWS
    if isinstance(value, str | bytes | list | tuple | dict):
        return list(value)
    return value if value is not None else []


def _reversed(given: Arguments) -> object:
    value = given.get(0)
    return list(reversed(value)) if isinstance(value, str | bytes | list | tuple) else value


def _range(given: Arguments) -> object:
    numbers = [value for value in given.values if isinstance(value, int)]
    if len(numbers) != len(given.values) or not numbers:
        return NOBODY_KNOWS
    span = range(*numbers[:3])
    return list(span) if len(span) <= 64 else NOBODY_KNOWS


def _string(given: Arguments) -> object:
    value = given.get(0)
    if isinstance(value, bytes) and len(given.values) + len(given.named) > 1:
        return text_of(value)
    return joined([value]) if given.values else ""


def _integer(given: Arguments) -> object:
    values = [value for value in given.values if isinstance(value, str | int)]
    return int(*values) if values and len(text_of(values[0])) < 1000 else NOBODY_KNOWS


def _parent(given: Arguments) -> object:
    return _parent_of(text_of(given.get(0)))


def _parent_of(path: str) -> str:
    return posixpath.dirname(path) or "."


def _same_path(given: Arguments) -> object:
    value = given.get(0)
    return value if isinstance(value, str | PathText | Taint) else text_of(value)


_SCRATCH = f"/tmp/{UNKNOWN}"
_PURE: dict[str, Callable[[Arguments], object]] = {
    "chr": lambda given: chr(given.get(0)),  # type: ignore[arg-type]  # a wrong type is caught
    "ord": lambda given: ord(given.get(0)),  # type: ignore[arg-type]  # a wrong type is caught
    "str": _string,
    "repr": _string,
    "int": _integer,
    "bytes": _byte_string,
    "bytearray": _byte_string,
    "list": _listed,
    "tuple": _listed,
    "set": _listed,
    "sorted": _listed,
    "iter": _listed,
    "reversed": _reversed,
    "range": _range,
    **{name: lambda _: NOBODY_KNOWS for name in _CALM},
    "bytes.fromhex": lambda given: bytes.fromhex(text_of(given.get(0))),
    "bytearray.fromhex": lambda given: bytes.fromhex(text_of(given.get(0))),
    "base64.b64decode": lambda given: base64.b64decode(_padded(given)),
    "base64.standard_b64decode": lambda given: base64.b64decode(_padded(given)),
    "base64.decodebytes": lambda given: base64.b64decode(_padded(given)),
    "base64.decodestring": lambda given: base64.b64decode(_padded(given)),
    "base64.urlsafe_b64decode": lambda given: base64.urlsafe_b64decode(_padded(given)),
    "base64.b32decode": lambda given: base64.b32decode(_raw(given)),
    "base64.b16decode": lambda given: base64.b16decode(_raw(given), casefold=True),
    "base64.b85decode": lambda given: base64.b85decode(_raw(given)),
    "base64.a85decode": lambda given: base64.a85decode(_raw(given)),
    "binascii.unhexlify": lambda given: binascii.unhexlify(_raw(given)),
    "binascii.a2b_hex": lambda given: binascii.unhexlify(_raw(given)),
    "binascii.a2b_base64": lambda given: base64.b64decode(_padded(given)),
    "codecs.decode": lambda given: _codec_decoded(given.get(0), text_of(given.get(1, "encoding"))),
    "codecs.encode": lambda given: _codec_decoded(given.get(0), text_of(given.get(1, "encoding"))),
    "zlib.decompress": lambda given: _inflated(given.get(0)),
    "gzip.decompress": lambda given: _inflated(given.get(0)),
    "urllib.parse.unquote": lambda given: urllib.parse.unquote(text_of(given.get(0))),
    "urllib.parse.urljoin": lambda given: urllib.parse.urljoin(
        text_of(given.get(0)), text_of(given.get(1))
    ),
    "os.path.join": lambda given: path_joined(given.values),
    "os.path.expanduser": _same_path,
    "os.path.expandvars": lambda given: text_of(given.get(0)).replace("$HOME", "~"),
    "os.path.abspath": _same_path,
    "os.path.realpath": _same_path,
    "os.path.normpath": _same_path,
    "os.fspath": _same_path,
    "os.path.dirname": _parent,
    "os.path.basename": lambda given: posixpath.basename(text_of(given.get(0))),
    "os.getcwd": lambda _: ".",
    "os.getpid": lambda _: Ref("self"),
    "tempfile.gettempdir": lambda _: "/tmp",
    "tempfile.mkdtemp": lambda _: _SCRATCH,
    "tempfile.mktemp": lambda _: _SCRATCH,
    "tempfile.mkstemp": lambda _: (3, _SCRATCH),
    "pathlib.Path.home": lambda _: PathText("~"),
    "pathlib.Path.cwd": lambda _: PathText("."),
    **{
        f"pathlib.{name}": lambda given: PathText(path_joined(given.values) or ".")
        for name in ("Path", "PosixPath", "PurePath", "PurePosixPath")
    },
}
