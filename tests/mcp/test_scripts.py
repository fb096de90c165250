"""Scripts call the tools of MCP servers as they call any other."""

import asyncio
import json

import pytest
from tests.mcp.conftest import plain

from hermes import Runtime

SCRIPT = "from hermes_tools import mcp_plain_echo\nprint(mcp_plain_echo(text='from a script'))"


@pytest.mark.parametrize("backend", ["python", "auto"])
def test_a_script_calls_a_servers_tool(hermes_home, tmp_path, backend):
    config = {
        "mcp_servers": {"plain": plain()},
        "code": {"tools": ["mcp-plain"], "backend": backend},
    }

    async def story():
        async with Runtime(cwd=tmp_path, config=config) as runtime:
            await runtime.call("mcp-plain:echo", {"text": "known"})
            return json.loads(await runtime.call("execute_code", {"code": SCRIPT}))

    answer = asyncio.run(story())
    assert "from a script" in answer["stdout"], answer


def test_a_script_has_no_servers_tool_that_the_settings_do_not_name(hermes_home, tmp_path):
    config = {"mcp_servers": {"plain": plain()}, "code": {"backend": "python"}}

    async def story():
        async with Runtime(cwd=tmp_path, config=config) as runtime:
            await runtime.call("mcp-plain:echo", {"text": "known"})
            return json.loads(await runtime.call("execute_code", {"code": SCRIPT}))

    assert "ImportError" in json.dumps(asyncio.run(story()))
