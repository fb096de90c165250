"""Which permission profile is in force: handed in, named, the file's default, or none.

Light on purpose: without a name and without a permissions file, nothing is imported or read.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hermes.base.errors import ConfigError
from hermes.base.optional import load
from hermes.config.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

    from hermes.policy.permissions import Profile
    from hermes.policy.profiles import Profiles

PERMISSIONS_FILE = "hermes_permissions.yaml"
_MAX_BYTES = 256 * 1024


def resolve_profile(settings: Settings, rules: Any = None) -> Profile | None:
    """Return the permission profile in force, or None when nothing asks for one.

    ``rules`` is a profile, the mapping of one, or a name in the home's permissions file. Without
    any, the setting ``permissions.profile`` and then the file's ``default_profile`` decide; a file
    that cannot be read then gives a profile that denies every call and says why.

    Raises:
        ConfigError: the rules are wrong, or the named profile cannot be had.
    """
    if rules is None:
        rules = settings.permissions.profile
    if rules is None:
        return _default(settings)
    permissions = load("hermes.policy.permissions")
    found: Profile
    if isinstance(rules, permissions.Profile):
        found = permissions.checked(rules)
    elif isinstance(rules, str):
        known = _read(settings.home / PERMISSIONS_FILE).by_name if _has_file(settings) else {}
        found = permissions.choose(rules, known, settings.home / PERMISSIONS_FILE)
    elif isinstance(rules, Mapping):
        found = permissions.profile("inline", rules)
    else:
        raise ConfigError(
            f"a permission profile cannot be {rules!r:.80}",
            hint="Give its name, or a mapping such as {'allow': ['file:read']}.",
        )
    return found


def _default(settings: Settings) -> Profile | None:
    if not _has_file(settings):
        return None
    try:
        return _read(settings.home / PERMISSIONS_FILE).default
    except ConfigError as error:
        why = f"{error}. {error.hint or ''}".rstrip()
        closed: Profile = load("hermes.policy.permissions").Profile.closed(
            f"no call may run until the permissions file is mended: {why}"
        )
        return closed


def _has_file(settings: Settings) -> bool:
    """Say whether there is a permissions file; one that cannot be looked at counts as there."""
    try:
        os.lstat(f"{settings.folder}/{PERMISSIONS_FILE}")
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def _read(file: Path) -> Profiles:
    profiles: Profiles = load("hermes.policy.profiles").parse(_text(file), file)
    return profiles


def _text(file: Path) -> str:
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            fix = "Put a YAML file with `profiles:` in its place."
            raise ConfigError("is not a file", file=file, hint=fix)
        with file.open("rb") as stream:
            data = stream.read(_MAX_BYTES + 1)
        return data.decode("utf-8-sig")
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
        raise ConfigError(message, file=file, hint="Check the path and its permissions.") from error
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            "is not UTF-8 text", file=file, line=line, hint="Save it as UTF-8."
        ) from (error)
