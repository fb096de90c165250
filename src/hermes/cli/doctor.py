"""``hermes doctor``: check the installation and say what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from hermes.base.errors import ConfigError, HermesError
from hermes.base.optional import load
from hermes.cli.command import JSON, Command
from hermes.config.environment import snapshot
from hermes.config.load import home_folder
from hermes.config.load import load as load_settings

if TYPE_CHECKING:
    from argparse import Namespace

    from hermes.cli.checks import Finding


def check(options: Namespace) -> int:
    """Print what was looked at and return 1 when something is broken."""
    checks = load("hermes.cli.checks")
    code: int = checks.report(list(_findings()), as_json=options.json)
    return code


def _findings() -> Iterator[Finding]:
    checks = load("hermes.cli.checks")
    home = Path(home_folder(None, snapshot()))
    yield from checks.of_python()
    yield from checks.of_home(home)
    yield from checks.of_sandbox()
    yield from _of_settings()
    yield from checks.of_journal(home)


def _of_settings() -> Iterator[Finding]:
    """Yield whether the settings can be read, and the tools that they let in."""
    checks = load("hermes.cli.checks")
    try:
        settings = load_settings()
    except ConfigError as error:
        told = load("hermes.cli.advice").on(error)
        yield checks.Finding(checks.BROKEN, "config", told.message, told.hint or "")
        return
    file = settings.file
    state = str(file) if file.exists() else f"{file} (not there: defaults)"
    yield checks.Finding(checks.FINE, "config", state)
    yield from checks.of_environments(settings)
    yield from checks.of_model(settings, snapshot())
    yield from load("hermes.cli.web_checks").of_web(settings, snapshot())
    if settings.mcp_servers:
        yield from load("hermes.cli.mcp_checks").of_servers(settings, snapshot())
    try:
        with load("hermes.app").Runtime() as runtime:
            yield from checks.of_tools(runtime)
    except HermesError as error:
        yield checks.Finding(checks.BROKEN, "tools", error.message, error.hint or "")


ENTRY = Command(
    "doctor",
    "Check the installation and say what is wrong.",
    check,
    (JSON,),
    ("hermes doctor", "hermes doctor --json"),
)
