"""Collect everything that is wrong with a configuration and say it at once."""

from __future__ import annotations

from typing import NamedTuple

from hermes.base.errors import ConfigError
from hermes.base.text import nearest, plural


class Problem(NamedTuple):
    """One thing that is wrong: where, what, and what to do about it."""

    where: str
    line: int | None
    key: str
    message: str
    fix: str | None = None

    def sentence(self) -> str:
        """Return the problem as one line."""
        place = f"{self.where}:{self.line}" if self.line else self.where
        return f"{place}: {self.key}: {self.message}" + (f" ({self.fix})" if self.fix else "")


def complaint(problems: list[Problem]) -> ConfigError:
    """Return one error that tells of every problem."""
    first = problems[0]
    if len(problems) == 1:
        return ConfigError(
            first.message, file=first.where, line=first.line, key=first.key, hint=first.fix
        )
    lines = [f"{plural(len(problems), 'problem')} in the configuration"]
    lines += [f"  {problem.sentence()}" for problem in problems]
    return ConfigError("\n".join(lines), hint="Mend them, or take them out.")


def unknown(where: str, line: int | None, key: str, known: list[str]) -> Problem:
    """Return the problem of a key that nothing declares, with the nearest key that exists."""
    section = key.rpartition(".")[0]
    siblings = [name for name in known if section and name.startswith(f"{section}.")]
    near = nearest(key, siblings or known, limit=1) or _same_ending(key, known)
    if near:
        fix = f"Did you mean '{near[0]}'?"
    elif siblings:
        fix = f"It takes {', '.join(name.removeprefix(f'{section}.') for name in siblings)}."
    else:
        sections = dict.fromkeys(name.partition(".")[0] for name in known)
        fix = f"There are {', '.join(sections)}."
    return Problem(where, line, key, "unknown setting", fix)


def _same_ending(key: str, known: list[str]) -> list[str]:
    wanted = key.rpartition(".")[2]
    if len(wanted) < 4:
        return []
    by_ending: dict[str, str] = {}
    for name in known:
        by_ending.setdefault(name.rpartition(".")[2], name)
    return [by_ending[ending] for ending in nearest(wanted, by_ending, limit=1)]
