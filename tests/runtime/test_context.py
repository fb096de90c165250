import json
from pathlib import Path

import pytest

from hermes import Runtime
from hermes.base.errors import ServiceMissing
from hermes.runtime.context import Services, Task, ToolContext

AGENT_TOOLS = {
    "todo": {},
    "memory": {"action": "read"},
    "clarify": {"question": "Which?"},
    "delegate_task": {"goal": "g"},
    "mixture_of_agents": {"prompt": "p"},
}


class Plain:
    pass


class FromElsewhere:
    provided_by = "the greenhouse"


class Needy:
    provided_by = "the greenhouse"

    def __init__(self, plain):
        self.plain = plain


@pytest.fixture
def ctx():
    made = ToolContext(Task("t", Path("/")), "c1", Services())
    made.tool = "grow"
    return made


def test_a_missing_service_says_how_to_provide_it(ctx):
    with pytest.raises(ServiceMissing, match="no Plain service is provided here"):
        ctx.use(Plain)


def test_a_missing_service_says_who_alone_provides_it(ctx):
    with pytest.raises(ServiceMissing) as caught:
        ctx.use(FromElsewhere)
    assert caught.value.message == "grow must be handled by the greenhouse"


def test_what_a_service_itself_misses_is_not_taken_for_it(ctx):
    ctx.services.provide(Needy, lambda: Needy(ctx.services.get(Plain)))
    with pytest.raises(ServiceMissing, match="no Plain service"):
        ctx.use(Needy)


@pytest.mark.parametrize("name", AGENT_TOOLS)
@pytest.mark.proves("agent-tools-outside")
def test_outside_an_agent_its_tools_say_so(tmp_path, name):
    with Runtime(cwd=tmp_path) as rt:
        answer = json.loads(rt.call_sync(name, AGENT_TOOLS[name]))
    assert answer == {
        "error": f"{name} must be handled by the agent loop",
        "code": "service_missing",
        "hint": "This call did not come from the agent loop; do without this tool here.",
    }
