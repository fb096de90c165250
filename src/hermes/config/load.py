"""Turn defaults, config.yaml, the environment and overrides into one frozen ``Settings``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hermes.base.optional import load as load_module
from hermes.base.text import nearest
from hermes.config.declare import Section, Setting, walk
from hermes.config.environment import snapshot
from hermes.config.kinds import Mistyped, shown
from hermes.config.problems import Problem, complaint, unknown
from hermes.config.settings import DEFAULT_HOME, FILE_NAME, Settings

if TYPE_CHECKING:
    from pathlib import Path

PREFIX = "HERMES_"
OVERRIDES = "overrides"


def load(
    home: str | Path | None = None,
    overrides: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """Return the settings in force: defaults < config.yaml < environment < overrides.

    Overrides are nested as in config.yaml or keyed by dotted names; ``environ`` stands in for
    the process environment.

    Raises:
        ConfigError: unknown keys or values of the wrong kind, all of them at once.
    """
    environ = snapshot() if environ is None else environ
    given = dict(overrides or {})
    chosen = given.pop("home", None)
    folder = home_folder(home or chosen, environ)
    problems: list[Problem] = []
    values = _from_file(f"{folder}/{FILE_NAME}", problems)
    values.update(_from_environment(environ, problems))
    values.update(check_tree(given, where=OVERRIDES, lines={}, problems=problems))
    if problems:
        raise complaint(problems)
    return Settings(folder, nest(values))


def home_folder(home: str | Path | None, environ: Mapping[str, str]) -> str:
    """Return the folder that holds all state, as an absolute path."""
    given = os.fspath(home or environ.get(f"{PREFIX}HOME") or DEFAULT_HOME)
    return os.path.abspath(os.path.expanduser(given))  # noqa: PTH100, PTH111 - see Settings.home


def variable(key: str) -> str:
    """Return the environment variable that sets a dotted key."""
    return PREFIX + key.replace(".", "_").upper()


def declared(key: str) -> Setting[Any] | None:
    """Return the declaration of a dotted key, or None when there is no such setting."""
    return dict(walk(Settings)).get(key)


def check_tree(
    tree: Mapping[Any, Any], *, where: str, lines: Mapping[str, int], problems: list[Problem]
) -> dict[str, Any]:
    """Return the values of a nested mapping under their dotted keys; add to problems what is wrong.

    A key may itself be dotted. A value of None means that the setting is left at its default.
    """
    found: dict[str, Any] = {}
    for key, member, value in _leaves(tree, Settings):
        line = lines.get(key)
        if member is None:
            problems.append(unknown(where, line, key, _keys()))
        elif value is None:
            continue
        elif isinstance(member, Setting):
            try:
                found[key] = member.kind.check(value)
            except Mistyped as error:
                fix = f"Default: {default(member)}"
                problems.append(Problem(where, line, key, str(error), fix))
        else:
            message = f"expected a section with settings beneath it, got {shown(value)}"
            fix = f"It takes {', '.join(member.members)}"
            problems.append(Problem(where, line, key, message, fix))
    return found


def _leaves(
    tree: Mapping[Any, Any], section: type[Section], prefix: str = ""
) -> Iterator[tuple[str, Setting[Any] | type[Section] | None, Any]]:
    """Yield every key that is not a well-formed section, with what is declared of it."""
    for name, value in tree.items():
        key, member = f"{prefix}{name}", _member(section, str(name))
        if isinstance(member, type) and isinstance(value, Mapping):
            yield from _leaves(value, member, f"{key}.")
        else:
            yield key, member, value


def nest(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return dotted keys as the nested mapping they stand for."""
    tree: dict[str, Any] = {}
    for key, value in values.items():
        *sections, last = key.split(".")
        place = tree
        for section in sections:
            place = place.setdefault(section, {})
        place[last] = value
    return tree


def default(setting: Setting[Any]) -> str:
    """Return a setting's default as a person would write it into config.yaml."""
    value = setting.default
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(value)}]"
    return "none" if value is None else str(dict(value) if isinstance(value, Mapping) else value)


def _member(section: type[Section], name: str) -> Setting[Any] | type[Section] | None:
    first, _, rest = name.partition(".")
    member = section.members.get(first)
    if member is None or isinstance(member, Setting):
        return None if rest else member
    return _member(member.section, rest) if rest else member.section


def _keys() -> list[str]:
    sections = [key for key in Settings.members if declared(key) is None]
    return [*sections, *(key for key, _ in walk(Settings))]


def _from_file(file: str, problems: list[Problem]) -> dict[str, Any]:
    if not os.path.isfile(file):  # noqa: PTH113 - see Settings.home
        return {}
    reader = load_module("hermes.config.yaml_file")
    tree, lines = reader.read(load_module("pathlib").Path(file))
    return check_tree(tree, where=file, lines=lines, problems=problems)


def _from_environment(environ: Mapping[str, str], problems: list[Problem]) -> dict[str, Any]:
    ours = {name for name in environ if name.startswith(PREFIX) and environ[name]}
    if not ours:
        return {}
    found: dict[str, Any] = {}
    names = {variable(key): (key, setting) for key, setting in walk(Settings)}
    for name in sorted(ours):
        if name not in names:
            _report_misspelt(name, list(names), problems)
            continue
        key, setting = names[name]
        try:
            found[key] = setting.kind.parse(environ[name])
        except Mistyped as error:
            problems.append(Problem(f"${name}", None, key, str(error)))
    return found


def _report_misspelt(name: str, known: list[str], problems: list[Problem]) -> None:
    """Report a variable that is nearly one of ours; what is far from all belongs to others."""
    for section in Settings.members:
        prefix = f"{PREFIX}{section.upper()}_"
        ours = [other.removeprefix(prefix) for other in known if other.startswith(prefix)]
        near = nearest(name.removeprefix(prefix), ours, limit=1) if name.startswith(prefix) else []
        if near:
            fix = f"Did you mean '{prefix}{near[0]}'?"
            problems.append(Problem("environment", None, name, "unknown setting", fix))
