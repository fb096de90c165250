"""All models of programs together, read once."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Mapping
from typing import NamedTuple

from hermes.policy.shell import models
from hermes.policy.shell.model import Call, Program, Rule, alternatives, rules


class Dangers(NamedTuple):
    """The rules about one program, by the first word that they want."""

    by_word: Mapping[str, tuple[Rule, ...]]
    others: tuple[Rule, ...]

    def about(self, call: Call) -> tuple[Rule, ...]:
        """Return the rules that a call may match."""
        first = call.operands[0] if call.operands else ""
        return (*self.others, *self.by_word.get(first, ()))


def _indexed(found: list[Rule]) -> Dangers:
    by_word: dict[str, list[Rule]] = {}
    others: list[Rule] = []
    for rule in found:
        first = rule.pattern.words[0] if rule.pattern.words else ("*",)
        if any("*" in word or word == "..." for word in first):
            others.append(rule)
        else:
            for word in first:
                by_word.setdefault(word, []).append(rule)
    return Dangers({word: tuple(many) for word, many in by_word.items()}, tuple(others))


class Table(NamedTuple):
    """What is known of programs, by name, and by name with subcommands."""

    programs: Mapping[str, Program]
    rules: Mapping[str, Dangers]
    parents: frozenset[str]
    """Names behind which a subcommand has a model of its own."""

    def program(self, name: str) -> Program | None:
        """Return the model of a name, such as ``cp`` or ``git clone``."""
        found = self.programs.get(name)
        if found is None and "." in name:
            found = self.programs.get(f"{name.partition('.')[0]}.*")
        return found

    def rules_of(self, name: str) -> Dangers | None:
        """Return the dangers that are known of a program."""
        found = self.rules.get(name)
        if found is None and "." in name:
            found = self.rules.get(f"{name.partition('.')[0]}.*")
        return found

    def knows(self, name: str) -> bool:
        """Say whether there is a model or a rule of a program."""
        return (
            self.program(name) is not None
            or self.rules_of(name) is not None
            or name in self.parents
        )

    def depth(self, name: str, call: Call) -> int:
        """Return how many of a call's operands are subcommands with a model."""
        depth, key = 0, name
        while depth < len(call.operands) and f"{key} {call.operands[depth]}" in self.programs:
            key = f"{key} {call.operands[depth]}"
            depth += 1
        return depth

    def deepest(self, name: str, call: Call) -> Program:
        """Return the model of the deepest subcommand that a call names."""
        depth = self.depth(name, call)
        own = self.program(name) or Program()
        if not depth:
            return own
        found = self.programs[" ".join((name, *call.operands[:depth]))]
        handler = found.handler or own.handler
        reads = found.reads or own.reads
        return found._replace(handler=handler, reads=reads, dry=f"{own.dry} {found.dry}")


@functools.cache
def table() -> Table:
    """Return the models of every family file."""
    programs: dict[str, Program] = {}
    dangers: dict[str, list[Rule]] = {}
    for found in pkgutil.iter_modules(models.__path__):
        module = importlib.import_module(f"{models.__name__}.{found.name}")
        for key, program in getattr(module, "PROGRAMS", {}).items():
            for name in alternatives(key):
                programs[name] = program
        for name, rule in rules(getattr(module, "RULES", "")):
            dangers.setdefault(name, []).append(rule)
    _bridge(programs)
    parents = {name.rpartition(" ")[0] for name in programs if " " in name}
    frozen = {name: _indexed(found) for name, found in dangers.items()}
    return Table(programs, frozen, frozenset(parents))


def _bridge(programs: dict[str, Program]) -> None:
    """Give ``uv tool`` a model where only ``uv`` and ``uv tool run`` have one."""
    for name in [name for name in programs if name.count(" ") > 1]:
        words = name.split()
        for count in range(2, len(words)):
            above = programs.get(" ".join(words[: count - 1]), Program())
            programs.setdefault(" ".join(words[:count]), Program(values=above.values))
