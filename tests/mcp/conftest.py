import shutil
import sys
from pathlib import Path

import pytest

from hermes import Runtime
from hermes.runtime.registry import ToolRegistry

FIXTURES = Path(__file__).parent / "fixtures"
PLAIN = str(FIXTURES / "plain_server.py")


def plain(*flags, place=None, **more):
    """Return the settings of the plain server; one in a sandbox has to lie where that sees it."""
    program = PLAIN if place is None else shutil.copy(PLAIN, place)
    return {"command": sys.executable, "args": [str(program), *flags], "advisories": "off", **more}


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def runtime_of(home):
    """Return what makes runtimes with MCP servers, each closed at the end."""
    made = []

    def make(servers, **more):
        config = {"home": str(home), "mcp_servers": servers, **more.pop("config", {})}
        runtime = Runtime(config=config, registry=ToolRegistry(), **more)
        made.append(runtime)
        return runtime

    yield make
    for runtime in made:
        runtime.close()
