"""Every example runs and prints what the pages say it prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes import Runtime
from hermes.config.load import load as load_settings

ROOT = Path(__file__).parent.parent.parent
PROGRAMS = [*sorted(ROOT.glob("docs_src/**/*.py")), *sorted(ROOT.glob("examples/*.py"))]
SESSIONS = sorted(ROOT.glob("docs_src/**/*.console"))
TOOL_FILES = sorted(
    path
    for folder in ("docs_src", "examples")
    for path in (ROOT / folder).rglob("*.yaml")
    if "configuration" not in path.parts and path.stem != "mistakes"
)


def named(path):
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", PROGRAMS, ids=named)
def test_a_program_prints_what_its_page_shows(path, run_program, assert_seen):
    assert_seen(path.with_suffix(".out").read_text(encoding="utf-8"), run_program(path))


@pytest.mark.parametrize("path", SESSIONS, ids=named)
def test_a_terminal_session_goes_as_its_page_shows(path, on_terminal, assert_seen):
    for command, shown in steps(path.read_text(encoding="utf-8")):
        assert_seen(shown, on_terminal(command))


def steps(session):
    """Return the commands of a session, each with what it prints."""
    found = []
    for line in session.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append([line.removeprefix("$ ").rstrip("\n"), ""])
        else:
            found[-1][1] += line
    return found


@pytest.mark.parametrize("path", TOOL_FILES, ids=named)
def test_a_tool_file_can_be_registered(path, hermes_home):
    with Runtime() as runtime:
        assert runtime.register_yaml(path)


def test_the_profiles_shown_are_valid(hermes_home):
    text = (ROOT / "docs_src" / "configuration" / "team_permissions.yaml").read_text("utf-8")
    (hermes_home / "hermes_permissions.yaml").write_text(text)
    with Runtime() as runtime:
        assert runtime.profile.name == "team"


def test_the_servers_shown_are_valid(hermes_home):
    shown = ROOT / "docs_src" / "configuration" / "mcp_servers.yaml"
    (hermes_home / "config.yaml").write_text(shown.read_text(encoding="utf-8"))
    assert set(load_settings().mcp_servers) == {"files", "tracker"}


def test_the_configuration_shown_is_valid(hermes_home):
    shown = ROOT / "docs_src" / "configuration"
    (hermes_home / "config.yaml").write_text((shown / "config.yaml").read_text(encoding="utf-8"))
    (hermes_home / "hermes_permissions.yaml").write_text(
        (shown / "hermes_permissions.yaml").read_text(encoding="utf-8")
    )
    assert load_settings().permissions.profile == "careful"
    with Runtime() as runtime:
        assert runtime.gate.profile.name == "careful"
        assert runtime.toolsets.resolve("quiet") == ["sleep", "system_info"]
