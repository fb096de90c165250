"""A sandbox of Modal: one per task, kept as an image while idle, terminated with the task."""

from __future__ import annotations

import importlib.util
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hermes.base.optional import install_command
from hermes.config.environment import live
from hermes.environments.cloud import CloudChannel, Provider
from hermes.environments.contract import Refused
from hermes.environments.docker import UNICODE
from hermes.environments.remote import RemoteEnvironment

_OAUTH = "MODAL_OAUTH_REFRESH_TOKEN"
_HINT = "Run: modal token new (or set MODAL_TOKEN_ID and MODAL_TOKEN_SECRET)."


@dataclass(frozen=True, slots=True)
class ModalOptions:
    """What the sandbox of a task is made of, what it may, and what it may cost."""

    task: str = ""
    image: str = ""
    """An image of a registry, or one that Modal keeps (``im-…``); without one, Debian."""
    root: str = "/workspace"
    network: bool = False
    millicpus: int = 500
    """Thousandths of a processor that are reserved; it may use one, or what is reserved."""
    memory_megabytes: int = 1024
    idle_minutes: float = 15
    """When its files are kept as an image and it is terminated; 0 lets it run."""
    lifetime_hours: float = 24
    """When Modal ends it in any case; a day is the longest."""
    keep_hours: float = 168
    """How long the files of an idle task are kept."""
    region: str = ""
    app: str = "hermes"
    """The app of Modal that it belongs to, made if need be."""
    variables: Mapping[str, str] = field(default_factory=dict)


def lacks(
    options: ModalOptions | None = None, environ: Mapping[str, str] | None = None
) -> Refused | None:
    """Say without asking anybody what is missing for Modal here."""
    del options  # none of them changes the answer
    environ = live() if environ is None else environ
    if importlib.util.find_spec("modal") is None:
        hint = f"Install it with: {install_command('modal')}"
        return Refused("the Python package 'modal' is not installed", hint)
    has_both = environ.get("MODAL_TOKEN_ID") and environ.get("MODAL_TOKEN_SECRET")
    if has_both or environ.get(_OAUTH) or _has_token(environ):
        return None
    return Refused("there is no token for Modal", _HINT)


def _has_token(environ: Mapping[str, str]) -> bool:
    """Say whether the file of Modal's own command has a token for the profile in use."""
    named = environ.get("MODAL_CONFIG_PATH")
    try:
        path = Path(named) if named else Path.home() / ".modal.toml"
        profiles = tomllib.loads(path.read_text("utf-8"))
    except (OSError, RuntimeError, ValueError):  # there is none, or Modal will say what is wrong
        return False
    tables = {name: each for name, each in profiles.items() if isinstance(each, dict)}
    active = next((name for name, each in tables.items() if each.get("active")), "default")
    chosen = tables.get(environ.get("MODAL_PROFILE") or active, {})
    return bool(chosen.get("token_id") and chosen.get("token_secret"))


MODAL = Provider("modal", "Modal", "hermes.environments.modal_service", lacks)


def modal_environment(
    options: ModalOptions, report: Callable[[str], None] = lambda _: None
) -> RemoteEnvironment:
    """Return an environment in a sandbox; ``report`` is told when an image is built."""
    return RemoteEnvironment(
        CloudChannel(MODAL, options, report),
        options.root,
        makes_root=True,
        variables={**UNICODE, **options.variables},
    )
