"""What is known of the text that one command hands to the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hermes.policy.shell.effects import UNKNOWN


class Flow(NamedTuple):
    """A text that is known, names of files, or neither; and where it came from."""

    text: str | None = None
    """The whole text, when it is certain."""
    paths: tuple[str, ...] = ()
    """Patterns of the file names that it consists of, when that much is certain."""
    origins: frozenset[str] = frozenset()
    """Where it came from: network, secret, environment, file, decoder, machine."""

    def with_origins(self, *names: str) -> Flow:
        """Return the flow with more origins."""
        return self._replace(origins=self.origins | set(names))


NOTHING = Flow("")
ANYTHING = Flow()


def known(text: str) -> Flow:
    """Return a text that is certain, unless a part of it is not."""
    return Flow(text if UNKNOWN not in text else None)


def together(flows: Sequence[Flow]) -> Flow:
    """Return what several commands print one after the other."""
    if not flows:
        return NOTHING
    origins = frozenset[str]().union(*(flow.origins for flow in flows))
    texts = [flow.text for flow in flows if flow.text is not None]
    if len(texts) == len(flows):
        return Flow("".join(texts)[:100_000], (), origins)
    origins |= {f"says:{text.strip()[:500]}" for text in texts[:8] if text.strip()}
    speaking = [flow for flow in flows if flow.text != ""]
    if all(flow.paths for flow in speaking):
        return Flow(None, tuple(path for flow in speaking for path in flow.paths), origins)
    return Flow(None, (), origins)
