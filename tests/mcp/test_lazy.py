import json
import subprocess
import sys
import textwrap

import pytest
from tests.mcp.conftest import plain

HEAVY = ("mcp", "mcp_types", "pydantic", "httpx2", "anyio")


def loaded_by(code, home):
    program = textwrap.dedent(code) + (
        f"\nimport sys\nprint([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={"HERMES_HOME": str(home), "PATH": "/usr/bin:/bin"},
    )
    return done.stdout.splitlines()


@pytest.mark.proves("mcp-lazy")
def test_starting_and_listing_load_no_sdk_and_start_no_server(runtime_of, home):
    runtime_of({"plain": plain()}).call_sync("mcp-plain:echo", {"text": "hi"})
    config = {"mcp_servers": {"plain": plain()}}
    (home / "config.yaml").write_text(json.dumps(config))
    (home / "logs/mcp/plain.log").unlink(missing_ok=True)
    lines = loaded_by(
        """
        from hermes import Runtime
        runtime = Runtime()
        assert any(tool.entry.name == "mcp-plain:echo" for tool in runtime.status())
        shown = [tool["function"]["name"] for tool in runtime.definitions()]
        assert "mcp__plain__echo" in shown
        import threading
        assert not any(thread.name == "hermes-loop" for thread in threading.enumerate())
        """,
        home,
    )
    assert lines == ["[]"]


def test_without_servers_nothing_of_mcp_is_loaded(home):
    lines = loaded_by(
        """
        import sys
        from hermes import Runtime
        Runtime().definitions()
        print([name for name in sys.modules if name.startswith("hermes.mcp")])
        """,
        home,
    )
    assert lines == ["[]", "[]"]
