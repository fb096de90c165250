"""Which permission profile is in force: handed in, named, the file's default, or the shipped one.

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


def resolve_profile(settings: Settings, rules: Any = None, restrict: Any = None) -> Profile | None:
    """Return the permission profile in force, or None when it is the one that ships as default.

    ``rules`` is a profile, the mapping of one, or a name: of a profile in the home's permissions
    file, or of one that ships. Without any, the setting ``permissions.profile`` and then the file's
    ``default_profile`` decide; a file that cannot be read then gives a profile that denies every
    call and says why. ``restrict`` narrows what was found and can never widen it.

    Raises:
        ConfigError: the rules are wrong, or the named profile cannot be had.
    """
    if rules is None:
        rules = settings.permissions.profile
    found = _default(settings) if rules is None else _given(settings, rules)
    if restrict is None:
        return found
    reader, permissions = load("hermes.policy.profile_rules"), load("hermes.policy.permissions")
    if isinstance(restrict, Mapping):
        restrict = {"allow": ["*"], **restrict}
    narrow = reader.profile("session", restrict)._replace(level="session")
    narrower: Profile = permissions.narrowed(found or default_profile(), narrow)
    return narrower


def default_profile() -> Profile:
    """Return the profile that is in force when nobody chooses one."""
    name = load("hermes.policy.shipped").DEFAULT
    found: Profile = load("hermes.policy.profiles").shipped_one(name)
    return found


def known_profiles(settings: Settings) -> Profiles:
    """Return every profile that can be named: those that ship, and those of the home's file.

    Raises:
        ConfigError: the file is wrong.
    """
    if _has_file(settings):
        return _read(settings.home / PERMISSIONS_FILE)
    shipped: Profiles = load("hermes.policy.profiles").shipped()
    return shipped


def _given(settings: Settings, rules: Any) -> Profile:
    permissions, reader = load("hermes.policy.permissions"), load("hermes.policy.profile_rules")
    found: Profile
    if isinstance(rules, permissions.Profile):
        found = reader.checked(rules)
    elif isinstance(rules, str):
        known = known_profiles(settings).by_name
        found = permissions.choose(rules, known, settings.home / PERMISSIONS_FILE)
    elif isinstance(rules, Mapping):
        wider = known_profiles(settings).by_name if "extends" in rules else None
        found = reader.profile("inline", rules, known=wider)
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
