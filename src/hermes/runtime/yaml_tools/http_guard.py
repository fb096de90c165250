"""Judge where the request of an HTTP tool goes, by its text and again when it connects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import httpx2

from hermes.base import dialling as base
from hermes.base.errors import Denied
from hermes.policy.urls import UrlRules, admit, is_private, judge
from hermes.runtime.reach import Reach


@contextmanager
def dialling(url: str, reach: Reach, *, opens: bool) -> Iterator[None]:
    """Judge an address, and by the same rules whatever is connected to for it.

    Raises:
        Denied: it is not reached, whatever its name stands for.
    """
    rules = UrlRules(opens)
    verdict = judge(url, rules)
    if verdict.decision != "allow":
        raise Denied(verdict.reason, rule=f"urls: {verdict.rule}")

    def admitted(host: str, port: int, addresses: Iterable[str]) -> Sequence[str]:
        return admit(host, port, addresses, rules, reach.own()).addresses

    with base.dialling(admitted, reach.resolve):
        yield


def came_from_inside(response: httpx2.Response) -> bool:
    """Say whether an answer came from this machine or a private network."""
    peer = base.peer_of(response)
    return peer is not None and is_private(peer)
