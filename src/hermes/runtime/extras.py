"""Which extras of the distribution are installed."""

from __future__ import annotations

import re
from importlib import metadata

from hermes.base.optional import DISTRIBUTION

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_EXTRA = re.compile(r"""extra\s*==\s*['"]([^'"]+)['"]""")


def installed(extra: str) -> bool:
    """Whether every package that an extra brings is there; an extra nobody knows is not."""
    wanted = list(_brought_by(extra))
    return bool(wanted) and all(_is_installed(name) for name in wanted)


def _brought_by(extra: str) -> list[str]:
    found = []
    for requirement in metadata.requires(DISTRIBUTION) or ():
        marker, name = _EXTRA.search(requirement), _NAME.match(requirement)
        if name and marker and marker.group(1) == extra:
            found.append(name.group())
    return found


def _is_installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True
