"""Understand a program by its model in the tables."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from typing import NamedTuple

from hermes.policy.shell.carried import suspect_carried, suspect_sent
from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.flow import ANYTHING, Flow
from hermes.policy.shell.interpret import Interpreter
from hermes.policy.shell.model import DRY, HELP, Call, Program, roles, told_apart
from hermes.policy.shell.run import Run
from hermes.policy.shell.running import apply
from hermes.policy.shell.table import Table, table
from hermes.policy.shell.telltales import loses_data
from hermes.policy.shell.unstudied import may_mean, taken_away, unstudied

_LONGEST_KEPT = 2_000
_PLAIN = Program()
_DEEP = frozenset({"rg", "ag", "ack", "trufflehog", "gitleaks", "ugrep"})
_EATS_CODE = frozenset(
    {"psql", "mysql", "mariadb", "mongosh", "pwsh", "make", "jshell", "docker", "iex"}
    | {"wasmtime", "wasmer", "wasmedge"}
)
_HAS_NOT_HELPED = frozenset(
    {"chown", "chgrp", "shutdown", "halt", "reboot", "poweroff", "tar", "redis-cli", "psql"}
)
_QUERY_CLIENTS = frozenset(
    {"db2", "isql", "isql-fb", "cbq", "snow", "mysqlsh", "dolt", "trino", "presto", "impala-shell"}
)
_SENDS = re.compile(r"^(?:ssh|run|shell|exec|console|x)$|(?:cmd|commands?)(?:=|$)|^scripts\.")
_MEANS_OTHERWISE = frozenset({"man", "dotnet", "adb", "bazel", "bazelisk"})
"""Programs whose words sound as if they took something away."""
_SEARCHING = frozenset({"grep", "egrep", "fgrep", "rg", "ag", "ack", "zgrep", "ugrep", "sed"})
_HOME = re.compile(r"(?:~|/home/[^/]+|/root|/Users/[^/]+)/\.[^/]+|/etc/(?:g?shadow|sudoers)")


def modelled(interpreter: Interpreter, run: Run) -> Flow:
    """Write down what a program does by its model, and return what it prints."""
    study = _studied if sum(map(len, run.words)) < _LONGEST_KEPT else _studied.__wrapped__
    found = study(run.name, run.words)
    if found is None:
        return unstudied(interpreter, run)
    if found.only_tells:
        return ANYTHING
    if found.is_only_ruled:
        suspect_carried(interpreter, run)
    elif found.may_send:
        suspect_sent(interpreter, run)
    program = found.program
    if run.name in _EATS_CODE and "network" in run.piped.origins | (
        run.origins if run.name == "iex" else frozenset()
    ):
        what = f"runs what it gets from the network in {run.name}"
        interpreter.warn("network-exec", what, run.span)
    effects = list(found.effects)
    if run.name in _QUERY_CLIENTS and loses_data("\n".join((*run.words, run.piped.text or ""))):
        effects.append(danger("database", f"has {run.name} delete data of a database"))
    if program.handler is not None:
        state = interpreter.state
        call = found.call._replace(
            piped=run.piped,
            cwd=state.cwd,
            home=state.places.home,
            variables=dict(run.environment),
            missed=state.missed,
            earlier=interpreter.ran,
        )
        effects += program.handler(call)
    if _is_for_tests(run):
        effects = [effect for effect in effects if effect.category != "database"]
    return apply(interpreter, run, effects, program.gives)


class Studied(NamedTuple):
    """What the tables say of a command, whatever state it runs in."""

    call: Call
    program: Program
    effects: tuple[Effect, ...]
    only_tells: bool
    is_only_ruled: bool = False
    """Whether there are rules about the program, and nothing says what its operands are."""
    may_send: bool = False
    """Whether its words may hold a command for something else to run."""


@functools.lru_cache(maxsize=4_096)
def _studied(name: str, words: tuple[str, ...]) -> Studied | None:
    known = table()
    if not known.knows(name):
        return None
    call = read(name, words)
    program = known.deepest(name, call)
    if _only_tells(call, program):
        return Studied(call, program, (), True)
    may_send = len(words) > 1 and any(word == "--" or _SENDS.search(word) for word in words)
    is_only_ruled = known.program(name) is None and name not in known.parents
    return Studied(
        call, program, tuple(_effects(call, program, known)), False, is_only_ruled, may_send
    )


def _is_for_tests(run: Run) -> bool:
    """Say whether the variables before a command choose a test environment."""
    return any(name.endswith("_ENV") and value == "test" for name, value in run.environment)


def read(name: str, words: tuple[str, ...]) -> Call:
    """Return the options and operands of a command, subcommand by subcommand."""
    known, given = table(), words
    key, program = name, known.program(name) or _PLAIN
    leading, flags = list[str](), dict[str, tuple[str, ...]]()
    values = program.values
    while key in known.parents:
        first = told_apart(name, words, program._replace(values=values, stops=True))
        if not first.operands:
            break
        inner = known.program(f"{key} {first.operands[0]}")
        if inner is None:
            break
        leading.append(first.operands[0])
        flags |= first.flags
        key, words = f"{key} {first.operands[0]}", first.operands[1:]
        values = f"{values} {inner.values}" if inner.dashes == program.dashes else inner.values
        program = inner
    call = told_apart(name, words, program._replace(values=values))
    if not leading:
        return call
    operands = (*leading, *call.operands)
    return Call(name, operands, {**flags, **call.flags}, given)


def _only_tells(call: Call, program: Program) -> bool:
    """Say whether a call only prints help, a version, or what it would do."""
    flags = call.flags
    if call.name not in _HAS_NOT_HELPED and any(flag in flags for flag in HELP):
        return "--version" not in flags or call.words[-1] == "--version"
    for flag in (*DRY, *program.dry.split()):
        if flag in flags and not {"none", "false"} & set(flags[flag]):
            return True
    operands = call.operands
    if operands and "help" in (operands[0], operands[-1]):
        return True
    is_last = bool(call.words) and call.words[-1] == "-h"
    return is_last and call.name not in _HAS_NOT_HELPED and "-h" in flags


def _effects(call: Call, program: Program, known: Table) -> Iterable[Effect]:
    yield from _by_roles(call, program, known)
    dangers = known.rules_of(call.name)
    is_found = False
    for rule in dangers.about(call) if dangers is not None else ():
        effect = rule.effect(call)
        if effect is not None:
            is_found = True
            yield effect
    is_plain = program.handler is None and not program.reads and program.operands == "text*"
    if is_plain and dangers is not None and not is_found and call.name not in _MEANS_OTHERWISE:
        verb = taken_away(call.operands)
        if verb is not None:
            yield danger("infrastructure", f"asks {call.name} to {verb}")
    if program.reads and not _reads(call, program):
        yield danger(program.changes, f"changes something with {_shown(call)}")


def _reads(call: Call, program: Program) -> bool:
    words = call.operands[:4]
    if not words:
        return True
    wanted = program.reads.split()
    return any(
        word == pattern or (pattern.endswith("*") and word.startswith(pattern[:-1]))
        for word in words
        for pattern in wanted
    )


def _shown(call: Call) -> str:
    return " ".join((call.name, *call.operands[:3]))[:80]


def _by_roles(call: Call, program: Program, known: Table) -> Iterable[Effect]:
    pattern = program.operands
    for flags, other in program.when.items():
        if call.has(*flags.split("|")):
            pattern = other
            break
    depth = known.depth(call.name, call)
    for role, operand in roles(pattern, call.operands[depth:]):
        if role == "command":
            at = depth + len(pattern.split()) - 1
            rest = call.operands[at:]
            if rest:
                yield Effect("run", "\0" + "\0".join(rest))
            break
        if role == "text" and call.name in _SEARCHING:
            continue
        for effect in _role(role, operand):
            is_deep = call.has("-R", "-r", "--recursive") or call.name in _DEEP
            is_deep = is_deep and effect.kind in ("write", "read")
            yield effect._replace(is_recursive=True) if is_deep else effect
    for names, role in program.options.items():
        for value in call.values(*names.split("|")):
            yield from _role(role, value)


def _role(role: str, value: str) -> Iterable[Effect]:
    if role in ("read", "write", "delete", "net", "send", "run", "script"):
        yield Effect(role, value)  # type: ignore[arg-type]  # one of the kinds
    elif role == "delete-tree":
        yield Effect("delete", value, is_recursive=True)
    elif role == "read-tree":
        yield Effect("read", value, is_recursive=True)
    elif role.startswith("code:"):
        yield Effect("code", value, what=role[5:])
    elif role == "unstudied":
        yield from may_mean(value)
    elif role == "text" and _HOME.match(value):
        yield Effect("read", value)
