"""Turn one call of Python code into effects, and into the value that it gives."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass, field

from hermes.base.secret_names import is_secret_name
from hermes.policy.shell.code import sql
from hermes.policy.shell.code.python_values import (
    NOBODY_KNOWS,
    Arguments,
    Method,
    Opened,
    PathText,
    Ref,
    Taint,
    host_of,
    path_joined,
    taint_in,
    text_of,
)
from hermes.policy.shell.effects import UNKNOWN, Category, Effect, Kind, danger

_SHELLS = frozenset(("sh", "bash", "zsh", "dash", "/bin/sh", "/bin/bash"))
_UPLOADS = ("data", "json", "files", "content", "body")
_VERBS: dict[str, Kind] = {"read": "read", "write": "write", "delete": "delete", "script": "script"}


@dataclass(slots=True)
class Story:
    """What the code was seen to do so far."""

    effects: dict[Effect, None] = field(default_factory=dict)
    hosts: list[str] = field(default_factory=list)
    folder: str = ""
    fetched_paths: set[str] = field(default_factory=set)
    endless: int = 0
    is_duplicating: bool = False
    is_listening: bool = False

    def add(self, kind: Kind, target: str, *, is_recursive: bool = False) -> None:
        """Remember an effect on a path, a host or a command."""
        if kind in {"read", "write", "delete", "script"} and self.folder:
            target = path_joined([self.folder, target])
        self.effects[Effect(kind, target, is_recursive=is_recursive)] = None

    def warn(self, category: Category, what: str) -> None:
        """Remember a danger."""
        self.effects[danger(category, what)] = None


def perform(rule: str, story: Story, name: str, given: Arguments) -> object:
    """Tell the effects of a call by its rule, and return the value that it gives."""
    value: object = Ref(f"{name}()") if not name.startswith("?") else NOBODY_KNOWS
    for step in rule.split():
        verb, _, where = step.partition(":")
        place, _, keyword = where.partition(":")
        at = int(place) if place else 0
        if verb in _VERBS:
            story.add(_VERBS[verb], text_of(given.get(at, keyword)))
            value = _after_path(verb, story, given)
        else:
            value = DEEDS[verb](_Call(story, name, given, at, keyword))
    return value


@dataclass(frozen=True, slots=True)
class _Call:
    story: Story
    name: str
    given: Arguments
    at: int
    keyword: str

    @property
    def first(self) -> object:
        """Return the argument that the rule is about."""
        return self.given.get(self.at, self.keyword)


def _after_path(verb: str, story: Story, given: Arguments) -> object:
    source = taint_in(given.values)
    if verb == "write" and source is not None and source.kind == "fetched":
        story.fetched_paths.add(text_of(given.get(0)))
    return NOBODY_KNOWS


def _tree(call: _Call) -> object:
    call.story.add("delete", text_of(call.first), is_recursive=True)
    return NOBODY_KNOWS


def _open(call: _Call) -> object:
    path = text_of(call.first)
    if isinstance(call.first, int | Opened):
        return Opened(path)
    mode = text_of(call.given.get(1, "mode") or "r")
    kind: Kind = "write" if any(sign in mode for sign in "wax+") else "read"
    call.story.add(kind, path)
    return Opened(path)


def _os_open(call: _Call) -> object:
    flags = call.given.get(1, "flags")
    is_reading = flags == 0 or (isinstance(flags, Ref) and flags.name == "os.O_RDONLY")
    call.story.add("read" if is_reading else "write", text_of(call.given.get(0, "path")))
    return NOBODY_KNOWS


def _fileinput(call: _Call) -> object:
    files = call.given.get(0, "files")
    kind: Kind = "write" if call.given.get(1, "inplace") else "read"
    for path in files if isinstance(files, list | tuple) else [files]:
        if path is not None:
            call.story.add(kind, text_of(path))
    return NOBODY_KNOWS


def _listing(call: _Call) -> object:
    path = text_of(call.first or ".")
    call.story.add("read", path)
    return [PathText(path_joined([path, UNKNOWN]))] if call.name == "os.scandir" else [UNKNOWN]


def _walk(call: _Call) -> object:
    top = path_joined([text_of(call.first), UNKNOWN])
    return [(top, [UNKNOWN], [UNKNOWN])]


def _glob(call: _Call) -> object:
    base = call.given.named.get("root_dir")
    return [path_joined([base, call.first]) if base else text_of(call.first)]


def _chdir(call: _Call) -> object:
    call.story.folder = path_joined([call.story.folder, call.first])
    return NOBODY_KNOWS


def _run(call: _Call) -> object:
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


def _feed(call: _Call, source: object) -> None:
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


def _argv_list(call: _Call) -> object:
    words = call.given.get(call.at, "args")
    program = call.given.get(call.at - 1)
    rest = [text_of(word) for word in words[1:]] if isinstance(words, list | tuple) else [UNKNOWN]
    _command(call.story, shlex.join([text_of(program), *rest]))
    return NOBODY_KNOWS


def _argv_rest(call: _Call) -> object:
    words = [text_of(word) for word in call.given.values if not isinstance(word, dict)]
    start = max(call.at - 1, 0)
    # The second word of the exec family is only the name that the program sees.
    rest = words[call.at + 1 :] if call.at else words[1:]
    _command(call.story, shlex.join([*words[start : start + 1], *rest]))
    return NOBODY_KNOWS


def _show(call: _Call) -> object:
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


def _kill(call: _Call) -> object:
    pid, signal = call.given.get(0), call.given.get(1)
    if signal == 0 or (isinstance(pid, Ref) and (pid.name == "self" or pid.name.endswith(".pid"))):
        return NOBODY_KNOWS
    number = signal if isinstance(signal, int) else 9
    call.story.add("run", f"kill -{number} {text_of(pid)}")
    return NOBODY_KNOWS


def _fork(call: _Call) -> object:
    if call.story.endless:
        call.story.warn("process", "forks without end: a fork bomb")
    return NOBODY_KNOWS


def _duplicate(call: _Call) -> object:
    call.story.is_duplicating = True
    return NOBODY_KNOWS


def _fetch(call: _Call) -> object:
    address = call.first
    if isinstance(address, Ref) and address.name.startswith("send:"):
        return _upload(call)
    if call.given.named.get("data") is not None or (
        call.name.endswith("urlopen") and _second(call)
    ):
        return _upload(call)
    leaking = taint_in([address, call.given.named.get("params")])
    headers = taint_in([call.given.named.get("headers")])
    is_leaking = leaking is not None or (headers is not None and headers.kind != "secret")
    call.story.add("send" if is_leaking else "net", host_of(address))
    return Taint("fetched", host_of(address))


def _second(call: _Call) -> bool:
    return call.given.get(1) is not None


def _upload(call: _Call) -> object:
    host = host_of(call.first)
    taint = taint_in(call.given.all())
    call.story.add("send", host)
    if taint and taint.kind in {"environment", "secret"}:
        call.story.warn("exfiltration", f"sends secrets of the environment to {_shown(host)}")
    return Taint("fetched", host)


def _request(call: _Call) -> object:
    method = text_of(call.given.named.get("method") or "GET").upper()
    is_sending = call.given.get(1, "data") is not None or method not in {"GET", "HEAD"}
    taint = taint_in(call.given.all())
    if taint and taint.kind in {"environment", "secret"} and call.given.get(1, "data") is not None:
        call.story.warn("exfiltration", "sends secrets of the environment away")
    host = host_of(call.given.get(0, "url"))
    return Ref("send:request" if is_sending else "net:request", host)


def _any_request(call: _Call) -> object:
    method = text_of(call.given.get(0, "method")).upper()
    call = _Call(call.story, call.name, call.given, 1, "url")
    is_sending = any(call.given.named.get(name) is not None for name in _UPLOADS)
    return _upload(call) if is_sending or method not in {"GET", "HEAD", "OPTIONS"} else _fetch(call)


def _retrieve(call: _Call) -> object:
    path = text_of(call.given.get(1, "filename") or UNKNOWN)
    call.story.add("net", host_of(call.given.get(0, "url")))
    call.story.add("write", path)
    call.story.fetched_paths.add(path)
    return (path, NOBODY_KNOWS)


def _connect(call: _Call) -> object:
    address = call.given.get(0, "host")
    host = host_of(address) if isinstance(address, list | tuple) else text_of(address or UNKNOWN)
    call.story.add("net", host)
    call.story.hosts.append(host)
    return Ref(f"{call.name}()", host)


def _wire_request(call: _Call) -> object:
    host = call.story.hosts[-1] if call.story.hosts else UNKNOWN
    is_reading = text_of(call.given.get(0, "method")).upper() in {"GET", "HEAD"}
    if not is_reading or call.given.get(2, "body") is not None:
        call.story.add("send", host)
    return NOBODY_KNOWS


def _wire_send(call: _Call) -> object:
    host = call.story.hosts[-1] if call.story.hosts else UNKNOWN
    call.story.add("send", host)
    taint = taint_in(call.given.all())
    if taint and taint.kind in {"environment", "secret"}:
        call.story.warn("exfiltration", f"sends secrets of the environment to {_shown(host)}")
    return NOBODY_KNOWS


def _listen(call: _Call) -> object:
    call.story.is_listening = True
    return Ref(f"{call.name}()")


def _unpickle(call: _Call) -> object:
    taint = taint_in(call.given.values)
    if taint and taint.kind == "fetched":
        call.story.warn("network-exec", "unpickles what it fetched from the network")
    elif taint is None:
        call.story.warn("opaque", "unpickles data that can hold any code")
    return NOBODY_KNOWS


def _sqlite(call: _Call) -> object:
    path = text_of(call.given.get(0, "database"))
    if path == ":memory:":
        return Ref("memory()")
    call.story.add("write", path)
    return Ref("sqlite3.connect()")


def _sql(call: _Call) -> object:
    statement = call.given.get(0)
    if isinstance(statement, Ref) and statement.host:
        statement = statement.host
    if isinstance(statement, str):
        for effect in sql.effects(statement):
            call.story.effects[effect] = None
    return NOBODY_KNOWS


def _django_command(call: _Call) -> object:
    if text_of(call.given.get(0)) in {"flush", "reset_db", "sqlflush"}:
        call.story.warn("database", "empties the database of the Django project")
    return NOBODY_KNOWS


def _remote_command(call: _Call) -> object:
    call.story.add("run", shlex.join(["ssh", UNKNOWN, text_of(call.given.get(0))]))
    return NOBODY_KNOWS


def _path_deed(kind: Kind) -> Callable[[_Call], object]:
    def deed(call: _Call) -> object:
        call.story.add(kind, UNKNOWN)
        return NOBODY_KNOWS

    return deed


def _warning(category: Category, what: str) -> Callable[[_Call], object]:
    def deed(call: _Call) -> object:
        call.story.warn(category, what)
        return NOBODY_KNOWS

    return deed


def _value(value: object) -> Callable[[_Call], object]:
    return lambda _: value


def _shown(host: str) -> str:
    return "an unknown host" if UNKNOWN in host else host


DEEDS: dict[str, Callable[[_Call], object]] = {
    "tree": _tree,
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
    "fetch": _fetch,
    "upload": _upload,
    "request": _request,
    "any_request": _any_request,
    "retrieve": _retrieve,
    "connect": _connect,
    "wire_request": _wire_request,
    "wire_send": _wire_send,
    "received": _value(Taint("fetched", UNKNOWN)),
    "listen": _listen,
    "native": _warning("opaque", "calls native code, which can do anything"),
    "unpickle": _unpickle,
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


def is_method_of(value: object, name: str) -> bool:
    """Say whether a value is the method of that name."""
    return isinstance(value, Method) and value.name == name
