"""Bring the many spellings of a path into one."""

from __future__ import annotations

import os.path
import re
import unicodedata
from typing import NamedTuple

from hermes.policy.paths.places import UNKNOWN, Concern, Places

_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)
_JOINERS = re.compile("[\u200c\u200d\ufe00-\ufe0f]")
_GLOB = re.compile(r"[*?\[]")
_SET = re.compile(r"\[[^\]/]{1,64}\]")
_LOOSE_END = re.compile(r"[ .](?=/|$)")
_ENCODED = re.compile(r"%(?:25)*2e(?:\.|%(?:25)*2e)|\.\.(?:\\|%(?:25)*(?:2f|5c))", re.IGNORECASE)
_VARIABLE = re.compile(r"\$(?:\{(HOME|PWD)\}|(HOME|PWD))(?=/|$)")
_STEP_UP = re.compile(r"(?:^|/)\.\. *(?=/|$)")
_USER = re.compile(r"~([A-Za-z_][\w.-]*)(?=/|$)")
_LONGEST = 4_096


class Spelled(NamedTuple):
    """One path in two spellings."""

    path: str
    """Absolute, as the kernel would walk it."""
    flat: str
    """Absolute, without doubled slashes and steps up."""
    is_pattern: bool
    """Holds a glob or a part that is not known."""
    is_folder: bool
    """Ends in a slash, so that a link at its end is followed."""


def oddity(text: str) -> Concern | None:
    """Say what is wrong with the characters of a path."""
    if "\0" in text:
        return Concern("deny", "obfuscation", "names a path with a NUL byte in it")
    if len(text) > _LONGEST:
        return Concern("deny", "obfuscation", "names a path that is longer than any path can be")
    if text.isascii() and text.isprintable():
        return _odd_steps(text) if ".. " in text or "%" in text or "\\" in text else None
    if _HIDDEN.search(text):
        return Concern("ask", "obfuscation", f"names a path with hidden characters: {shown(text)}")
    if len(_STEP_UP.findall(unicodedata.normalize("NFKC", text))) != text_steps(text):
        return Concern("ask", "obfuscation", f"disguises a step up the folders: {shown(text)}")
    return _odd_steps(text)


def text_steps(text: str) -> int:
    """Count the steps up that the kernel would see."""
    return text.split("/").count("..")


def _odd_steps(text: str) -> Concern | None:
    if len(_STEP_UP.findall(text)) == text_steps(text) and not _ENCODED.search(text):
        return None
    return Concern("ask", "obfuscation", f"disguises a step up the folders: {shown(text)}")


def spell(text: str, places: Places, cwd: str) -> Spelled | None:
    """Return a path in its plain spelling; None when even its beginning is not known."""
    path = _whole(text, places, cwd)
    if path is None or not path.startswith("/"):
        return None
    flat = os.path.normpath(path)
    if flat.startswith("//"):
        flat = flat[1:]
    is_pattern = UNKNOWN in flat or _GLOB.search(flat) is not None
    return Spelled(path, flat, is_pattern, path.endswith(("/", "/.")))


def _whole(text: str, places: Places, cwd: str) -> str | None:
    if text.startswith("/"):
        return text
    if text[:1] in {"~", "$"}:
        expanded = _expanded(text, places, cwd)
        if expanded is None or expanded.startswith("/"):
            return expanded
    if text.startswith("file:/"):
        return "/" + text[6:].lstrip("/").removeprefix("localhost/")
    if text.startswith(UNKNOWN) or not cwd.startswith("/"):
        return None
    return f"{cwd}/{text}" if text else cwd


def _expanded(text: str, places: Places, cwd: str) -> str | None:
    """Return a path whose beginning stands for a folder, as a shell reads it; None for unknown."""
    if text == "~" or text.startswith("~/"):
        return places.home + text[1:]
    if text == "~+" or text.startswith("~+/"):
        return cwd + text[2:]
    if text == "~-" or text.startswith("~-/"):
        return None
    if named := _USER.match(text):
        return _home_of(named[1], places.home) + text[named.end() :]
    if variable := _VARIABLE.match(text):
        folder = places.home if "HOME" in variable.groups() else cwd
        return folder + text[variable.end() :]
    return text


def _home_of(user: str, home: str) -> str:
    if user == "root":
        return "/root"
    return home if home.rpartition("/")[2] == user else f"/home/{user}"


def names_of(flat: str) -> list[str]:
    """Return the names of a path from the root down, in the spelling that patterns use."""
    if not flat.isascii():
        flat = unicodedata.normalize("NFKC", _JOINERS.sub("", flat))
        flat = flat.casefold().replace(UNKNOWN, "*")
    flat = flat.lower()
    if "[" in flat:
        flat = _SET.sub("?", flat)
    names = flat[1:].split("/") if flat != "/" else []
    if _LOOSE_END.search(flat):
        return [name.rstrip(" .") or name for name in names]
    return names


def shown(path: str, home: str = "") -> str:
    """Return a path as a person may be shown it: no control characters, not endless."""
    if home and home != "/" and (path == home or path.startswith(home + "/")):
        path = "~" + path[len(home) :]
    text = path[:200].replace(UNKNOWN, "…")
    clean = "".join(
        char if char.isprintable() and not _HIDDEN.match(char) else f"\\u{ord(char):04x}"
        for char in text
    )
    return clean if len(path) <= 200 else f"{clean}…"
