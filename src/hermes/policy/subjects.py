"""Which arguments of a call are commands, paths, addresses and code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

KINDS = ("command", "path", "path:read", "path:write", "path:delete", "url", "code", "folder")
"""What an argument can be declared as; ``code:python`` and other languages too."""

_COMMAND = "command cmd commands script shell_command bash_command command_line"
_READ = "source_path src_path from_path input_path"
_PATH = (
    "path file_path filepath filename file_name file paths file_paths filenames files dir directory"
    " folder target_path notebook_path absolute_path relative_path"
)
_WRITE = (
    "destination dest dest_path destination_path dst dst_path to_path new_path save_to save_path"
    " output_path out_path output_file outfile output_dir archive_path"
)
_URL = "url uri urls uris href link links endpoint base_url webhook_url image_url start_url"
_FOLDER = "workdir cwd working_directory working_dir"
INFERRED: Mapping[str, str] = {
    name: kind
    for kind, names in {
        "command": _COMMAND,
        "path": _PATH,
        "path:read": _READ,
        "path:write": _WRITE,
        "url": _URL,
        "code": "code python_code source_code",
        "folder": _FOLDER,
    }.items()
    for name in names.split()
}
"""What an argument of a tool that declares nothing is taken for, by its name."""

_DEEPEST = 8
_MOST = 10_000


class Subject(NamedTuple):
    """One argument, or one item of it, that rules look at."""

    name: str
    kind: str
    text: str


def is_kind(kind: Any) -> bool:
    """Say whether an argument can be declared as this."""
    return isinstance(kind, str) and (kind in KINDS or (kind.startswith("code:") and len(kind) > 5))


def subjects_of(
    arguments: Mapping[str, Any], declared: Mapping[str, str] | None
) -> tuple[Subject, ...]:
    """Return the subjects among a call's arguments, nested ones too; by their names if undeclared.

    Raises:
        ValueError: there are more than anybody would look at.
    """
    found: list[Subject] = []
    for subject in _walk(arguments, INFERRED if declared is None else declared, 0):
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
        name.lower() in INFERRED or not isinstance(part, Mapping) or _can_nest(part)
        for name, part in properties.items()
    )


def _can_nest(part: Mapping[str, Any]) -> bool:
    kind = part.get("type")
    if kind == "array":
        items = part.get("items")
        return not isinstance(items, Mapping) or _can_nest(items)
    return not isinstance(kind, str) or kind == "object"


def _walk(value: Any, kinds: Mapping[str, str], depth: int) -> Iterator[Subject]:
    if depth > _DEEPEST:
        return
    if isinstance(value, Mapping):
        for name, inner in value.items():
            kind = kinds.get(name) or kinds.get(str(name).lower())
            if kind:
                yield from _texts(str(name), kind, inner)
            if isinstance(inner, Mapping | list):
                yield from _walk(inner, kinds, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            if isinstance(inner, Mapping | list):
                yield from _walk(inner, kinds, depth + 1)


def _texts(name: str, kind: str, value: Any) -> Iterator[Subject]:
    if isinstance(value, str):
        yield Subject(name, kind, value)
    elif isinstance(value, list):
        if kind == "command" and all(isinstance(each, str) for each in value) and name in _ARGV:
            yield Subject(name, kind, _joined(value))
            return
        for each in value:
            if isinstance(each, str):
                yield Subject(name, kind, each)


_ARGV = frozenset({"command", "cmd", "argv"})


def _joined(words: list[str]) -> str:
    """Return a list of words as the command they are."""
    return " ".join(_quoted(word) for word in words)


def _quoted(word: str) -> str:
    if word and all(char.isalnum() or char in "-_./=:,+@%" for char in word):
        return word
    return "'" + word.replace("'", "'\"'\"'") + "'"


_RUNNING = ("terminal", "shell", "bash", "exec", "command", "run", "process", "sh", "powershell")
_DELETING = ("delete", "remove", "rm", "unlink", "trash", "rmdir", "move", "rename")
_WRITING = (
    "write", "patch", "edit", "create", "append", "move", "rename", "copy", "compress", "extract",
    "replace", "insert", "save", "update", "put", "mkdir", "touch", "make", "download", "convert",
    "unzip", "zip", "format", "chmod", "chown", "truncate", "modify", "store", "link", "symlink",
)  # fmt: skip


def inferred_permissions(
    name: str, subjects: tuple[Subject, ...], arguments: Any
) -> tuple[str, ...]:
    """Return the permissions that an unknown tool most likely needs, by its name and arguments."""
    words = name.lower().replace("-", "_").replace(".", "_").split("_")
    kinds = {subject.kind for subject in subjects}
    found: dict[str, None] = {}
    if "command" in kinds or (words[0] in _RUNNING and "code" not in kinds):
        found["terminal:execute"] = None
    if any(kind.startswith("code") for kind in kinds):
        found["code:execute"] = None
    if any(kind.startswith("path") for kind in kinds):
        found |= dict.fromkeys(_file_permissions(words, kinds))
    if "url" in kinds:
        found["network:fetch"] = None
    if not found and "search" in words and isinstance(arguments, Mapping) and "query" in arguments:
        found["network:search"] = None
    return tuple(found)


def _file_permissions(words: list[str], kinds: set[str]) -> Iterator[str]:
    is_deleting = any(word in _DELETING for word in words)
    is_writing = any(word in _WRITING for word in words)
    if is_deleting:
        yield "file:delete"
    if is_writing or "path:write" in kinds:
        yield "file:write"
    if not is_deleting and not is_writing and "path:write" not in kinds:
        yield "file:read"
