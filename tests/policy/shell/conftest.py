import shutil

import pytest

from hermes.policy.paths import Places
from hermes.policy.shell.state import Place
from hermes.policy.shell.understanding import understand

WORKSPACE = "/home/dev/app"
PLACE = Place(WORKSPACE, Places((WORKSPACE,), "/home/dev", "/home/dev/.hermes"))


@pytest.fixture
def place():
    """The scene: a workspace in a home with keys and other projects; nothing of it exists here."""
    return PLACE


@pytest.fixture
def meaning(place):
    """Return a function that understands a command in the scene."""
    return lambda command: understand(command, place)


@pytest.fixture
def categories(meaning):
    """Return a function that names the dangers of a command."""
    return lambda command: {finding.category for finding in meaning(command).findings}


@pytest.fixture
def needs_shfmt():
    if shutil.which("shfmt") is None:
        pytest.skip("needs shfmt (apt package shfmt)")
