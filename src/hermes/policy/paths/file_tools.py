"""Judge a path that a tool for files is handed, which means one file and keeps to it."""

from __future__ import annotations

from hermes.base.mounts import is_below
from hermes.policy.paths import devices, objects
from hermes.policy.paths.judge import concern
from hermes.policy.paths.places import Concern, Places, Verb
from hermes.policy.paths.remembering import remembered
from hermes.policy.paths.spelling import Spelled, names_of, shown, spell
from hermes.policy.paths.text import LIBRARIES
from hermes.policy.paths.zones import home_names, zone_and_root, zone_of

_ANCHORS = ("/", "~", "$", "file:")
_INSTALLED = ("/usr/", "/lib", "/bin/", "/sbin/", "/opt/", "/nix/", "/snap/", "/Library/")
_TOOLCHAINS = LIBRARIES | {
    *(".local", "go", ".julia", ".cabal", ".ghcup", ".stack", ".opam", ".gem", ".nuget"),
    *(".dotnet", ".sdkman", ".conda", "miniconda3", "anaconda3", ".virtualenvs", ".volta", ".fnm"),
}


def file_concern(
    verb: Verb, path: str, places: Places, cwd: str, *, is_recursive: bool = False
) -> Concern | None:
    """Return why somebody should be asked before a tool touches a file; None is fine.

    A command may feed on an endless device, write git's notes and fill in an ``.env``. A tool for
    files has no need of that, so it is asked about here beside what concerns everybody.
    """
    sight = objects.Sight()
    if verb != "delete" and not is_recursive and _is_usual(verb, path, places, cwd, sight):
        return None
    return _concern(verb, path, (places, cwd), sight, is_recursive=is_recursive)


def _is_usual(verb: Verb, path: str, places: Places, cwd: str, sight: objects.Sight) -> bool:
    """Say whether nothing concerns anybody, as with most paths: by the text and one look."""
    usual = _usual(path, verb, places, cwd)
    if usual is None:
        return False
    flat, root = usual
    seen = sight.look(flat, is_followed=True)
    return seen.real == flat and sight.is_sole(seen, root)


@remembered
def _usual(path: str, verb: Verb, places: Places, cwd: str) -> tuple[str, str] | None:
    """Return a path and its root if it concerns nobody as long as it names an ordinary file.

    The text alone tells that; nothing on the disk is looked at.
    """
    spelled = spell(path, places, cwd)
    if spelled is None or spelled.is_pattern or spelled.is_folder or spelled.path != spelled.flat:
        return None
    zone, root = zone_and_root(spelled.flat, places)
    if zone != "workspace" or root is None:
        return None
    for is_there in (True, False):
        sight = objects.Imagination(spelled.flat, is_there=is_there)
        try:
            if _concern(verb, path, (places, cwd), sight, is_recursive=False) is not None:
                return None
        except objects.Imagined:
            return None
    return spelled.flat, root


def _concern(
    verb: Verb,
    path: str,
    where: tuple[Places, str],
    sight: objects.Sight,
    *,
    is_recursive: bool,
) -> Concern | None:
    places, cwd = where
    if found := concern(verb, path, places, cwd, is_recursive=is_recursive, sight=sight):
        return found
    spelled = spell(path, places, cwd)
    if spelled is None:
        return None
    looks = _looks(verb, spelled, sight)
    zone = zone_of(spelled.flat, places)
    is_plain = zone == "workspace" and all(seen.real == spelled.flat for seen in looks)
    there = places if is_plain else sight.real_places(places)
    found = _stricter(verb, spelled, looks, (places, there))
    if found is None and verb == "write" and any(seen.info is not None for seen in looks):
        found = _overwritten(spelled, places, sight)
    if found is None and verb == "read" and not is_plain:
        is_climbing = ".." in path and not path.startswith(_ANCHORS)
        found = _read_outside(spelled, looks[0].real, (places, there), is_climbing=is_climbing)
    return found


def _looks(verb: Verb, spelled: Spelled, sight: objects.Sight) -> list[objects.Seen]:
    """Return what a path names as it stands and, where that may differ, tidied up."""
    looks = [sight.look(spelled.path, is_followed=verb != "delete")]
    if spelled.is_folder or "/.." in spelled.path:
        looks.append(sight.look(spelled.flat, is_followed=verb != "delete"))
    return looks


def _stricter(
    verb: Verb, spelled: Spelled, looks: list[objects.Seen], places: tuple[Places, Places]
) -> Concern | None:
    here, there = places
    names = {spelled.flat: here} | {seen.real: there for seen in looks}
    for flat, where in names.items():
        if found := _stricter_text(verb, flat, where):
            return found
    return None


def _stricter_text(verb: Verb, flat: str, places: Places) -> Concern | None:
    if devices.is_stream(flat):
        return Concern("ask", "opaque", f"uses {shown(flat)}, which is no file")
    if verb == "read":
        if zone_of(flat, places) == "state" and not _is_meant_to_be_read(flat, places.state):
            return Concern("ask", "exfiltration", f"reads hermes's own {shown(flat, places.home)}")
    elif ".git" in names_of(flat):
        what = f"changes the version history itself: {shown(flat, places.home)}"
        return Concern("ask", "history-rewrite", what)
    return None


def _is_meant_to_be_read(flat: str, state: str) -> bool:
    """Say whether a file of hermes is one of skills, or of results that were too long to show."""
    return is_below(flat, f"{state}/skills") or is_below(flat, f"{state}/results")


def _overwritten(spelled: Spelled, places: Places, sight: objects.Sight) -> Concern | None:
    """Ask before a secret is replaced: nobody has read it, and no repository keeps it."""
    if concern("read", spelled.path, places, "/", sight=sight) is None:
        return None
    what = f"overwrites what must not be read: {shown(spelled.flat, places.home)}"
    return Concern("ask", "overwrite", what)


def _read_outside(
    spelled: Spelled, real: str, places: tuple[Places, Places], *, is_climbing: bool
) -> Concern | None:
    """Ask before a read ends outside the workspace although its path begins inside."""
    here, there = places
    flat = spelled.flat
    zone, root = zone_and_root(flat, here)
    real_zone = zone_of(real, there)
    if real_zone == "workspace" or real == "/dev/null":
        return None
    if zone == "workspace" and root is not None:
        if objects.is_bundled(flat, root) or _is_toolchain(real, there):
            return None
        where = f"{shown(flat, here.home)} to {shown(real, here.home)}"
        return Concern("ask", "exfiltration", f"follows a link out of the workspace: {where}")
    if is_climbing or "elsewhere" in {zone, real_zone}:
        what = f"reads a file outside the workspace: {shown(flat, here.home)}"
        return Concern("ask", "exfiltration", what)
    return None


def _is_toolchain(real: str, places: Places) -> bool:
    """Say whether a path lies where a machine or a home keeps programs and libraries."""
    if real.startswith(_INSTALLED):
        return True
    below_home = home_names(names_of(real), real, places) or [""]
    return below_home[0] in _TOOLCHAINS
