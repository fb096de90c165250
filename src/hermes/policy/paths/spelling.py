"""Bring the many spellings of a path into one."""

from __future__ import annotations

import os.path
import re
import unicodedata
from typing import NamedTuple

from hermes.policy.paths.places import UNKNOWN, Concern, Places
from hermes.policy.paths.remembering import LONGEST, remembered

_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ufeff\uffa0"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)
_JOINERS = re.compile("[\u200c\u200d\ufe00-\ufe0f]")
_GLOB = re.compile(r"[*?\[]")
_SET = re.compile(r"\[[^\]/]{1,64}\]")
_LOOSE_END = re.compile(r"[ .](?=/|$)")
_ENCODED = re.compile(r"%(?:25)*2e(?:\.|%(?:25)*2e)|\.\.(?:\\|%(?:25)*(?:2f|5c))", re.IGNORECASE)
_VARIABLE = re.compile(r"\$(?:\{(HOME|PWD|HERMES_HOME)\}|(HOME|PWD|HERMES_HOME))(?=/|$)")
_OTHER_VARIABLE = re.compile(r"\$(?:[A-Z_][A-Z0-9_]*(?=/|$)|[{(])|`.*`/|%[A-Za-z_]+%[\\/]")
_OTHER_SYSTEM = re.compile(r"[A-Za-z]:[\\/]|\\\\")
_STEP_UP = re.compile(r"(?:^|/)\.\.[ ;]*(?=/|$)")
_SLASHES = str.maketrans(dict.fromkeys("\u2044\u2215\u29f8\u2571", "/"))
_USER = re.compile(r"~([A-Za-z_][\w.-]*)(?=/|$)")
_BACKUP = re.compile(
    r"~[\w.-]+\.(?:txt|md|bak|tmp|py|js|ts|json|ya?ml|docx?|xlsx?|pdf|csv|log|lock|html?)"
)
_OCTET = re.compile(r"%([0-9a-fA-F]{2})")
_MOST_CODINGS = 3
_LOOSE_SIDES = " \t\u00a0\u2000-\u200a\u3000'\""
_STREAM = re.compile(r"::\$[a-z_]*")
_MAYBE_ODD = re.compile(r"[%\\$`;]|\.\. |^[\s'\"]|[a-zA-Z]:[\\/]|[\s'\"]$")
_ODD = frozenset("%\\$`;:'\" \t\n\r\v\f")


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
    if len(text) > LONGEST:
        return Concern("deny", "obfuscation", "names a path that is longer than any path can be")
    if text.isascii() and text.isprintable():
        return _odd_steps(text) if _is_maybe_odd(text) else None
    if _HIDDEN.search(text):
        return Concern("ask", "obfuscation", f"names a path with hidden characters: {shown(text)}")
    plain = unicodedata.normalize("NFKC", text).translate(_SLASHES)
    if len(_STEP_UP.findall(plain)) != text_steps(text):
        return Concern("ask", "obfuscation", f"disguises a step up the folders: {shown(text)}")
    return _odd_steps(text)


def _is_maybe_odd(text: str) -> bool:
    if text.isascii() and _ODD.isdisjoint(text):
        return False  # as good as every path; a search would take longer than the rest
    return _MAYBE_ODD.search(text) is not None


def text_steps(text: str) -> int:
    """Count the steps up that the kernel would see."""
    return text.split("/").count("..")


def _odd_steps(text: str) -> Concern | None:
    if _OTHER_VARIABLE.match(text) and not _VARIABLE.match(text):
        return Concern("ask", "opaque", f"names a path by a value that is not known: {shown(text)}")
    if _OTHER_SYSTEM.match(text):
        return Concern("ask", "obfuscation", f"names a path of another system: {shown(text)}")
    if len(_STEP_UP.findall(text)) == text_steps(text) and not _ENCODED.search(text):
        return None
    return Concern("ask", "obfuscation", f"disguises a step up the folders: {shown(text)}")


def other_readings(text: str) -> tuple[str, ...]:
    """Return a path as other programs would read it, where that is different.

    A careless one trims and decodes it and knows one kind of slash; a simple one knows no home.
    """
    careless = _careless(text) if _is_maybe_odd(text) else text
    found = () if careless == text else (careless,)
    if ".." in text and (text[:1] in {"~", "$"} or text[:6].lower() == "file:/"):
        return (*found, f"./{text}")
    return found


def _careless(text: str) -> str:
    plain = text.strip(_LOOSE_SIDES)
    for _ in range(_MOST_CODINGS):
        decoded = _OCTET.sub(lambda found: chr(int(found[1], 16)), plain)
        if decoded == plain:
            break
        plain = decoded
    return plain.replace("\\", "/")


@remembered
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
    if text[:6].lower() == "file:/":
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
    if _BACKUP.fullmatch(text):
        return text
    if named := _USER.match(text):
        return _home_of(named[1], places.home) + text[named.end() :]
    if variable := _VARIABLE.match(text):
        folders = {"HOME": places.home, "HERMES_HOME": places.state}
        folder = folders.get(variable[1] or variable[2], cwd)
        return folder + text[variable.end() :]
    return text


def _home_of(user: str, home: str) -> str:
    if user == "root":
        return "/root"
    homes, _, name = home.rpartition("/")
    if name == user:
        return home
    return f"{homes if homes.endswith(('/home', '/Users')) else '/home'}/{user}"


def names_of(flat: str) -> list[str]:
    """Return the names of a path from the root down, in the spelling that patterns use."""
    if not flat.isascii():
        flat = unicodedata.normalize("NFKC", _JOINERS.sub("", flat)).translate(_SLASHES)
        flat = flat.casefold().replace(UNKNOWN, "*")
    flat = flat.lower()
    if "[" in flat:
        flat = _SET.sub("?", flat)
    if "::$" in flat:
        flat = _STREAM.sub("", flat)
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
