import asyncio
import json
import logging

import pytest

from hermes.base.errors import InvalidArguments
from hermes.services import notifications as module
from hermes.services.notifications import Notifications

HINT = "Say it in your answer instead; the person will read it there."
RECORDER = """#!{python}
import json, os, sys
text = json.dumps([sys.argv[1:], sys.stdin.read(), sorted(os.environ)])
open({record!r}, "w").write(text)
"""


@pytest.fixture
def recorder(tmp_path):
    """Stand in for a program: write down its arguments, input and variables."""
    import sys

    def make(name):
        record = tmp_path / "record.json"
        program = tmp_path / name
        program.write_text(RECORDER.format(python=sys.executable, record=str(record)))
        program.chmod(0o755)
        return {"PATH": str(tmp_path)}, lambda: json.loads(record.read_text())

    return make


def send(notifications, title="Done", message="", urgency="normal"):
    return asyncio.run(notifications.send(title, message, urgency))


def test_linux_hands_the_words_over_as_they_stand(recorder):
    environment, recorded = recorder("notify-send")
    environment |= {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/x", "API_KEY": "s3cret"}
    sent = send(Notifications(environment, platform="linux"), "--help", "C:\\new <b>&", "critical")
    assert sent == {"delivered": True, "backend": "notify-send"}
    arguments, _, names = recorded()
    assert arguments == [
        "--app-name=hermes",
        "--urgency=critical",
        "--",
        "--help",
        "C:\\\\new &lt;b&gt;&amp;",
    ]
    assert "API_KEY" not in names


def test_a_bus_in_the_runtime_folder_is_enough(recorder, tmp_path):
    environment, _ = recorder("notify-send")
    (tmp_path / "bus").touch()
    environment["XDG_RUNTIME_DIR"] = str(tmp_path)
    assert send(Notifications(environment, platform="linux"))["delivered"] is True


def test_macos_gets_a_constant_script_and_the_words_as_arguments(recorder):
    environment, recorded = recorder("osascript")
    evil = '" & (do shell script "id") & "'
    sent = send(Notifications(environment, platform="darwin"), evil, "-e beep", "normal")
    assert sent == {"delivered": True, "backend": "osascript"}
    arguments, script, _ = recorded()
    assert arguments == ["-", evil, "-e beep"]
    assert script == module._SCRIPT.format(sound="")


def test_a_critical_one_makes_a_sound_on_macos(recorder):
    environment, recorded = recorder("osascript")
    send(Notifications(environment, platform="darwin"), urgency="critical")
    assert 'sound name "Sosumi"' in recorded()[1]


def test_control_characters_and_excess_are_taken_out(recorder):
    environment, recorded = recorder("osascript")
    title = "a\x1b[31m\n\u202eb" + "c" * 500
    send(Notifications(environment, platform="darwin"), title, "one\ntwo\x00\x07" + "x" * 5_000)
    (_, shown, message), *_ = recorded()
    assert shown == ("a [31m b" + "c" * 500)[:200]
    assert message == ("one\ntwo  " + "x" * 5_000)[:2_000]


def test_emoji_joined_by_invisible_characters_stay_whole(recorder):
    environment, recorded = recorder("osascript")
    send(Notifications(environment, platform="darwin"), "👩‍🚀 done")
    assert recorded()[0][1] == "👩‍🚀 done"


@pytest.mark.parametrize(
    ("environment", "platform", "reason"),
    [
        ({}, "linux", "no desktop session is running here"),
        ({"XDG_RUNTIME_DIR": "/nowhere"}, "linux", "no desktop session is running here"),
        (
            {"PATH": "/nowhere", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"},
            "linux",
            "notify-send is not installed",
        ),
        ({"PATH": "/nowhere"}, "darwin", "osascript is not installed"),
    ],
)
def test_what_cannot_be_delivered_is_told_and_logged(environment, platform, reason, caplog):
    with caplog.at_level(logging.INFO, logger="hermes.notifications"):
        sent = send(Notifications(environment, platform=platform), "Done", "All tests pass")
    assert sent == {"delivered": False, "reason": reason, "hint": HINT}
    assert [record.getMessage() for record in caplog.records] == [
        f"not delivered ({reason}): Done: All tests pass"
    ]


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo no server >&2; exit 1", "notify-send: no server"),
        ("exit 4", "notify-send: exit code 4"),
        ("exec sleep 60", "notify-send gave no answer in 0.2 s"),
    ],
)
def test_a_program_that_fails_did_not_deliver(tmp_path, monkeypatch, script, reason):
    monkeypatch.setattr(module, "SECONDS", 0.2 if "sleep" in script else 5)
    program = tmp_path / "notify-send"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"}
    sent = send(Notifications(environment, platform="linux"))
    assert sent == {"delivered": False, "reason": reason, "hint": HINT}


def test_a_title_of_nothing_but_controls_is_refused():
    with pytest.raises(InvalidArguments, match="needs a title"):
        send(Notifications({}, platform="linux"), "\x00\n \u200b")
