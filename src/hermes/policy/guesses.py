"""What a tool that is not registered most likely needs, by its name and arguments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hermes.policy.subjects import Inferred, Subject

_RUNNING = ("terminal", "shell", "bash", "exec", "command", "run", "process", "sh", "powershell")
_DELETING = ("delete", "remove", "rm", "unlink", "trash", "rmdir", "move", "rename")
_WRITING = (
    "write", "patch", "edit", "create", "append", "move", "rename", "copy", "compress", "extract",
    "replace", "insert", "save", "update", "put", "mkdir", "touch", "make", "download", "convert",
    "unzip", "zip", "format", "chmod", "chown", "truncate", "modify", "store", "link", "symlink",
    "screenshot", "editor", "clone", "init",
)  # fmt: skip
_LOOKING = frozenset(
    {
        "read", "get", "list", "show", "status", "log", "logs", "diff", "blame", "ps", "images",
        "inspect", "stats", "info", "describe", "view", "count", "history", "select", "explain",
        "pragma",
    }
)  # fmt: skip
_DOMAINS = {
    "git": "git", "github": "git", "gitlab": "git", "docker": "docker", "podman": "docker",
    "container": "docker", "database": "database", "db": "database", "sql": "database",
    "postgres": "database", "mysql": "database", "sqlite": "database", "redis": "database",
    "mongo": "database", "env": "env", "clipboard": "clipboard", "memory": "memory",
    "calendar": "calendar", "cloud": "cloud", "cron": "cron", "cronjob": "cron",
}  # fmt: skip
_COMPARING = frozenset({"diff", "compare", "cmp"})
_COMPARED = dict.fromkeys(("a", "b", "left", "right", "old", "new"), "side")
_PATCHING = frozenset({"patch"})
_PATCHED = dict.fromkeys(("input", "content", "text"), "patch")
_FETCHING = frozenset(
    {
        "fetch", "http", "https", "browse", "browser", "navigate", "download", "crawl", "scrape",
        "web", "request", "rss", "curl", "wget", "url",
    }
)  # fmt: skip
_FETCHED = dict.fromkeys(("uri", "uris", "href", "link", "links", "endpoint", "website"), "url")
_ANYTHING = "tool:call"
"""What a call needs of which nothing else is known: only a profile that allows all grants it."""


def inferred_subjects(name: str) -> Mapping[str, str] | None:
    """Return what is known of a tool's arguments by its name; None where theirs have to tell."""
    words = _words(name)
    known: dict[str, str] = {}
    for telling, kinds in (
        (_COMPARING, _COMPARED),
        (_PATCHING, _PATCHED),
        (_FETCHING, _FETCHED),
    ):
        if not telling.isdisjoint(words):
            known |= kinds
    return Inferred(known) if known else None


def inferred_permissions(
    name: str, subjects: tuple[Subject, ...], arguments: Any
) -> tuple[str, ...]:
    """Return the permissions that an unknown tool most likely needs; it always needs one."""
    words = _words(name)
    given = arguments if isinstance(arguments, Mapping) else {}
    kinds = {subject.kind for subject in subjects}
    found: dict[str, None] = {}
    if "command" in kinds or (words[0] in _RUNNING and "code" not in kinds):
        found["terminal:execute"] = None
    if any(kind.startswith("code") for kind in kinds):
        found["code:execute"] = None
    if any(kind.startswith("path") for kind in kinds):
        found |= dict.fromkeys(_file_permissions([*words, _action(given)], kinds))
    if "url" in kinds:
        found["network:fetch"] = None
    if not found and "search" in words and "query" in given:
        found["network:search"] = None
    found |= dict.fromkeys(_domain_permissions(words, given))
    return tuple(found) or (_ANYTHING,)


def _words(name: str) -> list[str]:
    return name.lower().replace("-", "_").replace(".", "_").replace(":", "_").split("_")


def _action(arguments: Mapping[str, Any]) -> str:
    given = arguments.get("action")
    return given.lower() if isinstance(given, str) else ""


def _file_permissions(words: list[str], kinds: set[str]) -> Iterator[str]:
    is_deleting = any(word in _DELETING for word in words)
    is_writing = any(word in _WRITING for word in words)
    if is_deleting:
        yield "file:delete"
    if is_writing or "path:write" in kinds:
        yield "file:write"
    if not is_deleting and not is_writing and "path:write" not in kinds:
        yield "file:read"


def _domain_permissions(words: list[str], arguments: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is done to a repository, a container, a database: read, run or write."""
    domain = next((_DOMAINS[word] for word in words if word in _DOMAINS), None)
    if domain is None:
        return
    said = [*words, _action(arguments)]
    if domain == "database":
        said += _first_words(arguments.get(name) for name in ("query", "sql", "statement"))
    if "run" in said or "exec" in said:
        yield f"{domain}:run"
    else:
        yield f"{domain}:read" if not _LOOKING.isdisjoint(said) else f"{domain}:write"


def _first_words(texts: Iterable[Any]) -> Iterator[str]:
    for text in texts:
        if isinstance(text, str) and ";" not in text.rstrip("; \n"):
            yield text.strip().partition(" ")[0].lower()
