"""Turn one call of Python code into effects, and into the value that it gives."""

from __future__ import annotations

import shlex
from collections.abc import Callable

from hermes.base.secret_names import is_secret_name
from hermes.policy.shell.code import sql
from hermes.policy.shell.code.python_network import NETWORK_DEEDS
from hermes.policy.shell.code.python_story import Deed, Story
from hermes.policy.shell.code.python_values import (
    NOBODY_KNOWS,
    Arguments,
    Opened,
    PathText,
    Ref,
    Taint,
    host_of,
    path_joined,
    taint_in,
    text_of,
)
from hermes.policy.shell.effects import UNKNOWN, Category, Kind

_SHELLS = frozenset(("sh", "bash", "zsh", "dash", "/bin/sh", "/bin/bash"))


_VERBS: dict[str, Kind] = {"read": "read", "write": "write", "delete": "delete", "script": "script"}


def perform(rule: str, story: Story, name: str, given: Arguments) -> object:
    """Tell the effects of a call by its rule, and return the value that it gives."""
    value: object = Ref(f"{name}()") if not name.startswith("?") else NOBODY_KNOWS
    for step in rule.split():
        verb, _, where = step.partition(":")
        place, _, keyword = where.partition(":")
        at = int(place) if place else 0
        if verb in _VERBS:
            _touch(verb, story, given.get(at, keyword))
            value = _after_path(verb, story, given)
        else:
            value = DEEDS[verb](Deed(story, name, given, at, keyword))
    return value


def _touch(verb: str, story: Story, target: object) -> None:
    """Tell what is done to one path; a missing one is not touched."""
    if verb == "read" and host_of(target) != UNKNOWN:
        story.add("net", host_of(target))
    elif target is not None:
        story.add(_VERBS[verb], text_of(target))


def _after_path(verb: str, story: Story, given: Arguments) -> object:
    source = taint_in(given.values)
    if verb == "write" and source is not None and source.kind == "fetched":
        story.fetched_paths.add(text_of(given.get(0)))
    return NOBODY_KNOWS


def _tree(call: Deed) -> object:
    call.story.add("delete", text_of(call.first), is_recursive=True)
    return NOBODY_KNOWS


def _moved(call: Deed) -> object:
    if call.first is not None:
        call.story.add("write", text_of(call.first), is_recursive=True)
    return NOBODY_KNOWS


def _open(call: Deed) -> object:
    path = text_of(call.first)
    if isinstance(call.first, int | Opened):
        return Opened(path)
    mode = text_of(call.given.get(1, "mode") or "r")
    kind: Kind = "write" if any(sign in mode for sign in "wax+") else "read"
    call.story.add(kind, path)
    return Opened(path)


def _os_open(call: Deed) -> object:
    flags = call.given.get(1, "flags")
    is_reading = flags == 0 or (isinstance(flags, Ref) and flags.name == "os.O_RDONLY")
    call.story.add("read" if is_reading else "write", text_of(call.given.get(0, "path")))
    return NOBODY_KNOWS


def _fileinput(call: Deed) -> object:
    files = call.given.get(0, "files")
    kind: Kind = "write" if call.given.get(1, "inplace") else "read"
    for path in files if isinstance(files, list | tuple) else [files]:
        if path is not None:
            call.story.add(kind, text_of(path))
    return NOBODY_KNOWS


def _listing(call: Deed) -> object:
    path = text_of(call.first or ".")
    call.story.is_listing = True
    call.story.add("read", path)
    return [PathText(path_joined([path, UNKNOWN]))] if call.name == "os.scandir" else [UNKNOWN]


def _walk(call: Deed) -> object:
    call.story.is_listing = True
    top = path_joined([text_of(call.first), UNKNOWN])
    return [(top, [UNKNOWN], [UNKNOWN])]


def _glob(call: Deed) -> object:
    base = call.given.named.get("root_dir")
    return [path_joined([base, call.first]) if base else text_of(call.first)]


def _chdir(call: Deed) -> object:
    call.story.folder = path_joined([call.story.folder, call.first])
    return NOBODY_KNOWS


def _run(call: Deed) -> object:
    argv, shell = call.first, call.given.named.get("shell")
    taint = taint_in([argv])
    if taint and taint.kind == "fetched":
        call.story.warn("network-exec", "runs a command that it fetched from the network")
        return Opened(UNKNOWN)
    words = list(argv) if isinstance(argv, list | tuple) else [argv]
    if isinstance(argv, list | tuple) and not shell:
        text = shlex.join([text_of(word) for word in words])
    else:
        text = text_of(words[0]) if words else ""
    if words and text_of(words[0]) in _SHELLS and len(words) == 1:
        _feed(call, call.given.named.get("input"))
    _command(call.story, text, call.given.named.get("cwd"))
    return Ref(f"{call.name}()")


def _feed(call: Deed, source: object) -> None:
    taint = taint_in([source])
    if taint and taint.kind == "fetched":
        call.story.warn("network-exec", "hands a shell what it fetched from the network")
    elif source is not None:
        call.story.add("run", text_of(source))


def _command(story: Story, text: str, folder: object = None) -> None:
    where = path_joined([part for part in (story.folder, folder) if part])
    if any(path and path in text for path in story.fetched_paths):
        story.warn("network-exec", "runs a file that it fetched from the network")
    story.add("run", f"cd {shlex.quote(where)} && {text}" if where else text)


def _argv_list(call: Deed) -> object:
    words = call.given.get(call.at, "args")
    program = call.given.get(call.at - 1)
    rest = [text_of(word) for word in words[1:]] if isinstance(words, list | tuple) else [UNKNOWN]
    _command(call.story, shlex.join([text_of(program), *rest]))
    return NOBODY_KNOWS


def _argv_rest(call: Deed) -> object:
    words = [text_of(word) for word in call.given.values if not isinstance(word, dict)]
    start = max(call.at - 1, 0)
    # The second word of the exec family is only the name that the program sees.
    rest = words[call.at + 1 :] if call.at else words[1:]
    _command(call.story, shlex.join([*words[start : start + 1], *rest]))
    return NOBODY_KNOWS


def _show(call: Deed) -> object:
    taint = taint_in(call.given.all())
    if taint and taint.kind == "environment":
        call.story.warn("exfiltration", "prints the whole environment")
    elif taint and taint.kind == "secret":
        call.story.warn("exfiltration", f"prints the secret variable {taint.detail}")
    return None


def variable(name: object) -> object:
    """Return the value of an environment variable."""
    text = text_of(name)
    if text == "HOME":
        return "~"
    if UNKNOWN in text:
        return Taint("environment")
    if is_secret_name(text):
        return Taint("secret", text)
    return {"TMPDIR": "/tmp", "PWD": "."}.get(text, UNKNOWN)


def _kill(call: Deed) -> object:
    pid, signal = call.given.get(0), call.given.get(1)
    if signal == 0 or (isinstance(pid, Ref) and (pid.name == "self" or pid.name.endswith(".pid"))):
        return NOBODY_KNOWS
    number = signal if isinstance(signal, int) else 9
    call.story.add("run", f"kill -{number} {text_of(pid)}")
    return NOBODY_KNOWS


def _fork(call: Deed) -> object:
    if call.story.endless:
        call.story.warn("process", "forks without end: a fork bomb")
    return NOBODY_KNOWS


def _duplicate(call: Deed) -> object:
    call.story.is_duplicating = True
    return NOBODY_KNOWS


def _unpickle(call: Deed) -> object:
    taint = taint_in(call.given.values)
    if taint and taint.kind == "fetched":
        call.story.warn("network-exec", "unpickles what it fetched from the network")
    elif taint is None:
        call.story.warn("opaque", "unpickles data that can hold any code")
    return NOBODY_KNOWS


def _sqlite(call: Deed) -> object:
    path = text_of(call.given.get(0, "database"))
    if path == ":memory:":
        return Ref("memory()")
    call.story.add("write", path)
    return Ref("sqlite3.connect()")


def _sql(call: Deed) -> object:
    statement = call.given.get(0)
    if isinstance(statement, Ref) and statement.host:
        statement = statement.host
    if isinstance(statement, str):
        for effect in sql.effects(statement):
            call.story.effects[effect] = None
    return NOBODY_KNOWS


def _django_command(call: Deed) -> object:
    if text_of(call.given.get(0)) in {"flush", "reset_db", "sqlflush"}:
        call.story.warn("database", "empties the database of the Django project")
    return NOBODY_KNOWS


def _remote_command(call: Deed) -> object:
    call.story.add("run", shlex.join(["ssh", UNKNOWN, text_of(call.given.get(0))]))
    return NOBODY_KNOWS


def _path_deed(kind: Kind) -> Callable[[Deed], object]:
    def deed(call: Deed) -> object:
        call.story.add(kind, UNKNOWN)
        return NOBODY_KNOWS

    return deed


def _warning(category: Category, what: str) -> Callable[[Deed], object]:
    def deed(call: Deed) -> object:
        call.story.warn(category, what)
        return NOBODY_KNOWS

    return deed


def _value(value: object) -> Callable[[Deed], object]:
    return lambda _: value


DEEDS: dict[str, Callable[[Deed], object]] = {
    "tree": _tree,
    "moved": _moved,
    "open": _open,
    "os_open": _os_open,
    "fileinput": _fileinput,
    "listing": _listing,
    "walk": _walk,
    "glob": _glob,
    "chdir": _chdir,
    "run": _run,
    "argv_list": _argv_list,
    "argv_rest": _argv_rest,
    "show": _show,
    "variable": lambda call: variable(call.given.get(0, "key")),
    "nothing": _value(NOBODY_KNOWS),
    "kill": _kill,
    "kill_group": _warning("process", "ends a whole group of processes"),
    "fork": _fork,
    "duplicate": _duplicate,
    "raise_rights": _warning("privilege", "changes the user that it runs as"),
    "halt": _warning("service", "reboots the machine"),
    **NETWORK_DEEDS,
    "native": _warning("opaque", "calls native code, which can do anything"),
    "unpickle": _unpickle,
    "keyring": _value(Taint("secret", "of the keyring")),
    "sqlite": _sqlite,
    "sql": _sql,
    "scratch": _value(Opened(f"/tmp/{UNKNOWN}")),
    "scratch_folder": _value(f"/tmp/{UNKNOWN}"),
    "django_command": _django_command,
    "remote_command": _remote_command,
    "write_unknown": _path_deed("write"),
    "delete_unknown": _path_deed("delete"),
    "drop_all": _warning("database", "drops every table of the database"),
    "flush_all": _warning("database", "erases the whole Redis database"),
    "drop_database": _warning("database", "drops a database"),
    "internals": _warning("opaque", "reaches for the internals of Python"),
}
