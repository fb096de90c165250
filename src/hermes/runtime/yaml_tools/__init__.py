"""Tools declared in YAML files: read into entries, kept true while the files change, installed.

This module is light: PyYAML, the readers and httpx2 are loaded when there is a file to read and a
call to make.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes.base.errors import ConfigError, HermesError
from hermes.base.files import private_folder, write_atomic
from hermes.base.optional import load
from hermes.runtime.entry import Handler, Lazy, Spec, ToolEntry
from hermes.runtime.registry import ToolRegistry
from hermes.runtime.yaml_tools.http_pool import HttpPool

if TYPE_CHECKING:
    from hermes.runtime.yaml_tools.spec.spec import ToolSpec

MAX_BYTES = 256 * 1024
_CLEANUP_SECONDS = 3.0
"""A tool keeps its own limit and tidies up; the runtime's limit is the net beneath it."""
_SUFFIXES = (".yaml", ".yml")
Signature = tuple[int, int, int]
"""When a file was changed, its size and its inode: what differs when the content does."""


def parse(text: str, file: object) -> list[ToolSpec]:
    """Return the tools that a YAML text declares.

    Raises:
        ConfigError: everything that is wrong, each with file, line, key and the fix.
    """
    specs: list[ToolSpec] = load("hermes.runtime.yaml_tools.spec.reader").parse(text, file)
    return specs


def entries(file: Path, *, pool: HttpPool | None = None) -> list[ToolEntry]:
    """Return the entries of a tool file.

    HTTP tools share the connections of ``pool``, which whoever passes it closes.

    Raises:
        ConfigError: the file cannot be read, or something in it is wrong.
    """
    connections = pool or HttpPool()
    return [_entry(spec, connections) for spec in parse(_read(file), file)]


def _read(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            fix = "Split it into smaller files."
            raise ConfigError(f"is larger than {MAX_BYTES // 1024} KB", file=file, hint=fix)
        return data.decode("utf-8-sig")
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
        raise ConfigError(message, file=file, hint="Check the path and its permissions.") from error
    except UnicodeDecodeError as error:
        raise ConfigError("is not UTF-8 text", file=file, hint="Save it as UTF-8.") from error


def _entry(spec: ToolSpec, pool: HttpPool) -> ToolEntry:
    action: Any = spec.action
    is_command = hasattr(action, "argv")

    def handler() -> Handler:
        if is_command:
            made: Handler = load("hermes.runtime.yaml_tools.command_tool").handler(spec, action)
        else:
            made = load("hermes.runtime.yaml_tools.http_tool").handler(spec, action, pool)
        return made

    program = action.argv[0] if is_command and "{" not in action.argv[0] else None
    return ToolEntry(
        spec.name,
        spec.toolset,
        Lazy(handler),
        Lazy(lambda: Spec(spec.description, spec.schema())),
        is_async=True,
        raw=True,
        permissions=spec.permissions,
        effects=spec.effects,
        timeout_seconds=spec.timeout_seconds + _CLEANUP_SECONDS,
        max_result_size_chars=spec.response.max_chars,
        requires_env=spec.secrets,
        requires_bin=(program,) if program else (),
        tags=spec.tags,
        emoji=spec.emoji,
        source=source_of(spec.file),
    )


def source_of(file: object) -> str:
    """Return the name under which a file's entries stand in the registry."""
    return f"yaml:{file}"


class YamlSource:
    """Bring the tools of a folder's YAML files into a registry, and follow what changes there.

    A file that became broken keeps its last good tools; what is wrong is in ``problems``.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)
        self.name = f"yaml:{self.folder}"
        self._pool = HttpPool()
        self._seen: dict[Path, Signature] | None = None
        self._lock = threading.Lock()
        self._loaded: dict[Path, Signature] = {}
        self._problems: dict[Path, str] = {}

    @property
    def problems(self) -> list[tuple[str, str]]:
        """Which files are wrong, and what is wrong with them."""
        return [(str(file), message) for file, message in sorted(self._problems.items())]

    def scan(self) -> bool:
        """Say whether any file came, went or changed since the last load; reads no content."""
        return _signatures(self.folder) != self._seen

    def load(self, registry: ToolRegistry) -> None:
        """Read the files that changed; each file's entries replace those it brought before."""
        now = _signatures(self.folder)
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

    def _load_file(self, registry: ToolRegistry, file: Path, signature: Signature) -> bool:
        try:
            found = entries(file, pool=self._pool)
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
        if not self.scan() or not self._lock.acquire(blocking=False):
            return False
        try:
            self.load(registry)
        finally:
            self._lock.release()
        return True

    def close(self) -> None:
        """Close the connections of the HTTP tools."""
        self._pool.close()


def _signatures(folder: Path) -> dict[Path, Signature]:
    found: dict[Path, Signature] = {}
    try:
        with os.scandir(folder) as items:
            for item in items:
                if item.name.endswith(_SUFFIXES) and not item.name.startswith("."):
                    signature = _signature(item)
                    if signature:
                        found[folder / item.name] = signature
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return {}
    return dict(sorted(found.items()))


def _signature(item: os.DirEntry[str]) -> Signature | None:
    try:
        facts = item.stat()
    except OSError:  # it went between the listing and the look, or is a link to nowhere
        return None
    return (facts.st_mtime_ns, facts.st_size, facts.st_ino) if item.is_file() else None


def _check_owners(registry: ToolRegistry, file: Path, found: list[ToolEntry]) -> None:
    for entry in found:
        owner = registry.get(entry.name)
        if owner is not None and owner.source != entry.source:
            raise ConfigError(
                f"the tool name {entry.name!r} is taken by {owner.source} ({owner.toolset})",
                file=file,
                hint="Choose another name.",
            )


def install(config_file: Path, folder: Path, *, replace: bool = False) -> list[str]:
    """Check a tool file, copy it into the folder of tools, and return the names of its tools.

    A file of one tool is named after it, a file of several keeps its name.

    Raises:
        ConfigError: the file is wrong, or would take another tool's file or name.
    """
    source = Path(config_file)
    text = _read(source)
    names = [spec.name for spec in parse(text, source)]
    target = folder / f"{names[0] if len(names) == 1 else source.stem.lstrip('.') or names[0]}.yaml"
    _check_free(target, names, replace=replace)
    private_folder(folder)
    write_atomic(target, text)
    return names


def _check_free(target: Path, names: list[str], *, replace: bool) -> None:
    for file in _signatures(target.parent):
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
        return {spec.name for spec in parse(_read(file), file)}
    except ConfigError:
        return {file.stem}
