"""Judge one path: what it says, and the object behind it."""

from __future__ import annotations

import functools
import os.path
from collections.abc import Iterable

from hermes.policy.paths import devices, objects
from hermes.policy.paths.drives import drive_concern
from hermes.policy.paths.groups import Category
from hermes.policy.paths.places import UNKNOWN, Concern, Places, Verb
from hermes.policy.paths.spelling import Spelled, oddity, other_readings, shown, spell
from hermes.policy.paths.text import judge_text
from hermes.policy.paths.twins import names_below, twins_by_link
from hermes.policy.paths.zones import zone_and_root, zone_of

_DONE: dict[Verb, tuple[str, Category]] = {
    "read": ("reads", "exfiltration"),
    "write": ("changes", "overwrite"),
}


def concern(
    verb: Verb,
    path: str,
    places: Places,
    cwd: str,
    *,
    is_recursive: bool = False,
    sight: objects.Sight | None = None,
) -> Concern | None:
    """Return why somebody should be asked before a path is read, written or deleted; None is fine.

    The path may be spelled in any way and hold globs and parts that are not known. Both its text
    and the object it names now are judged, and the stricter word counts. Whether that object is
    still the same when it is used is for descriptors to ensure.
    """
    if (
        path[1:2] == ":"
        or path[2:3] == "/"
        or path.startswith(("\\\\", "//", "/mnt/", "/cygdrive/"))
    ):
        drive = drive_concern(verb, path, is_recursive=is_recursive)
        if drive is not None:
            return drive
    if odd := oddity(path):
        return odd
    judge = functools.partial(_judge, verb, places, cwd, sight or objects.Sight())
    found = judge(path, is_recursive=is_recursive)
    others = other_readings(path)
    if not others:
        return found
    judged = (oddity(each) or judge(each, is_recursive=is_recursive) for each in others)
    return _strictest((found, *judged))


def _judge(
    verb: Verb, places: Places, cwd: str, sight: objects.Sight, path: str, *, is_recursive: bool
) -> Concern | None:
    spelled = spell(path, places, cwd)
    if spelled is None:
        return _unknown(verb, is_recursive=is_recursive)
    if way := devices.way_concern(verb, spelled.path):
        return way
    if is_recursive and verb == "delete":
        is_recursive = not objects.is_single(spelled)
    found = judge_text(verb, spelled.flat, places, is_recursive=is_recursive)
    if found is not None and found.decision == "ask":
        real_places = sight.real_places(places)
        if real_places != places:
            found = judge_text(verb, spelled.flat, real_places, is_recursive=is_recursive)
    if found is not None and found.decision == "deny":
        return found
    behind = _behind(verb, spelled, places, sight, is_recursive=is_recursive)
    return _strictest((found, behind))


def _unknown(verb: Verb, *, is_recursive: bool) -> Concern | None:
    if verb == "delete" and is_recursive:
        return Concern("ask", "opaque", "deletes a folder that cannot be known beforehand")
    return None


def _strictest(concerns: Iterable[Concern | None]) -> Concern | None:
    """Return the first that denies, or else the first that asks."""
    first = None
    for found in concerns:
        if found is not None and found.decision == "deny":
            return found
        first = first or found
    return first


def _behind(
    verb: Verb, spelled: Spelled, places: Places, sight: objects.Sight, *, is_recursive: bool
) -> Concern | None:
    """Judge what a path, or every path that a pattern matches, names on the disk now."""
    if spelled.is_pattern:
        return _behind_pattern(verb, spelled, places, sight, is_recursive=is_recursive)
    found = _behind_plain(verb, spelled, places, sight, is_recursive=is_recursive)
    if found is not None or not (spelled.is_folder or "/.." in spelled.path):
        return found
    # who tidies a path up before it is opened ends elsewhere than the kernel does
    tidied = Spelled(spelled.flat, spelled.flat, is_pattern=False, is_folder=False)
    return _behind_plain(verb, tidied, places, sight, is_recursive=is_recursive)


def _behind_plain(
    verb: Verb, spelled: Spelled, places: Places, sight: objects.Sight, *, is_recursive: bool
) -> Concern | None:
    seen = sight.look(spelled.path, is_followed=verb != "delete" or spelled.is_folder)
    if seen.real == spelled.flat:
        return _judge_object(verb, seen, places, sight)
    there = sight.real_places(places)
    found = _judge_seen(verb, seen, there, sight, is_recursive=is_recursive)
    return found or _judge_way(verb, spelled.flat, seen.real, (places, there))


def _behind_pattern(
    verb: Verb, spelled: Spelled, places: Places, sight: objects.Sight, *, is_recursive: bool
) -> Concern | None:
    there = objects.pattern_there(spelled)
    paths = objects.matches(there)
    if UNKNOWN not in spelled.path:  # whoever knows no patterns takes it as it stands
        paths.append(spelled.path)
    found = _judge_pattern(verb, there, spelled, places, is_recursive=is_recursive)
    for each in paths:
        if found is not None and (found.decision == "deny" or verb == "read"):
            return found  # nothing is stricter, and looking at the rest may take long
        one = _judge_one(verb, each, spelled, places, sight, is_recursive=is_recursive)
        found = _strictest((found, one))
    return found


def _judge_one(
    verb: Verb,
    path: str,
    spelled: Spelled,
    places: Places,
    sight: objects.Sight,
    *,
    is_recursive: bool,
) -> Concern | None:
    seen = sight.look(path, is_followed=verb != "delete" or spelled.is_folder)
    there = places if seen.real == path else sight.real_places(places)
    found = _judge_seen(verb, seen, there, sight, is_recursive=is_recursive)
    return found or _judge_way(verb, os.path.normpath(path), seen.real, (places, there))


def _judge_way(verb: Verb, path: str, real: str, places: tuple[Places, Places]) -> Concern | None:
    """Ask when a link leads a change out of the workspace, even if only to scratch."""
    here, there = places
    if verb == "read" or zone_of(path, here) != "workspace" or zone_of(real, there) != "scratch":
        return None
    home = here.home
    what = f"follows a link out of the workspace: {shown(path, home)} to {shown(real, home)}"
    return Concern("ask", "overwrite", what)


def _judge_pattern(
    verb: Verb, there: str, spelled: Spelled, places: Places, *, is_recursive: bool
) -> Concern | None:
    """Judge a pattern where it really is, when a link leads to it."""
    if there == spelled.flat:
        return None
    return judge_text(verb, there, objects.real_places(places), is_recursive=is_recursive)


def _judge_seen(
    verb: Verb, seen: objects.Seen, places: Places, sight: objects.Sight, *, is_recursive: bool
) -> Concern | None:
    by_text = judge_text(verb, seen.real, places, is_recursive=is_recursive)
    return _strictest((by_text, _judge_object(verb, seen, places, sight)))


def _judge_object(
    verb: Verb, seen: objects.Seen, places: Places, sight: objects.Sight
) -> Concern | None:
    if found := devices.object_concern(verb, seen):
        return found
    zone, root = zone_and_root(seen.real, places)
    if zone in {"workspace", "scratch", "elsewhere"}:
        twins = sight.twins_by_mount(seen, root)
        if found := _judge_twins(verb, twins, places):
            return found
    if verb == "delete" or not objects.has_other_names(seen):
        return None
    if found := _judge_twins(verb, twins_by_link(verb, seen, places), places):
        return found
    if zone not in {"workspace", "scratch"} or root is None:
        return None
    if objects.is_bundled(seen.real, root):
        return None
    return _judge_unknown_names(verb, seen, root, places)


def _judge_unknown_names(
    verb: Verb, seen: objects.Seen, root: str, places: Places
) -> Concern | None:
    """Judge a file by its names below a root; one that has more of them elsewhere asks."""
    inside = names_below(root, seen)
    if found := _judge_twins(verb, inside, places):
        return found
    is_scratch = zone_of(root, places) == "scratch"
    if seen.info is None or len(inside) >= seen.info.st_nlink or (verb == "read" and is_scratch):
        return None
    done, category = _DONE[verb]
    what = f"{done} a file that has another name elsewhere: {shown(seen.real, places.home)}"
    return Concern("ask", category, what)


def _judge_twins(verb: Verb, twins: list[str], places: Places) -> Concern | None:
    return _strictest(judge_text(verb, twin, places, is_recursive=False) for twin in twins)
