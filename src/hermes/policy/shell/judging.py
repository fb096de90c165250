"""Say which of the effects of a command are dangers, and which of those may never be."""

from __future__ import annotations

import os.path
import re
from fnmatch import fnmatchcase

from hermes.policy.paths import Concern, Verb, concern
from hermes.policy.paths.regenerable import is_regenerable
from hermes.policy.paths.zones import zone_of
from hermes.policy.shell.effects import UNKNOWN, Effect
from hermes.policy.shell.interpret import SECRETS
from hermes.policy.shell.questions import CLIENTS, only_asks
from hermes.policy.shell.run import Noted
from hermes.policy.shell.state import State
from hermes.policy.verdict import Finding

_LOCAL = re.compile(
    r"(?:\w+://)?(?:[^/@]*@)?(?:localhost|127\.[\d.]+|\[?::1\]?|0\.0\.0\.0|[\w.-]+\.(?:localhost|test))"
    r"(?:[:/]|$)"
)
_BLOCK = re.compile(
    r"/dev/(?:disk|sd[a-z*?\[]|hd[a-z]|vd[a-z*?\[]|xvd[a-z*?\[]|nvme[\d*?]|mmcblk\d|rdisk|r?disk\d"
    r"|\ufffc|dm-|md[\d/]|mapper/|sr\d|nbd\d|zd\d|\w+-vg/|vg\w*/|mtd|ubi\d|bcache\d|pmem\d"
    r"|rbd\d|dasd[a-z]|cciss/|drbd\d|zvol/|block/|root\b|a?da\d|n[dv][ad]\d)"
)
_PASSING = re.compile(
    r"(?:\.(?:py[cod]|py\[[\w|]+\]|o|obj|a|so|d|class|log|tmp|temp|bak|orig|rej|swp|swo|cache|pid|lock|map|gcda"
    r"|gcno|gcov|profraw|prof|out|aux|toc|bbl|blg|synctex\.gz|dSYM|tsbuildinfo|whl|egg|coverage"
    r"|stackdump|core|dmp|min\.js|min\.css|snap|un~|retry|fasl|beam|elc|hi|cm[iox]|jar|war|exe)"
    r"|~|\.DS_Store|Thumbs\.db|\.coverage.*|core\.[\[*].*)$"
)
_STEM = re.compile(r"[A-Za-z0-9]{3,}[^.]*\*|\*[^.]*[A-Za-z0-9]{3,}[^.]*(?:\*|$)")
_METADATA = re.compile(
    r"169\.254\.\d+\.\d+|metadata\.google|100\.100\.100\.200|fd00:ec2|metadata\.azure"
)
_WILD = re.compile(r"[*]|[!@+?]\(")
_PLANTED = re.compile(
    r"/(?:[^/]+\.pth|(?:site|user)customize\.py|authorized_keys|\.(?:bash|zsh)rc|\.profile|sudoers)$"
)
_OWN_PORT = re.compile(r"/dev/(?:tcp|udp)/(?:localhost|127\.[\d.]+|::1)/")
_PRECIOUS = re.compile(
    r"\.env(?:\.\w+)?|.+\.(?:db|sqlite3?|db3|kdbx|pem|p12|key|sql\.gz|dump|tfstate(?:\.backup)?)"
)
_TRIED = re.compile(r"(?i)test|tmp|temp|dev|cache|example|sample|scratch|/tmp/|demo|fixture")
_FILE = re.compile(r"[^/.\ufffc][^/\ufffc]*\.[A-Za-z][A-Za-z0-9]{0,5}$")
_LISTING = frozenset({"ls", "stat", "file", "du", "tree", "test", "wc", "readlink", "eza", "exa"})
_SEARCHING = frozenset(
    {"grep", "egrep", "fgrep", "rg", "ag", "ack", "awk", "sed", "perl", "wc", "ln", "zgrep", "find"}
)
_MOVING = frozenset({"mv", "gmv", "trash", "trash-put", "gtrash", "rip", "gio"})
_COPYING = frozenset({"cp", "gcp", "copy", "ditto", "install", "ginstall", "scp", "unzip"})
_REPLACING = tuple((name,) for name in ("ln", "gln", "mv", "gmv", "rm", "install", "git"))
"""Programs that put something in the place of a link and do not write where it leads."""
_ENDS_HERMES = re.compile(
    r"\b(?:ends|stops|kills|signals|stop|disable|mask|kill|unload|bootout|takes|hides)\b.*\bhermes\b"
)
_OWN_FILES = ("hermes_permissions.yaml", "config.yaml", "state.db")
_KINDS = {"read": "file:read", "write": "file:write", "delete": "file:delete",
          "net": "network:fetch", "send": "network:send"}  # fmt: skip


def findings(noted: list[Noted], state: State) -> list[Finding]:
    """Return what is dangerous about the effects of a command, worst first."""
    found: dict[tuple[str, str], Finding] = {}
    seen: dict[tuple[object, str, bool], Finding | None] = {}
    for at, note in enumerate(noted):
        key = (note.effect, note.cwd, bool(state.links) and note.words[:1] in _REPLACING)
        if key not in seen:
            is_own = note.effect.kind == "delete" and _is_own(note, state, at)
            seen[key] = None if is_own else _finding(note, state)
        one = seen[key]
        if one is not None:
            found.setdefault((one.category, one.what), one)
    return sorted(found.values(), key=lambda one: one.severity != "floor")


def _finding(note: Noted, state: State) -> Finding | None:
    effect = note.effect
    if effect.category is not None:
        is_never = effect.is_never or is_catastrophe(effect.category, effect.what)
        return Finding(effect.category, effect.what, note.span, "floor" if is_never else "ask")
    if effect.kind == "send":
        if _LOCAL.match(effect.target):
            return None
        return Finding("exfiltration", f"sends data to {effect.target}", note.span)
    if effect.kind in ("read", "write", "delete"):
        return _on_path(note, state)
    if effect.kind == "net" and _METADATA.search(effect.target):
        return Finding("exfiltration", "asks the cloud for the machine's credentials", note.span)
    return None


def _on_path(note: Noted, state: State) -> Finding | None:
    effect = note.effect
    if _OWN_PORT.match(effect.target):
        return None
    verb: Verb = effect.kind  # type: ignore[assignment]  # one of the three
    if verb == "delete" and _absolute(effect.target, note.cwd, state) in state.moved:
        return Finding("delete", f"deletes {effect.target}, which was moved there", note.span)
    target, is_recursive = _reach(effect, note.cwd)
    target = _behind(target, note, state)
    name = note.words[0].rpartition("/")[2] if note.words else ""
    if verb == "read":
        if name in _LISTING:
            return None
        is_recursive = is_recursive and _shows(name, note)
        if name in CLIENTS and _is_own_place(target, note.cwd, state):
            verb = "read" if only_asks(note.words, effect.target) else "write"
    if verb == "delete" and "*" in target and target[0] not in "/~" and is_regenerable(target):
        return None
    worry = concern(verb, target, state.places, note.cwd, is_recursive=is_recursive)
    if verb == "write":
        is_whole = _takes_all(name, note, is_recursive=is_recursive)
        worry = _written(worry, target, note, state, is_whole=is_whole)
    if worry is None:
        return _unworried(note, state, verb)
    is_floor = worry.decision == "deny" or (
        verb != "read" and (_is_never(target, state) or _is_found(effect.target, state))
    )
    return Finding(worry.category, worry.what, note.span, "floor" if is_floor else "ask")


def _behind(target: str, note: Noted, state: State) -> str:
    """Return the path behind a link that this command made, or a name that it gave."""
    if UNKNOWN in target or not (state.links or state.renamed):
        return target
    verb = note.effect.kind
    absolute = _absolute(target, note.cwd, state)
    if verb == "read":
        return state.renamed.get(absolute, absolute if state.links else target)
    is_folder = verb == "delete" and target.endswith("/")
    is_through = verb == "write" and note.words[:1] not in _REPLACING
    led = state.links.get(absolute) if is_folder or is_through else None
    return led or (absolute if state.links else target)


def _takes_all(name: str, note: Noted, *, is_recursive: bool) -> bool:
    """Say whether a change takes in a whole tree; what is put into a folder leaves the rest."""
    if name in _MOVING:
        words, target = note.words, note.effect.target
        is_put = len(words) > 2 and target == words[-1] and not {"-t", "-at", "-vt"} & set(words)
        return not is_put or not name.endswith("mv")
    return is_recursive and name not in _COPYING


def _written(
    worry: Concern | None, target: str, note: Noted, state: State, *, is_whole: bool
) -> Concern | None:
    """Return what is worse: the change itself, the loss of a tree, or where a link leads."""
    if worry is not None and is_whole:
        lost = concern("delete", target, state.places, note.cwd, is_recursive=True)
        worry = _worse(worry, lost)
    if target in state.links:
        led = concern("write", state.links[target], state.places, note.cwd)
        worry = led if led is not None and led.decision == "deny" else worry
    return worry


def _unworried(note: Noted, state: State, verb: Verb) -> Finding | None:
    """Return what is dangerous about a path that lies where it may."""
    target = note.effect.target
    if verb == "write" and UNKNOWN in target and _PLANTED.search(target):
        return Finding("persistence", f"plants {target.rpartition('/')[2]}", note.span)
    return _many(note, state) if verb == "delete" else None


def _shows(name: str, note: Noted) -> bool:
    """Say whether a program that reads a whole tree shows what is in it, secrets among it."""
    return name not in _SEARCHING or SECRETS.search(" ".join(note.words)) is not None


def _is_own_place(target: str, cwd: str, state: State) -> bool:
    """Say whether a path lies among what is hermes's own."""
    return UNKNOWN not in target and zone_of(_absolute(target, cwd, state), state.places) == "state"


def _worse(worry: Concern, lost: Concern | None) -> Concern:
    """Return the worse of two worries: what loses a whole tree when deleted may not be changed."""
    if lost is None or lost.decision != "deny" or worry.decision == "deny":
        return worry
    return lost._replace(what=lost.what.replace("deletes", "changes", 1))


def _reach(effect: Effect, cwd: str) -> tuple[str, bool]:
    """Return the path that an effect takes in, and whether all below it."""
    target, is_recursive = effect.target, effect.is_recursive
    target = target.replace("/**/", "/")
    if target.endswith("/**") or "/*/*" in target:
        base = target
        while base.endswith(("/*", "/**")):
            base = base.rpartition("/")[0]
        return f"{base}/*", True
    if is_recursive and effect.kind == "delete" and _FILE.search(target):
        absolute = target if target.startswith("/") else f"{cwd}/{target}"
        return target, os.path.isdir(absolute)  # noqa: PTH112 - a text, maybe of no path
    return target, is_recursive


def _is_never(target: str, state: State) -> bool:
    """Say whether a path is a block device, or a pattern that takes in hermes's own state."""
    if _BLOCK.match(target):
        return True
    if "*" not in target and "?" not in target:
        return False
    absolute = state.absolute(target)
    own = (state.places.state, f"{state.places.home}/.hermes")
    return not absolute.startswith("/*") and any(
        fnmatchcase(folder, absolute)
        or fnmatchcase(f"{folder}/{_OWN_FILES[0]}", absolute)
        or any(_matches(f"{folder}/{name}", absolute) for name in _OWN_FILES[1:])
        for folder in own
    )


def _matches(path: str, pattern: str) -> bool:
    """Say whether the shell finds a path by a pattern: a star takes no slash and no first dot."""
    names, parts = path.split("/"), pattern.split("/")
    return len(names) == len(parts) and all(
        fnmatchcase(name, part) and (name[:1] != "." or part[:1] in (".", "["))
        for name, part in zip(names, parts, strict=True)
    )


def _is_found(target: str, state: State) -> bool:
    """Say whether a search below a folder comes upon hermes's own files."""
    start, deep, name = target.partition("/**/")
    if not deep or not f"{state.places.state}/".startswith(f"{state.absolute(start)}/"):
        return False
    return any(fnmatchcase(own, name) for own in _OWN_FILES)


def _is_own(note: Noted, state: State, number: int) -> bool:
    """Say whether a command only deletes what it made itself, before."""
    path = note.effect.target
    if not state.made or UNKNOWN in path:
        return False
    absolute = _absolute(path, note.cwd, state)
    if path.endswith("/") and absolute in state.links:
        return False
    if any(placed == absolute or placed.startswith(f"{absolute}/") for placed in state.placed):
        return False
    return any(
        before <= number and (absolute == made or absolute.startswith(f"{made}/"))
        for made, before in state.made.items()
    )


def _absolute(path: str, cwd: str, state: State) -> str:
    kept, state.cwd = state.cwd, cwd
    absolute = state.absolute(path)
    state.cwd = kept
    return absolute


def _many(note: Noted, state: State) -> Finding | None:
    """Find fault with a pattern that takes in files nobody can make again."""
    target = note.effect.target
    if UNKNOWN in target and target.replace(UNKNOWN, "").strip("/.*") == "":
        return Finding("opaque", "deletes files that cannot be known beforehand", note.span)
    last = target.rstrip("/").rpartition("/")[2]
    if _PRECIOUS.fullmatch(last) and not _TRIED.search(target):
        return Finding("delete", f"deletes {target}, which nothing can make again", note.span)
    if not _WILD.search(last) or target.startswith(state.places.scratch):
        return None
    if is_regenerable(target) or _PASSING.search(last) or _STEM.search(last):
        return None
    return Finding("delete", f"deletes all files that match {target}", note.span)


def is_catastrophe(category: str, what: str) -> bool:
    """Say whether a danger is one that no profile may allow."""
    return (
        "fork bomb" in what
        or what.startswith("is not understood")
        or "hermes's own" in what
        or _ENDS_HERMES.search(what) is not None
        or (category in ("disk", "delete", "database") and _BLOCK.search(what) is not None)
    )


def needs(noted: list[Noted], state: State) -> list[tuple[str, str]]:
    """Return the permissions that the effects of a command need, each with its subject.

    What a command deletes without naming a path lies nobody knows where: it has no permission.
    """
    found: dict[tuple[str, str], None] = {}
    placed = {note.words for note in noted if note.effect.kind in ("write", "delete")}
    for note in noted:
        if note.effect.category == "delete" and note.words not in placed:
            found["", note.effect.what] = None
        permission = _KINDS.get(note.effect.kind)
        if permission is not None:
            target = note.effect.target
            if permission.startswith("file:"):
                target = _absolute(target, note.cwd, state)
            found[permission, target] = None
    return list(found)
