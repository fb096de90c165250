"""Variables that make a harmless program run something else."""

from __future__ import annotations

import re
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from hermes.policy.shell.effects import UNKNOWN

if TYPE_CHECKING:
    from hermes.policy.shell.interpret import Interpreter
from hermes.policy.shell.run import Span
from hermes.policy.shell.scripts import runs_a_script

_SCRATCH = ("/tmp", "/var/tmp", "/dev/shm")
_CODE = re.compile(r"--require|-r|--import|--loader|-e\b|-M|-javaagent|-agent|--eval|-I|-d:")
_FLAGS = re.compile(r"-javaagent|-agent(?:path|lib)|-toolexec|--eval|linker=")
_INERT = frozenset({"", "cat", "true", "false", ":", "less", "more", "vi", "vim", "nano", "emacs"})
_SAFE_SSH = re.compile(r"ssh(?: -(?:i \S+|o (?!ProxyCommand|LocalCommand)\S+|v+|4|6|q))*$")
_BY_OTHERS = frozenset(
    {"GIT_SSH_COMMAND", "GIT_SSH", "GIT_EXTERNAL_DIFF", "GIT_ASKPASS", "GIT_PROXY_COMMAND"}
    | {"SSH_ASKPASS", "SUDO_ASKPASS", "LESSOPEN", "LESSCLOSE", "RSYNC_RSH", "CVS_RSH", "BROWSER"}
    | {"PAGER", "GIT_PAGER", "MANPAGER", "PROMPT_COMMAND"}
)
"""Variables by which a program is made to run what it has nothing to do with."""
_GIT = ("hooksPath", "pager", "sshCommand", "alias", "!")


class Set(NamedTuple):
    """A variable that is being set, and what for."""

    interpreter: Interpreter
    name: str
    value: str
    program: str
    span: Span


def look(interpreter: Interpreter, name: str, value: str, program: str, span: Span) -> None:
    """Write down what a variable makes later programs do."""
    if not name.isupper() and not name.startswith(("BASH_FUNC", "npm_config_")):
        return
    given = Set(interpreter, name, value, program, span)
    for names, judge in _JUDGES:
        if any(fnmatchcase(name, pattern) for pattern in names):
            judge(given)
            return


def _library(given: Set) -> None:
    first = given.value.split(":")[0]
    if given.name.endswith("LIBRARY_PATH") and not first.startswith(_SCRATCH):
        return
    what = f"loads {given.value or 'a library'} into programs"
    given.interpreter.warn("obfuscation", what, given.span)


def _options(given: Set) -> None:
    if _CODE.search(given.value):
        what = f"has programs run more code through {given.name}"
        given.interpreter.warn("obfuscation", what, given.span)


def _flags(given: Set) -> None:
    if _FLAGS.search(given.value):
        what = f"has a build run more code through {given.name}"
        given.interpreter.warn("obfuscation", what, given.span)


def _prompt(given: Set) -> None:
    if "$(" in given.value or "`" in given.value:
        given.interpreter.run_text(f'echo "{given.value}"', given.span, apart=True)


def _command(given: Set) -> None:
    value = given.value
    if value in _INERT or value == UNKNOWN or _SAFE_SSH.match(value):
        return
    text = value.lstrip("|! ")
    if text.startswith(_SCRATCH) or (given.name in _BY_OTHERS and runs_a_script(text)):
        what = f"has programs run {value} through {given.name}"
        given.interpreter.warn("obfuscation", what, given.span)
    given.interpreter.run_text(text, given.span, apart=True)


def _searched(given: Set) -> None:
    own = given.interpreter.state.places.workspace
    if given.value.startswith(_SCRATCH) and not given.value.startswith(own):
        what = f"has programs taken from {given.value.split(':')[0]}"
        given.interpreter.warn("obfuscation", what, given.span)


def _first(given: Set) -> None:
    if "/" in given.value:
        given.interpreter.warn("obfuscation", f"has programs run {given.value} first", given.span)
        state = given.interpreter.state
        own = state.files.get(state.absolute(given.value))
        if own is not None and own.text:
            given.interpreter.run_text(own.text, given.span, apart=True)


def _git(given: Set) -> None:
    if any(word in given.value for word in _GIT):
        what = f"changes what git runs through {given.name}"
        given.interpreter.warn("obfuscation", what, given.span)


def _hermes(given: Set) -> None:
    if given.program.rpartition("/")[2] in ("hermes", ""):
        what = f"changes hermes's own policy through {given.name}"
        given.interpreter.warn("privilege", what, given.span)


def _elsewhere(given: Set) -> None:
    if given.value.startswith(("ssh://", "tcp://")) and "127.0.0.1" not in given.value:
        what = f"works on the containers of another machine, {given.value}"
        given.interpreter.warn("infrastructure", what, given.span)


def _certificates(given: Set) -> None:
    if given.value == "0":
        given.interpreter.warn("privilege", "switches off the check of certificates", given.span)


def _history(given: Set) -> None:
    if given.value in ("/dev/null", "0", ""):
        what = "stops the shell from keeping its history"
        given.interpreter.warn("privilege", what, given.span)


_JUDGES: tuple[tuple[tuple[str, ...], Callable[[Set], None]], ...] = (
    (
        (
            "LD_PRELOAD", "LD_AUDIT", "*LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "GCONV_PATH",
            "PERL5DB", "PYTHONINSPECT", "BASH_FUNC_*",
        ),
        _library,
    ),
    (
        (
            "NODE_OPTIONS", "RUBYOPT", "PERL5OPT", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS",
        ),
        _options,
    ),
    (
        (
            "JDK_JAVA_OPTIONS", "JAVA_OPTS", "MAVEN_OPTS", "GRADLE_OPTS", "SBT_OPTS", "JVM_OPTS",
            "GOFLAGS", "MAKEFLAGS", "GNUMAKEFLAGS", "RUSTFLAGS", "LEIN_JVM_OPTS",
        ),
        _flags,
    ),
    (("PS0", "PS1", "PS2", "PS4"), _prompt),
    (
        (
            "PATH", "PYTHONPATH", "PYTHONHOME", "PERL5LIB", "RUBYLIB", "NODE_PATH", "ZDOTDIR",
            "CLASSPATH", "OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES", "LUA_PATH",
            "LUA_CPATH", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR", "GIT_CONFIG_GLOBAL", "SHELL",
            "npm_config_script_shell", "npm_config_node_options", "npm_config_globalconfig",
            "GEM_HOME", "BUNDLE_GEMFILE", "R_PROFILE_USER", "JULIA_DEPOT_PATH", "VIMINIT",
        ),
        _searched,
    ),
    (("BASH_ENV", "ENV", "PYTHONSTARTUP"), _first),
    (("GIT_CONFIG*",), _git),
    (("HERMES_*",), _hermes),
    (("DOCKER_HOST",), _elsewhere),
    (("NODE_TLS_REJECT_UNAUTHORIZED", "PYTHONHTTPSVERIFY"), _certificates),
    (("HISTFILE", "HISTSIZE"), _history),
    (
        (
            "PROMPT_COMMAND", "GIT_SSH_COMMAND", "GIT_SSH", "GIT_EXTERNAL_DIFF", "GIT_ASKPASS",
            "GIT_PROXY_COMMAND", "GIT_SEQUENCE_EDITOR", "SSH_ASKPASS", "SUDO_ASKPASS", "LESSOPEN",
            "LESSCLOSE", "RSYNC_RSH", "CVS_RSH", "BROWSER", "*PAGER", "*EDITOR", "VISUAL",
            "MANROFFOPT", "TAR_OPTIONS", "RUSTC*WRAPPER", "CARGO_BUILD_RUSTC*", "RUSTC",
            "CARGO_TARGET_*_RUNNER", "CMAKE_*_LAUNCHER", "CC",
            "CXX", "LD", "AR", "PYTHON", "NODE", "MAKE",
        ),
        _command,
    ),
)  # fmt: skip
