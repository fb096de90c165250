"""Tell what code of a script language does by its risky calls.

A rule is a line of steps, each ``verb`` or ``verb:place``. A name in the rules that starts with
``*.`` stands for a method of anything.
"""

from __future__ import annotations

import re

from hermes.policy.shell.code.calls import Code
from hermes.policy.shell.code.findings import Findings, Language, shown
from hermes.policy.shell.code.folds import all_of
from hermes.policy.shell.code.verbs import VERBS
from hermes.policy.shell.effects import UNKNOWN, Effect

_LOOPS = frozenset(("while", "for", "loop", "until", "forever", "setInterval", "foreach", "redo"))


_SHELL = re.compile(rf"(?:^|/)(?:ba|z|da|k|c)?sh\b|cmd\.exe|powershell|{UNKNOWN}")


def risky_effects(text: str, language: Language) -> list[Effect]:
    """Return what code does besides computing and printing."""
    seen = Findings()
    code = _follow(text, language, seen, 0)
    for inner in seen.codes[:20]:
        _follow(inner[:50_000], language, seen, 1)
    _conclude(code, seen)
    return [_widened(effect) for effect in seen.effects] if seen.is_listing else list(seen.effects)


def _widened(effect: Effect) -> Effect:
    """Return what is done to one file of a folder as done to all of them."""
    return effect._replace(target=all_of(effect.target)) if effect.kind == "delete" else effect


def _follow(text: str, language: Language, seen: Findings, depth: int) -> Code:
    code = Code(text, language.how, language.folds, is_bare=language.is_bare)
    language.prepare(code)
    for call in code.calls(lambda name: bool(_rule(name, language.rules))):
        rule = _rule(call.name, language.rules)
        for step in rule.split():
            verb, _, place = step.partition(":")
            VERBS[verb](call, int(place or 0), seen, language)
    for token in code.tokens:
        if token.kind == "shell":
            seen.run(code.filled(token))
        for hole in token.holes if depth < 3 else ():
            if "(" in hole or "`" in hole or (language.is_bare and " " in hole):
                _follow(hole, language, seen, depth + 1)
    return code


def _rule(name: str, rules: dict[str, str]) -> str:
    rule = rules.get(name)
    if rule is None and "." in name:
        rule = rules.get(f"*.{name.rpartition('.')[2]}")
    return rule or ""


def _conclude(code: Code, seen: Findings) -> None:
    """Judge what only the whole code shows."""
    if code.is_exhausted:
        seen.warn("opaque", "is too tangled to be read to its end")
    if seen.hosts and (seen.is_duplicating or any(_SHELL.search(text) for text in seen.commands)):
        seen.warn("network-exec", f"opens a reverse shell to {shown(seen.hosts[0])}")
    if seen.is_running_unknown_code:
        if seen.is_fetching or seen.hosts:
            seen.warn("network-exec", "runs code that it fetched from the network")
        else:
            seen.warn("opaque", "runs code that is only known when it runs")
    elif seen.is_fetching and any(text.strip(UNKNOWN + " ") == "" for text in seen.commands):
        seen.warn("network-exec", "runs a command that it fetched from the network")
    words = (
        {token.text for token in code.tokens if token.kind == "word"} if seen.is_forking else set()
    )
    if seen.is_forking and not words.isdisjoint(_LOOPS):
        seen.warn("process", "forks without end: a fork bomb")
