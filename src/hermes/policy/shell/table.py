"""All models of programs together, read once."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Mapping
from typing import NamedTuple

from hermes.policy.shell import models
from hermes.policy.shell.model import Call, Program, Rule, alternatives, rules


class Table(NamedTuple):
    """What is known of programs, by name, and by name with subcommands."""

    programs: Mapping[str, Program]
    rules: Mapping[str, tuple[Rule, ...]]
    parents: frozenset[str]
    """Names behind which a subcommand has a model of its own."""

    def program(self, name: str) -> Program | None:
        """Return the model of a name, such as ``cp`` or ``git clone``."""
        found = self.programs.get(name)
        if found is None and "." in name:
            found = self.programs.get(f"{name.partition('.')[0]}.*")
        return found

    def rules_of(self, name: str) -> tuple[Rule, ...]:
        """Return the dangers that are known of a program."""
        found = self.rules.get(name, ())
        if not found and "." in name:
            found = self.rules.get(f"{name.partition('.')[0]}.*", ())
        return found

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
    parents = {name.rpartition(" ")[0] for name in programs if " " in name}
    frozen = {name: tuple(found) for name, found in dangers.items()}
    return Table(programs, frozen, frozenset(parents))
