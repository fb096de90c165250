"""What is understood of hermes's own command about environments."""

import pytest


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("hermes env list --json", set()),
        ("hermes env shell -- rm -rf src", {"opaque"}),
        ("hermes env test docker", {"opaque"}),
    ],
)
def test_looking_at_environments_is_fine_and_running_in_one_is_asked_about(
    categories, command, found
):
    assert categories(command) == found


@pytest.mark.parametrize("key", ["terminal.environment", "docker.mounts", "ssh.host"])
def test_where_commands_run_is_not_a_model_s_to_change(meaning, key):
    findings = meaning(f"hermes config set {key} x").findings
    assert [(one.category, one.severity) for one in findings] == [("privilege", "floor")]
