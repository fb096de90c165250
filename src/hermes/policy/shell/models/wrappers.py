"""Programs that only start another one: what follows their own options is the command."""

from __future__ import annotations

from collections.abc import Iterator

from hermes.policy.shell.effects import Effect
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.inside import command


def _guix(call: Call) -> Iterator[Effect]:
    """Yield the command behind ``--``."""
    if "--" in call.words[:-1]:
        yield command(call.words[call.words.index("--") + 1 :])


_BEFORE = {
    "nohup": "", "nice": "-n --adjustment", "ionice": "-c -n -p --class --classdata",
    "setsid": "", "stdbuf": "-i -o -e", "unbuffer": "", "chronic": "", "catchsegv": "",
    "strace": "-e -o -p -s -E -u -P -a -S", "ltrace": "-e -o -p -s",
    "xvfb-run": "-n -s -e -f -p -w",
    "dbus-run-session": "", "dbus-launch": "", "fakeroot": "-l -s -i -b", "rlwrap": "-f -H",
    "torsocks": "", "proxychains": "-f", "proxychains4": "-f", "tsocks": "", "valgrind": "",
    "heaptrack": "-o", "numactl": "-N -m -C", "setarch": "", "linux32": "", "linux64": "",
    "time": "-f -o --format --output", "gtime": "-f -o", "caffeinate": "-t -w",
    "sshpass": "-p -f -e",
    "cgexec": "-g", "firejail": "", "proot": "-r -b -w", "noglob": "", "nocorrect": "",
    "prlimit": "-p --pid", "pipenv run": "", "retry": "-t -d -m", "softlimit": "-m -c",
    "ssh-agent": "-a -E -P -t",
    "envdir": "", "with-contenv": "", "tini": "", "dumb-init": "", "faketime": "",
    "chpst": "-u -U -e -d -o -p -f -c -m -n -l -L -/", "cpulimit": "-l -p -e --limit --pid --exe",
    "ccache": "", "distcc": "", "sccache": "", "icecc": "", "rr": "", "bear": "", "scan-build": "",
    "annotate-output": "",
}  # fmt: skip

PROGRAMS = {
    **{name: Program("command", values=values, stops=True) for name, values in _BEFORE.items()},
    "timeout|gtimeout": Program("text command", values="-s --signal -k --kill-after"),
    "taskset|chrt": Program("text command", values="-p", stops=False),
    "faketime": Program("text command", stops=False),
    "direnv exec": Program("text command"),
    "dotenv": Program(values="-f -e --env --file"),
    "dotenv run": Program("command"),
    "dotenvx run": Program("command", values="-f --env-file -e --env"),
    "concurrently|npm-run-all": Program("run*", values="-n --names -c --prefix"),
    "nodemon|onchange|chokidar": Program(options={"-x|--exec|-c|--command": "run"}),
    "watchexec": Program("command", values="-w -e -f -i -d -s --watch --exts --filter", stops=True),
    "setuidgid|s6-setuidgid|su-exec|gosu-exec": Program("text command"),
    "guix shell|environment|time-machine": Program(values="-m -f --manifest --file", handler=_guix),
    "daemonize": Program("command", values="-p -l -u -a -e -o -c -E"),
    "start-stop-daemon": Program("command", values="--pidfile -p --user -u --chuid -c --name -n"),
    "bwrap": Program("command"),
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
setuidgid|s6-setuidgid|su-exec => privilege: runs something as another user
guix shell|environment -m=*://*|-f=*://* => network-exec: builds from code of the network
systemd-run => service: starts a service with systemd-run
strace|ltrace|gcore|jmap|py-spy|rbspy -p => process: looks into a process that is running
gcore|jmap => process: writes out the memory of a process
"""
