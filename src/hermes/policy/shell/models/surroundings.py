"""Tell by their names which surroundings a command works in: for tests, or live."""

from __future__ import annotations

import re

from hermes.policy.shell.model import Call
from hermes.policy.shell.models.words import words

_PASSING = re.compile(
    r"(?:^|[\s_\-./=])(?:tests?|testing|tmp|temp|scratch|ci|sandbox|throwaway|e2e|spec)"
    r"(?:[\s_\-.\d]|$|\?)|_test\d*$|^test_",
    re.IGNORECASE,
)
_LIVE = re.compile(
    r"(?:^|[\s_\-./@:=])(?:prod|production|live|prd)(?:[\s_\-./:\d]|$)", re.IGNORECASE
)
_LOSING = re.compile(
    r"(?:^|[_\-./])(?:drop|wipe|reset|destroy|truncate|nuke|purge|delete|teardown|clean_?up"
    r"|dump|backup|restore|snapshot)"
    r"(?:[_\-./]|\b)",
    re.IGNORECASE,
)
_ENVIRONMENTS = words(
    "RAILS_ENV RACK_ENV MIX_ENV NODE_ENV APP_ENV DJANGO_ENV FLASK_ENV ENV HANAMI_ENV PGDATABASE"
    " DJANGO_SETTINGS_MODULE DATABASE_URL SEQUELIZE_ENV PGHOST"
)


def is_passing(name: str | None) -> bool:
    """Say whether a database is by its name one for tests, which anybody may empty."""
    return bool(name) and bool(_PASSING.search(str(name))) and not is_live(name)


def is_live(name: str | None) -> bool:
    """Say whether a database, host or setting is by its name one that people depend on."""
    return bool(name) and bool(_LIVE.search(str(name)))


def loses(path: str) -> bool:
    """Say whether a file of queries is by its name one that throws data away."""
    return bool(_LOSING.search(path.rpartition("/")[2]))


def environment(call: Call) -> str:
    """Return the names of the surroundings that a task is told to work in."""
    given = [call.variables[name] for name in _ENVIRONMENTS if name in call.variables]
    given += [word.partition("=")[2] for word in call.operands if word[:1].isupper()]
    given += call.values("-e", "--env", "--environment", "--settings", "--database", "-x")
    return " ".join(text for text in given if isinstance(text, str))
