"""Calls that several script languages have, computed from texts that are known."""

from __future__ import annotations

import base64

from hermes.policy.shell.effects import UNKNOWN


def first(parts: list[str]) -> str | None:
    """Return the first text as it is."""
    return parts[0] if parts else None


def home(parts: list[str]) -> str | None:
    """Return the home folder when its variable is asked for."""
    return "~" if parts == ["HOME"] else None


def joined(parts: list[str]) -> str:
    """Return the parts of a path as one."""
    return "/".join(part.rstrip("/") if at else part for at, part in enumerate(parts))


def from_base64(parts: list[str]) -> str | None:
    """Return what base64 hides, None when it is none."""
    try:
        return base64.b64decode(parts[0] + "==").decode("utf-8", "replace") if parts else None
    except ValueError:
        return None


def from_hex(parts: list[str]) -> str | None:
    """Return what hexadecimal digits hide, None when they are none."""
    try:
        return bytes.fromhex(parts[0]).decode("utf-8", "replace") if parts else None
    except ValueError:
        return None


def all_of(path: str) -> str:
    """Return a path whose name is unknown as the pattern of all that it may stand for."""
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}{name.replace(UNKNOWN, '*')}" if folder.strip(UNKNOWN) else path
