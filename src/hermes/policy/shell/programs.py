"""Understand one program: a function, a builtin, a wrapper, a model, or nothing we know."""

from __future__ import annotations

import functools
import json
import re
import shlex
from collections.abc import Callable
from fnmatch import fnmatchcase

from hermes.policy.shell.effects import UNKNOWN
from hermes.policy.shell.filters import filtered
from hermes.policy.shell.flow import ANYTHING, Flow, known
from hermes.policy.shell.interpret import Interpreter
from hermes.policy.shell.loading import loaded
from hermes.policy.shell.modelled import modelled
from hermes.policy.shell.run import Run
from hermes.policy.shell.running import compiles, is_fetched, is_poured, named, run_code, run_script
from hermes.policy.shell.special import (
    building,
    memory,
    reaching,
    searching,
    shells,
    starting,
    streams,
    windows,
)
from hermes.policy.shell.suspicion import spoken, suspect_files, suspect_words

Special = Callable[[Interpreter, Run], Flow]
_RUN_THE_FOLDER = frozenset(
    {
        "make", "gmake", "cmake", "ninja", "npm", "yarn", "pnpm", "bun", "pip", "pip3", "cargo",
        "go", "gradle", "mvn", "rake", "bundle", "composer", "configure", "gradlew", "bash", "sh",
        "python", "node", "ruby", "perl", "uv", "poetry", "docker", "docker-compose", "just",
        "meson", "autogen.sh", "setup.py", "install.sh", "bazel", "mix", "dotnet", "deno", "php",
    }
)  # fmt: skip
_COMPILERS = frozenset(
    {
        "cc", "gcc", "g++", "clang", "clang++", "tcc", "c++", "rustc", "go", "swiftc", "kotlinc",
        "javac", "scalac", "nim", "zig", "crystal", "dart", "ldc2", "dmd", "v", "odin",
    }
)  # fmt: skip
_KNOW_NO_HOME = frozenset(
    {"rm", "grm", "rmdir", "unlink", "mv", "gmv", "cp", "shred", "chmod", "chown", "truncate"}
    | {"find"}
)
_OFTEN_MEANT = (
    "rm", "dd", "sh", "bash", "mv", "cp", "cat", "chmod", "chown", "shred", "mkfs", "tee", "curl",
    "wget", "nc", "python3", "perl", "find", "kill", "reboot", "shutdown", "sudo", "tar", "wipefs",
)  # fmt: skip
_MANIFESTS = (
    "package.json", "Makefile", "makefile", "setup.py", "pyproject.toml", "Cargo.toml", "build.rs",
    "build.gradle", "pom.xml", "Gemfile", "Rakefile", "composer.json", "Dockerfile", "justfile",
    "docker-compose.yml", "compose.yml", "requirements.txt", "conftest.py", "CMakeLists.txt",
)  # fmt: skip
"""Files that say what a build runs."""
_TAKES_UP = {
    **dict.fromkeys(("npm", "yarn", "pnpm", "bun"), "package.json"),
    **dict.fromkeys(("pytest", "py.test", "tox", "nox"), "*.py"),
    **dict.fromkeys(("jest", "vitest", "mocha", "ava"), "*.*js"),
}
"""Which files programs run without being told."""
_SHOWING = frozenset(
    {
        "cat", "cut", "head", "tail", "base64", "base32", "xxd", "od", "hexdump", "sed", "tr",
        "rev", "tee", "awk", "fold", "tac", "nl", "sort", "jq", "less", "more", "bat", "column",
        "fmt",
    }
)  # fmt: skip
"""Filters that show what comes in, or enough of it."""
_PICKS = re.compile(r"\bEnv\b|passw|secret|token|api_?key|credential", re.IGNORECASE)
_GLOB = re.compile(r"[*?]|\[[^\]]+\]")
_VERSIONED = re.compile(r"(python|pip|ruby|perl|php|node|lua|gcc|clang|go|java|pypy)w?-?[\d.]+$")


@functools.cache
def _specials() -> dict[str, Special]:
    found: dict[str, Special] = {}
    for module in (building, memory, streams, shells, searching, reaching, starting, windows):
        found |= module.SPECIALS
    return found


def understand_program(interpreter: Interpreter, run: Run) -> Flow:
    """Write down what a program does and return what it prints."""
    suspect_words(interpreter, run)
    if "secret" in run.piped.origins and not run.is_sent and run.name in _SHOWING:
        interpreter.warn("exfiltration", "prints a secret, or a part of it", run.span)
    if "settings" in run.piped.origins and any(_PICKS.search(word) for word in run.words):
        interpreter.warn("exfiltration", "picks secrets out of settings", run.span)
    flow = _understood(interpreter, run)
    if flow.text is not None:
        return flow
    text = filtered(run)
    return (
        flow.with_origins(*spoken(run))
        if text is None
        else known(text)._replace(origins=flow.origins)
    )


def _understood(interpreter: Interpreter, run: Run) -> Flow:
    name = run.name
    if name in interpreter.state.functions:
        return _function(interpreter, run)
    if name in interpreter.state.aliases:
        words = " ".join(shlex.quote(word) for word in run.words)
        alias = interpreter.state.aliases.pop(name)
        flow = interpreter.run_text(f"{alias} {words}", run.span, piped=run.piped)
        interpreter.state.aliases[name] = alias
        return flow
    copied = interpreter.state.copies.get(interpreter.state.absolute(name)) if "/" in name else None
    if copied is not None:
        interpreter.warn("obfuscation", f"runs {copied} under another name", run.span)
        run = run._replace(name=copied)
    base = _base(interpreter, run)
    if base is None:
        return ANYTHING
    if base.startswith("ld-linux") and run.words:
        return interpreter.run_words(run.words, run.span, piped=run.piped)
    run = run._replace(name=base, words=_as_written(base, run.words))
    _built(interpreter, run)
    foreign = loaded(base, run.words)
    if foreign is not None and interpreter.state.content(foreign) is None:
        interpreter.warn("obfuscation", f"loads code from {foreign}", run.span)
    if name != base and "/" in name:
        _started(interpreter, name, run)
    special = _specials().get(base if "-" not in base else base.lower())
    if special is None and windows.is_cmdlet(base):
        special = windows.cmdlet
    return modelled(interpreter, run) if special is None else special(interpreter, run)


def _as_written(name: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """Return words of a program that knows no home: a ``~`` that the shell left is a file."""
    if name not in _KNOW_NO_HOME or not any(word[:1] == "~" for word in words):
        return words
    return tuple(f"./{word}" if word == "~" or word[:2] == "~/" else word for word in words)


def _built(interpreter: Interpreter, run: Run) -> None:
    """Look at what a program takes from a folder to build or run it."""
    if run.name in _RUN_THE_FOLDER and _is_from_outside(interpreter, run):
        what = f"runs code in {run.name} that comes from the network"
        interpreter.warn("network-exec", what, run.span)
    if run.name in _COMPILERS:
        compiles(interpreter, run)
    if interpreter.state.files and run.name in _RUN_THE_FOLDER | _COMPILERS:
        suspect_files(interpreter, run)
    if interpreter.state.files and run.name in _TAKES_UP:
        _take_up(interpreter, run)
    if run.words[:2] == ("pkg", "set") and _TAKES_UP.get(run.name) == "package.json":
        _set_scripts(interpreter, run.words[2:])


def _take_up(interpreter: Interpreter, run: Run) -> None:
    """Follow files that this very command wrote and that a program runs without being told."""
    for path, flow in list(interpreter.state.files.items()):
        name = path.rpartition("/")[2]
        if not flow.text or not fnmatchcase(name, _TAKES_UP[run.name]):
            continue
        if name == "package.json":
            for text in _scripts(flow.text):
                interpreter.run_text(text, run.span, apart=True)
        else:
            run_code(interpreter, run, "python" if name.endswith(".py") else "node", flow.text)


def _set_scripts(interpreter: Interpreter, settings: tuple[str, ...]) -> None:
    """Remember the commands that are put into ``package.json``, for whoever runs them next."""
    pairs = [word.partition("=")[::2] for word in settings if word.startswith("scripts.")]
    if pairs:
        text = json.dumps({"scripts": dict(pairs)})
        interpreter.state.files[interpreter.state.absolute("package.json")] = known(text)


def _scripts(text: str) -> list[str]:
    """Return the commands in a ``package.json``."""
    try:
        scripts = json.loads(text).get("scripts", {}).values()
    except (ValueError, AttributeError):
        return []
    return [script for script in scripts if isinstance(script, str)]


def _base(interpreter: Interpreter, run: Run) -> str | None:
    """Return a program's own name, or None when nobody can know it."""
    name = run.name
    base = name.rpartition("/")[2]
    if UNKNOWN in base or not base:
        what = "runs a program whose name cannot be known beforehand"
        interpreter.warn("opaque", what, run.span)
        return None
    if base not in ("[", "[[") and _GLOB.search(name):
        interpreter.warn("obfuscation", f"names its program by a pattern: {name}", run.span)
        for program in _OFTEN_MEANT:
            if fnmatchcase(program, base):
                interpreter.run_words([program, *run.words], run.span, piped=run.piped)
        return None
    if base.endswith((".exe", ".cmd", ".bat")):
        base = base[:-4]
    match = _VERSIONED.match(base)
    return match[1] if match else base


def _is_from_outside(interpreter: Interpreter, run: Run) -> bool:
    """Say whether a program works in, or on, a folder that came from the network."""
    state = interpreter.state
    if not state.fetched:
        return False
    paths = [state.absolute(word) for word in run.words if not word.startswith("-")]
    paths += [state.absolute(name) for name in _MANIFESTS]
    return any(is_fetched(interpreter, path) for path in (state.cwd, *paths))


def _function(interpreter: Interpreter, run: Run) -> Flow:
    state = interpreter.state
    body = state.functions.pop(run.name)
    kept, state.arguments = state.arguments, list(run.words)
    try:
        return interpreter.inside(body, run.span, piped=run.piped, apart=False)
    finally:
        state.arguments = kept
        state.functions.setdefault(run.name, body)


def _started(interpreter: Interpreter, path: str, run: Run) -> None:
    """Look at a program that is started by its path."""
    if path.startswith("/etc/init.d/") and "status" not in run.words:
        interpreter.warn("service", f"changes the service {run.name}", run.span)
    state = interpreter.state
    absolute = state.absolute(path)
    named(interpreter, run, path, list(run.words))
    own = state.files.get(absolute)
    if own is not None and own.text is not None:
        run_script(interpreter, run._replace(name="sh"), path, list(run.words))
    elif own is not None and "decoder" in own.origins and "network" not in own.origins:
        interpreter.warn("obfuscation", f"runs {path}, which was hidden before", run.span)
    elif is_fetched(interpreter, absolute) or is_poured(interpreter, absolute):
        interpreter.warn("network-exec", f"runs {path}, which comes from the network", run.span)
