"""Variables that make a harmless program run something else."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from hermes.policy.shell.effects import UNKNOWN

if TYPE_CHECKING:
    from hermes.policy.shell.interpret import Interpreter, Span

_LOADING = (
    "LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH",
    "GCONV_PATH", "PERL5DB", "PYTHONINSPECT", "BASH_FUNC_*",
)  # fmt: skip
_SEARCHED = frozenset({"PATH", "PYTHONPATH", "PERL5LIB", "RUBYLIB", "NODE_PATH", "ZDOTDIR"})
_SCRATCH = ("/tmp", "/var/tmp", "/dev/shm")
_COMMANDS = (
    "PROMPT_COMMAND", "PS0", "PS1", "PS2", "PS4", "GIT_SSH_COMMAND", "GIT_SSH", "GIT_EXTERNAL_DIFF",
    "GIT_PROXY_COMMAND", "GIT_ASKPASS", "SSH_ASKPASS", "LESSOPEN", "LESSCLOSE", "RSYNC_RSH",
    "CVS_RSH", "BROWSER", "*PAGER", "*EDITOR", "VISUAL", "SUDO_ASKPASS", "MANROFFOPT", "TAR_OPTIONS",
    "RUSTC_WRAPPER", "CARGO_TARGET_*_RUNNER", "GIT_SEQUENCE_EDITOR", "CC", "CXX", "LD", "AR",
    "RUSTC", "PYTHON", "NODE", "MAKE",
)  # fmt: skip
_OPTIONS = ("NODE_OPTIONS", "RUBYOPT", "PERL5OPT", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS")
_CODE = re.compile(r"--require|-r|--import|--loader|-e\b|-M|-javaagent|-agent|--eval|-I")
_INERT = frozenset({"", "cat", "true", "false", ":", "less", "more", "vi", "vim", "nano", "emacs"})
_SAFE_SSH = re.compile(r"ssh(?: -(?:i \S+|o (?!ProxyCommand|LocalCommand)\S+|v+|4|6|q))*$")


def look(interpreter: Interpreter, name: str, value: str, program: str, span: Span) -> None:
    """Write down what a variable makes later programs do."""
    if not name.isupper() and not name.startswith("BASH_FUNC"):
        return
    if _is_one_of(name, _LOADING):
        where = value.split(":")[0]
        if name.endswith("LIBRARY_PATH") and not where.startswith(("/tmp", "/dev/shm", "/var/tmp")):
            return
        interpreter.warn("obfuscation", f"loads {value or 'a library'} into programs", span)
    elif _is_one_of(name, _OPTIONS) and _CODE.search(value):
        interpreter.warn("obfuscation", f"has programs run more code through {name}", span)
    elif _is_one_of(name, _COMMANDS):
        if value not in _INERT and not _SAFE_SSH.match(value) and value != UNKNOWN:
            _commanded(interpreter, name, value, span)
    elif name in _SEARCHED and value.startswith(_SCRATCH):
        interpreter.warn("obfuscation", f"has programs taken from {value.split(':')[0]}", span)
    elif name in ("BASH_ENV", "ENV", "PYTHONSTARTUP") and "/" in value:
        interpreter.warn("obfuscation", f"has programs run {value} first", span)
    elif name.startswith("GIT_CONFIG") or name == "GIT_EXEC_PATH":
        if any(word in value for word in ("hooksPath", "pager", "sshCommand", "alias", "!")):
            interpreter.warn("obfuscation", f"changes what git runs through {name}", span)
    elif name.startswith("HERMES_") and program.rpartition("/")[2] in ("hermes", ""):
        interpreter.warn("privilege", f"changes hermes's own policy through {name}", span)
    elif name in ("NODE_TLS_REJECT_UNAUTHORIZED", "PYTHONHTTPSVERIFY") and value == "0":
        interpreter.warn("privilege", "switches off the check of certificates", span)
    elif name == "HISTFILE" and value == "/dev/null":
        interpreter.warn("privilege", "stops the shell from keeping its history", span)


def _commanded(interpreter: Interpreter, name: str, value: str, span: Span) -> None:
    if name in ("PS1", "PS2", "PS4", "PS0"):
        if "$(" in value or "`" in value:
            interpreter.run_text(f'echo "{value}"', span, apart=True)
        return
    if value.lstrip("|! ").startswith(_SCRATCH):
        interpreter.warn("obfuscation", f"has programs run {value} through {name}", span)
    interpreter.run_text(value.lstrip("|! "), span, apart=True)


def _is_one_of(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
