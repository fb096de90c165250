"""Say whether a call is known to look and to do nothing else; pure.

Nothing is allowed or refused by this: it only decides how long the announcement of a call is
waited for. A program stands here when every use of it that writes, deletes, starts or sends
something is found as such by the models of commands.
"""

from __future__ import annotations

from collections.abc import Collection

from hermes.policy.need import Deed, Need, Words

_PROGRAMS = (
    "true false : echo printf pwd cd ls dir cat head tail wc nl od hexdump tac rev fold grep egrep"
    " fgrep rg find fd stat file du df date cal uname arch nproc whoami id groups hostname uptime"
    " which type command test [ [[ sort uniq cut tr comm join paste column diff cmp basename"
    " dirname realpath readlink seq expr sleep ps free tree md5sum sha1sum sha256sum jq"
)
_GIT = "status log diff show rev-parse ls-files blame describe shortlog grep cat-file ls-tree"
_FETCHING = frozenset({"network:fetch", "network:search", "network:lookup", "file:read"})
_KNOWN = frozenset(_PROGRAMS.split())
_KNOWN_OF_GIT = frozenset(_GIT.split())


def only_looks(deed: Deed) -> bool:
    """Say whether all that a call does was understood, and is nothing but looking."""
    return not deed.findings and all(map(_is_look, deed.needs))


def only_fetches(permissions: Collection[str]) -> bool:
    """Say whether a call asks others for what they show to everybody, and sends them nothing."""
    return bool(permissions) and _FETCHING.issuperset(permissions)


def _is_look(need: Need) -> bool:
    if need.kind == "command":
        return need.is_understood and all(map(_is_known, need.commands))
    return need.permission in ("", "file:read")


def _is_known(words: Words) -> bool:
    if words[:1] == ("git",):
        return words[1:2] != () and words[1] in _KNOWN_OF_GIT
    return words[:1] != () and words[0] in _KNOWN
