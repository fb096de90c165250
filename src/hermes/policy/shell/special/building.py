"""make and its kin: recipes that are given with the command are commands too."""

from __future__ import annotations

import re

from hermes.policy.shell.flow import Flow
from hermes.policy.shell.interpret import Interpreter
from hermes.policy.shell.modelled import modelled
from hermes.policy.shell.run import Run
from hermes.policy.shell.running import is_fetched
from hermes.policy.shell.variables import look

_RULE = re.compile(r"^[^\s#:=]+\s*:(?!=)[^;\n]*;(.*)$")
_USUAL = ("GNUmakefile", "makefile", "Makefile")


def make(interpreter: Interpreter, run: Run) -> Flow:
    """Follow make: recipes of a makefile that this very command wrote or pipes in."""
    texts: list[str | None] = []
    words = run.words
    for word in words:
        name, equals, value = word.partition("=")
        if equals and name.isidentifier():
            look(interpreter, name, value, run.name, run.span)
    for at, word in enumerate(words):
        following = words[at + 1] if at + 1 < len(words) else ""
        if word in ("-f", "--file", "--makefile"):
            texts.append(_content(interpreter, run, following))
        elif word.startswith(("--file=", "--makefile=", "--eval=")):
            value = word.partition("=")[2]
            is_text = word.startswith("--eval")
            texts.append(value if is_text else _content(interpreter, run, value))
        elif word == "--eval":
            texts.append(following)
    if not texts:
        texts = [_content(interpreter, run, name) for name in _USUAL]
    for text in texts:
        for line in recipes(text or ""):
            interpreter.run_text(line, run.span, apart=True)
    return modelled(interpreter, run)


def _content(interpreter: Interpreter, run: Run, path: str) -> str | None:
    if path in ("-", "/dev/stdin"):
        flow: Flow | None = run.piped
    else:
        absolute = interpreter.state.absolute(path)
        flow = interpreter.state.files.get(absolute)
        if is_fetched(interpreter, absolute):
            flow = Flow(origins=frozenset({"network"}))
    if flow is not None and "network" in flow.origins:
        interpreter.warn("network-exec", "runs recipes that come from the network", run.span)
    return flow.text if flow is not None else None


def recipes(text: str) -> list[str]:
    """Return the commands of a makefile's text."""
    found = []
    for line in text.splitlines():
        match = _RULE.match(line)
        command = line[1:] if line.startswith("\t") else (match[1] if match else "")
        if command.strip():
            command = re.sub(r"\$[({](\w+)[)}]", r"$\1", command).replace("$$", "$")
            found.append(command.lstrip("@-+ "))
    return found


SPECIALS = {"make": make, "gmake": make, "bmake": make}
