"""Notifications that arrive at a real notification daemon on a message bus of our own."""

import asyncio
import contextlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from hermes.services.notifications import Notifications

BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={socket}</listen>
  {services}
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""
DUNST = """[D-BUS Service]
Name=org.freedesktop.Notifications
Exec={dunst} -config /dev/null
"""


def need(program, package):
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"needs {program} (apt package {package}): not installed")
    return found


@pytest.fixture(scope="session")
def display():
    """Run an X server of our own for the daemon to draw on."""
    server = need("Xvfb", "xvfb")
    readable, writable = os.pipe()
    command = [server, "-displayfd", str(writable), "-screen", "0", "640x480x24"]
    command += ["-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=[writable], stderr=subprocess.DEVNULL) as process:
        os.close(writable)
        with os.fdopen(readable) as answer:
            number = answer.readline().strip()
        try:
            yield f":{number}"
        finally:
            process.terminate()


@contextlib.contextmanager
def bus(environment, services=""):
    """Run a message bus and yield the variables that lead to it."""
    daemon = need("dbus-daemon", "dbus")
    # Not tmp_path: a socket's path must be short.
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder, "bus.conf")
        text = BUS.format(socket=Path(folder, "bus"), services=services)
        config.write_text(text, encoding="utf-8")
        command = [daemon, f"--config-file={config}", "--nofork", "--print-address"]
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        with subprocess.Popen(command, env=environment, text=True, **streams) as process:
            try:
                address = process.stdout.readline().strip()
                yield {**environment, "DBUS_SESSION_BUS_ADDRESS": address}
            finally:
                process.terminate()


@pytest.fixture
def desktop(display, tmp_path):
    """Run a bus that starts a real notification daemon for the first notification."""
    need("notify-send", "libnotify-bin")
    services = tmp_path / "services"
    services.mkdir()
    service = services / "org.freedesktop.Notifications.service"
    service.write_text(DUNST.format(dunst=need("dunst", "dunst")))
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "DISPLAY": display}
    with bus(environment, f"<servicedir>{services}</servicedir>") as variables:
        yield variables


@contextlib.contextmanager
def listening(environment):
    """Listen in on the bus and yield a function that waits for the next notification's words."""
    rule = "interface='org.freedesktop.Notifications',member='Notify'"
    command = [need("dbus-monitor", "dbus"), "--session", rule]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            while "NameLost" not in process.stdout.readline():  # it listens from here on
                pass
            yield lambda: _next(process.stdout)
        finally:
            process.terminate()


def _next(stream):
    for line in stream:
        if "member=Notify" in line:
            break
    seen = []
    for line in stream:
        seen.append(line)
        if '"urgency"' in line:
            urgency = int(next(stream).split()[-1])
            break
    text = "".join(seen)
    words = [part.partition('"\n')[0] for part in text.split('   string "')[1:]]
    return words[0], words[2], words[3], urgency


@pytest.mark.parametrize(
    ("title", "message", "urgency", "arrived"),
    [
        ("Done", "", "low", ("hermes", "Done", "", 0)),
        (
            "--help \\n <b>",
            "All\ntests pass",
            "normal",
            ("hermes", "--help \\n <b>", "All\ntests pass", 1),
        ),
        (
            "grün 日本語",
            "C:\\new <b>&amp;",
            "critical",
            ("hermes", "grün 日本語", "C:\\new &lt;b&gt;&amp;amp;", 2),
        ),
    ],
)
def test_a_notification_arrives_as_it_was_meant(desktop, title, message, urgency, arrived):
    notifications = Notifications(desktop, platform="linux")
    with listening(desktop) as next_one:
        sent = asyncio.run(notifications.send(title, message, urgency))
        assert sent == {"delivered": True, "backend": "notify-send"}
        assert next_one() == arrived


def test_without_a_daemon_it_is_not_delivered(tmp_path):
    need("notify-send", "libnotify-bin")
    with bus({"PATH": os.environ["PATH"], "HOME": str(tmp_path)}) as environment:
        sent = asyncio.run(Notifications(environment, platform="linux").send("Done", "", "normal"))
    assert sent["delivered"] is False
    assert "org.freedesktop.Notifications" in sent["reason"]
