"""The real sudo: a person is asked for its password, which is written down nowhere."""

import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
CHILD = Path(__file__).parent / "sudo_child.py"
PASSWORD = "kept Quiet-73"
VERSION = f"python{sys.version_info.major}.{sys.version_info.minor}"


def missing():
    if os.geteuid() != 0:
        return "a user with a password can only be made by root"
    return "" if shutil.which("sudo") else "needs sudo (apt package sudo)"


if reason := missing():
    pytest.skip(reason, allow_module_level=True)


def run(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, timeout=60, **options)


@pytest.fixture(scope="module")
def user():
    """Make a user who may do everything by sudo, with a password."""
    name = f"hermes-{os.getpid()}"
    rule = Path(f"/etc/sudoers.d/{name}")
    assert run("useradd", "--no-create-home", "--shell", "/bin/bash", name).returncode == 0
    try:
        assert run("chpasswd", input=f"{name}:{PASSWORD}\n").returncode == 0
        rule.write_text(f"{name} ALL=(ALL) ALL\n", encoding="utf-8")
        rule.chmod(0o440)
        yield pwd.getpwnam(name)
    finally:
        rule.unlink(missing_ok=True)
        run("userdel", name)


@pytest.fixture(scope="module")
def python(user):
    """Return a Python that the user may start, and where it finds our modules."""
    paths = [str(ROOT / "src"), *(path for path in sys.path if path.endswith("site-packages"))]
    env = {"PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(paths), "LANG": "C.UTF-8"}
    for program in (sys.executable, f"/usr/bin/{VERSION}"):
        try:
            tried = run(program, "-c", "import hermes.app, msgspec", user=user.pw_uid, env=env)
        except OSError:
            continue
        if tried.returncode == 0:
            return program, env
    pytest.skip(f"needs a {VERSION} that every user may start (apt package {VERSION})")


@pytest.fixture
def story(user, python):
    """Return what runs commands as that user; gives what happened, and all that was kept."""
    program, env = python

    def tell(**told):
        with tempfile.TemporaryDirectory(prefix="hsu-", dir="/tmp") as folder:
            os.chown(folder, user.pw_uid, user.pw_gid)
            os.chmod(folder, 0o700)
            done = run(
                program,
                str(CHILD),
                input=json.dumps(told),  # in no argument, where every process would see it
                user=user.pw_uid,
                group=user.pw_gid,
                extra_groups=[],
                cwd=folder,
                env={**env, "HOME": folder, "HERMES_HOME": f"{folder}/home"},
            )
            assert done.returncode == 0, done.stderr
            files = [path for path in Path(folder).rglob("*") if path.is_file()]
            assert any(path.name == "state.db" for path in files)
            found = [path for path in files if PASSWORD.encode() in path.read_bytes()]
            assert found == []
            assert PASSWORD not in done.stdout + done.stderr
            return json.loads(done.stdout)

    return tell


@pytest.mark.proves("sudo-password")
def test_the_password_reaches_sudo_and_nobody_else(story):
    looking = "id -u; cat /proc/self/environ; ps -eo args; ls /proc/$$/fd"
    happened = story(commands=[["one", f"sudo sh -c '{looking}'; env"]], passwords=[PASSWORD])
    [answer] = happened["answers"]
    assert (answer["exit_code"], answer["stdout"].split()[0]) == (0, "0")
    [[what, command, task, was_wrong]] = happened["asked"]
    assert (what, task, was_wrong) == ("the password for sudo", "one", False)
    assert command.startswith("sudo -A sh -c 'id -u;") or "id -u" in command


@pytest.mark.proves("sudo-password")
def test_a_wrong_password_is_asked_for_again_at_most_twice(story):
    right = story(commands=[["one", "sudo id -u"]], passwords=["no", "not", PASSWORD])
    assert right["answers"][0]["stdout"] == "0\n"
    assert [wrong for *_, wrong in right["asked"]] == [False, True, True]
    wrong = story(commands=[["one", "sudo id -u"]], passwords=["no", "not", "never", PASSWORD])
    assert (wrong["answers"][0]["exit_code"], len(wrong["asked"])) == (1, 3)


@pytest.mark.proves("sudo-password")
def test_a_password_is_kept_for_the_task_only_if_the_person_says_so(story):
    commands = [["one", "sudo id -u"], ["one", "sudo id -g"], ["two", "sudo id -u"]]
    kept = story(commands=commands, passwords=[PASSWORD] * 3, lasts=True)
    assert [answer["stdout"] for answer in kept["answers"]] == ["0\n"] * 3
    assert [task for _, _, task, _ in kept["asked"]] == ["one", "two"]
    each = story(commands=commands[:2], passwords=[PASSWORD] * 2)
    assert [task for _, _, task, _ in each["asked"]] == ["one", "one"]
    ended = [["one", "sudo id -u"], ["one", None], ["one", "sudo id -u"]]
    again = story(commands=ended, passwords=[PASSWORD] * 2, lasts=True)
    assert len(again["asked"]) == 2


def test_a_kept_password_that_is_wrong_is_forgotten(story):
    commands = [["one", "sudo id -u"], ["one", "sudo -k; sudo id -u"]]
    told = story(commands=commands, passwords=["wrong", PASSWORD], lasts=True)
    assert [answer["stdout"] for answer in told["answers"]] == ["0\n"] * 2
    assert [wrong for *_, wrong in told["asked"]] == [False, True]


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"nobody": True}, "the password for sudo is needed, and nobody is there to ask"),
        ({}, "the password for sudo is needed, and the user did not give it"),
    ],
)
def test_without_an_answer_sudo_fails_and_says_why(story, told, said):
    [answer] = story(commands=[["one", "sudo id -u"]], **told)["answers"]
    assert (answer["exit_code"], answer["stdout"]) == (1, "")
    assert f"hermes: {said}\n" in answer["stderr"]


@pytest.mark.proves("sudo-password")
def test_nothing_but_sudo_gets_an_answer(story):
    false = "mkdir b; cp /bin/sh b/sudo; b/sudo -c '\"$SUDO_ASKPASS\" x; true'"
    for command in ('"$SUDO_ASKPASS" prompt', false):
        told = story(commands=[["one", command]], passwords=[PASSWORD])
        assert told["asked"] == []
        assert "hermes: only sudo is answered" in told["answers"][0]["stderr"]
