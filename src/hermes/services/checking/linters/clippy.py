"""Faults of Rust by clippy."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from hermes.environments.programs import Program, Ran
from hermes.environments.projects import Project
from hermes.services.checking.contract import Broken, Work, dicts, number, part, whole
from hermes.services.checking.findings import Edit, Finding, Severity

_TARGET = "/tmp/hermes-clippy"
_SEVERITIES: dict[str, Severity] = {"error": "error", "warning": "warning"}


class Clippy:
    """What the compiler and clippy say of a package; build scripts and macros are its code."""

    name = "clippy"
    program = "cargo"
    suffixes: tuple[str, ...] = (".rs",)
    install = "rustup component add clippy"
    runs_project_code = True
    snippets = False
    is_whole = True

    def reason(self, project: Project, *, is_snippet: bool) -> str | None:
        """Check packages."""
        del is_snippet
        return "Cargo.toml" if project.find("Cargo.toml") else None

    def check(self, work: Work) -> Program:
        """Return what finds; what it builds is put where it changes nothing."""
        words = ["clippy", "--message-format=json", "--quiet", "--all-targets"]
        made = work.run(words, _home(work.project))
        return replace(made, env={**made.env, "CARGO_TARGET_DIR": _TARGET})

    def findings(self, work: Work, ran: Ran) -> list[Finding]:
        """Read what it found: an object a line, the same one for each target of a package."""
        found = {
            each: None
            for message in _messages(ran.text)
            if (each := _finding(message, _home(work.project))) is not None
        }
        if ran.code != 0 and not any(each.severity == "error" for each in found):
            raise Broken(ran.complaint)
        return list(found)

    def fix(self, work: Work, path: str, data: bytes) -> Program | None:
        """Leave it to the edits of the findings."""
        del work, path, data
        return None

    def fixed(self, ran: Ran) -> bytes | None:
        """Have nothing."""
        del ran
        return None


def _home(project: Project) -> str:
    return project.home_of("Cargo.toml")


def _messages(text: str) -> Iterator[dict[str, Any]]:
    for line in text.splitlines():
        try:
            told = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(told, dict) and told.get("reason") == "compiler-message":
            yield part(told.get("message"))


def _finding(message: dict[str, Any], folder: str) -> Finding | None:
    spans = [each for each in dicts(message.get("spans")) if each.get("is_primary")]
    if not spans:
        return None
    first = spans[0]
    edits = tuple(_edits(message, str(first.get("file_name"))))
    return Finding(
        whole(str(first.get("file_name") or ""), folder),
        number(first.get("line_start")),
        number(first.get("column_start")),
        str(part(message.get("code")).get("code") or "rustc"),
        str(message.get("message") or ""),
        _SEVERITIES.get(str(message.get("level")), "info"),
        bool(edits),
        "clippy",
        edits,
    )


def _edits(message: dict[str, Any], file: str) -> Iterator[Edit]:
    """Yield what the compiler itself would change, all of it in one file."""
    for child in dicts(message.get("children")):
        for span in dicts(child.get("spans")):
            is_sure = span.get("suggestion_applicability") == "MachineApplicable"
            start, end = span.get("byte_start"), span.get("byte_end")
            if not is_sure or span.get("file_name") != file:
                continue
            if isinstance(start, int) and isinstance(end, int) and 0 <= start <= end:
                yield Edit(start, end, str(span.get("suggested_replacement") or "").encode())
