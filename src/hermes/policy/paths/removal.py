"""Judge what is lost when a path is deleted."""

from __future__ import annotations

from hermes.base.mounts import is_below
from hermes.policy.paths.places import Concern, Places
from hermes.policy.paths.regenerable import is_regenerable
from hermes.policy.paths.spelling import shown
from hermes.policy.paths.zones import SYSTEM, zone_of

_ALL = frozenset({"*", "**", ".*", "?*", "*.*", "[!.]*", ".[!.]*", "..?*"})


def removal_concern(flat: str, places: Places, *, is_recursive: bool) -> Concern | None:
    """Say what deleting a path would cost, where that is more than the path itself."""
    folder, _, last = flat.rpartition("/")
    is_content = last in _ALL
    whole = (folder or "/") if is_content else flat
    if (is_recursive or not is_content) and (found := _wiped(whole, places)):
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
    if path in {"/root", "/home", "/Users"} or _is_a_home(path):
        return Concern("deny", "delete", f"deletes the home of other users: {shown(path)}")
    if path.count("/") == 1 and path[1:].lower() in SYSTEM and path not in places.workspace:
        return Concern("deny", "delete", f"deletes the system folder {shown(path)}")
    if is_below(places.state, path) and path not in places.workspace:
        return Concern("deny", "privilege", f"deletes hermes's own {shown(path, places.home)}")
    return None


def _is_a_home(path: str) -> bool:
    return path.startswith(("/home/", "/Users/")) and path.count("/") == 2
