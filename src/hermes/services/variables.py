"""Environment variables: one base for all, an overlay for each task, and a judge of names."""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from typing import Protocol

from hermes.base.code_names import runs_code
from hermes.base.errors import InvalidArguments, ToolError
from hermes.base.optional import load
from hermes.base.text import nearest

ALLOWED = (
    "PATH", "HOME", "LANG", "LC_*", "TERM", "TMPDIR", "TZ", "USER", "LOGNAME", "SHELL", "CI",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
    "PIP_CERT", "GIT_SSL_CAINFO",
)  # fmt: skip
"""What every child process may see of the base; ``*`` stands for any ending."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MAX_NAME = 256
_MAX_VALUE_BYTES = 100_000
_MAX_OWN = 1_000


class Base(Protocol):
    """Variables that all tasks begin with, such as a dict."""

    def __contains__(self, name: object, /) -> bool:
        """Say whether a variable is set."""

    def get(self, name: str, /) -> str | None:
        """Return a variable, or None."""

    def copy(self) -> dict[str, str]:
        """Return all of them."""


class Variables:
    """Keep the environment of every task apart: changes of one are invisible to all others.

    The base is handed in, looked at anew each time, and never written. ``allowed`` names what the
    user lets child processes see beyond ``ALLOWED``; ``on_secret`` is told each secret that is set
    or handed out, to redact it.
    """

    def __init__(
        self,
        base: Base,
        *,
        allowed: Iterable[str] = (),
        on_secret: Callable[[str], None] | None = None,
    ) -> None:
        self._base = base
        self._allowed = tuple(allowed)
        self._on_secret = on_secret
        self._own: dict[str, dict[str, str | None]] = {}
        self._judged: tuple[dict[str, str], dict[str, str]] = ({}, {})
        """The base when it was last judged, and what of it child processes may see."""
        self._lock = threading.Lock()

    def get(self, task_id: str, name: str) -> str | None:
        """Return a variable as the task sees it, or None when it is not set."""
        check_name(name)
        with self._lock:
            own = self._own.get(task_id, {})
            return own[name] if name in own else self._base.get(name)

    def set(self, task_id: str, name: str, value: str) -> None:
        """Set a variable for one task and its child processes.

        Raises:
            InvalidArguments: the name or the value cannot be an environment variable's.
            ToolError: the variable would make other programs run code.
        """
        check_name(name)
        check_value(name, value)
        refuse_code(name, value)
        if self._on_secret is not None and is_secret(name):
            self._on_secret(load("hermes.base.secret_names").secret_part(name, value))
        with self._lock:
            own = self._own.setdefault(task_id, {})
            if name not in own and len(own) >= _MAX_OWN:
                raise InvalidArguments(f"this task has set {_MAX_OWN:,} variables already")
            own[name] = value

    def unset(self, task_id: str, name: str) -> bool:
        """Hide a variable from one task; return whether it was set."""
        check_name(name)
        with self._lock:
            own = self._own.setdefault(task_id, {})
            was_set = own.get(name, self._base.get(name)) is not None
            if name in self._base:
                own[name] = None
            else:
                own.pop(name, None)
        return was_set

    def all(self, task_id: str) -> dict[str, str]:
        """Return every variable the task sees, by name."""
        with self._lock:
            merged = {**self._base.copy(), **self._own.get(task_id, {})}
        return {name: value for name, value in sorted(merged.items()) if value is not None}

    def safe(self, task_id: str) -> dict[str, str]:
        """Return what a child process of the task may see: the allowed names and the task's own.

        A secret that somebody keeps under a harmless name is left out, unless the user allows it.
        """
        with self._lock:
            base, own = self._base.copy(), dict(self._own.get(task_id, {}))
        judged, shown = self._judged
        if base != judged:
            shown = {name: base[name] for name in sorted(base) if self._is_shown(name, base[name])}
            self._judged = (base, shown)
        if not own:
            return dict(shown)
        seen = {**shown, **own}
        return {name: value for name, value in sorted(seen.items()) if value is not None}

    def _is_shown(self, name: str, value: str) -> bool:
        """Say whether child processes may see a variable of the base."""
        if not _is_allowed(name, self._allowed):
            return _is_allowed(name, ALLOWED) and not _is_kept(name, value)
        return True

    def own(self, task_id: str) -> list[str]:
        """Return the names that the task itself has set."""
        with self._lock:
            own = self._own.get(task_id, {})
            return sorted(name for name, value in own.items() if value is not None)

    def secret(self, name: str) -> str | None:
        """Return a base variable for use in a call, and have it redacted from now on."""
        value = self._base.get(name)
        if value and self._on_secret is not None:
            self._on_secret(value)
        return value

    def near(self, task_id: str, name: str) -> list[str]:
        """Return the names most like one that is not set."""
        return nearest(name, self.all(task_id))

    def forget(self, task_id: str) -> None:
        """Drop what a finished task has set."""
        with self._lock:
            self._own.pop(task_id, None)


def shown(name: str, value: str) -> str:
    """Return a value as a model may read it: secrets only by their length."""
    if not is_secret(name):
        return value
    names = load("hermes.base.secret_names")
    word = f"[secret, {len(names.secret_part(name, value))} characters]"
    return str(names.masked(name, value, word))


def is_secret(name: str) -> bool:
    """Whether a variable of this name holds a secret."""
    # By name: every start makes a Variables, few look for secrets.
    return bool(load("hermes.base.secret_names").is_secret_name(name))


@functools.lru_cache(maxsize=256)
def _is_kept(name: str, value: str) -> bool:
    """Say whether a variable that is allowed by its name holds a secret; a path does not."""
    if value.startswith("/"):
        return False
    return is_secret(name) or load("hermes.base.credentials").replace_all(value) != value


def check_name(name: str) -> None:
    """Refuse what cannot be the name of an environment variable."""
    if len(name) > _MAX_NAME or not _NAME.fullmatch(name):
        raise InvalidArguments(
            f"{name[:_MAX_NAME]!r} is not a variable name",
            hint="Use letters, digits and underscores, not starting with a digit.",
        )


def check_value(name: str, value: str) -> None:
    """Refuse what no process can be handed as a value."""
    try:
        size = len(value.encode())
    except UnicodeEncodeError as error:
        raise InvalidArguments(f"the value of {name} is not valid Unicode") from error
    if "\0" in value:
        raise InvalidArguments(f"the value of {name} contains a NUL character")
    if size > _MAX_VALUE_BYTES:
        raise InvalidArguments(
            f"the value of {name} has {size:,} bytes; {_MAX_VALUE_BYTES:,} is the most",
            hint="Write it to a file and set the variable to the file's path.",
        )


def refuse_code(name: str, value: str) -> None:
    """Refuse a variable that makes later programs run code nobody judged."""
    if runs_code(name, value):
        raise ToolError(
            f"{name} is not set: it makes other programs run code",
            code="protected_variable",
            hint=f"Give it to the one command that needs it ({name}=… command), "
            "where the command is judged as a whole.",
        )


@functools.lru_cache(maxsize=4_096)
def _is_allowed(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
