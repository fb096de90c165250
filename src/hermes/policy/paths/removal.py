"""Judge what is lost when a path is deleted."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from hermes.base.mounts import is_below
from hermes.policy.paths.places import Concern, Places
from hermes.policy.paths.regenerable import is_regenerable
from hermes.policy.paths.spelling import shown
from hermes.policy.paths.zones import SYSTEM, homes_beside, zone_of

_USUAL = (
    ("Documents", "Downloads", "Desktop", "projects", "work", "src", "notes.txt", "data", "bin"),
    (".bashrc", ".config", ".ssh", ".cache", ".profile", ".local", ".gitconfig"),
)
"""What lies in most homes, seen and unseen."""
_VITAL = frozenset(
    f"/{name}"
    for name in (
        *("bin", "sbin", "lib", "lib64", "usr/bin", "usr/sbin", "usr/lib", "usr/lib64", "boot"),
        *("boot/efi", "etc", "System/Library", "private/etc", "private/var", "var/lib"),
    )
)
"""Folders without which a machine does not start."""
_LIBRARIES = re.compile(r"(?:/usr)?/lib/(?:x86_64|aarch64|i386|arm)[\w-]*")
_ALL = frozenset({"*", "**", ".*", "?*", "*.*", "[!.]*", ".[!.]*", "..?*"})


def removal_concern(flat: str, places: Places, *, is_recursive: bool) -> Concern | None:
    """Say what deleting a path would cost, where that is more than the path itself."""
    folder, _, last = flat.rpartition("/")
    is_content = last in _ALL
    whole = (folder or "/") if is_content else flat
    is_wiped = is_recursive or not is_content or whole in _VITAL
    if is_wiped and (found := _wiped(whole, places)):
        return found
    if is_recursive and _is_most(last) and (found := _wiped(folder or "/", places)):
        return found
    if whole in places.workspace:
        return Concern("ask", "delete", f"deletes the whole workspace {shown(whole, places.home)}")
    if whole in places.scratch:
        return Concern("ask", "delete", f"deletes everything in {whole}, of other programs too")
    zone = zone_of(whole, places)
    if zone in {"workspace", "scratch"} and is_git(whole):
        return Concern(
            "ask", "history-rewrite", f"deletes the version history {shown(whole, places.home)}"
        )
    is_whole = is_recursive or is_content
    if zone == "workspace" and is_whole and not is_regenerable(_inside(whole, places)):
        what = f"deletes {shown(flat, places.home)}, which no build can make again"
        return Concern("ask", "delete", what)
    return None


def _is_most(pattern: str) -> bool:
    """Say whether a pattern matches much of what lies in any home."""
    if pattern.isalnum() or not any(sign in pattern for sign in "*?["):
        return False
    return any(sum(fnmatchcase(name, pattern) for name in some) > 2 for some in _USUAL)


def is_git(path: str) -> bool:
    """Say whether a path is a repository's own folder or lies in the parts that hold its past."""
    name = path.rpartition("/")[2].lower()
    if name == ".git":
        return True
    lowered = path.lower()
    return any(f"/.git/{part}" in lowered for part in ("objects", "refs", "packed-refs", "logs"))


def _inside(path: str, places: Places) -> str:
    roots = [root for root in places.workspace if is_below(path, root)]
    return path[max(map(len, roots), default=0) :].strip("/")


def _wiped(path: str, places: Places) -> Concern | None:
    if path == "/":
        return Concern("deny", "delete", "deletes everything on the machine")
    if is_below(places.home, path):
        return Concern("deny", "delete", f"deletes the home {path}")
    if path in {"/root", "/home", "/Users"} or _is_a_home(path, places):
        return Concern("deny", "delete", f"deletes the home of other users: {shown(path)}")
    if path in _VITAL or _LIBRARIES.fullmatch(path):
        return Concern("deny", "delete", f"deletes the system folder {shown(path)}")
    if path.count("/") == 1 and path[1:].lower() in SYSTEM and path not in places.workspace:
        return Concern("deny", "delete", f"deletes the system folder {shown(path)}")
    own = (places.state, f"{places.home}/.hermes")
    if any(is_below(each, path) for each in own) and path not in places.workspace:
        return Concern("deny", "privilege", f"deletes hermes's own {shown(path, places.home)}")
    return None


def _is_a_home(path: str, places: Places) -> bool:
    homes, _, name = path.rpartition("/")
    return homes in ("/home", "/Users", homes_beside(places.home)[:-1]) and name != ""
