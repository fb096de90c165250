"""Find out what a call would do: its permissions with their subjects, and its dangers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from hermes.base.optional import load
from hermes.policy.need import Deed, Need, plain_needs
from hermes.policy.paths import Places, file_concern
from hermes.policy.paths.places import Verb
from hermes.policy.paths.spelling import spell
from hermes.policy.permissions import danger
from hermes.policy.shell.state import Place
from hermes.policy.shell.understanding import Meaning, understand, understand_code
from hermes.policy.subjects import Subject, subjects_of
from hermes.policy.verdict import Finding

_RUNNING = frozenset({"execute", "run"})
_SEARCHING = frozenset({"search", "grep", "find", "rg", "tree", "archive", "compress", "zip"})
_SHELLS = frozenset({"bash", "sh", "shell", "zsh", "dash", "ksh"})


class Asked(NamedTuple):
    """A call as rules see it: which tool, with what, declared how, and where."""

    tool: tuple[str, ...]
    permissions: tuple[str, ...]
    arguments: Mapping[str, Any]
    declared: Mapping[str, str] | None
    """The subjects that the tool declares; None when it says nothing."""
    place: Place
    allows_private: bool = False
    subjects: tuple[Subject, ...] | None = None
    """The subjects among the arguments, where they are known already."""


def deed_of(asked: Asked) -> Deed:
    """Return what a call would do, with everything about it that is dangerous."""
    subjects = asked.subjects
    if subjects is None:
        subjects = subjects_of(asked.arguments, asked.declared)
    gatherer = _Gatherer(asked, _cwd(subjects, asked.place))
    for subject in subjects:
        gatherer.take(subject)
    return gatherer.deed()


def _cwd(subjects: Iterable[Subject], place: Place) -> str:
    """Return the folder a call works in: the one it names itself, or the task's."""
    for subject in subjects:
        if subject.kind == "folder" and (spelled := spell(subject.text, place.places, place.cwd)):
            return spelled.flat
    return place.cwd


def place(cwd: str, workspace: tuple[str, ...], home: str, state: str) -> Place:
    """Return where a call is judged."""
    return Place(cwd, Places(workspace, home, state))


class _Gatherer:
    """Collect needs and findings, one subject after the other."""

    def __init__(self, asked: Asked, cwd: str) -> None:
        self._asked = asked
        self._cwd = cwd
        self._places: Places = asked.place.places
        self._needs: dict[Need, None] = {}
        self._findings: dict[Finding, None] = {}

    def take(self, subject: Subject) -> None:
        kind = subject.kind
        if kind == "command":
            self._command(subject.text)
        elif kind.startswith("path"):
            self._path(subject)
        elif kind == "url":
            self._address(subject.text)
        elif kind.startswith("code"):
            self._code(kind.partition(":")[2], subject.text)

    def deed(self) -> Deed:
        """Return all of it: dangers first, so that their sentences are what a person reads."""
        asked = self._asked
        covered = {need.permission for need in self._needs}
        names = (name for name in asked.permissions if name not in covered)
        plain = plain_needs(names, asked.declared)
        dangers = [danger(each) for each in self._findings if each.severity == "ask"]
        return Deed(
            asked.tool,
            (*dangers, *plain, *self._needs),
            tuple(self._findings),
            asked.arguments,
            self._places,
            asked.allows_private,
        )

    def _declared(self, *, domain: str = "", is_running: bool = False) -> list[str]:
        """Return those of the tool's own permissions that a kind of subject belongs to."""
        return [
            name
            for name in self._asked.permissions
            if (domain and name.startswith(f"{domain}:"))
            or (is_running and name.rpartition(":")[2] in _RUNNING)
        ]

    def _command(self, text: str) -> None:
        meaning = understand(text, Place(self._cwd, self._places))
        self._understood(text, meaning)

    def _understood(self, text: str, meaning: Meaning) -> None:
        for name in self._declared(is_running=True) or [""]:
            self._add(Need(name, text, "command", None, meaning.commands, meaning.is_understood))
        for permission, subject in meaning.needs:
            kind = "path" if permission.startswith("file:") else "host" if permission else ""
            self._add(Need(permission, subject, kind, is_found=True))  # type: ignore[arg-type]  # one of the kinds
        self._findings |= dict.fromkeys(_findings(meaning))

    def _code(self, language: str, code: str) -> None:
        asked = self._asked.arguments.get("language")
        if not language:
            language = asked.lower() if isinstance(asked, str) else "python"
        where = Place(self._cwd, self._places)
        if language in _SHELLS:
            self._understood(code, understand(code, where))
        else:
            self._understood(code, understand_code(language, code, where))

    def _path(self, subject: Subject) -> None:
        names = self._declared(domain="file")
        verb = _verb(subject.kind, names)
        is_tree = verb == "delete" or (verb == "read" and self._searches(subject))
        found = file_concern(verb, subject.text, self._places, self._cwd, is_recursive=is_tree)
        if found is not None:
            severity = "floor" if found.decision == "deny" else "ask"
            span = (0, len(subject.text))
            self._findings[Finding(found.category, found.what, span, severity)] = None  # type: ignore[arg-type]
        spelled = spell(subject.text, self._places, self._cwd)
        path = spelled.flat if spelled else subject.text
        for name in names or [""]:
            if not name or subject.kind == "path" or name == f"file:{verb}":
                self._add(Need(name, path, "path"))

    def _searches(self, subject: Subject) -> bool:
        """Whether everything below a folder is read: declared, or by the words of the name."""
        if self._asked.declared is not None or subject.kind == "path:tree":
            return subject.kind == "path:tree"
        words = self._asked.tool[0].lower().replace("-", "_").split("_")
        return not _SEARCHING.isdisjoint(words)

    def _address(self, text: str) -> None:
        if sent := load("hermes.policy.urls.secrets").secret_in(text):
            what = f"sends a {sent} along in an address"
            self._findings[Finding("exfiltration", what, (0, len(text)), "ask")] = None
        names = self._declared(domain="network")
        if "network:send" in names:
            what = f"sends data to {_host(text)}"
            self._findings[Finding("exfiltration", what, (0, len(text)), "ask")] = None
        for name in names or [""]:
            self._add(Need(name, text, "url"))

    def _add(self, need: Need) -> None:
        self._needs[need] = None


def _host(url: str) -> str:
    urls = load("hermes.policy.urls")
    try:
        return str(urls.parse(url).host)
    except urls.Refused:
        return url[:100]


def _findings(meaning: Meaning) -> tuple[Finding, ...]:
    """Return the dangers of a command; one that nobody can read may hold what the floor denies."""
    if meaning.is_understood:
        return meaning.findings
    return tuple(
        each._replace(severity="floor") if each.category == "opaque" else each
        for each in meaning.findings
    )


def _verb(kind: str, permissions: list[str]) -> Verb:
    declared = kind.partition(":")[2]
    if declared == "read" and "file:delete" in permissions:
        return "delete"  # what is moved away is gone where it was
    if declared in ("read", "write", "delete"):
        return declared  # type: ignore[return-value]  # just compared
    if "file:delete" in permissions:
        return "delete"
    return "write" if "file:write" in permissions else "read"
