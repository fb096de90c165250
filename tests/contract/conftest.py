import pytest

from hermes import Runtime
from hermes.environments.sandbox.choose import choose

DESKTOP = (
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR",
)


@pytest.fixture(scope="module")
def rt(tmp_path_factory):
    """A runtime with all built-in tools that cannot reach the desktop of whoever runs the tests."""
    choose()  # once for this process, and for other tests with the programs that are there
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HERMES_HOME", str(tmp_path_factory.mktemp("home")))
        patch.setenv("PATH", str(tmp_path_factory.mktemp("no-programs")))
        for name in DESKTOP:
            patch.delenv(name, raising=False)
        with Runtime(cwd=tmp_path_factory.mktemp("work")) as made:
            yield made
