"""The normalised shape of a call: what a yes is bound to, and which later calls it covers."""

from __future__ import annotations

import json
import os.path
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from hermes.base.optional import load
from hermes.policy.need import Deed, Need
from hermes.policy.paths.places import Places
from hermes.policy.paths.spelling import spell
from hermes.policy.shell.command_lines import CommandLine, command_line
from hermes.policy.subjects import Subject, subjects_of

Reach = tuple[str, str]
"""A permission and what it is for: a real path, a host."""

_TOP = frozenset({"command", "url", "path", "path:read", "path:write", "path:delete"})


class Shape(NamedTuple):
    """Everything about a call that a yes was given for."""

    tool: str
    permissions: tuple[str, ...]
    folder: str
    """Where the call works, as a real path."""
    arguments: tuple[tuple[str, str], ...]
    """The arguments that are neither command, path nor address, each exactly, as JSON."""
    aims: tuple[tuple[str, frozenset[str]], ...]
    """The arguments that are paths or addresses: real paths, and hosts with scheme and port."""
    lines: tuple[tuple[str, CommandLine], ...]
    """The arguments that are commands."""
    reaches: frozenset[Reach]
    findings: frozenset[tuple[str, str]]
    """Category and sentence of every danger."""

    def covers(self, other: Shape) -> bool:
        """Say whether a yes to this call is a yes to another: it does nothing that this does not.

        Tool, permissions, folder and plain arguments are the same; paths, hosts, effects and
        dangers are among those of this call.
        """
        return (
            self[:4] == other[:4]
            and _are_among(self.aims, other.aims)
            and _are_covered(self.lines, other.lines)
            and other.reaches <= self.reaches
            and other.findings <= self.findings
        )

    @property
    def categories(self) -> frozenset[str]:
        """Return the categories of all dangers."""
        return frozenset(category for category, _ in self.findings)


def _are_among(
    mine: tuple[tuple[str, frozenset[str]], ...], others: tuple[tuple[str, frozenset[str]], ...]
) -> bool:
    if [name for name, _ in mine] != [name for name, _ in others]:
        return False
    return all(
        other <= own and bool(other) == bool(own)
        for (_, own), (_, other) in zip(mine, others, strict=True)
    )


def _are_covered(
    mine: tuple[tuple[str, CommandLine], ...], others: tuple[tuple[str, CommandLine], ...]
) -> bool:
    if [name for name, _ in mine] != [name for name, _ in others]:
        return False
    return all(own.covers(other) for (_, own), (_, other) in zip(mine, others, strict=True))


def shape_of(
    deed: Deed, permissions: tuple[str, ...], declared: Mapping[str, str] | None, cwd: str
) -> Shape:
    """Return the shape of a call that would do a deed in a folder."""
    subjects = subjects_of(deed.arguments, declared)
    folder = _folder(subjects, deed.places, cwd)
    kinds = {subject.name: subject.kind for subject in subjects if subject.kind in _TOP}
    plain: dict[str, str] = {}
    aims: dict[str, frozenset[str]] = {}
    lines: dict[str, CommandLine] = {}
    for name, value in deed.arguments.items():
        kind = kinds.get(name, "")
        texts = _texts(value)
        if deed.places is None or not kind or texts is None:
            plain[name] = exactly(value)
        elif kind == "command":
            text = next(subject.text for subject in subjects if subject.name == name)
            lines[name] = _line(text, deed.needs, folder)
        else:
            aims[name] = frozenset(_aim(kind, text, deed.places, folder) for text in texts)
    return Shape(
        deed.tool[0] if deed.tool else "",
        permissions,
        folder,
        tuple(sorted(plain.items())),
        tuple(sorted(aims.items())),
        tuple(sorted(lines.items())),
        reaches_of((need.permission, need.subject, need.kind) for need in deed.needs),
        frozenset((finding.category, finding.what) for finding in deed.findings),
    )


def exactly(value: Any) -> str:
    """Return a value as JSON that no other value has."""
    return json.dumps(value, sort_keys=True, default=_strange)


def _strange(value: object) -> str:
    return f"\0{type(value).__name__} {value!r}"


def _texts(value: Any) -> list[str] | None:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        return value
    return None


def _folder(subjects: Iterable[Subject], places: Places | None, cwd: str) -> str:
    for subject in subjects:
        if subject.kind == "folder" and places is not None:
            spelled = spell(subject.text, places, cwd)
            return real(spelled.flat if spelled else f"{cwd}\0{subject.text}")
    return real(cwd)


def _line(text: str, needs: Iterable[Need], folder: str) -> CommandLine:
    for need in needs:
        if need.kind == "command" and need.subject == text:
            return command_line(text, need.commands, folder, is_understood=need.is_understood)
    return CommandLine(text.strip(), None, (), is_understood=False)


def _aim(kind: str, text: str, places: Places, folder: str) -> str:
    if kind == "url":
        return host_of(text)
    spelled = spell(text, places, folder)
    return real(spelled.flat) if spelled else text


def host_of(url: str) -> str:
    """Return whom an address leads to, with scheme and port; the whole text when that is unsure."""
    urls = load("hermes.policy.urls.parse")
    try:
        target = urls.parse(url)
    except ValueError:
        return url
    return url if "@" in url else f"{target.scheme}://{target.host}:{target.port}"


def reaches_of(needs: Iterable[tuple[str, str, str]]) -> frozenset[Reach]:
    """Return what needs reach for: permission, subject, kind of subject."""
    return frozenset(_reaches(needs))


def _reaches(needs: Iterable[tuple[str, str, str]]) -> Iterator[Reach]:
    for permission, subject, kind in needs:
        if kind == "path":
            yield permission, real(subject)
        elif kind == "url":
            yield permission, host_of(subject)
        elif kind == "host":
            yield permission, subject


def real(path: str) -> str:
    """Return where a path leads now, through all links; its text when nobody can say."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return path
