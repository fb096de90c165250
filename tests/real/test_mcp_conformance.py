"""The conformance suite of the protocol, against hermes's client and against its server.

Every scenario that a revision requires must pass. What else the suite runs (extensions, scenarios
in the making) must fare exactly as conformance_fixtures/expected_failures.yaml says.
"""

import os
import re
import runpy
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

HERE = Path(__file__).parent
FIXTURES = HERE / "conformance_fixtures"
PARTS = runpy.run_path(str(HERE / "mcp_parts.py"))
REVISIONS = ["2025-11-25", "2026-07-28"]
LINE = re.compile(r"^([✓✗]) ([\w/.-]+): \d+ passed", re.MULTILINE)
REQUIRED = re.compile(r"^  - ([\w/.-]+)$", re.MULTILINE)
EARLIER = ["auth/2025-03-26-oauth-metadata-backcompat", "auth/2025-03-26-oauth-endpoint-fallback"]


def suite(*words):
    """Run the suite and return what it said."""
    command = [*PARTS["script"]("@modelcontextprotocol/conformance"), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    return done.stdout + done.stderr


def required(revision, role):
    """Return the scenarios that a revision requires of a client or a server."""
    listed = suite("list", "--requirements", revision).partition("Run and reported")[0]
    server, _, client = listed.partition("Client scenarios")
    return set(REQUIRED.findall(server if role == "server" else client))


def check(said, revision, role, *expected):
    """Hold the outcome against what has to pass, and what is expected to fail."""
    outcome = {name: mark == "✓" for mark, name in LINE.findall(said)}
    reasons = yaml.safe_load((FIXTURES / "expected_failures.yaml").read_text())
    known = {name for part in expected for name in reasons[part]} & outcome.keys()
    failed = {name for name, passed in outcome.items() if not passed}
    assert failed == known, said[-20_000:]
    assert required(revision, role) <= outcome.keys()
    assert len(outcome) > 20


@contextmanager
def started(home, *command):
    """Start a server, and give its address as it tells it."""
    variables = {**os.environ, "HERMES_HOME": str(home)}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stderr=pipe, text=True, env=variables, cwd=home) as server:
        try:
            yield server.stderr.readline().removeprefix("serving at ").strip()
        finally:
            server.terminate()
            server.communicate(timeout=20)


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """The command of the client under test; what it asks for is done by a process beside it."""
    PARTS["need"]()
    door = tmp_path_factory.mktemp("clients") / "door"
    command = [sys.executable, FIXTURES / "client_host.py", door]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as host:
        try:
            assert host.stdout.readline() == "ready\n"
            yield f"{sys.executable} -I -S {FIXTURES / 'client.py'} {door}"
        finally:
            host.kill()
            host.communicate()


def test_the_page_names_what_does_not_pass():
    page = (HERE.parents[1] / "docs" / "mcp-proof.md").read_text()
    reasons = yaml.safe_load((FIXTURES / "expected_failures.yaml").read_text())
    names = [name for part in reasons.values() for name in part]
    assert [name for name in names if f"`{name}`" not in page] == []


@pytest.mark.proves("mcp-conformance-client")
@pytest.mark.timeout(240)
@pytest.mark.parametrize("revision", REVISIONS)
def test_the_client_does_what_a_revision_requires(revision, client):
    words = ["--requirements", revision, "--timeout", "180000"]
    said = suite("client", "--command", client, *words)
    check(said, revision, "client", "client")


@pytest.mark.parametrize("scenario", EARLIER)
def test_the_client_signs_in_as_an_earlier_revision_had_it(scenario, client):
    said = suite("client", "--command", client, "--scenario", scenario)
    assert "OVERALL: PASSED" in said


@pytest.mark.proves("mcp-conformance-server")
@pytest.mark.timeout(220)
@pytest.mark.parametrize("revision", REVISIONS)
def test_the_server_does_what_a_revision_requires_over_http(revision, tmp_path):
    PARTS["need"]()
    with started(tmp_path, sys.executable, FIXTURES / "server.py", "0") as address:
        said = suite("server", "--url", address, "--requirements", revision)
    check(said, revision, "server", "server")


@pytest.mark.proves("mcp-conformance-server")
@pytest.mark.timeout(220)
@pytest.mark.parametrize("revision", REVISIONS)
def test_the_server_does_what_a_revision_requires_over_stdio(revision, tmp_path):
    PARTS["need"]()
    server = [sys.executable, FIXTURES / "server.py"]
    with started(tmp_path, sys.executable, FIXTURES / "bridge.py", *server) as address:
        said = suite("server", "--url", address, "--requirements", revision)
    check(said, revision, "server", "server", "stdio")
