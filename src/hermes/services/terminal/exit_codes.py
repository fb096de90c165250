"""What exit codes mean, where they mean something."""

from __future__ import annotations

import re
import signal

_NO_MATCH = {1: "no match; not an error"}
_DIFFER = {1: "they differ; not an error"}
_FALSE = {1: "the condition is false; not an error"}
_CURL = {
    3: "the address is malformed",
    5: "the proxy's name could not be resolved",
    6: "the host's name could not be resolved",
    7: "no connection to the host",
    22: "the server answered with an error status (400 or above)",
    23: "the answer could not be written",
    28: "it took too long",
    35: "the secure connection failed",
    52: "the server answered nothing",
    56: "the connection broke while receiving",
    60: "the server's certificate is not trusted",
}
_PYTEST = {
    1: "tests failed",
    2: "interrupted, or a test file could not be imported",
    3: "pytest itself failed",
    4: "pytest was called wrongly",
    5: "no tests were found",
}
_BY_PROGRAM: dict[str, dict[int, str]] = {
    **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "pgrep"), _NO_MATCH),
    **dict.fromkeys(("diff", "cmp", "colordiff", "zdiff"), _DIFFER),
    **dict.fromkeys(("test", "[", "[["), _FALSE),
    **dict.fromkeys(("pytest", "py.test"), _PYTEST),
    "curl": _CURL,
    "wget": {4: "a network failure", 5: "the secure connection failed", 8: "an error status"},
    "ssh": {255: "the connection failed"},
    "which": {1: "not found"},
    "rsync": {23: "some files were not copied", 30: "it took too long"},
    "timeout": {124: "the time limit was reached"},
    "make": {1: "not up to date", 2: "a recipe failed"},
}
_ALWAYS = {
    124: "a time limit was reached",
    126: "it was found but cannot be executed, or the folder is not there",
    127: "a command was not found",
    128: "it was called wrongly",
}
_BETWEEN = re.compile(r"\|\||&&|[|;\n&]")
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=\S*$")
_WRAPPERS = frozenset(
    {"sudo", "env", "nice", "nohup", "time", "command", "exec", "stdbuf", "xargs"}
)


def meaning(command: str, code: int) -> str | None:
    """Return what an exit code says, in a few words; None if nothing beyond that it failed."""
    if code == 0:
        return None
    if code < 0 or code > 128:
        name = signal_name(-code if code < 0 else code - 128)
        if name:
            return f"ended by the signal {name}"
    found = _BY_PROGRAM.get(_program(command), {}).get(code)
    return found or _ALWAYS.get(code)


def signal_name(number: int) -> str | None:
    """Return what a signal is called and why it usually comes."""
    usual = {
        signal.SIGKILL: "KILL: killed, perhaps for using too much memory",
        signal.SIGSEGV: "SEGV: it touched memory it must not",
        signal.SIGPIPE: "PIPE: nobody read what it wrote",
        signal.SIGTERM: "TERM: it was asked to end",
        signal.SIGINT: "INT: it was interrupted",
        signal.SIGABRT: "ABRT: it gave up by itself",
        signal.SIGXFSZ: "XFSZ: it wrote a file larger than allowed",
        signal.SIGXCPU: "XCPU: it used more processor time than allowed",
        signal.SIGSYS: "SYS: it made a system call that is not allowed",
    }
    try:
        known = signal.Signals(number)
    except ValueError:
        return None
    return usual.get(known, known.name.removeprefix("SIG"))


def _program(command: str) -> str:
    """Return the program whose exit code a command has: the last one, as far as words tell."""
    parts = [part.split() for part in _BETWEEN.split(command) if part.strip()]
    words = parts[-1] if parts else []
    while words and (_ASSIGNED.match(words[0]) or words[0] in _WRAPPERS or words[0] == "!"):
        words = words[1:]
    if len(words) > 2 and words[0].startswith("python") and words[1] == "-m":
        return words[2]
    return words[0].rpartition("/")[2] if words else ""
