"""Put the web together for a runtime: what it may reach, and which secrets never leave."""

from __future__ import annotations

from hermes.app.reaching import own_addresses
from hermes.config.environment import Live, known_secrets
from hermes.services.web import Web

_SHORTEST = 8


def web(environment: Live) -> Web:
    """Return the web of a runtime."""

    def leaked(text: str) -> str:
        secrets = known_secrets(environment).items()
        found = (name for name, value in secrets if len(value) >= _SHORTEST and value in text)
        return next(found, "")

    return Web(own_addresses, leak=leaked)
