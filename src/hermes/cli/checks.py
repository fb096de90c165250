"""What may be wrong with the tools and the installation, each with what to do about it."""

from __future__ import annotations

import stat
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hermes.app import Runtime
from hermes.base.errors import HermesError
from hermes.base.optional import load
from hermes.base.text import plural
from hermes.cli import output

BROKEN = "broken"
NOTE = "note"
FINE = "ok"


class Finding(NamedTuple):
    """One thing that was looked at: fine, worth a note, or broken."""

    level: str
    subject: str
    message: str
    fix: str = ""


def check_tools(*, as_json: bool) -> int:
    """Print what is wrong with the tools; return 1 when something is broken."""
    with Runtime() as runtime:
        found = [*of_tools(runtime), *of_journal(runtime.settings.home)]
    return report(found, as_json=as_json)


def of_tools(runtime: Runtime) -> Iterator[Finding]:
    """Yield broken tool files, unavailable tools and schemas that do not travel well."""
    for where, message in runtime.problems():
        yield Finding(BROKEN, where, message.replace(f"{where}:", "line "))
    statuses = runtime.status()
    ready = sum(status.available for status in statuses)
    yield Finding(FINE, "tools", f"{plural(ready, 'tool')} of {len(statuses)} can run")
    portability = load("hermes.schema.sanitize").portability
    for status in statuses:
        name = status.entry.name
        if not status.available:
            yield Finding(NOTE, name, f"unavailable: {status.reason}")
        for problem in portability(status.entry.parameters):
            yield Finding(NOTE, name, f"schema: {problem}")


def of_python() -> Iterator[Finding]:
    """Yield what is known of the interpreter and the installed libraries."""
    version = ".".join(map(str, sys.version_info[:3]))
    yield Finding(FINE, "python", f"{version} at {sys.executable}")
    yield from _libraries()


def _libraries() -> Iterator[Finding]:
    metadata = load("importlib.metadata")
    optional = load("hermes.base.optional")
    try:
        wanted = metadata.requires(optional.DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        yield Finding(NOTE, "package", "hermes runs from its source folder, not installed")
        return
    for line in wanted:
        name, extra = _requirement(line)
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            if extra:
                message = f"{name} is not installed (optional)"
                yield Finding(NOTE, f"extra {extra}", message, optional.install_command(extra))
            else:
                yield Finding(BROKEN, name, "is not installed", f"pip install '{name}'")
        else:
            yield Finding(FINE, name, version)


def _requirement(line: str) -> tuple[str, str]:
    """Return the name of a requirement such as ``rich>=14; extra == 'ui'`` and its extra."""
    spec, _, marker = line.partition(";")
    name = spec.strip()
    for index, character in enumerate(name):
        if not (character.isalnum() or character in "-_."):
            name = name[:index]
            break
    extra = marker.partition("extra ==")[2].strip().strip("\"'") if "extra ==" in marker else ""
    return name, extra


def of_home(home: Path) -> Iterator[Finding]:
    """Yield whether the folder that holds all state is there and private."""
    if not home.exists():
        yield Finding(NOTE, "home", f"{home} does not exist yet; it is made when needed")
        return
    mode = stat.S_IMODE(home.stat().st_mode)
    if not home.is_dir():
        yield Finding(BROKEN, "home", f"{home} is not a folder", "Set HERMES_HOME to a folder.")
    elif mode & 0o077:
        message = f"{home} is open to others (mode {mode:04o})"
        yield Finding(BROKEN, "home", message, f"chmod 700 {home}")
    else:
        yield Finding(FINE, "home", f"{home} (mode {mode:04o})")


def of_sandbox() -> Iterator[Finding]:
    """Yield which sandbox programs run in."""
    choosing = load("hermes.environments.sandbox.choose")
    backend = choosing.choose()
    if not backend.confines:
        message = f"commands run without one: {backend.reason}"
        yield Finding(BROKEN, "sandbox", message, "apt install bubblewrap")
    elif backend.name == "landlock":
        why = choosing.problem(choosing.candidates()[0]) or "bubblewrap is not used"
        message = f"landlock, which holds less back than bubblewrap: {why}"
        yield Finding(NOTE, "sandbox", message, "apt install bubblewrap")
    else:
        yield Finding(FINE, "sandbox", backend.name)


def of_environments(settings: Any) -> Iterator[Finding]:
    """Yield where commands can run, and what each of the other places lacks."""
    for one in load("hermes.app.trying").standings(settings):
        subject = f"env {one.name}"
        if one.lacking is None:
            yield Finding(FINE, subject, "chosen" if one.is_chosen else "can be chosen")
        elif one.name != "local":  # what that lacks is told of the sandbox
            level = BROKEN if one.is_chosen else NOTE
            yield Finding(level, subject, one.lacking.message, one.lacking.hint)


def of_model(settings: Any, environment: Mapping[str, str]) -> Iterator[Finding]:
    """Yield which model would be asked and how it was found, or what it lacks."""
    models = load("hermes.app.models")
    name, source = settings.model.name, "model.name"
    if name is None:
        found = models.find_models(settings, environment)
        if not found:
            lacking = models.nothing_found()
            first = (lacking.hint or "").splitlines()[0]
            yield Finding(NOTE, "model", lacking.message, first)
            return
        name, source = found[0].name, found[0].source
    try:
        opened = models.open_model(name, settings, environment)
    except HermesError as error:
        yield Finding(BROKEN, "model", error.message, error.hint or "")
        return
    message = f"{opened.name}, chosen by {source}; 'hermes model test' asks it"
    yield Finding(FINE, "model", message)


def of_journal(home: Path) -> Iterator[Finding]:
    """Yield whether the journal can be read, and the calls that began and never reported."""
    if not (home / "state.db").exists():
        return
    journal = load("hermes.runtime.journal").Journal(home / "state.db")
    try:
        open_calls = journal.unfinished()
    except HermesError as error:
        yield Finding(BROKEN, "journal", error.message, error.hint or "")
        return
    finally:
        journal.close()
    yield Finding(FINE, "journal", "can be read; 'hermes journal verify' proves it whole")
    for call in open_calls:
        message = f"{call.tool} began and did not report: maybe done"
        yield Finding(NOTE, "journal", message, f"hermes journal show {call.call_id}")


def report(findings: list[Finding], *, as_json: bool) -> int:
    """Print findings and return 1 when one of them is broken."""
    broken = [finding for finding in findings if finding.level == BROKEN]
    if as_json:
        told: list[dict[str, Any]] = [finding._asdict() for finding in findings]
        output.print_json({"ok": not broken, "findings": told})
    else:
        order = (BROKEN, NOTE, FINE)
        ranked = sorted(findings, key=lambda finding: order.index(finding.level))
        output.print_table(("", "what", "state"), map(_row, ranked))
    return 1 if broken else 0


def _row(finding: Finding) -> tuple[str, str, str]:
    state = f"{finding.message} → {finding.fix}" if finding.fix else finding.message
    return finding.level, finding.subject, load("hermes.cli.invoked").as_invoked(state)
