"""All profiles there are: those that ship, and those of a permissions file."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, NamedTuple

from hermes.base.errors import ConfigError
from hermes.base.optional import load
from hermes.base.text import did_you_mean
from hermes.policy.permissions import Profile, choose
from hermes.policy.profile_rules import Locate, Place, profile
from hermes.policy.shipped import PROFILES

_KEYS = ("version", "default_profile", "profiles")
_VERSION = 1
_EXAMPLE = "Write it like `profiles: {careful: {allow: [file:read]}}`."


class Profiles(NamedTuple):
    """The profiles by name, those that ship among them, and the one a file names its default."""

    by_name: Mapping[str, Profile]
    default: Profile | None = None
    own: frozenset[str] = frozenset()
    """The names that the file declares."""


def shipped() -> Profiles:
    """Return the profiles that hermes brings along."""
    return Profiles({name: shipped_one(name) for name in PROFILES})


@functools.cache
def shipped_one(name: str) -> Profile:
    """Return one profile that hermes brings along."""
    wider = PROFILES[name].get("extends")
    return profile(name, PROFILES[name], known={wider: shipped_one(wider)} if wider else None)


def parse(text: str, file: object) -> Profiles:
    """Return the profiles that a text declares, on top of those that ship.

    One that is wrong spoils the whole file. A profile of the file hides one that ships.

    Raises:
        ConfigError: says what is wrong on which line, and the fix.
    """
    documents = load("hermes.base.yaml_lines").read(text, file=file)
    written = documents[0].value if len(documents) == 1 else None
    if not isinstance(written, dict):
        line = documents[-1].first_line if documents else 1
        raise ConfigError("must map 'profiles' to profiles", file=file, line=line, hint=_EXAMPLE)
    reader = _File(file, documents[0], written)
    reader.check_keys()
    own = reader.profiles()
    by_name = {**shipped().by_name, **own}
    return Profiles(by_name, reader.default(by_name), frozenset(own))


class _File(NamedTuple):
    """A permissions file as it is written."""

    name: object
    document: Any
    written: dict[str, Any]

    def check_keys(self) -> None:
        for key in self.written:
            if key not in _KEYS:
                fix = did_you_mean(key[:60], _KEYS) or f"Known keys: {', '.join(_KEYS)}."
                raise self._wrong(key, f"unknown key {key[:60]!r}", fix)
        version = self.written.get("version", _VERSION)
        if version != _VERSION or isinstance(version, bool):
            raise self._wrong("version", f"{version!r} is not known", f"Write {_VERSION}.")

    def profiles(self) -> dict[str, Profile]:
        found = self.written.get("profiles", {} if "default_profile" in self.written else None)
        if not isinstance(found, dict):
            what = "must map 'profiles' to profiles"
            raise self._wrong("profiles", what, _EXAMPLE)
        made: dict[str, Profile] = {}
        for name in found:
            self._build(name, found, made, ())
        return {name: made[name] for name in found}

    def _build(
        self, name: str, found: dict[str, Any], made: dict[str, Profile], under: tuple[str, ...]
    ) -> None:
        """Make a profile, and before it those that it extends."""
        if name in made:
            return
        under = (*under, name)
        rules = found[name]
        for wider in _extended(rules):
            if wider in under:
                where = self._locate(name)(("extends",))
                way = " extends ".join(map(repr, (*under[under.index(wider) :], wider)))
                fix = "Take one of them away; a profile cannot extend itself, nor through others."
                raise ConfigError(f"profile {name!r}: 'extends': {way}", hint=fix, **where)
            if wider in found:
                self._build(wider, found, made, under)
        known = {**shipped().by_name, **{each: made.get(each) for each in found}}
        ready = {each: one for each, one in known.items() if one is not None}
        made[name] = profile(name, rules, self._locate(name), ready)

    def _locate(self, name: str) -> Locate:
        def locate(place: Place) -> Mapping[str, Any]:
            return {"file": self.name, "line": self.document.line(("profiles", name, *place))}

        return locate

    def default(self, by_name: Mapping[str, Profile]) -> Profile | None:
        key = "default_profile"
        name = self.written.get(key)
        if name is None:
            return None
        if not isinstance(name, str):
            raise self._wrong(key, f"{name!r} is not a profile's name", "Write its name, quoted.")
        try:
            return choose(name, by_name, self.name)
        except ConfigError as error:
            raise self._wrong(key, error.message, error.hint or _EXAMPLE) from None

    def _wrong(self, key: str, message: str, fix: str) -> ConfigError:
        line = self.document.line((key,))
        return ConfigError(message, file=self.name, line=line, key=key, hint=fix)


def _extended(rules: Any) -> list[str]:
    given = rules.get("extends") if isinstance(rules, dict) else None
    names = [given] if isinstance(given, str) else given
    return [each for each in names if isinstance(each, str)] if isinstance(names, list) else []
