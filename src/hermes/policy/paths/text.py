"""Judge a path by what it says, after its spelling was made plain."""

from __future__ import annotations

import functools
import re

from hermes.base.mounts import is_below
from hermes.policy.paths import devices
from hermes.policy.paths.groups import Category, Group
from hermes.policy.paths.machine_files import MACHINE, SOCKETS
from hermes.policy.paths.open_files import (
    NOT_WHEN_DELETED,
    OPEN_TO_READ,
    OPEN_TO_WRITE,
    STATE_SECRETS,
)
from hermes.policy.paths.places import Concern, Places, Verb
from hermes.policy.paths.program_secrets import PROGRAM_SECRETS
from hermes.policy.paths.project_files import PROJECT
from hermes.policy.paths.remembering import remembered
from hermes.policy.paths.removal import removal_concern
from hermes.policy.paths.rules import Rules, overlaps
from hermes.policy.paths.secret_files import SECRETS
from hermes.policy.paths.spelling import names_of, shown
from hermes.policy.paths.zones import home_names, zone_and_root

_WHERE = {
    "system": "belongs to the system",
    "home": "lies in the home, outside the workspace",
    "others": "belongs to another user",
    "elsewhere": "lies outside the workspace",
}
_FULL_OF_SECRETS = frozenset({"/root", "/home", "/Users", "/proc", "/run"})
_PROCESS = re.compile(r"/proc/(?:self|thread-self|\d+)(?:/task(?:/\d+)?)?")
_TELLING_NAME = re.compile(
    r"(?:^|.*[^a-z])(?:(?:access|auth|refresh|api)?[-_]?tokens?|credentials?|secrets?|passwo?r?ds?"
    r"|cookies?|api[-_]?keys?|o?auth|oauth2?[-_]creds)"
    r"(?:[^a-z].*)?(?<!\.md)"
)
_COPY = re.compile(
    r"(?P<folder>.*)/(?P<name>[^/]+?)(?:~|\.(?:bak|old|orig|save|backup|copy|swp|\d+))+",
    re.IGNORECASE | re.DOTALL,
)
_SETTINGS = frozenset(
    [
        *("json", "toml", "yaml", "yml", "txt", "ini", "conf", "cfg", "db", "sqlite", "xml"),
        *("dat", "enc", "gpg", "bin", "properties", "token", "sbt"),
    ]
)
LIBRARIES = frozenset(
    [
        *(".cache", ".cargo", ".rustup", ".nvm", ".npm", ".pyenv", ".rbenv", ".asdf", ".vscode"),
        *(".m2", ".vscode-server", ".oh-my-zsh", ".gradle", ".bun", ".deno", ".pnpm-store"),
        *(".yarn", ".vim", ".emacs.d", "lib", "node_modules", "nvim", "lazy"),
    ]
)
"""Folders below which programs and libraries lie: a name there tells what a file is about."""
_BARE = frozenset({"hooks", "config", "info", "objects", "refs", "packed-refs", "head"})


@functools.cache
def _rules() -> dict[Verb, tuple[Rules, Rules]]:
    """Return for each verb what is protected, and what looks so and is not."""
    planted = Rules((*SOCKETS, *MACHINE, *PROJECT))
    return {
        "read": (Rules((*SOCKETS, *SECRETS, *PROGRAM_SECRETS)), _open(OPEN_TO_READ)),
        "write": (planted, _open(OPEN_TO_WRITE)),
        "delete": (planted, _open(OPEN_TO_WRITE + NOT_WHEN_DELETED)),
    }


def _open(patterns: tuple[str, ...]) -> Rules:
    return Rules([Group("opaque", "open", patterns)])


def judge_text(verb: Verb, flat: str, places: Places, *, is_recursive: bool) -> Concern | None:
    """Judge a flat path by its names and by the part of the machine it lies in."""
    if verb != "read" and (inner := devices.behind_process(flat)):
        found = judge_text(verb, inner, places, is_recursive=is_recursive)
        if found is not None and found.decision == "deny":
            return found
    if flat.startswith(("/dev/", "/proc/")):
        is_settled, found = devices.device_concern(verb, flat)
        if is_settled:
            return found
    if verb == "read":
        return _judge_read(flat, places, is_recursive=is_recursive)
    if verb == "delete" and (found := removal_concern(flat, places, is_recursive=is_recursive)):
        return found
    return _judge_change(flat, verb, places, is_recursive=is_recursive)


def _protected(verb: Verb, flat: str, places: Places, workspace: str | None) -> Group | None:
    """Return the group of a path; give the workspace that it lies in, if it does."""
    names = names_of(flat)
    if verb != "read" and ".git/" in flat:
        names = _as_repository(names)
    below_home = home_names(names, flat, places)
    listed, harmless = _rules()[verb]
    if workspace is not None:
        group = _protected_inside(listed, names, below_home, places, workspace)
    elif (group := listed.find_anchored(names, below_home)) is not None:
        # what is protected by where it lies is not opened by a name that occurs anywhere
        is_open = harmless.find_anchored(names, below_home) or names[-1].endswith(".pub")
        return None if is_open else group
    else:
        group = listed.find_loose(names)
    return None if group is None or harmless.holds(names, below_home) else group


def _protected_copy(flat: str, places: Places, workspace: str | None) -> Group | None:
    """Return the group of the file that a path is an editor's or a person's spare copy of."""
    copied = _COPY.fullmatch(flat)
    if copied is None or flat.endswith("/"):
        return None
    folder, name = copied["folder"], copied["name"]
    if flat.endswith(".swp"):
        name = name.removeprefix(".")
    return _protected("read", f"{folder}/{name}", places, workspace)


def _as_repository(names: list[str]) -> list[str]:
    """Return the names with a repository that has no working tree, ``x.git``, called ``.git``."""
    following = [*names[1:], ""]
    return [
        ".git" if name.endswith(".git") and after in _BARE else name
        for name, after in zip(names, following, strict=True)
    ]


def _protected_inside(
    listed: Rules, names: list[str], below_home: list[str] | None, places: Places, workspace: str
) -> Group | None:
    """Find a path of a workspace; that the workspace lies in a protected place is no news."""
    depth = workspace.count("/")
    group = listed.find_loose(names[depth:])
    if group is not None:
        return group
    group = listed.find_anchored(names, below_home)
    if group is None:
        return None
    above = names[:depth]
    return None if listed.find_anchored(above, home_names(above, workspace, places)) else group


@remembered
def _judge_read(flat: str, places: Places, *, is_recursive: bool) -> Concern | None:
    zone, root = zone_and_root(flat, places)
    is_result = is_below(flat, f"{places.state}/results")
    if zone == "state" and not is_result and _is_state_secret(flat):
        return Concern("ask", "exfiltration", f"reads hermes's own {shown(flat, places.home)}")
    inside = root if zone == "workspace" else None
    if group := _protected("read", flat, places, inside) or _protected_copy(flat, places, inside):
        return Concern("ask", group.category, f"reads {group.noun}: {shown(flat, places.home)}")
    if zone == "home" and _tells_of_login(flat, places):
        return Concern("ask", "exfiltration", f"reads a stored login: {shown(flat, places.home)}")
    if zone == "others" and flat != "/root":
        return Concern("ask", "exfiltration", f"reads another user's files: {shown(flat)}")
    if is_recursive and _holds_secrets(flat, places):
        what = f"reads everything below {shown(flat, places.home)}, where secrets are kept"
        return Concern("ask", "exfiltration", what)
    return None


def _tells_of_login(flat: str, places: Places) -> bool:
    """Say whether a file among a program's own data in the home is named like a login."""
    names = names_of(flat)
    below_home = home_names(names, flat, places) or [""]
    if not below_home[0].startswith(".") or not LIBRARIES.isdisjoint(below_home):
        return False
    stem, dot, ending = names[-1].rpartition(".")
    is_settings = not dot or not stem or ending in _SETTINGS
    return is_settings and _TELLING_NAME.fullmatch(names[-1]) is not None


def _is_state_secret(flat: str) -> bool:
    return any(overlaps(pattern, name) for name in names_of(flat)[-3:] for pattern in STATE_SECRETS)


def _holds_secrets(flat: str, places: Places) -> bool:
    folder = flat.removesuffix("/*") or "/"
    if is_below(places.home, folder) or folder in _FULL_OF_SECRETS:
        return True
    if _PROCESS.fullmatch(folder):
        return True
    return folder in {f"{places.home}/{name}" for name in (".config", ".local", ".local/share")}


@remembered
def _judge_change(flat: str, verb: Verb, places: Places, *, is_recursive: bool) -> Concern | None:
    done = "deletes" if verb == "delete" else "changes"
    zone, root = zone_and_root(flat, places)
    if zone == "state":
        return Concern("deny", "privilege", f"{done} hermes's own {shown(flat, places.home)}")
    if flat in {"/", "/*"} and is_recursive:
        return Concern("deny", "overwrite", "changes every file of the machine")
    if group := _protected(verb, flat, places, root if zone == "workspace" else None):
        category: Category = "delete" if verb == "delete" else group.category
        return Concern("ask", category, f"{done} {group.noun}: {shown(flat, places.home)}")
    if zone in {"workspace", "scratch"}:
        return None
    category = "delete" if verb == "delete" else "overwrite"
    return Concern("ask", category, f"{done} {shown(flat, places.home)}, which {_WHERE[zone]}")
