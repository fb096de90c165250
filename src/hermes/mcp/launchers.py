"""Which packages of a registry a command line would fetch and run.

``npx``, ``uvx``, ``pipx`` and the like run whatever the registry has under a name, so the name is
what has to be looked at. It is found behind wrappers and inside the scripts of shells, too.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Literal, NamedTuple

Ecosystem = Literal["npm", "PyPI"]


class Package(NamedTuple):
    """A package of a registry; without a version whatever is the newest."""

    ecosystem: Ecosystem
    name: str
    version: str = ""

    def shown(self) -> str:
        """Return the package as a person would write it."""
        return f"{self.name}@{self.version}" if self.version else self.name


class Launched(NamedTuple):
    """What a command line fetches and runs, and what of it cannot be looked up anywhere."""

    packages: tuple[Package, ...] = ()
    unknown: tuple[str, ...] = ()


class _Launcher(NamedTuple):
    """How one program is told which packages it runs."""

    ecosystem: Ecosystem
    naming: frozenset[str]
    """Options that name a package."""
    taking: frozenset[str]
    """Further options that are followed by a value."""


_NPM = _Launcher(
    "npm",
    frozenset({"-p", "--package"}),
    frozenset({
        "--cache", "--loglevel", "--node-options", "--prefix", "--registry", "--script-shell",
        "--shell", "--userconfig", "-w", "--workspace",
    }),
)  # fmt: skip
_UV = _Launcher(
    "PyPI",
    frozenset({"--from", "--with"}),
    frozenset({
        "--cache-dir", "--config-file", "--default-index", "--directory", "--env-file",
        "--exclude-newer", "--extra-index-url", "-f", "--find-links", "--index", "-i",
        "--index-url", "--project", "-p", "--python", "--with-editable", "--with-requirements",
        "-w",
    }),
)  # fmt: skip
_PIPX = _Launcher(
    "PyPI",
    frozenset({"--spec", "--with"}),
    frozenset({"--pip-args", "--python", "--index-url", "-i", "--backend"}),
)
_DIRECT = {"npx": _NPM, "pnpx": _NPM, "bunx": _NPM, "uvx": _UV, "npx-cli.js": _NPM}
_BY_COMMAND: dict[str, dict[tuple[str, ...], _Launcher]] = {
    "npm": {("exec",): _NPM, ("x",): _NPM},
    "npm-cli.js": {("exec",): _NPM, ("x",): _NPM},
    "pnpm": {("dlx",): _NPM},
    "yarn": {("dlx",): _NPM},
    "bun": {("x",): _NPM},
    "uv": {("tool", "run"): _UV},
    "pipx": {("run",): _PIPX},
}
_WRAPPERS = frozenset((
    "asdf", "busybox", "caffeinate", "command", "corepack", "cross-env", "doas", "dotenv", "env",
    "exec", "ionice", "mise", "nice", "node", "nodejs", "nohup", "proxychains4", "setsid", "stdbuf",
    "sudo", "time", "timeout", "volta", "wsl", "xargs", "xvfb-run", "op", "doppler", "infisical",
))  # fmt: skip
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "mksh"})
_SCRIPT = re.compile(r"-[a-zA-Z]*c[a-zA-Z]*")
_PYTHON = re.compile(r"(?:python|pypy|py)[\d.]*w?")
_NPM_NAME = re.compile(r"(?:@[a-z0-9~._-]+/)?[a-z0-9~._-]+", re.I)
_NPM_VERSION = re.compile(r"[v=]?(\d+\.\d+\.\d+(?:[-+][\w.+-]+)?)")
_PY_SPEC = re.compile(
    r"(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?:\[[^\]]*\])?\s*(?P<rest>.*)", re.S
)
_PY_VERSION = re.compile(r"(?:===?|@)\s*v?(\d[\w.!+-]*)")
_ENDINGS = (".exe", ".cmd", ".bat", ".ps1")
_DEEPEST = 6


def launched(command: str, args: Sequence[str]) -> Launched:
    """Return the packages that a command line fetches and runs."""
    found = list(dict.fromkeys(_found([command, *args], 0)))
    packages = tuple(one for one in found if isinstance(one, Package))
    return Launched(packages, tuple(one for one in found if isinstance(one, str)))


def _found(words: Sequence[str], depth: int) -> Iterator[Package | str]:
    """Yield packages, and as a text what cannot be understood."""
    if not words or depth > _DEEPEST:
        return
    program, rest = _program(words[0]), words[1:]
    if program in _DIRECT:
        yield from _named(_DIRECT[program], rest, depth)
    elif program in _BY_COMMAND:
        yield from _below(_BY_COMMAND[program], program, rest, depth)
    elif program in _SHELLS:
        yield from _in_shell(rest, depth)
    elif program in ("cmd", "powershell", "pwsh"):
        yield from _in_windows_shell(rest, depth)
    elif program == "deno":
        yield from (_npm(_without_path(word[4:])) for word in rest if word.startswith("npm:"))
    elif _PYTHON.fullmatch(program):
        if "-m" in rest:
            yield from _found(rest[rest.index("-m") + 1 :], depth + 1)
    elif program in _WRAPPERS:
        yield from _wrapped(rest, depth)


def _wrapped(words: Sequence[str], depth: int) -> Iterator[Package | str]:
    """Look for what a wrapper runs: the first word behind it that is a program we know."""
    known = _DIRECT.keys() | _BY_COMMAND.keys() | _SHELLS | {"deno"}
    for number, word in enumerate(words):
        if _program(word) in known or _PYTHON.fullmatch(_program(word)):
            yield from _found(words[number:], depth + 1)
            return


def _below(
    commands: dict[tuple[str, ...], _Launcher], program: str, words: Sequence[str], depth: int
) -> Iterator[Package | str]:
    plain = [number for number, word in enumerate(words) if not word.startswith("-")]
    for command, launcher in commands.items():
        places = plain[: len(command)]
        if tuple(words[place] for place in places) == command:
            before = [w for w in words[: places[-1]] if w.startswith("-")]
            yield from _named(launcher, [*before, *words[places[-1] + 1 :]], depth)
            return
    if program == "uv" and plain and words[plain[0]] == "run":
        yield from _options(_UV, words[plain[0] + 1 :]).named


class _Read(NamedTuple):
    """The words of a launcher, sorted: packages, scripts, and what is left."""

    named: list[Package | str]
    scripts: list[str]
    rest: list[str]


def _named(launcher: _Launcher, words: Sequence[str], depth: int) -> Iterator[Package | str]:
    read = _options(launcher, words)
    yield from read.named
    for script in read.scripts:
        yield from _in_script(script, depth)
    is_replaced = any(word.split("=")[0] in launcher.naming - {"--with"} for word in words)
    if read.rest and not (is_replaced and read.named):
        yield _package(launcher.ecosystem, read.rest[0])


def _options(launcher: _Launcher, words: Sequence[str]) -> _Read:
    """Read options up to the first word that is none."""
    named: list[Package | str] = []
    scripts: list[str] = []
    waiting = iter(words)
    for word in waiting:
        flag, has_value, value = word.partition("=")
        if word == "--":
            return _Read(named, scripts, list(waiting))
        if not word.startswith("-"):
            return _Read(named, scripts, [word, *waiting])
        if flag in launcher.naming:
            given = value if has_value else next(waiting, "")
            parts = given.split(",") if flag == "--with" else [given]
            named.extend(_package(launcher.ecosystem, part) for part in parts if part)
        elif flag in ("-c", "--call") and launcher.ecosystem == "npm":
            scripts.append(value if has_value else next(waiting, ""))
        elif flag in launcher.taking and not has_value:
            next(waiting, "")
    return _Read(named, scripts, [])


def _in_shell(words: Sequence[str], depth: int) -> Iterator[Package | str]:
    for number, word in enumerate(words):
        if _SCRIPT.fullmatch(word) and number + 1 < len(words):
            yield from _in_script(words[number + 1], depth)
            return


def _in_windows_shell(words: Sequence[str], depth: int) -> Iterator[Package | str]:
    for number, word in enumerate(words):
        if word.lower().startswith(("-enc", "-ec")):
            yield "a script that is encoded"
        if word.lower() in ("/c", "/k", "/s", "-c", "-command", "/d"):
            continue
        if not word.startswith(("-", "/")):
            yield from _found(list(words[number:]), depth + 1)
            yield from _in_script(" ".join(words[number:]), depth)
            return


def _in_script(script: str, depth: int) -> Iterator[Package | str]:
    """Look at every command of a shell script."""
    lexer = shlex.shlex(re.sub(r"[`\n]", ";", script), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        tokens = list(lexer)
    except ValueError:
        yield f"a script that cannot be read: {script[:60]!r}"
        return
    command: list[str] = []
    for token in [*tokens, ";"]:
        if set(token) <= set("();<>|&"):
            yield from _found(_bare(command), depth + 1)
            command = []
        else:
            command.append(token)


def _bare(words: list[str]) -> list[str]:
    """Return a command without the assignments and keywords before it."""
    keywords = {"then", "do", "else", "if", "while", "until", "!", "{", "$"}
    while words and (words[0] in keywords or re.match(r"[A-Za-z_]\w*=", words[0])):
        words = words[1:]
    return words


def _program(word: str) -> str:
    name = PurePosixPath(word.replace("\\", "/")).name.lower()
    for ending in _ENDINGS:
        name = name.removesuffix(ending)
    return name


def _package(ecosystem: Ecosystem, text: str) -> Package | str:
    return _npm(text) if ecosystem == "npm" else _pypi(text)


def _npm(text: str) -> Package | str:
    """Read ``@scope/name@version``; a tag or a range is no version."""
    at = text.find("@", 1)
    name, version = (text, "") if at < 0 else (text[:at], text[at + 1 :])
    if version.startswith("npm:"):
        return _npm(version[4:])
    is_elsewhere = text.startswith((".", "/", "~")) or ":" in text
    if is_elsewhere or not _NPM_NAME.fullmatch(name):
        return f"{text!r} does not come from the registry"
    exact = _NPM_VERSION.fullmatch(version)
    return Package("npm", name, exact[1] if exact else "")


def _without_path(text: str) -> str:
    """Return what names a package, without the path inside it that may follow."""
    parts = text.split("/")
    return "/".join(parts[:2] if text.startswith("@") else parts[:1])


def _pypi(text: str) -> Package | str:
    """Read ``name[extra]==version`` and ``name@version``."""
    read = _PY_SPEC.fullmatch(text.strip())
    is_elsewhere = "/" in text or "\\" in text or "://" in text or text.startswith(".")
    if is_elsewhere or read is None:
        return f"{text!r} does not come from the registry"
    exact = _PY_VERSION.fullmatch(read["rest"].strip())
    name = re.sub(r"[-_.]+", "-", read["name"]).lower()
    version = exact[1] if exact and "*" not in exact[1] else ""
    return Package("PyPI", name, version)
