"""Spell out long options that were cut short, as GNU programs and curl read them."""

from __future__ import annotations

from hermes.policy.shell.model import Call, Program, told_apart


def spelled(call: Call, program: Program, flags: str = "") -> Call:
    """Return a call with its long options in full; ``flags`` are those that take no value."""
    options = "|".join(program.options).replace("|", " ")
    full = [word for word in f"{program.values} {options} {flags}".split() if word[:2] == "--"]
    words = tuple(_whole(word, full) for word in call.words)
    if words == call.words:
        return call
    return told_apart(call.name, words, program)._replace(
        piped=call.piped, cwd=call.cwd, home=call.home
    )


def _whole(word: str, full: list[str]) -> str:
    flag, equals, value = word.partition("=")
    if len(flag) < 5 or not flag.startswith("--") or flag in full:
        return word
    found = [name for name in full if name.startswith(flag)]
    return f"{found[0]}{equals}{value}" if len(found) == 1 else word
