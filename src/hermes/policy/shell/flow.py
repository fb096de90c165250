"""What is known of the text that one command hands to the next."""

from __future__ import annotations

from typing import NamedTuple


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
