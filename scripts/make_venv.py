"""Make or refresh .venv from a lock file; called by scripts/venv, stdlib only.

Everything it says goes to stderr. A stamp is written last, so a set-up that was interrupted is
never taken for a finished one, and one that fails removes the .venv it began.
"""

from __future__ import annotations

import ast
import fcntl
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = str(VENV / "bin" / "python")
GROUPS = {"base": ("base",), "dev": ("base", "dev")}  # what a group's lock satisfies as well
NEW_ENOUGH = "import sys; sys.exit(sys.version_info < (3, 11))"
PIP_SETTINGS = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1", "PIP_USER": "0"}
LOG_TAIL = 20


class SetUpFailed(Exception):
    """The set-up stopped; the message says what to do about it."""


class Log:
    """Run programs quietly and keep what they said."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def run(self, command: Sequence[str], env: Mapping[str, str] | None = None) -> bool:
        """Run a program and tell whether it succeeded."""
        self.lines.append("$ " + " ".join(command))
        try:
            child = subprocess.Popen(
                command,
                cwd=ROOT,
                env=dict(os.environ, **(env or {})),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            self.lines.append(str(error))
            return False
        try:
            said, _ = child.communicate()
        except BaseException:  # its children would go on writing into .venv
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            raise
        self.lines += said.splitlines()
        return child.returncode == 0


def say(text: str) -> None:
    """Tell the person at the terminal; stdout belongs to the command that runs next."""
    print(text, file=sys.stderr, flush=True)


def lock(group: str) -> str:
    """Return the path of a group's lock file."""
    return str(ROOT / "requirements" / f"{group}.lock")


def stamp(group: str) -> Path:
    """Return the file whose presence says that a group is installed."""
    return VENV / f".hermes-{group}"


def fingerprint(group: str) -> str:
    """Return the checksum of everything that a group's installation depends on."""
    digest = hashlib.sha256()
    for path in (lock(group), ROOT / "pyproject.toml"):
        digest.update(Path(path).read_bytes())
    return digest.hexdigest()


def is_done(group: str) -> bool:
    """Tell whether a group is installed here as its lock says, and note the time if so."""
    try:
        lines = stamp(group).read_text(encoding="utf-8").splitlines()
        if lines != [str(ROOT), fingerprint(group)] or not Path(PYTHON).exists():
            return False
        stamp(group).touch()  # the lock's date changed and its content did not
    except OSError:
        return False
    return True


@contextmanager
def turn() -> Iterator[None]:
    """Hold the folder, so that two set-ups that start at once do the work once."""
    folder = os.open(ROOT, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say("Another set-up is running here; waiting for it…")
        fcntl.flock(folder, fcntl.LOCK_EX)
    except OSError:
        say("This file system has no locks; going on without one.")
    try:
        yield
    finally:
        os.close(folder)


def own_uv_settings(env: Mapping[str, str]) -> bool:
    """Tell whether the user has told uv itself which index to use."""
    names = "DEFAULT_INDEX INDEX INDEX_URL EXTRA_INDEX_URL FIND_LINKS NO_INDEX CONFIG_FILE"
    if any(env.get(f"UV_{name}") for name in names.split()):
        return True
    home = Path(env.get("XDG_CONFIG_HOME") or Path(env.get("HOME", "/")) / ".config")
    return any((folder / "uv" / "uv.toml").is_file() for folder in (home, Path("/etc")))


def as_uv_settings(pip_config: str) -> dict[str, str]:
    """Translate what `pip config list` prints into uv's environment variables."""
    found: dict[str, str] = {}
    for section in ("global", "install", ":env:"):  # later ones win, as in pip
        for line in pip_config.splitlines():
            key, _, value = line.partition("=")
            if key.startswith(f"{section}."):
                found[key.removeprefix(f"{section}.")] = str(ast.literal_eval(value))
    names = {
        "index-url": ("UV_DEFAULT_INDEX", " "),
        "extra-index-url": ("UV_INDEX", " "),
        "find-links": ("UV_FIND_LINKS", ","),
        "trusted-host": ("UV_INSECURE_HOST", " "),
        "cert": ("SSL_CERT_FILE", " "),
        "client-cert": ("SSL_CLIENT_CERT", " "),
        "proxy": ("ALL_PROXY", " "),
    }
    settings = {
        name: joint.join(found[option].split())
        for option, (name, joint) in names.items()
        if found.get(option)
    }
    if found.get("no-index", "").lower() in {"1", "true", "yes", "on"}:
        settings["UV_NO_INDEX"] = "1"
    if {"UV_INDEX", "UV_FIND_LINKS"} & settings.keys():
        # pip looks at every index; the hashes in the lock make that safe
        settings["UV_INDEX_STRATEGY"] = "unsafe-best-match"
    return settings


def uv_environment() -> dict[str, str]:
    """Return the variables that make uv use the package index that pip is set up for."""
    if own_uv_settings(os.environ):
        return {}
    pip_config = Log()  # one of its own: an index address may hold a password
    for python in (sys.executable, PYTHON):
        if pip_config.run([python, "-m", "pip", "config", "list"]):
            settings = as_uv_settings("\n".join(pip_config.lines[1:]))
            return {name: value for name, value in settings.items() if not os.environ.get(name)}
        pip_config.lines.clear()
    return {}


def pip() -> list[str] | None:
    """Return the command that runs pip on .venv, from inside or from outside of it."""
    inside = [PYTHON, "-m", "pip"]
    outside = [sys.executable, "-m", "pip", "--python", PYTHON]
    return next((command for command in (inside, outside) if Log().run([*command, "-V"])), None)


def is_usable() -> bool:
    """Tell whether .venv works, is new enough and was made in this folder."""
    if not Log().run([PYTHON, "-c", NEW_ENOUGH]):
        return False
    stamps = [
        path.read_text(encoding="utf-8").partition("\n")[0] for path in VENV.glob(".hermes-*")
    ]
    return all(folder == str(ROOT) for folder in stamps)


def clear() -> None:
    """Remove a .venv that does not work, and nothing that is not a virtual environment."""
    if VENV.is_dir() and not (VENV / "pyvenv.cfg").exists() and any(VENV.iterdir()):
        raise SetUpFailed(f"{VENV} is not a virtual environment; move it away and run this again.")
    shutil.rmtree(VENV, ignore_errors=True)


def make_venv(uv: str | None, log: Log) -> None:
    """Make an empty .venv."""
    say(f"  making .venv with Python {sys.version.split()[0]}")
    with_uv = [uv or "uv", "venv", "--no-project", "--no-python-downloads"]
    if uv and log.run([*with_uv, "--python", sys.executable, str(VENV)]):
        return
    if log.run([sys.executable, "-m", "venv", "--clear", str(VENV)]):
        return
    log.run([sys.executable, "-m", "venv", "--clear", "--without-pip", str(VENV)])
    if not uv and pip() is None:
        raise SetUpFailed(
            f"{sys.executable} cannot make virtual environments: it lacks ensurepip and pip.\n"
            "On Debian and Ubuntu: apt install python3-venv. Elsewhere: install pip or uv."
        )


def fetch_uv(log: Log) -> str | None:
    """Install uv into .venv, or return None where the index does not have it."""
    installed = VENV / "bin" / "uv"
    if installed.exists():
        return str(installed)
    say("  fetching uv")
    command = pip()
    options = ["install", "--no-deps", "--require-hashes", "-r", lock("uv")]
    if command and log.run([*command, *options], PIP_SETTINGS):
        return str(installed)
    return None


def install_with_uv(uv: str, group: str, log: Log) -> bool:
    """Install a lock and this project with uv."""
    say("  installing packages with uv")
    env = uv_environment()
    command = [uv, "pip", "install", "--python", PYTHON, "--no-python-downloads"]
    return log.run([*command, "--require-hashes", "-r", lock(group)], env) and log.run(
        [*command, "--no-deps", "-e", "."], env
    )


def install_with_pip(group: str, log: Log) -> bool:
    """Install a lock and this project with pip."""
    command = pip()
    if command is None:
        return False
    say("  installing packages with pip (about half a minute)")
    locked = ["install", "--require-hashes", "-r", lock(group)]
    if not log.run([*command, *locked], PIP_SETTINGS):
        return False
    if not log.run([*command, "install", "--no-deps", "-e", "."], PIP_SETTINGS):
        say("  the build backend is not to be had; linking src/ by hand")
        for packages in VENV.glob("lib/python*/site-packages"):
            (packages / "hermes_tools.pth").write_text(f"{ROOT / 'src'}\n", encoding="utf-8")
    return True


def set_up(group: str, log: Log) -> None:
    """Bring .venv to what a group's lock says."""
    uv = shutil.which("uv")
    kept = is_usable()
    known = kept and any(VENV.glob(".hermes-*"))
    say("Refreshing hermes…" if known else "Setting up hermes (once)…")
    for name in GROUPS[group]:
        stamp(name).unlink(missing_ok=True)
    if not kept:
        clear()
    try:
        if not kept:
            make_venv(uv, log)
        uv = uv or fetch_uv(log)
        if not (uv and install_with_uv(uv, group, log)) and not install_with_pip(group, log):
            raise SetUpFailed(
                "Check the network and your package index settings (python3 -m pip config list,"
                " PIP_* and UV_* variables), then run the same command again."
            )
        for name in GROUPS[group]:
            stamp(name).write_text(f"{ROOT}\n{fingerprint(name)}\n", encoding="utf-8")
    except BaseException:
        if not kept:
            shutil.rmtree(VENV, ignore_errors=True)
        raise


def main(group: str) -> int:
    """Set up a group unless that is done already."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    started = time.monotonic()
    log = Log()
    try:
        with turn():
            if not is_done(group):
                set_up(group, log)
                say(f"Ready after {time.monotonic() - started:.1f} s.")
    except SetUpFailed as error:
        say("\n".join(["", *log.lines[-LOG_TAIL:], "", f"hermes: the set-up failed. {error}"]))
        return 1
    except OSError as error:
        say(f"hermes: the set-up failed: {error}")
        return 1
    except KeyboardInterrupt:
        say("hermes: the set-up was interrupted; the next run starts it afresh.")
        return 130
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in GROUPS:
        sys.exit(f"usage: scripts/venv {'|'.join(GROUPS)}")
    sys.exit(main(sys.argv[1]))
