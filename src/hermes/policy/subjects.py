"""Which arguments of a call are commands, paths, addresses and code."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from hermes.base.optional import load

ALL_ELSE = "*"
"""Declared as ``url`` in place of a parameter: addresses that the call itself comes to, each of
which the tool has judged before it uses it."""

KINDS = (
    "command", "path", "path:read", "path:tree", "path:write", "path:delete", "archive", "url",
    "url:each", "code", "folder", "patch", "side",
)  # fmt: skip
"""What an argument can be declared as; ``code:python`` and other languages too.

An archive is read or written, by the ``action`` beside it; a side of a comparison is a path or
a text. With ``url:each`` the tool has every address judged when it comes to it and goes on with the
others, so that one which is denied does not deny the call.
"""

_NAMES = {
    "command": "command cmd commands script shell_command command_line cmdline",
    "path": "path paths file files file_path file_paths filename filenames dir dirs directory"
    " directories folder folders",
    "path:read": "source_path src_path from_path input_path",
    "path:write": "destination dest destination_path dest_path dst dst_path to_path new_path"
    " save_to save_path output_path out_path output_file outfile output_dir archive_path",
    "url": "url urls",
    "link": "uri uris href link links endpoint image images attachment attachments"
    " reference_images spec proxy proxies webhook callback website webpage",
    "patch": "patch diff",
    "archive": "archive",
    "place:read": "from input source src",
    "place:write": "to output target",
    "connection": "connection connection_string dsn",
    "code": "code python_code source_code",
    "code:sql": "sql sql_query sql_statement",
    "folder": "workdir cwd working_directory working_dir",
}
"""What an argument of a tool that declares nothing is taken for, by its name."""
_BY_NAME = {name.replace("_", ""): kind for kind, names in _NAMES.items() for name in names.split()}
_BY_LAST_WORD = {
    name: kind
    for kind in ("command", "path", "url")
    for name in _NAMES[kind].split()
    if "_" not in name and name not in ("script", "cmdline", "commands")
}
_MEDIA = frozenset(
    {"image", "img", "picture", "photo", "video", "audio", "media", "file", "avatar", "icon"}
)
"""What may be named by an address, by a path, or by its own bytes."""
_SOURCES = frozenset({"source", "src", "from"})
_WORD = r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])"  # compiled when needed: most calls have no use for it
_WEB = r"(?i)\s*https?:"
_ADDRESS = (
    r"(?i)\s*(?:https?|ftps?|sftp|tftp|file|gopher|dict|ldaps?|smb|wss?|jar|javascript|http\+unix):"
    r"|\s*//"
)
_PATH = r"[/~]|\.\.?/"
_SIDE = r"\S{1,4096}\Z|(?:[/~]|\.\.?/)[^\n]{0,4096}\Z"
_FILE_OF = r"(?i)(?:sqlite|duckdb|file)[a-z+0-9]*:(?://)?(/?[^?]*)"
_EITHER = ("link", "side", "place:read", "place:write")
_UNPACKING = ("extract", "list", "unpack", "test")
KindOf = Callable[[str], str | None]
_PLAIN = frozenset({str, int, float, bool, type(None)})
_DEEPEST = 64
_MOST = 10_000


class Subject(NamedTuple):
    """One argument, or one item of it, that rules look at."""

    name: str
    kind: str
    text: str
    is_spared: bool = False
    """Whether the call goes on without it if it is denied; the tool sees to that."""


def is_kind(kind: Any) -> bool:
    """Say whether an argument can be declared as this."""
    return isinstance(kind, str) and (kind in KINDS or (kind.startswith("code:") and len(kind) > 5))


@functools.lru_cache(maxsize=4_096)
def kind_by_name(name: str) -> str | None:
    """Return what an argument is by its name, in whichever style that is written."""
    found = _BY_NAME.get(name.replace("_", "").replace("-", "").lower())
    if found is not None:
        return found
    words = [word.lower() for word in re.findall(_WORD, name)]
    kind = _BY_LAST_WORD.get(words[-1]) if words else None
    return "link" if kind == "url" and words[0] in _MEDIA else kind


class Inferred(dict[str, str]):
    """Kinds that are declared, and for every other name what that says."""

    def __missing__(self, name: str) -> str:
        """Return the kind of a name that is not declared."""
        return kind_by_name(name) or ""


def subjects_of(
    arguments: Mapping[str, Any], declared: Mapping[str, str] | None
) -> tuple[Subject, ...]:
    """Return the subjects among a call's arguments, nested ones too; by their names if undeclared.

    Raises:
        ValueError: there are more than anybody would look at, or they are hidden too deep.
    """
    kind_of: KindOf = kind_by_name
    if declared is not None:
        if ALL_ELSE in declared:
            declared = {name: kind for name, kind in declared.items() if name != ALL_ELSE}
        kind_of = declared.__getitem__ if isinstance(declared, Inferred) else declared.get
    found: list[Subject] = []
    for subject in _walk(arguments, kind_of, 0):
        found.append(subject)
        if len(found) > _MOST:
            raise ValueError("a call with too many paths, commands and addresses to look at")
    return tuple(found)


def may_have_subjects(schema: Mapping[str, Any], declared: Mapping[str, str] | None) -> bool:
    """Say whether a call that fits a schema can have a subject at all."""
    if declared is not None:
        return bool(declared)
    if schema.get("additionalProperties", True) is not False:
        return True
    properties = schema.get("properties", {})
    return any(
        kind_by_name(name) or not isinstance(part, Mapping) or _can_nest(part)
        for name, part in properties.items()
    )


def _can_nest(part: Mapping[str, Any]) -> bool:
    kind = part.get("type")
    if kind == "array":
        items = part.get("items")
        return not isinstance(items, Mapping) or _can_nest(items)
    return not isinstance(kind, str) or kind == "object"


def _walk(value: Any, kind_of: KindOf, depth: int) -> Iterator[Subject]:
    if depth > _DEEPEST:
        raise ValueError("a call with arguments that are nested too deep to look at")
    if type(value) is dict or isinstance(value, Mapping):
        for name, inner in value.items():
            kind = kind_of(name) if isinstance(name, str) else None
            if kind == "place:read" and name in _SOURCES and _has_destination(value):
                kind = "path:read"
            if kind:
                yield from _texts(name, _settled(kind, value), inner)
            if type(inner) not in _PLAIN and isinstance(inner, Mapping | list):
                yield from _walk(inner, kind_of, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            if isinstance(inner, Mapping | list):
                yield from _walk(inner, kind_of, depth + 1)


def _texts(name: str, kind: str, value: Any) -> Iterator[Subject]:
    if kind == "command" and name.lower() in _ARGV and _are_words(value):
        value = _joined(value)
    for each in _leaves(value):
        text = _as_text(each, kind)
        if text is None:
            continue
        if kind == "patch":
            patches = load("hermes.policy.patches")
            yield from (Subject(name, "path:write", path) for path in patches.changed_files(text))
        elif kind == "connection":
            if found := re.match(_FILE_OF, text):
                yield Subject(name, "path:read", found[1])
        elif kind in _EITHER:
            yield from _either(name, kind, text)
        elif kind == "url:each":
            yield Subject(name, "url", text, is_spared=True)
        else:
            yield Subject(name, kind, text)
            if kind.startswith("path") and re.match(_WEB, text):
                yield Subject(name, "url", text)


def _leaves(value: Any, depth: int = 0) -> Iterator[Any]:
    """Yield what a list holds, and the lists in it; anything else is its own leaf."""
    if not isinstance(value, list):
        yield value
    elif depth <= _DEEPEST:  # deeper ones are refused by whoever walks the arguments
        for each in value:
            yield from _leaves(each, depth + 1)


def _as_text(value: Any, kind: str) -> str | None:
    """Return a text as it is, and a number where an address belongs as what it is read as."""
    if isinstance(value, str):
        return value
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if kind in ("url", "url:each") and is_number else None


def _either(name: str, kind: str, text: str) -> Iterator[Subject]:
    """Yield an address or a path; a text that is neither is what it says."""
    if kind.startswith("place"):
        if re.match(_PATH, text):
            yield Subject(name, kind.replace("place", "path"), text)
    elif re.match(_ADDRESS, text):
        yield Subject(name, "url", text)
    elif re.match(_PATH if kind == "link" else _SIDE, text):
        yield Subject(name, "path:read", text)


def _settled(kind: str, beside: Mapping[str, Any]) -> str:
    """Return what an archive is by the action beside it; any other kind is settled."""
    if kind != "archive":
        return kind
    return "path:read" if beside.get("action") in _UNPACKING else "path:write"


def _has_destination(value: Mapping[str, Any]) -> bool:
    return any(kind_by_name(name) == "path:write" for name in value if isinstance(name, str))


_ARGV = frozenset({"command", "cmd", "argv"})


def _are_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _joined(words: list[str]) -> str:
    """Return a list of words as the command they are."""
    return " ".join(_quoted(word) for word in words)


def _quoted(word: str) -> str:
    if word and all(char.isalnum() or char in "-_./=:,+@%" for char in word):
        return word
    return "'" + word.replace("'", "'\"'\"'") + "'"
