"""What was approved of a server's tools; a definition that has changed since is held back.

The first time a server is seen, its tools are taken as they are: the person has configured it.
From then on each definition has to be the one that was seen. A changed one is off until a person
has seen the difference and said yes; so is one that scanning finds dangerous, new or not. A tool
that is new and harmless is taken, since servers may gain tools while they run.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import logging
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hermes.base.files import locked, private_folder, write_atomic
from hermes.base.text import escaped
from hermes.mcp.definitions import ServerDefinitions, ToolDefinition
from hermes.mcp.scanning import Finding, bad_name, cleaned, collisions, findings

_VERSION = 1
_MOST_LINES = 200
_log = logging.getLogger("hermes.mcp")


class Held(NamedTuple):
    """A tool that is off, why, and how its definition differs from the one that was approved."""

    name: str
    diff: str
    reason: str
    can_approve: bool = True


class Judged(NamedTuple):
    """Which tools may be offered, cleaned of what cannot be seen, and which are held."""

    admitted: tuple[ToolDefinition, ...] = ()
    held: tuple[Held, ...] = ()


class _Record(NamedTuple):
    """What is on disk about one server."""

    approved: dict[str, Any]
    """Definitions by name, in the server's own words."""
    pending: dict[str, Any]
    """Definitions by name that wait for a yes, as they were last seen."""
    is_new: bool = False
    problem: str = ""
    """Why what is on disk cannot be used; then nothing is admitted."""


class Pins:
    """Remember what was approved, one file for each server below a folder."""

    def __init__(self, folder: Path, builtin_names: Collection[str] = ()) -> None:
        self._folder = Path(folder)
        self._builtin_names = frozenset(builtin_names)

    def judge(self, server: str, definitions: ServerDefinitions) -> Judged:
        """Return which tools of a server may be offered; those seen for the first time are kept."""
        with locked(private_folder(self._folder)):
            before = self._read(server)
            after, judged = self._judged(server, before, definitions.tools)
            if after is not None:
                self._write(server, after)
        for held in judged.held:
            _log.warning("%s: the tool %s is held: %s", server, escaped(held.name), held.reason)
        return judged

    def approve(self, server: str, definitions: ServerDefinitions) -> None:
        """Take all tools of a server as they are now."""
        self._approve(server, {tool.name: tool.as_json() for tool in definitions.tools})

    def approve_pending(self, server: str, names: Iterable[str] | None = None) -> tuple[str, ...]:
        """Take what waits for a yes just as it was seen; all of it, or those that are named.

        Returns the names that were approved.
        """
        waiting = self._read(server).pending
        chosen = waiting if names is None else {n: waiting[n] for n in names if n in waiting}
        self._approve(server, chosen)
        return tuple(chosen)

    def pending(self, server: str) -> tuple[Held, ...]:
        """Return what waits for a yes, without asking the server."""
        record = self._read(server)
        found = []
        for name, said in record.pending.items():
            tool = _definition(said)
            if tool is not None:
                reason = self._reason(tool, record.approved.get(name))
                found.append(Held(name, difference(record.approved.get(name), said), reason))
        return tuple(found)

    def approved(self, server: str) -> tuple[str, ...]:
        """Return the names of the tools that were approved."""
        return tuple(self._read(server).approved)

    def forget(self, server: str) -> None:
        """Drop what was approved of a server; it is new again."""
        self._file(server).unlink(missing_ok=True)

    def _judged(
        self, server: str, before: _Record, tools: tuple[ToolDefinition, ...]
    ) -> tuple[_Record | None, Judged]:
        """Return what is to be written, if anything, and the judgement."""
        if before.problem:
            held = [Held(tool.name, "", before.problem) for tool in tools]
            return None, Judged((), tuple(held))
        taken = collisions([tool.name for tool in tools])
        approved, pending = dict(before.approved), {}
        admitted, held = [], []
        for tool in _first_of_each(tools):
            if never := _refusal(tool.name, taken):
                held.append(Held(tool.name, "", never, can_approve=False))
                continue
            said, known = tool.as_json(), before.approved.get(tool.name)
            if known is not None and digest(known) == digest(said):
                admitted.append(cleaned(tool))
            elif reason := self._reason(tool, known):
                pending[tool.name] = said
                advice = f"{reason}; 'hermes mcp approve {server}' shows it and takes your yes"
                held.append(Held(tool.name, difference(known, said), advice))
            else:
                approved[tool.name] = said
                admitted.append(cleaned(tool))
        after = _Record(approved, pending)
        is_same = not before.is_new and after == before
        return None if is_same else after, Judged(tuple(admitted), tuple(held))

    def _reason(self, tool: ToolDefinition, known: Any) -> str:
        """Return why a definition needs a yes; nothing when it needs none."""
        dangers = [one for one in self.findings(tool) if one.severity == "danger"]
        words = f" ({dangers[0].sentence()})" if dangers else ""
        if known is not None:
            return f"its definition has changed since it was approved{words}"
        return f"its definition looks like an attack{words}" if dangers else ""

    def findings(self, tool: ToolDefinition) -> tuple[Finding, ...]:
        """Return what is suspicious about a tool, given the names of the built-in ones."""
        return findings(tool, self._builtin_names)

    def _approve(self, server: str, said: Mapping[str, Any]) -> None:
        with locked(private_folder(self._folder)):
            record = self._read(server)
            approved = {**record.approved, **said}
            pending = {name: one for name, one in record.pending.items() if name not in said}
            self._write(server, _Record(approved, pending))

    def _file(self, server: str) -> Path:
        return self._folder / f"{server.lower()}.json"

    def _read(self, server: str) -> _Record:
        file = self._file(server)
        try:
            told = json.loads(file.read_text("utf-8"))
            approved, pending = told["approved"], told["pending"]
            if told["version"] != _VERSION or not (_is_record(approved) and _is_record(pending)):
                raise ValueError("it has another form")
        except FileNotFoundError:
            return _Record({}, {}, is_new=True)
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            _log.error("%s cannot be read: %s", file, error)
            problem = (
                f"the record of what was approved cannot be read ({file}); look at the server's "
                f"tools with 'hermes mcp test {server}', delete the file, and they are new again"
            )
            return _Record({}, {}, problem=problem)
        return _Record(approved, pending)

    def _write(self, server: str, record: _Record) -> None:
        made = {"version": _VERSION, "approved": record.approved, "pending": record.pending}
        write_atomic(self._file(server), json.dumps(made, ensure_ascii=True, indent=1))


def digest(said: Mapping[str, Any]) -> str:
    """Return the hash of all in a definition that a model or the gate goes by."""
    parts = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
    kept = {part: said[part] for part in parts if said.get(part)}
    return hashlib.sha256(
        _written(kept, indent=None).encode("utf-8", "backslashreplace")
    ).hexdigest()


def difference(before: Mapping[str, Any] | None, now: Mapping[str, Any]) -> str:
    """Return how two definitions differ, line by line, with unseen characters spelt out."""
    old = _lines(before) if before is not None else []
    lines = list(difflib.unified_diff(old, _lines(now), "approved", "now", lineterm="", n=2))
    more = len(lines) - _MOST_LINES
    shown = lines if more <= 0 else [*lines[:_MOST_LINES], f"… {more} more lines"]
    return "\n".join(shown)


def _lines(said: Mapping[str, Any]) -> list[str]:
    kept = {key: value for key, value in said.items() if key != "_meta"}
    text = _written(kept, indent=2).replace("\\n", "\n    ")
    return [escaped(line) for line in text.splitlines()]


def _written(value: Any, *, indent: int | None) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, indent=indent, default=dict)


def _first_of_each(tools: Iterable[ToolDefinition]) -> Iterable[ToolDefinition]:
    """Return the tools, each name once: what a server says twice counts as it says it first."""
    first: dict[str, ToolDefinition] = {}
    for tool in tools:
        first.setdefault(tool.name, tool)
    return first.values()


def _refusal(name: str, taken: Mapping[str, str]) -> str:
    if name in taken:
        return f"its name differs from the tool {taken[name]!r} by case alone"
    return bad_name(name)


def _definition(said: Any) -> ToolDefinition | None:
    try:
        return ToolDefinition.from_wire(said)
    except (ValueError, AttributeError):
        return None


def _is_record(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(one, dict) for one in value.values())
