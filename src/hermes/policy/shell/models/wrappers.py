"""Programs that only start another one: what follows their own options is the command."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes.policy.shell.effects import Effect
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.inside import command

_VERSION = re.compile(r"v?\d|lts|node$|stable$|system$|default$|--lts")
_TWO_VALUES = re.compile(r"--(?:ro-|dev-)?bind|--symlink|--setenv|--file|--chmod|--overlay$")
_ONE_VALUE = re.compile(
    r"--(?:tmpfs|proc|dev|dir|chdir|unsetenv|hostname|uid|gid|cap-\w+|seccomp|args|lock-file"
    r"|sync-fd|block-fd|info-fd|perms|size|mqueue|remount-ro|exec-label|file-label|userns\w*|argv0)$"
)


def _behind_dashes(call: Call) -> Iterator[Effect]:
    """Yield the command behind ``--``."""
    if "--" in call.words[:-1]:
        yield command(call.words[call.words.index("--") + 1 :])


def _dotenv(call: Call) -> Iterator[Effect]:
    """Yield the command that runs with the variables of a file; dashes may stand before it."""
    if "--" in call.words:
        yield from _behind_dashes(call)
    elif call.operands and call.operands[0] not in ("list", "get", "set", "unset", "run"):
        yield command(call.operands)


def _watched(call: Call) -> Iterator[Effect]:
    """Yield the command that runs when files change: words, or one text for a shell."""
    if len(call.operands) == 1:
        yield Effect("run", call.operands[0])
    elif call.operands:
        yield command(call.operands)


def _nvm(call: Call) -> Iterator[Effect]:
    """Yield the command behind the version that it runs under."""
    words = [word for word in call.words[1:] if word != "--silent"]
    yield command(words[1:] if words and _VERSION.match(words[0]) else words)


def _bwrap(call: Call) -> Iterator[Effect]:
    """Yield the command behind the options, some of which take two values."""
    words = list(call.words)
    while words and words[0].startswith("--"):
        word = words.pop(0)
        if word == "--":
            break
        del words[: 2 if _TWO_VALUES.match(word) else 1 if _ONE_VALUE.match(word) else 0]
    yield command(words)


_BEFORE = {
    "nohup": "", "nice": "-n --adjustment", "ionice": "-c -n -p --class --classdata",
    "setsid": "", "stdbuf": "-i -o -e", "unbuffer": "", "chronic": "", "catchsegv": "",
    "strace": "-e -o -p -s -E -u -P -a -S", "ltrace": "-e -o -p -s",
    "xvfb-run": "-n -s -e -f -p -w",
    "dbus-run-session": "", "dbus-launch": "", "fakeroot": "-l -s -i -b", "rlwrap": "-f -H",
    "torsocks": "", "proxychains": "-f", "proxychains4": "-f", "tsocks": "", "valgrind": "",
    "heaptrack": "-o", "numactl": "-N -m -C", "linux32": "", "linux64": "",
    "time": "-f -o --format --output", "gtime": "-f -o", "caffeinate": "-t -w",
    "sshpass": "-p -f -e",
    "cgexec": "-g", "firejail": "", "proot": "-r -b -w", "noglob": "", "nocorrect": "",
    "prlimit": "-p --pid", "pipenv run": "", "retry": "-t -d -m -n", "softlimit": "-m -c",
    "ssh-agent": "-a -E -P -t",
    "with-contenv": "", "tini": "", "dumb-init": "", "faketime": "",
    "chpst": "-u -U -e -d -o -p -f -c -m -n -l -L -/", "cpulimit": "-l -p -e --limit --pid --exe",
    "ccache": "", "distcc": "", "sccache": "", "icecc": "", "rr": "", "bear": "", "scan-build": "",
    "annotate-output": "", "eatmydata": "", "nocache": "", "daemon": "-n -o -D -u",
    "winpty": "", "i386": "", "x86_64": "",
    "trickle": "-d -u -s -w -t -l -n", "uclampset": "-m -M -p", "choom": "-n -p",
    "pyenv exec": "", "rbenv exec": "", "nodenv exec": "", "goenv exec": "", "jenv exec": "",
    "volta run": "--node --npm --yarn", "teller run": "", "wsl": "-d -u --cd --distribution --user",
    "pixi exec": "-s --spec -c --channel", "sem": "-j --id", "arch": "-e -arch",
    "rr record": "-n -o", "distrobox enter": "-n --name", "toolbox run": "-c --container",
    "flatpak-spawn": "--env --directory", "schroot": "-c -u -d", "lxc-execute": "-n",
    "fnm exec": "--using",
}  # fmt: skip

_LOGS = {
    name: {"-o|--output": "write"} for name in ("time", "gtime", "strace", "ltrace", "heaptrack")
}

PROGRAMS = {
    **{
        name: Program("command", values=values, options=_LOGS.get(name, {}), stops=True)
        for name, values in _BEFORE.items()
    },
    "timeout|gtimeout": Program("text command", values="-s --signal -k --kill-after"),
    "taskset|chrt": Program("text command", values="-p", stops=False),
    "faketime": Program("text command", stops=False),
    "direnv exec": Program("text command"),
    "dotenv": Program(values="-f -e --env --file", handler=_dotenv, stops=True),
    "aws-vault exec": Program("text command", values="--backend --prompt -d --duration"),
    "envdir|envchain|setarch": Program("text command"),
    "nvm exec": Program(handler=_nvm),
    "dotenv run": Program("command"),
    "dotenvx run": Program("command", values="-f --env-file -e --env"),
    "concurrently|npm-run-all": Program("run*", values="-n --names -c --prefix"),
    "nodemon|onchange|chokidar": Program(options={"-x|--exec|-c|--command": "run"}),
    "watchexec": Program(
        values="-w -e -f -i -d -s --watch --exts --filter --shell", stops=True, handler=_watched
    ),
    "setuidgid|s6-setuidgid|su-exec|gosu|gosu-exec": Program("text command"),
    "guix shell|environment|time-machine": Program(
        values="-m -f --manifest --file", handler=_behind_dashes
    ),
    "daemonize": Program("command", values="-p -l -u -a -e -o -c -E"),
    "start-stop-daemon": Program("command", values="--pidfile -p --user -u --chuid -c --name -n"),
    "bwrap": Program(handler=_bwrap),
    "singularity|apptainer exec|run": Program("text command", values="--bind -B --pwd --home -H"),
    "mise exec|x": Program("command", stops=True),
    "asdf exec": Program("command", stops=True),
    "perf stat|record|trace": Program("command", values="-e -o -F -g -p -r", stops=True),
    "systemd-run": Program("command", values="-p --property -u --unit --uid --gid -E", stops=True),
    "systemd-inhibit": Program("command", stops=True),
    "nix-shell": Program(options={"--run|--command": "run"}, values="-p --packages -A -I"),
    "nix develop|shell": Program(options={"-c|--command": "run"}),
}

RULES = """
chpst -u|-U => privilege: runs something as another user
setuidgid|s6-setuidgid|su-exec|gosu => privilege: runs something as another user
guix shell|environment -m=*://*|-f=*://* => network-exec: builds from code of the network
systemd-run => service: starts a service with systemd-run
strace|ltrace|gcore|jmap|py-spy|rbspy -p => process: looks into a process that is running
gcore|jmap => process: writes out the memory of a process
"""
