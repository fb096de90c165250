"""Programs that run others with other rights, elsewhere, or later: sudo, env, ssh, at."""

from __future__ import annotations

import re

from hermes.base.optional import load
from hermes.policy.shell.carried import suspect_planned
from hermes.policy.shell.effects import Effect
from hermes.policy.shell.ending import end
from hermes.policy.shell.flow import ANYTHING, Flow
from hermes.policy.shell.interpret import Interpreter
from hermes.policy.shell.languages import SHELLS
from hermes.policy.shell.model import HELP, Call, Program, told_apart
from hermes.policy.shell.modelled import modelled
from hermes.policy.shell.run import Run
from hermes.policy.shell.running import fed
from hermes.policy.shell.suspicion import heard, suspect
from hermes.policy.shell.variables import look

_ASSIGNED = re.compile(r"[A-Za-z_]\w*=")
_SUDO = Program(
    values="-u --user -g --group -h --host -p --prompt -C -r -t -T -U -D --chdir -R", stops=True
)
_ENV = Program(values="-u --unset -C --chdir -S --split-string -P -a --argv0", stops=True)
_SSH = Program(values="-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B", stops=True)
_SU = Program(
    values="-c --command -s --shell -g --group -G -w -C --session-command -T -u --user", stops=False
)
_LOOKING = frozenset(
    {
        "ls", "cat", "head", "tail", "less", "more", "grep", "egrep", "zgrep", "find", "df", "du",
        "free", "uptime", "ps", "top", "w", "who", "whoami", "id", "uname", "hostname", "date",
        "wc", "sort", "uniq", "awk", "sed", "cut", "tr", "ss", "netstat", "lsof", "journalctl",
        "dmesg", "stat", "file", "pwd", "cd", "echo", "printf", "true", "test", "[", "which",
        "type", "command", "env", "nproc", "lscpu", "lsblk", "vmstat", "iostat",
        "ip", "ping",
        "md5sum", "sha256sum", "readlink", "pgrep", "last", "groups", "getent", "set", "exit", "jq",
        "column", "timeout", "nice", "sleep", "mount", "crontab",
    }
)  # fmt: skip
_LOOKING_WITH = {
    "systemctl": ("status", "list-units", "is-active", "show", "cat", "list-timers"),
    "docker": ("ps", "logs", "images", "inspect", "stats", "version", "info", "top"),
    "podman": ("ps", "logs", "images", "inspect", "stats"),
    "kubectl": ("get", "describe", "logs", "top"),
    "git": ("status", "log", "diff", "show", "branch", "rev-parse", "remote"),
}


def sudo(interpreter: Interpreter, run: Run) -> Flow:
    """Follow sudo and its kin."""
    call = told_apart(run.name, run.words, _SUDO)
    words = list(call.operands)
    while words and _ASSIGNED.match(words[0]):
        name, _, value = words.pop(0).partition("=")
        look(interpreter, name, value, words[0] if words else "", run.span)
    if not words:
        if call.has("-l", "-v", "-k", "-K", "--list", "--version", "-V", "--help", "-h"):
            return ANYTHING
        if call.has("-i", "-s", "--login", "--shell", "-e", "--edit"):
            interpreter.warn(
                "privilege", f"opens a shell as another user with {run.name}", run.span
            )
            return _told(interpreter, run)
        return ANYTHING
    if words == ["true"]:
        return ANYTHING
    who = call.value("-u", "--user") or "root"
    told = " ".join(words)[:60]
    if call.has("-e", "--edit"):
        for path in words:
            interpreter.note(Effect("write", path), run.span)
    interpreter.warn("privilege", f"runs as {who}: {told}", run.span)
    if call.has("-e", "--edit"):
        return ANYTHING
    return _in_folder(interpreter, run, call.value("-D", "--chdir"), words)


def su(interpreter: Interpreter, run: Run) -> Flow:
    """Follow su and runuser: a shell or one command as somebody else."""
    call = told_apart(run.name, run.words, _SU)
    if call.has("--help", "--version", "-h", "-V"):
        return ANYTHING
    names = [name for name in call.operands if name != "-"]
    who = call.value("-u", "--user") or (names[0] if names else "root")
    interpreter.warn("privilege", f"acts as the user {who}", run.span)
    if call.has("-u", "--user") and names:
        return interpreter.rerun(run, run.words[run.words.index(names[0]) :])
    texts = call.values("-c", "--command", "--session-command")
    for text in texts:
        interpreter.run_text(text, run.span, piped=run.piped, apart=True)
    return ANYTHING if texts else _told(interpreter, run)


def _told(interpreter: Interpreter, run: Run) -> Flow:
    """Follow a shell that is opened for what is piped into it."""
    return fed(interpreter, run, "bash") if run.piped.text != "" else ANYTHING


def env(interpreter: Interpreter, run: Run) -> Flow:
    """Follow env: variables, then a command; alone it prints them all."""
    call = told_apart(run.name, run.words, _ENV)
    words = list(call.operands)
    for text in call.values("-S", "--split-string"):
        home = interpreter.state.places.home  # env knows no ~, but whoever writes it means that
        words = [*(re.sub(r"^~(?=/|$)", home, word) for word in _split(text)), *words]
    is_set = False
    while words and _ASSIGNED.match(words[0]):
        name, _, value = words.pop(0).partition("=")
        is_set = True
        look(interpreter, name, value, words[0] if words else "", run.span)
    if call.has("-i", "-", "--ignore-environment") or call.has("-u", "--unset"):
        _bare(interpreter, run, call, words)
    if words:
        return _in_folder(interpreter, run, call.value("-C", "--chdir"), words)
    if call.has("--help", "--version"):
        return ANYTHING
    if not run.is_sent and not (is_set and call.has("-i", "-")):
        interpreter.warn("exfiltration", "prints every variable, secrets among them", run.span)
    return Flow(None, (), frozenset({"environment"}))


def _in_folder(interpreter: Interpreter, run: Run, folder: str | None, words: list[str]) -> Flow:
    """Understand a command that a wrapper runs, in another folder where it says so."""
    state = interpreter.state
    kept = state.cwd
    state.cwd = state.absolute(folder) if folder else kept
    try:
        return interpreter.rerun(run, words)
    finally:
        interpreter.state.cwd = kept


def _bare(interpreter: Interpreter, run: Run, call: Call, words: list[str]) -> None:
    """Notice a hermes that is started without the variable that names its home."""
    is_gone = call.has("-i", "-") or "HERMES_HOME" in call.values("-u", "--unset")
    if is_gone and words and words[0].rpartition("/")[2] == "hermes":
        interpreter.warn("privilege", "starts hermes without hermes's own policy", run.span)


def _split(text: str) -> list[str]:
    """Return the words of ``env -S``; where the quotes do not pair, as blanks part them."""
    try:
        found: list[str] = load("shlex").split(text)
    except ValueError:
        return text.split()
    return found


def ssh(interpreter: Interpreter, run: Run) -> Flow:
    """Follow ssh: what would happen on the other machine."""
    call = told_apart(run.name, run.words, _SSH)
    if call.has("-V", "-Q", "-G") or not call.operands:
        return ANYTHING
    host, rest = call.operands[0], list(call.operands[1:])
    while rest and rest[0].startswith("-"):
        more = told_apart(run.name, rest, _SSH)
        if len(more.operands) == len(rest):
            break  # a dash alone is no option
        call = call._replace(flags={**call.flags, **more.flags})
        rest = list(more.operands)
    _ways(interpreter, run, call.flags)
    if call.has("-O") or (call.has("-N") and not rest):
        return ANYTHING
    if not rest:
        if run.piped.text:
            _elsewhere(interpreter, run, host, run.piped.text)
        elif not call.has("-T") and not host.startswith("git@"):
            interpreter.warn("infrastructure", f"opens a shell on {host}", run.span)
        suspect(interpreter, heard(run.piped.origins), run.span)
        return ANYTHING
    _elsewhere(interpreter, run, host, " ".join(rest))
    return Flow(None, (), frozenset({"network"}))


def _ways(interpreter: Interpreter, run: Run, flags: dict[str, tuple[str, ...]] | object) -> None:
    given = flags if isinstance(flags, dict) else {}
    for option in given.get("-o", ()):
        name, _, value = option.partition("=" if "=" in option else " ")
        if name.lower() in ("proxycommand", "localcommand", "knownhostscommand"):
            interpreter.run_text(value, run.span, apart=True)
    if "-A" in given:
        interpreter.warn(
            "exfiltration", "lets the other machine use the keys of this one", run.span
        )
    if "-R" in given or "-w" in given:
        interpreter.warn("exfiltration", "opens a way from the other machine into this", run.span)
    if any(value.startswith(("0.0.0.0:", "*:")) for value in given.get("-L", ())):
        interpreter.warn("publish", "opens a way through this machine for everybody", run.span)
    if "-D" in given and "-N" in given:
        interpreter.warn("exfiltration", "opens a proxy through the other machine", run.span)


def _elsewhere(interpreter: Interpreter, run: Run, host: str, text: str) -> None:
    """Judge a command of another machine: it may look, and anything else is asked about."""
    other = Interpreter(interpreter.state.copy(), interpreter.ways)
    other.run_text(text, run.span, piped=run.piped)
    end(other)
    interpreter.ran += other.ran
    changes = any(note.effect.kind not in ("read", "net") for note in other.noted)
    interpreter.noted += other.noted
    if changes or other.unknown or not all(map(_only_looks, other.ran)):
        interpreter.warn("infrastructure", f"runs on {host}: {text[:60]}", run.span)


def _only_looks(words: tuple[str, ...]) -> bool:
    """Say whether a command of another machine is one of those that only look."""
    name = words[0].rpartition("/")[2]
    operands = [word for word in words[1:] if not word.startswith("-")]
    if name in SHELLS:
        return any(word.startswith("-") and "c" in word for word in words[1:])
    verbs = _LOOKING_WITH.get(name)
    if verbs is not None:
        return any(operand in verbs for operand in operands[:2])
    return name in _LOOKING


def later(interpreter: Interpreter, run: Run) -> Flow:
    """Follow at and batch: what is piped in runs later, when nobody looks."""
    if any(word in ("-l", "-c", "-V", *HELP) for word in run.words) or run.name == "atq":
        return ANYTHING
    if any(word in ("-r", "-d") for word in run.words):
        interpreter.warn("persistence", "removes jobs that were to run later", run.span)
        return ANYTHING
    interpreter.warn("persistence", "has a command run later", run.span)
    if run.piped.text:
        interpreter.run_text(run.piped.text, run.span, apart=True)
    return ANYTHING


def planned(interpreter: Interpreter, run: Run) -> Flow:
    """Follow crontab: the table that is piped in runs later."""
    suspect_planned(interpreter, run)
    return modelled(interpreter, run)


def busybox(interpreter: Interpreter, run: Run) -> Flow:
    """Follow busybox: the first word is the program."""
    if not run.words or run.words[0].startswith("--"):
        return ANYTHING
    return interpreter.rerun(run, run.words)


SPECIALS = {
    **dict.fromkeys(("sudo", "doas", "pkexec", "sudoedit", "run0"), sudo),
    **dict.fromkeys(("su", "runuser"), su),
    **dict.fromkeys(("env", "genv"), env),
    **dict.fromkeys(("ssh", "autossh", "mosh"), ssh),
    **dict.fromkeys(("at", "batch"), later),
    **dict.fromkeys(("crontab", "fcrontab"), planned),
    **dict.fromkeys(("busybox", "toybox"), busybox),
}
