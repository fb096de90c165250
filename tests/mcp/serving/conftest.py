import pytest
from tests.mcp.serving.talk import Talk

from hermes.app import serving
from hermes.runtime.declare import tool
from hermes.runtime.registry import ToolRegistry


@pytest.fixture
def registry():
    return ToolRegistry()


@pytest.fixture
def declare(registry):
    """Declare a tool in the registry that is served."""

    def decorate(function=None, **traits):
        traits = {"toolset": "test", "effects": "none", **traits}
        made = tool(registry=registry, **traits)
        return made if function is None else made(function)

    return decorate


@pytest.fixture
def served(registry, tmp_path):
    """Make what is served; ended with the test."""
    made = []

    def make(**choices):
        found = serving.make(**{"registry": registry, "cwd": tmp_path, **choices})
        made.append(found)
        return found

    yield make
    for found in made:
        found.close()


@pytest.fixture
def talk(served):
    """Begin a conversation with a server; it ends with the test."""
    begun = []

    def make(*, most_bytes=None, page=None, **choices):
        found = served(**choices)
        if page is not None:
            found.facts = found.facts._replace(page=page)
        limit = {} if most_bytes is None else {"most_bytes": most_bytes}
        conversation = Talk(found.offering, **limit)
        conversation.served = found
        begun.append(conversation)
        return conversation

    yield make
    for conversation in begun:
        conversation.leave()
