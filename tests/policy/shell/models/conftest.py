"""A developer's machine to understand commands on."""

from __future__ import annotations

import pytest

from hermes.policy.paths import Places
from hermes.policy.shell.state import Place
from hermes.policy.shell.understanding import understand

_PROJECT = "/home/dev/project"
_PLACE = Place(
    _PROJECT, Places((_PROJECT,), "/home/dev", "/home/dev/.hermes", ("/tmp", "/var/tmp"))
)


@pytest.fixture
def categories():
    """Return the categories of danger that a command is understood to have."""
    return lambda command: {found.category for found in understand(command, _PLACE).findings}
