"""Which names tell by themselves that a file may hold a secret, so that few have to be judged."""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

from hermes.policy.paths.machine_files import SOCKETS
from hermes.policy.paths.open_files import STATE_SECRETS
from hermes.policy.paths.program_secrets import PROGRAM_SECRETS
from hermes.policy.paths.secret_files import SECRETS

_WORDS = ("token", "credential", "secret", "passw", "cookie", "auth", "creds", "apikey", "api_key")
_MAGIC = re.compile(r"[*?]")


class Names(NamedTuple):
    """Parts of names, in small letters; lists, for they are also sent elsewhere."""

    exact: list[str]
    beginnings: list[str]
    endings: list[str]
    words: list[str]
    """Found anywhere in a name or in that of its folder."""


@functools.cache
def telling_names() -> Names:
    """Return the names that tell.

    Of a file in a folder that is no concern itself, and with another name of plain letters,
    reading is no concern: each rule covers the folder, or ends in such a name.
    """
    found = Names([], [], [], [*_WORDS, "api-key"])
    for pattern in (*_patterns(), *STATE_SECRETS):
        above, _, name = pattern.removesuffix("$").rpartition("/")
        if not _MAGIC.search(name):
            found.exact.append(name)
            continue
        beginning, *middle, ending = _MAGIC.split(name)
        if above and any(word in above for word in found.words):
            continue  # the folder tells already
        if beginning:
            found.beginnings.append(beginning)
        elif any(middle):
            found.words.append(max(middle, key=len))
        else:
            found.endings.append(ending)
    return Names(*(sorted(set(each)) for each in found))


def _patterns() -> list[str]:
    groups = (*SOCKETS, *SECRETS, *PROGRAM_SECRETS)
    return [pattern for group in groups for pattern in group.patterns]
