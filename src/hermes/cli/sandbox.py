"""``hermes sandbox``: run a command in the box that a profile describes, or look at that box."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from hermes.base.optional import load
from hermes.cli import output
from hermes.cli.command import JSON, Command, Group, Usage, argument
from hermes.runtime.boundary import NETWORKS

if TYPE_CHECKING:
    from argparse import Namespace

    from hermes.app.boundaries import Boxes

_SIGNALLED = 128
_MORE = "`--write PATH` and `--network on` allow more."


def run_command(options: Namespace) -> int:
    """Run a command in its box and return its exit code."""
    if not options.command:
        raise Usage("which command?", hint="hermes sandbox run -- make test")
    for path in options.write:
        if not os.path.exists(path) or os.path.realpath(path) == "/":  # noqa: PTH110 - a text
            raise Usage(f"--write cannot take {path!r}", hint="Name a folder or file that exists.")
    with _boundary(options.profile) as boundary:
        if (warning := boundary.warning()) is not None:
            output.print_note(warning)
        ended = load("hermes.app.boxed").run(
            boundary, options.command, network=options.network, writable=options.write
        )
    if ended.denied_by is not None:
        output.print_note(ended.denied_by)
        output.print_note(_MORE)
    code: int = ended.code
    return code if code >= 0 else _SIGNALLED - code


def show_box(options: Namespace) -> int:
    """Print which sandbox is used here, and what the box of this folder allows."""
    with _boundary(options.profile) as boundary:
        told = _told(boundary)
    if options.json:
        output.print_json(told)
    else:
        output.print_facts((name, _words(value)) for name, value in told.items())
    return 0


@contextmanager
def _boundary(profile: str | None) -> Iterator[Boxes]:
    boundary: Boxes = load("hermes.app.boxed").boxes(profile)
    try:
        yield boundary
    finally:
        boundary.close()


def _told(boundary: Boxes) -> dict[str, Any]:
    backend, rules = boundary.backend, boundary.rules
    box = boundary.box(os.getcwd())  # noqa: PTH109 - a text is wanted
    return {
        "backend": backend.name,
        "not_used": _not_used(backend),
        "files": rules.files if backend.confines else "off",
        "network": box.network,
        "on_missing": rules.on_missing,
        "writable": list(box.writable),
        "readable": list(box.readable),
        "hidden": [path for path in box.hidden if os.path.lexists(path)],
        "protected": list(box.protected),
        "limits": {name: getattr(box.limits, name) for name in box.limits.__slots__},
        "digest": box.digest(),
    }


def _not_used(chosen: Any) -> dict[str, str]:
    """Return why the backends that would come first are not used."""
    choosing = load("hermes.environments.sandbox.choose")
    reasons: dict[str, str] = {}
    for backend in choosing.candidates():
        if type(backend) is type(chosen):
            break
        reasons.setdefault(backend.name, choosing.problem(backend) or "it works")
    return reasons


def _words(value: Any) -> str:
    if isinstance(value, dict):
        value = [f"{name}: {each}" for name, each in value.items() if each is not None]
    return ", ".join(value) or "none" if isinstance(value, list) else str(value)


_PROFILE = argument("--profile", help="The permission profile that describes it.", metavar="NAME")

ENTRY = Group(
    "sandbox",
    "Run a command in the sandbox, or show what it allows.",
    (
        Command(
            "run",
            "Run a command in the box of this folder; its exit code is kept.",
            run_command,
            (
                argument("command", help="The command, after --.", metavar="COMMAND", nargs="*"),
                _PROFILE,
                argument(
                    "--network",
                    help=f"What it reaches: {', '.join(NETWORKS)}.",
                    choices=NETWORKS,
                    metavar="WHAT",
                ),
                argument(
                    "--write",
                    help="A further path that it may write; can be repeated.",
                    action="append",
                    default=[],
                    metavar="PATH",
                ),
            ),
            (
                "hermes sandbox run -- make test",
                "hermes sandbox run --network on -- pip download requests",
            ),
        ),
        Command(
            "show",
            "Show which sandbox is used, and what the box of this folder allows.",
            show_box,
            (_PROFILE, JSON),
            ("hermes sandbox show", "hermes sandbox show --profile readonly --json"),
        ),
    ),
)
