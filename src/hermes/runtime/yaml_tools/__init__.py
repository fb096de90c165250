"""Tools declared in YAML files: read into entries, kept true while the files change, installed.

This module is light: PyYAML, the readers and httpx2 are loaded when there is a file to read and a
call to make.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes.base.client_pool import ClientPool
from hermes.base.errors import ConfigError, HermesError
from hermes.base.files import private_folder, write_atomic
from hermes.base.optional import load
from hermes.runtime.entry import Handler, Lazy, Spec, ToolEntry
from hermes.runtime.registry import ToolRegistry
from hermes.runtime.yaml_tools.files import Signature, read_text, signatures
from hermes.runtime.yaml_tools.following import Following, Loader, brought, met

if TYPE_CHECKING:
    from hermes.runtime.yaml_tools.spec.spec import ToolSpec

_CLEANUP_SECONDS = 3.0
"""A tool keeps its own limit and tidies up; the runtime's limit is the net beneath it."""


def parse(text: str, file: object) -> list[ToolSpec]:
    """Return the tools that a YAML text declares.

    Raises:
        ConfigError: everything that is wrong, each with file, line, key and the fix.
    """
    specs: list[ToolSpec] = load("hermes.runtime.yaml_tools.spec.reader").parse(text, file)
    return specs


def entries(file: Path, *, pool: ClientPool | None = None) -> list[ToolEntry]:
    """Return the entries of a tool file.

    HTTP tools share the connections of ``pool``, which whoever passes it closes.

    Raises:
        ConfigError: the file cannot be read, or something in it is wrong.
    """
    return _entries(file, Following(pool))


def _entries(file: Path, following: Following) -> list[ToolEntry]:
    return [_entry(spec, following) for spec in parse(read_text(file), file)]


def _entry(spec: ToolSpec, following: Following) -> ToolEntry:
    action: Any = spec.action
    is_command = hasattr(action, "argv")

    def handler() -> Handler:
        if is_command:
            made: Handler = load("hermes.runtime.yaml_tools.command_tool").handler(spec, action)
        else:
            http_tool = load("hermes.runtime.yaml_tools.http_tool")
            made = http_tool.handler(spec, action, following.pool)
        return made

    program = action.argv[0] if is_command and "{" not in action.argv[0] else None
    return ToolEntry(
        spec.name,
        spec.toolset,
        Loader(handler, following),
        Lazy(lambda: Spec(spec.description, spec.schema())),
        is_async=True,
        raw=True,
        permissions=spec.permissions,
        effects=spec.effects,
        timeout_seconds=spec.timeout_seconds + _CLEANUP_SECONDS,
        max_result_size_chars=spec.response.max_chars,
        requires_env=spec.secrets,
        requires_bin=(program,) if program else (),
        starts_programs=is_command and not action.wants.is_off,
        tags=spec.tags,
        emoji=spec.emoji,
        source=source_of(spec.file),
    )


def source_of(file: object) -> str:
    """Return the name under which a file's entries stand in the registry."""
    return f"yaml:{file}"


class YamlSource:
    """Bring the tools of a folder's YAML files into a registry, and follow what changes there.

    A file that became broken keeps its last good tools; what is wrong is in ``problems``. Sources
    of the same folder share what they bring: it stays until the last of them is closed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder).absolute()
        self.name = source_of(self.folder)
        self._following = Following()
        self._following.users.add(self)
        self._seen: dict[Path, Signature] | None = None
        self._generation: int | None = None
        self._registry: ToolRegistry | None = None
        self._is_closed = False
        self._lock = threading.Lock()
        self._loaded: dict[Path, Signature] = {}
        self._problems: dict[Path, str] = {}

    @property
    def problems(self) -> list[tuple[str, str]]:
        """Which files are wrong, and what is wrong with them."""
        return [(str(file), message) for file, message in sorted(self._problems.items())]

    def scan(self) -> bool:
        """Say whether any file came, went or changed since the last load; reads no content."""
        return signatures(self.folder) != self._seen

    def load(self, registry: ToolRegistry) -> None:
        """Read the files that changed; each file's entries replace those it brought before."""
        now = signatures(self.folder)
        self._join(registry)
        for file in self._loaded.keys() - now.keys():
            registry.replace_source(source_of(file), ())
            del self._loaded[file]
        waiting = [file for file in now if self._loaded.get(file) != now[file]]
        self._problems = {}
        while waiting:  # a name may be freed by a file further on
            failed = [file for file in waiting if not self._load_file(registry, file, now[file])]
            if len(failed) == len(waiting):
                break
            waiting = failed
        self._seen = now

    def _join(self, registry: ToolRegistry) -> None:
        """Share what another source of this folder brought into the registry."""
        if registry is self._registry and registry.generation == self._generation:
            return
        self._registry, self._generation = registry, registry.generation
        there = met(registry, self.name)
        if there is not None and there is not self._following:
            there.users.add(self)
            self._following.leave(self)
            self._following = there

    def _load_file(self, registry: ToolRegistry, file: Path, signature: Signature) -> bool:
        try:
            found = _entries(file, self._following)
            _check_owners(registry, file, found)
            registry.replace_source(source_of(file), found)
        except HermesError as error:
            self._problems[file] = f"{error}. {error.hint}" if error.hint else str(error)
            return False
        self._problems.pop(file, None)
        self._loaded[file] = signature
        return True

    def refresh(self, registry: ToolRegistry) -> bool:
        """Bring the registry up to date when a file changed; say whether one did."""
        if self._is_closed or not self._lock.acquire(blocking=False):
            return False
        try:
            if not self.scan():
                self._join(registry)
                return False
            self.load(registry)
        finally:
            self._lock.release()
        return True

    def withdraw(self, registry: ToolRegistry) -> None:
        """Take the folder's tools out of the registry, unless another source follows it too."""
        with self._lock:
            self._join(registry)
            if self._following.leave(self):
                for source in brought(registry, self.name):
                    registry.replace_source(source, ())
            self._following = Following()
            self._following.users.add(self)
            self._loaded, self._seen, self._generation = {}, None, None

    def close(self) -> None:
        """Withdraw the tools and bring none in again; connections go with their last user."""
        self._is_closed = True
        if self._registry is not None:
            self.withdraw(self._registry)


def _check_owners(registry: ToolRegistry, file: Path, found: list[ToolEntry]) -> None:
    for entry in found:
        owner = registry.get(entry.name)
        if owner is not None and owner.source != entry.source:
            raise _taken(owner, entry.name, file=file)


def _taken(owner: ToolEntry, name: str, *, file: object, line: int | None = None) -> ConfigError:
    return ConfigError(
        f"the tool name {name!r} is taken by {owner.source} ({owner.toolset})",
        file=file,
        line=line,
        hint="Choose another name.",
    )


def install(
    config_file: Path,
    folder: Path,
    *,
    replace: bool = False,
    owner: Callable[[str], ToolEntry | None] | None = None,
) -> list[str]:
    """Check a tool file, copy it into the folder of tools, and return the names of its tools.

    A file of one tool is named after it, a file of several keeps its name. ``owner`` gives the
    tool that has a name already, such as a registry's ``get``.

    Raises:
        ConfigError: the file is wrong, or would take another tool's file or name.
    """
    source = Path(config_file)
    text = read_text(source)
    specs = parse(text, source)
    names = [spec.name for spec in specs]
    target = folder / f"{names[0] if len(names) == 1 else source.stem.lstrip('.') or names[0]}.yaml"
    if owner is not None:
        _check_names(specs, owner, folder)
    _check_free(target, names, replace=replace)
    private_folder(folder)
    write_atomic(target, text)
    return names


def _check_names(
    specs: list[ToolSpec], owner: Callable[[str], ToolEntry | None], folder: Path
) -> None:
    """Refuse names of tools from elsewhere; the folder's own files are looked into."""
    own = f"{source_of(folder.absolute())}/"
    for spec in specs:
        entry = owner(spec.name)
        if entry is not None and not entry.source.startswith(own):
            raise _taken(entry, spec.name, file=spec.file, line=spec.line)


def _check_free(target: Path, names: list[str], *, replace: bool) -> None:
    for file in signatures(target.parent):
        declared = _declared(file)
        if file == target and not replace and not declared <= set(names):
            raise ConfigError(
                f"already holds {', '.join(sorted(declared - set(names)))}",
                file=target,
                hint="Rename the tool, or install with replace to put this file in its place.",
            )
        taken = declared & set(names)
        if file != target and taken:
            raise ConfigError(
                f"the tool {sorted(taken)[0]!r} is already declared there",
                file=file,
                hint="Rename the tool, or remove that file first.",
            )


def _declared(file: Path) -> set[str]:
    """Return the tools of an installed file; a broken one counts as holding a tool of its name."""
    try:
        return {spec.name for spec in parse(read_text(file), file)}
    except ConfigError:
        return {file.stem}
