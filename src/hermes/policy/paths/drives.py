"""Judge what Windows calls a path: drives, the homes on them, and how other systems see them."""

from __future__ import annotations

import re

from hermes.policy.paths.places import Concern, Verb

_DRIVE = re.compile(
    r"(?:[\\/]{2}[?.][\\/])?(?:(?P<letter>[A-Za-z]):|/(?:mnt|cygdrive)/(?P<mount>[a-z])(?=/|$)"
    r"|/(?P<short>[a-z])(?=/(?i:users|windows|program)))"
    r"(?P<rest>.*)",
    re.DOTALL,
)
_RAW = re.compile(r"[\\/]{2}\.[\\/](?:PhysicalDrive\d|[A-Za-z]:$|Harddisk)", re.IGNORECASE)
_ALL = re.compile(r"(?:/|\*\.\*|\*|\?+)+$")
_MACHINE = re.compile(
    r"users(?:/[^/]+)?|documents and settings(?:/[^/]+)?|windows(?:/?system32(?:/?config)?|/boot)?"
    r"|program ?files(?: \(x86\))?|programdata|boot|efi|recovery|system volume information",
    re.IGNORECASE,
)
_SHARED = frozenset({"users/public"})


def drive_concern(verb: Verb, path: str, *, is_recursive: bool) -> Concern | None:
    """Deny what wipes a drive of Windows, its system or a home on it."""
    if verb == "read":
        return None
    if path.startswith(("\\\\", "//")) and _RAW.match(path):
        return Concern("deny", "disk", f"overwrites the disk {path}")
    match = _DRIVE.match(path)
    if match is None or not is_recursive:
        return None
    rest = re.sub(r"[\\/]+", "/", match["rest"]).strip("/")
    whole = _ALL.sub("", rest)
    name = (match["letter"] or match["mount"] or match["short"]).upper()
    if not whole:
        return Concern("deny", "delete", f"deletes everything on the drive {name}:")
    if _MACHINE.fullmatch(whole) and whole.lower() not in _SHARED:
        return Concern("deny", "delete", f"deletes {name}:/{whole}, which the machine needs")
    return None
