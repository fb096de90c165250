"""Say in which part of the machine a path lies."""

from __future__ import annotations

import functools
import re
from typing import Literal

from hermes.base.mounts import is_below
from hermes.policy.paths.places import Places
from hermes.policy.paths.remembering import remembered

Zone = Literal["workspace", "scratch", "home", "state", "others", "system", "elsewhere"]

SYSTEM = frozenset(
    [
        "bin",
        "boot",
        "dev",
        "etc",
        "lib",
        "lib32",
        "lib64",
        "libx32",
        "opt",
        "proc",
        "run",
        "sbin",
        "srv",
        "sys",
        "usr",
        "var",
        "system",
        "library",
        "applications",
        "private",
        "nix",
        "snap",
        "lost+found",
        "vmlinuz",
        "initrd.img",
    ]
)
"""The names at the root that belong to the machine."""

_SHARED_HOMES = frozenset({"linuxbrew", "shared"})
_HOMES = ("/home/", "/Users/")
_WINDOWS_HOME = re.compile(r"/mnt/[a-z]/users/[^/]+(?=/|$)", re.IGNORECASE)
_OWN = "/.hermes"
"""Where hermes lives in every home that names no other place."""


def zone_of(path: str, places: Places) -> Zone:
    """Return the zone of a flat path; the deepest folder that holds it decides."""
    return zone_and_root(path, places)[0]


@remembered
def zone_and_root(path: str, places: Places) -> tuple[Zone, str | None]:
    """Return the zone of a flat path, and the folder among the places that puts it there."""
    zone: Zone = "elsewhere"
    deepest = None
    depth = 0
    for root in places.workspace:
        if len(root) > depth and is_below(path, root):
            zone, deepest, depth = "workspace", root, len(root)
    for state in own_places(places, path):
        if len(state) > depth and is_below(path, state):
            zone, deepest, depth = "state", state, len(state)
    if len(places.home) > depth and is_below(path, places.home):
        zone, deepest, depth = "home", places.home, len(places.home)
    for root in places.scratch:
        if len(root) > depth and is_below(path, root) and not _is_beside(path, root, places):
            zone, deepest, depth = "scratch", root, len(root)
    if zone == "scratch" and path.startswith(homes_beside(places.home)):
        return _machine_zone(path, places), None
    if depth == 0 or (zone == "workspace" and depth == 1):
        return _machine_zone(path, places), None  # a workspace at the root is not the machine's own
    return zone, deepest


def own_places(places: Places, path: str) -> tuple[str, ...]:
    """Return the folders of hermes itself that a path may lie in: its own, and one in any home."""
    at = path.find(_OWN)
    if at < 0:
        return (places.state,)
    home = path[:at]
    is_home = home in (places.home, "/root", "/var/root") or (
        home.startswith(_HOMES) and home.count("/") == 2
    )
    return (places.state, home + _OWN) if is_home else (places.state,)


@functools.lru_cache(maxsize=64)
def homes_beside(home: str) -> str:
    """Return the folder in which other users' homes lie beside this one."""
    homes = home.rpartition("/")[0]
    return f"{homes}/" if homes.endswith(("/home", "/Users")) else "/home/"


def _is_beside(path: str, scratch: str, places: Places) -> bool:
    """Say whether a path shares a folder of scratch with a workspace or home: those are no scratch.

    A workspace in ``/tmp/job/app`` has neighbours in ``/tmp/job`` that nobody gave away.
    """
    start = len(scratch) + 1
    for root in (*places.workspace, places.home):
        if len(root) > start and is_below(root, scratch):
            first, _, rest = root[start:].partition("/")
            if rest and is_below(path, f"{scratch}/{first}"):
                return True
    return False


def _machine_zone(path: str, places: Places) -> Zone:
    if is_below(path, "/root") or is_below(path, "/var/root"):
        return "others"
    for homes in (*_HOMES, homes_beside(places.home)):
        if path.startswith(homes):
            owner = path[len(homes) :].partition("/")[0]
            return "system" if owner.lower() in _SHARED_HOMES else "others"
    if path.startswith("/mnt/") and _WINDOWS_HOME.match(path):
        return "others"
    first = path[1:].partition("/")[0].lower()
    if first in SYSTEM:
        return "system"
    return "workspace" if "/" in places.workspace and first else "elsewhere"


def home_names(names: list[str], path: str, places: Places) -> list[str] | None:
    """Return the names of a path below the home it lies in, whoever's home that is."""
    if is_below(path, places.home):
        return names[places.home.rstrip("/").count("/") :]
    if path.startswith(_HOMES):
        return names[2:]
    beside = homes_beside(places.home)
    if path.startswith(beside):
        return names[beside.count("/") :]
    if path.startswith("/mnt/") and _WINDOWS_HOME.match(path):
        return names[4:]
    return names[1:] if is_below(path, "/root") else None
