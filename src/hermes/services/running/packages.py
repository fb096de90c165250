"""Packages for one piece of code: which may be asked for, and how they are installed."""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Sequence

from hermes.base.errors import InvalidArguments
from hermes.services.running.languages import Name

MOST = 20
_PYTHON = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9._-]{0,100}(?:\[[A-Za-z0-9,._-]{1,100}\])?"
    r"(?:(?:[=!<>~]=|<|>|===)[A-Za-z0-9.*+!_-]{1,40}(?:,(?:[=!<>~]=|<|>)[A-Za-z0-9.*+!_-]{1,40})*)?"
)
_NODE = re.compile(r"(?:@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*(?:@[\w.^~><=*+-]{1,40})?")
_FOLDER = '"${TMPDIR:-/tmp}/hermes-packages"'
_INSTALL = """\
set +e; __f={folder}; __v="$__f/{key}"; __t="$__v.$$"
[ -e "$__v" ] && exit 0
command mkdir -p -- "$__f/cache" || exit 1
{steps} || {{ __c=$?; command rm -rf -- "$__t"; exit "$__c"; }}
if [ -e "$__v" ]; then command rm -rf -- "$__t"; else command mv -- "$__t" "$__v"; fi
"""
_PYTHON_STEPS = """\
__p=$(command -v python3 || command -v python) || {{ echo 'there is no python3 here' >&2; exit 1; }}
if __u=$(command -v uv); then
  UV_CACHE_DIR="$__f/cache" "$__u" venv -q --python "$__p" --system-site-packages "$__t" &&
  UV_CACHE_DIR="$__f/cache" "$__u" pip install -q --python "$__t/bin/python" {packages}
else
  "$__p" -m venv --system-site-packages "$__t" &&
  PIP_CACHE_DIR="$__f/cache" "$__t/bin/python" -m pip install -q --no-input \
--disable-pip-version-check {packages}
fi"""
_NODE_STEPS = """\
__p=$(command -v npm) || {{ echo 'there is no npm here' >&2; exit 1; }}
command mkdir -p -- "$__t" && "$__p" install --prefix "$__t" --cache "$__f/cache" --no-audit \
--no-fund --no-save --ignore-scripts --loglevel=error --fetch-retries=1 \
--fetch-retry-mintimeout=1000 {packages}"""


def checked(language: Name, packages: Sequence[str]) -> tuple[str, ...]:
    """Return packages by their names and versions, sorted.

    Raises:
        InvalidArguments: one is no name of a package in a registry.
    """
    if packages and language == "bash":
        raise InvalidArguments("bash has no packages", hint="Leave `packages` out.")
    if len(packages) > MOST:
        raise InvalidArguments(f"{len(packages)} packages are too many; {MOST} are the most")
    form = _PYTHON if language == "python" else _NODE
    for each in packages:
        if not form.fullmatch(each):
            raise InvalidArguments(
                f"{each!r} is no package with or without a version",
                hint="Name packages of the registry, such as "
                + ("'requests>=2.31'." if language == "python" else "'zod@3'."),
            )
    return tuple(sorted(set(packages)))


def key(language: Name, packages: Sequence[str]) -> str:
    """Return the name of the folder that holds just these packages."""
    kind = "python" if language == "python" else "node"
    return f"{kind}-{hashlib.sha256(' '.join(packages).encode()).hexdigest()[:16]}"


def install(language: Name, packages: Sequence[str]) -> str:
    """Return the shell text that installs packages into a folder of their own, unless it is there.

    It lies in the task's own /tmp, and goes with the task.
    """
    steps = _PYTHON_STEPS if language == "python" else _NODE_STEPS
    named = " ".join(map(shlex.quote, packages))
    return _INSTALL.format(
        folder=_FOLDER, key=key(language, packages), steps=steps.format(packages=named)
    )


def use(language: Name, packages: Sequence[str]) -> str:
    """Return the shell text by which code finds its packages."""
    if not packages:
        return "__v=/nonexistent"
    lines = [f'__v={_FOLDER}"/{key(language, packages)}"']
    if language != "python":
        lines.append('command ln -s -- "$__v/node_modules" "$__d/node_modules"')
    return "\n".join(lines)
