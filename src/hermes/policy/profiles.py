"""Read the text of a permissions file; loaded only when there is one, as it needs a YAML reader."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from hermes.base.errors import ConfigError
from hermes.base.text import did_you_mean
from hermes.base.yaml_lines import Document, read
from hermes.policy.permissions import Place, Profile, choose, profile

_KEYS = ("version", "default_profile", "profiles")
_VERSION = 1
_EXAMPLE = "Write it like `profiles: {careful: {allow: [file:read]}}`."


class Profiles(NamedTuple):
    """The profiles of a file by name, and the one in force when nobody names one."""

    by_name: Mapping[str, Profile]
    default: Profile | None


def parse(text: str, file: object) -> Profiles:
    """Return the profiles that a text declares; one that is wrong spoils the whole file.

    Raises:
        ConfigError: says what is wrong on which line, and the fix.
    """
    documents = read(text, file=file)
    written = documents[0].value if len(documents) == 1 else None
    if not isinstance(written, dict):
        line = documents[-1].first_line if documents else 1
        raise ConfigError("must map 'profiles' to profiles", file=file, line=line, hint=_EXAMPLE)
    reader = _File(file, documents[0], written)
    reader.check_keys()
    by_name = reader.profiles()
    return Profiles(by_name, reader.default(by_name))


class _File(NamedTuple):
    """A permissions file as it is written."""

    name: object
    document: Document
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
        found = self.written.get("profiles")
        if not isinstance(found, dict):
            what = "must map 'profiles' to profiles"
            raise self._wrong("profiles", what, _EXAMPLE)
        return {name: self._profile(name, rules) for name, rules in found.items()}

    def _profile(self, name: str, rules: Any) -> Profile:
        def locate(place: Place) -> Mapping[str, Any]:
            return {"file": self.name, "line": self.document.line(("profiles", name, *place))}

        return profile(name, rules, locate)

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
