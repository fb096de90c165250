"""Describe programs that end or slow down processes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes.policy.shell.effects import UNKNOWN, Effect, catastrophe, danger
from hermes.policy.shell.model import Call, Program

_OWN = re.compile(r"own-pid|-own-pid|%[\w+%-]*")
_ANYONE = re.compile(r"[.*^$?]*")
_USERS = ("-u", "-U", "-g", "-G", "--user", "--euid", "--uid")
_RUNNERS = ("hermes",)
"""What hermes's process is called, by how it was installed."""
_ANY_PYTHON = "python3 app.py"
_LINES = ("python3 hermes", "python hermes")
_PLAIN = re.compile(r"[\w /^$.-]{2,40}(?:\.\*[\w /^$.-]{0,40})?")
_SIGNAL = re.compile(r"-(?:\d+|(?:SIG)?[A-Z]+[12]?)", re.IGNORECASE)


def _targets(call: Call) -> list[str] | None:
    """Return whom kill is aimed at, or None when it only lists or asks."""
    targets: list[str] = []
    words = list(call.words)
    has_signal = False
    while words:
        word = words.pop(0)
        if word in ("-l", "-L", "--list", "--table") or word.startswith("--list="):
            return None
        if word in ("-s", "-n", "--signal", "-q", "--queue", "--timeout"):
            signal = words.pop(0) if words else ""
            if signal == "0" and word in ("-s", "-n", "--signal"):
                return None
            has_signal = True
        elif word == "--":
            targets += words
            break
        elif not has_signal and not targets and _SIGNAL.fullmatch(word):
            if word == "-0":
                return None
            has_signal = True
        else:
            targets.append(word)
    return targets


def _kill(call: Call) -> Iterator[Effect]:
    targets = _targets(call)
    if targets is None:
        return
    foreign = [word for word in targets if not _OWN.fullmatch(word) and word.strip()]
    if "-1" in foreign:
        yield catastrophe("process", "ends every process, hermes's own among them")
    elif any(word[:7] == "pid-of-" and _is_meant(word[7:], _RUNNERS) for word in foreign):
        yield catastrophe("process", "ends hermes's own process among others")
    elif "1" in foreign:
        yield danger("process", "ends every process of the machine")
    elif foreign:
        whom = "processes" if UNKNOWN in "".join(foreign) else " ".join(foreign)[:60]
        yield danger("process", f"signals {whom}, which this command did not start")


def _by_name(call: Call) -> Iterator[Effect]:
    is_asking = call.has("-l", "--list", "-0", "-V") or "0" in call.values("-s", "--signal")
    if not is_asking:
        whom = " ".join(call.operands)[:60] or "processes"
        yield danger("process", f"ends {whom} wherever it runs")
        if any(_is_hermes(name, call) for name in call.operands):
            yield catastrophe("process", f"ends {whom}, hermes's own process among them")
        is_all = call.operands and all(_ANYONE.fullmatch(name) for name in call.operands)
        if is_all or (not call.operands and call.has(*_USERS)):
            yield catastrophe("process", "ends every process, hermes's own among them")


def _is_hermes(name: str, call: Call) -> bool:
    """Say whether a name is one that hermes's own process goes by, and not just any Python."""
    if call.has("-P", "--parent", "-t", "-n", "-F", "-g", "--pgroup"):
        return False
    if call.name in ("killall", "taskkill") and not call.has("-r", "--regexp"):
        return name in _RUNNERS
    return _is_meant(
        name, _LINES if call.has("-f", "--full") else _RUNNERS, is_whole=call.has("-x")
    )


def _is_meant(name: str, runners: tuple[str, ...], *, is_whole: bool = False) -> bool:
    if not _PLAIN.fullmatch(name):
        return False
    pattern = re.compile(name)
    if pattern.search(_ANY_PYTHON):
        return False
    return any(map(pattern.fullmatch if is_whole else pattern.search, runners))


def _renice(call: Call) -> Iterator[Effect]:
    if not all(_OWN.fullmatch(word) or word.lstrip("-+").isdigit() for word in call.operands[:1]):
        return
    targets = [*call.operands[0 if call.has("-n", "--priority") else 1 :], *call.values("-p", "-u")]
    if any(not _OWN.fullmatch(word) for word in targets):
        yield danger("process", "changes the priority of processes that are not ours")


PROGRAMS = {
    "kill": Program(handler=_kill),
    "pkill|killall|pskill|taskkill|skill": Program(
        values="-u -U -g -G -P -s -t -F -n -y -o --signal --euid --uid --parent --pgroup --user"
        " --older-than --younger-than",
        handler=_by_name,
    ),
    "renice": Program(values="-n -p -u -g --priority", handler=_renice),
}

RULES = """
    scancel|qdel|bkill|condor_rm|oardel   => process: ends jobs of the cluster: {}
    scontrol update|shutdown|reboot|reconfigure|requeue|hold|delete => service: changes the cluster
    killall5                              => process!: ends every process, hermes's own among them
    loginctl terminate-user|kill-user     => process!: ends every process, hermes's own among them
    xkill|snice|slay                      => process: ends processes that are not ours
    fuser -k|--kill                       => process: ends whatever uses {}
    fuser -ki|-ik|-km|-mk                 => process: ends whatever uses {}
    prlimit -p|--pid                      => process: changes the limits of a process
    gcore|reptyr *                        => exfiltration: looks into another process
    npx|bunx|pnpx kill-port|fkill|fkill-cli => process: ends whatever uses the port {}
    kill-port|fkill                       => process: ends whatever uses {}
"""
