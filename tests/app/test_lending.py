"""What of this machine a container is shown, and whether it reaches the network."""

import socket

import pytest

from hermes import Runtime
from hermes.app import backends
from hermes.app.lending import lent, workspace
from hermes.config.load import load as load_settings
from hermes.environments.contract import Refused
from hermes.environments.mounts import Mount


@pytest.fixture
def home(tmp_path):
    """Return a home with a key and a project."""
    for name in (".ssh", ".hermes", "project", "data"):
        (tmp_path / "home" / name).mkdir(parents=True)
    return tmp_path / "home"


@pytest.mark.proves("environment-mounts")
def test_what_is_private_is_never_shown(home, tmp_path):
    (home / "way").symlink_to(home / ".ssh")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "docker.sock"))
    state = tmp_path / "state"
    private = {
        "~/.ssh": f"it lies in {home}/.ssh",
        "~/.ssh/id_ed25519": f"it lies in {home}/.ssh",
        "~/way": f"it lies in {home}/.ssh",
        "~/": "it holds your home",
        str(tmp_path): "it holds your home",
        "/": "it holds your home",
        "/etc": "it holds /etc/shadow",
        "/var/run/docker.sock": "it lies in /run",
        "/proc": "it lies in /proc",
        str(state / "x"): f"it lies in {state}",
    }
    told = {}
    for source in private:
        with pytest.raises(Refused) as refused:
            lent([f"{source}:/x"], str(home), str(state))
        told[source] = refused.value.message.partition(": ")[2]
    assert told == private
    with pytest.raises(Refused, match="is a socket"):
        lent([f"{tmp_path}/docker.sock:/x"], str(home), str(state))


def test_other_folders_are_shown_as_they_are_named(home, tmp_path):
    found = lent(["~/data:/data", "/usr/share:/share:rw"], str(home), str(tmp_path / "state"))
    assert found == (Mount(f"{home}/data", "/data"), Mount("/usr/share", "/share", writable=True))


@pytest.mark.proves("environment-mounts")
def test_a_task_that_starts_at_home_has_no_workspace_in_a_container(home, tmp_path):
    state = str(tmp_path / "state")
    assert workspace(str(home / "project"), str(home), state) == f"{home}/project"
    with pytest.raises(Refused, match="it holds your home"):
        workspace(str(home), str(home), state)


@pytest.mark.parametrize(
    ("profile", "config", "is_open"),
    [
        ("developer", {"docker.network": True}, True),
        ("developer", {}, False),
        ("trusted", {"docker.network": True}, True),
        ({"allow": ["*"], "sandbox": {"net": "off"}}, {"docker.network": True}, False),
        ({"allow": ["terminal:execute"]}, {"docker.network": True}, False),
        (
            {
                "allow": ["*"],
                "restrictions": {"network:fetch": {"allowed_hosts": ["pypi.org"]}},
            },
            {"docker.network": True},
            False,
        ),
    ],
)
@pytest.mark.proves("environment-network")
def test_the_network_needs_both_the_settings_and_the_profile(tmp_path, profile, config, is_open):
    heard = []
    with Runtime(profile=profile, cwd=tmp_path, config={**config, "docker.image": "x"}) as rt:
        _ = rt.gate
        ground = backends.Ground(rt.services, rt.settings, "/nonexistent")
        place = backends.Place("t", str(tmp_path), report=heard.append)
        made = backends.find("docker").make(ground, place)
    assert made._channel._options.network is is_open
    wanted = "docker.network" in config and not is_open
    assert heard == ["the permission profile keeps the network of the container off"] * wanted


def test_a_mount_that_is_refused_is_told_before_any_command(home):
    settings = load_settings(overrides={"docker.image": "x", "docker.mounts": ["/etc:/etc"]})
    refused = backends.find("docker").lacks(settings)
    assert refused.message == "a container is not shown /etc: it holds /etc/shadow"
