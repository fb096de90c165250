"""Judge one path: what it says, and the object behind it."""

from __future__ import annotations

from hermes.policy.paths import devices, objects
from hermes.policy.paths.groups import Group
from hermes.policy.paths.machine_files import MACHINE
from hermes.policy.paths.open_files import (
    NOT_WHEN_DELETED,
    OPEN_TO_READ,
    OPEN_TO_WRITE,
    STATE_SECRETS,
)
from hermes.policy.paths.places import Concern, Places, Verb
from hermes.policy.paths.project_files import PROJECT
from hermes.policy.paths.removal import removal_concern
from hermes.policy.paths.rules import Rules, overlaps
from hermes.policy.paths.secret_files import SECRETS
from hermes.policy.paths.spelling import Spelled, names_of, oddity, shown, spell
from hermes.policy.paths.zones import home_names, is_below, zone_of

_SECRETS = Rules(SECRETS)
_PLANTED = Rules((*MACHINE, *PROJECT))
_OPEN_TO_READ = Rules([Group("opaque", "open", OPEN_TO_READ)])
_OPEN_TO_WRITE = Rules([Group("opaque", "open", OPEN_TO_WRITE)])
_OPEN_TO_DELETE = Rules([Group("opaque", "open", OPEN_TO_WRITE + NOT_WHEN_DELETED)])

_WHERE = {
    "system": "belongs to the system",
    "home": "lies in the home, outside the workspace",
    "others": "belongs to another user",
    "elsewhere": "lies outside the workspace",
}


def concern(
    verb: Verb, path: str, places: Places, cwd: str, *, is_recursive: bool = False
) -> Concern | None:
    """Return why somebody should be asked before a path is read, written or deleted; None is fine.

    The path may be spelled in any way and hold globs and parts that are not known. Both its text
    and the object it names now are judged, and the stricter word counts. Whether that object is
    still the same when it is used is for descriptors to ensure.
    """
    if odd := oddity(path):
        return odd
    spelled = spell(path, places, cwd)
    if spelled is None:
        return _unknown(verb, is_recursive=is_recursive)
    found = _judge(verb, spelled.flat, places, is_recursive=is_recursive)
    if found is not None and found.decision == "deny":
        return found
    if found is not None:
        real_places = objects.real_places(places)
        if real_places != places:
            found = _judge(verb, spelled.flat, real_places, is_recursive=is_recursive)
    return _stricter(found, _behind(verb, spelled, places, is_recursive=is_recursive))


def _unknown(verb: Verb, *, is_recursive: bool) -> Concern | None:
    if verb == "delete" and is_recursive:
        return Concern("ask", "opaque", "deletes a folder that cannot be known beforehand")
    return None


def _stricter(one: Concern | None, other: Concern | None) -> Concern | None:
    if one is None or (other is not None and other.decision == "deny"):
        return other
    return one


def _behind(verb: Verb, spelled: Spelled, places: Places, *, is_recursive: bool) -> Concern | None:
    is_followed = verb != "delete" or spelled.is_folder
    if not spelled.is_pattern:
        seen = objects.look(spelled.path, is_followed=is_followed)
        if seen.real == spelled.flat:
            return _judge_object(verb, seen, places)
        return _judge_seen(verb, seen, objects.real_places(places), is_recursive=is_recursive)
    found = None
    real_places = objects.real_places(places)
    for path in objects.matches(spelled):
        seen = objects.look(path, is_followed=is_followed)
        worse = _judge_seen(verb, seen, real_places, is_recursive=is_recursive)
        found = _stricter(found, worse)
        if found is not None and found.decision == "deny":
            break
    return found


def _judge_seen(
    verb: Verb, seen: objects.Seen, places: Places, *, is_recursive: bool
) -> Concern | None:
    found = _judge(verb, seen.real, places, is_recursive=is_recursive)
    return _stricter(found, _judge_object(verb, seen, places))


def _judge_object(verb: Verb, seen: objects.Seen, places: Places) -> Concern | None:
    if found := devices.object_concern(verb, seen):
        return found
    if verb == "delete" or not objects.has_other_names(seen):
        return None
    if other := objects.protected_twin(seen, places):
        found = _judge(verb, other, places, is_recursive=False)
        if found is not None:
            return found
    zone = zone_of(seen.real, places)
    if verb == "write" and zone in {"workspace", "scratch"} and not objects.is_bundled(seen.real):
        what = f"changes a file that has another name elsewhere: {shown(seen.real, places.home)}"
        return Concern("ask", "overwrite", what)
    return None


def _judge(verb: Verb, flat: str, places: Places, *, is_recursive: bool) -> Concern | None:
    if flat.startswith(("/dev/", "/proc/")):
        is_settled, found = devices.device_concern(verb, flat)
        if is_settled:
            return found
    if verb == "read":
        return _judge_read(flat, places, is_recursive=is_recursive)
    if verb == "delete" and (found := removal_concern(flat, places, is_recursive=is_recursive)):
        return found
    return _judge_change(verb, flat, places, is_recursive=is_recursive)


def _judge_read(flat: str, places: Places, *, is_recursive: bool) -> Concern | None:
    names = names_of(flat)
    below_home = home_names(names, flat, places)
    zone = zone_of(flat, places)
    if zone == "state" and _is_state_secret(names):
        return Concern("ask", "exfiltration", f"reads hermes's own {shown(flat, places.home)}")
    group = _SECRETS.find(names, below_home)
    if group is not None and not _OPEN_TO_READ.holds(names, below_home):
        return Concern("ask", group.category, f"reads {group.noun}: {shown(flat, places.home)}")
    if zone == "others" and flat != "/root":
        return Concern("ask", "exfiltration", f"reads another user's files: {shown(flat)}")
    if is_recursive and _holds_secrets(flat, places):
        what = f"reads everything below {shown(flat, places.home)}, where secrets are kept"
        return Concern("ask", "exfiltration", what)
    return None


def _is_state_secret(names: list[str]) -> bool:
    return any(overlaps(pattern, name) for name in names[-3:] for pattern in STATE_SECRETS)


def _holds_secrets(flat: str, places: Places) -> bool:
    flat = flat.removesuffix("/*")
    if is_below(places.home, flat or "/") or flat in {"/root", "/home", "/Users", "/proc", "/run"}:
        return True
    return flat in {f"{places.home}/{name}" for name in (".config", ".local", ".local/share")}


def _judge_change(verb: Verb, flat: str, places: Places, *, is_recursive: bool) -> Concern | None:
    done = "deletes" if verb == "delete" else "changes"
    zone = zone_of(flat, places)
    if zone == "state":
        return Concern("deny", "privilege", f"{done} hermes's own {shown(flat, places.home)}")
    if flat == "/" and is_recursive:
        return Concern("deny", "overwrite", "changes every file of the machine")
    names = names_of(flat)
    below_home = home_names(names, flat, places)
    if group := _PLANTED.find(names, below_home):
        harmless = _OPEN_TO_DELETE if verb == "delete" else _OPEN_TO_WRITE
        if not harmless.holds(names, below_home):
            category = "delete" if verb == "delete" else group.category
            return Concern("ask", category, f"{done} {group.noun}: {shown(flat, places.home)}")
    if zone in {"workspace", "scratch"}:
        return None
    category = "delete" if verb == "delete" else "overwrite"
    return Concern("ask", category, f"{done} {shown(flat, places.home)}, which {_WHERE[zone]}")
