"""Turn a box into the steps that build the tree a process sees; nothing here has an effect."""

# Paths are strings here: they are compared, and handed to the kernel.
# ruff: noqa: PTH110, PTH112, PTH114, PTH115, PTH120, PTH208
from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from functools import cache

from hermes.base.mounts import is_below
from hermes.environments.sandbox import places
from hermes.environments.sandbox.box import Box
from hermes.environments.sandbox.order import Mount

_DEVICE_LINKS = (
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
    ("ptmx", "pts/ptmx"),
)
_SHARED = "size=64m,mode=1777"
_COVERED = ("/tmp", "/dev/shm")
"""What a box of its own puts over what everybody has there."""
_EMPTY = "size=4k,mode=755"
_ALSO_SEEN = ("/sys/devices/system/cpu", "/sys/fs/cgroup/cgroup.controllers")
_RESOLVER = "/etc/resolv.conf"
_WORKTREES, _TOLD_TO_WORKTREES = ".git/worktrees", ("commondir", "gitdir", "config.worktree")

Tree = dict[str, Mount]


def new_root(box: Box, stage: str) -> tuple[Mount, ...]:
    """Return the steps that build a whole tree in an empty folder, to be used as the root."""
    tree: Tree = {path: _shown(path) for path in _seen(box)}
    if not _is_seen(box.home, (*box.readable, *box.writable)):
        tree[box.home] = Mount("memory", _memory(box, 0o700), box.home)
    tree["/tmp"] = _scratch(box)
    tree |= {path: Mount("bind", path, path) for path in box.writable}
    tree |= _closed(box)
    steps = [Mount("memory", "size=16m,mode=755", stage)]
    steps += [Mount("folder", "", f"{stage}/{name}") for name in ("proc", "run")]
    steps += _devices(f"{stage}/dev")
    for path in _outer_first(tree):
        step = tree[path]._replace(target=f"{stage}{path}")
        if not _has_place(path, tree):
            steps += [*_place(step), step]
        elif step.kind != "link":
            steps.append(step)
    return (*steps, Mount("seal", "", stage))


def in_place(box: Box) -> tuple[Mount, ...]:
    """Return the steps that seal the tree as it is: private /tmp, kept and masked places."""
    saved = [path for path in _outer(box) if any(is_below(path, above) for above in _COVERED)]
    steps = [Mount("lock", "", "/")]
    for number, path in enumerate(saved):
        steps += [Mount("hold", path, str(number), read_only=path not in box.writable)]
    steps += [_opened(_scratch(box)), Mount("memory", _SHARED, "/dev/shm"), *_terminals("/dev")]
    for number, path in enumerate(saved):
        kind = "held" if path in box.writable else "shown"
        steps += [Mount("folder", "", path), Mount(kind, str(number), path)]
    tree = {path: Mount("open", path, path) for path in box.writable if path not in saved}
    tree |= _closed(box)
    return (*steps, *(_opened(tree[path]) for path in _outer_first(tree)))


def _opened(step: Mount) -> Mount:
    """Make a place writable again in a tree that was locked as a whole."""
    return step._replace(kind="open") if step.kind == "bind" and not step.read_only else step


def _outer(box: Box) -> list[str]:
    return list(dict.fromkeys((*box.readable, *box.writable)))


def _devices(folder: str) -> list[Mount]:
    """Return the steps that make the few devices a program needs, and terminals of its own."""
    steps = [Mount("folder", "", f"{folder}/{name}") for name in ("pts", "shm")]
    for name in places.DEVICES:
        steps += [Mount("file", "", f"{folder}/{name}")]
        steps += [Mount("device", f"/dev/{name}", f"{folder}/{name}")]
    steps += [Mount("link", source, f"{folder}/{name}") for name, source in _DEVICE_LINKS]
    return [*steps, _own_terminals(folder), Mount("memory", _SHARED, f"{folder}/shm")]


def _own_terminals(folder: str) -> Mount:
    return Mount("terminals", "newinstance,ptmxmode=0666,mode=620", f"{folder}/pts")


def _terminals(folder: str) -> list[Mount]:
    """Return the steps that put terminals of its own over those of everybody."""
    if not os.path.isdir(f"{folder}/pts"):
        return []
    steps = [_own_terminals(folder)]
    if os.path.exists(f"{folder}/ptmx") and not os.path.islink(f"{folder}/ptmx"):
        steps.append(Mount("device", f"{folder}/pts/ptmx", f"{folder}/ptmx"))
    return steps


@cache
def _watched(box: Box) -> tuple[str, ...]:
    """Return what is looked at before each command: of hidden places, the folders they are in.

    Those that a command could change itself are looked at one by one: the time of a folder may be
    the same before and after a command that is very short.
    """
    seen = (*box.readable, *box.writable)
    hidden = [path for path in box.hidden if _is_seen(path, seen)]
    own = [path for path in hidden if _is_seen(path, box.writable)]
    folders = [folder for path in hidden if path not in own for folder in _between(path, "/")]
    worktrees = [f"{root}/{_WORKTREES}" for root in box.writable]
    return tuple(dict.fromkeys((*box.writable, *_obeyed(box), *worktrees, *own, *folders)))


@cache
def _obeyed(box: Box) -> tuple[str, ...]:
    """Return the names that commands may not change, the file that stands for a folder of git too.

    A worktree and a submodule have such a file, which says where hooks and settings are.
    """
    return (*box.protected, *(f"{root}/.git" for root in box.writable))


def stamp(box: Box) -> tuple[int, ...]:
    """Return numbers that change when a place that matters to a box comes, goes or is replaced."""
    found = []
    for path in _watched(box):
        try:
            facts = os.lstat(path)
        except OSError:
            found.append(0)
        else:
            is_busy = path.endswith("/.git") and stat.S_ISDIR(facts.st_mode)  # git changes it
            found += (facts.st_ino, 0 if is_busy else facts.st_ctime_ns)  # numbers are used again
    return tuple(found)


def existing(paths: Iterable[str]) -> list[str]:
    """Return those paths that are there, as far as we can see."""
    return [path for path in paths if os.path.lexists(path)]


def _seen(box: Box) -> list[str]:
    more = [*_ALSO_SEEN, os.path.realpath(_RESOLVER)] if box.network == "on" else [*_ALSO_SEEN]
    return [*box.readable, *(path for path in more if os.path.exists(path))]


def _shown(path: str) -> Mount:
    if os.path.islink(path):
        return Mount("link", os.readlink(path), path)
    return Mount("bind", path, path, read_only=True)


def _closed(box: Box) -> Tree:
    """Return what is read-only or covered inside of what a command may write."""
    masked = _masked(box)
    parents = {path: step for path, step in _in_place(masked, box).items() if path not in masked}
    return parents | _kept(box) | masked


def kept(box: Box) -> list[str]:
    """Return the places in writable roots that stay as they are; none is reached by a link.

    Where a link leads to one, the link stays too.
    """
    found: dict[str, None] = {}
    for path in (*_obeyed(box), *_of_worktrees(box)):
        real = os.path.realpath(path)
        if real != path and (link := _first_link(path, box.writable)):
            found[link] = None
        if _is_kept(path, real) and any(is_below(real, root) for root in box.writable):
            found[real] = None
    return list(found)


def _of_worktrees(box: Box) -> list[str]:
    """Return the files that tell git in other worktrees where its settings and hooks are."""
    found = []
    for root in box.writable:
        folder = f"{root}/{_WORKTREES}"
        names = os.listdir(folder) if os.path.isdir(folder) else []
        found += [f"{folder}/{name}/{file}" for name in names for file in _TOLD_TO_WORKTREES]
    return found


def _is_kept(path: str, real: str) -> bool:
    if not os.path.lexists(real):
        return False
    return not path.endswith("/.git") or not os.path.isdir(real)


def _first_link(path: str, roots: Iterable[str]) -> str | None:
    """Return the outermost link on the way from a writable root to a path."""
    root = _root(path, roots)
    if root is None:
        return None
    way = [*reversed(_between(path, root)), path]
    return next((place for place in way if os.path.islink(place)), None)


def _root(path: str, roots: Iterable[str]) -> str | None:
    return next((root for root in roots if root != path and is_below(path, root)), None)


def _kept(box: Box) -> Tree:
    """Keep protected places as they are, and their parents where they are."""
    places = kept(box)
    return _in_place(places, box) | {path: Mount("keep", path, path, True) for path in places}


def _in_place(paths: Iterable[str], box: Box) -> Tree:
    """Keep the parents of places where they are: what is mounted cannot be moved away."""
    inside = [(path, root) for path in paths if (root := _root(path, box.writable))]
    parents = [parent for path, root in inside for parent in _between(path, root)]
    return {parent: Mount("bind", parent, parent) for parent in parents}


def _between(path: str, root: str) -> list[str]:
    parents = []
    while (path := os.path.dirname(path)) != root:
        parents.append(path)
    return parents


def _masked(box: Box) -> Tree:
    """Cover hidden places that would be seen, by whatever name they are reached."""
    seen = (*box.readable, *box.writable)
    real = existing({os.path.realpath(path) for path in existing(box.hidden)})
    return {path: _cover(path) for path in real if _is_seen(path, seen)}


def _cover(path: str) -> Mount:
    if os.path.isdir(path):
        return Mount("memory", _EMPTY, path, read_only=True)
    return Mount("device", "/dev/null", path)


def _is_seen(path: str, roots: Iterable[str]) -> bool:
    return any(is_below(path, root) for root in roots)


def _scratch(box: Box) -> Mount:
    if box.scratch:
        return Mount("bind", box.scratch, "/tmp")
    return Mount("memory", _memory(box, 0o1777), "/tmp")


def _memory(box: Box, mode: int) -> str:
    return f"size={box.limits.scratch_bytes},mode={mode:o}"


def _outer_first(tree: Tree) -> list[str]:
    return sorted(tree, key=lambda path: path.split("/"))


def _has_place(path: str, tree: Tree) -> bool:
    """Say whether a path is there already, because a folder around it is shown as it is."""
    while (path := os.path.dirname(path)) != "/":
        if path in tree:
            return tree[path].kind in {"bind", "keep"} and tree[path].source == path
    return False


def _place(step: Mount) -> list[Mount]:
    """Return what makes the place that a step fills."""
    if step.kind == "memory" or os.path.isdir(step.source):
        return [Mount("folder", "", step.target)] if step.kind != "link" else []
    return [Mount("file", "", step.target)] if step.kind == "bind" else []
