"""Understand one program: a function, a builtin, a wrapper, a model, or nothing we know."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable

from hermes.base.optional import load
from hermes.policy.shell import builtins, reaching, searching, shells, streams
from hermes.policy.shell.effects import UNKNOWN, Effect, danger
from hermes.policy.shell.flow import ANYTHING, Flow
from hermes.policy.shell.interpret import Interpreter, Run
from hermes.policy.shell.model import DRY, HELP, Call, Program, roles, told_apart
from hermes.policy.shell.table import Table, table

Special = Callable[[Interpreter, Run], Flow]
_PLAIN = Program()
_UNSTUDIED = Program("unstudied*")
_GLOB = re.compile(r"[*?]|\[[^\]]+\]")
_VERSIONED = re.compile(r"(python|pip|ruby|perl|php|node|lua|gcc|clang|go|java|pypy)w?-?[\d.]+$")
_HAS_NOT_HELPED = frozenset({"chown", "chgrp", "shutdown", "halt", "tar", "redis-cli", "psql"})
_DESTRUCTIVE = re.compile(
    r"(?:^|[-_:.])(?:delete|destroy|purge|wipe|erase|drop|truncate|terminate|flush|flushall|nuke"
    r"|uninstall|unpublish|publish|deprovision|decommission|revoke|shutdown|reboot|poweroff|format"
    r"|rm|remove|prune|factory-reset|obliterate)(?:$|[-_:.])"
)
_MACHINE = frozenset({"whoami", "hostname", "id", "uname -n", "ifconfig", "logname"})


@functools.cache
def _specials() -> dict[str, Special]:
    found: dict[str, Special] = {}
    for module in (builtins, streams, shells, searching, reaching):
        found |= module.SPECIALS
    return found


def understand_program(interpreter: Interpreter, run: Run) -> Flow:
    """Write down what a program does and return what it prints."""
    name = run.name
    if name in interpreter.state.functions:
        return _function(interpreter, run)
    if name in interpreter.state.aliases:
        words = " ".join(load("shlex").quote(word) for word in run.words)
        alias = interpreter.state.aliases.pop(name)
        flow = interpreter.run_text(f"{alias} {words}", run.span, piped=run.piped)
        interpreter.state.aliases[name] = alias
        return flow
    base = _base(interpreter, run)
    if base is None:
        return ANYTHING
    run = run._replace(name=base)
    special = _specials().get(base)
    if special is not None:
        return special(interpreter, run)
    if name != base and "/" in name:
        _started(interpreter, name, run)
    return _modelled(interpreter, run)


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
        return None
    if base.endswith((".exe", ".cmd", ".bat")):
        base = base[:-4]
    match = _VERSIONED.match(base)
    return match[1] if match else base


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
    state = interpreter.state
    absolute = state.absolute(path)
    own = state.files.get(absolute)
    if own is not None and own.text is not None:
        interpreter.run_text(_without_first_line(own.text), run.span, apart=True)
    elif (own is not None and "network" in own.origins) or is_fetched(interpreter, absolute):
        interpreter.warn("network-exec", f"runs {path}, which comes from the network", run.span)


def _without_first_line(text: str) -> str:
    return text


def is_fetched(interpreter: Interpreter, path: str) -> bool:
    """Say whether a path lies in a folder whose content this command took from the network."""
    return any(
        path == folder or path.startswith(f"{folder.rstrip('/')}/")
        for folder in interpreter.state.fetched
    )


def _modelled(interpreter: Interpreter, run: Run) -> Flow:
    known = table()
    program = known.program(run.name)
    if program is None and run.name not in known.rules:
        return _unknown(interpreter, run)
    call = read(run, known)._replace(
        piped=run.piped, cwd=interpreter.state.cwd, home=interpreter.state.places.home
    )
    program = known.deepest(run.name, call)
    if _only_tells(call, program):
        return ANYTHING
    effects = list(_effects(call, program, known))
    return apply(interpreter, run, effects, program)


def read(run: Run, known: Table) -> Call:
    """Return the options and operands of a call, subcommand by subcommand."""
    key, program = run.name, known.program(run.name) or _PLAIN
    words, leading, flags = run.words, list[str](), dict[str, tuple[str, ...]]()
    values = program.values
    while key in known.parents:
        first = told_apart(run.name, words, program._replace(values=values, stops=True))
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
    call = told_apart(run.name, words, program._replace(values=values))
    if not leading:
        return call
    operands = (*leading, *call.operands)
    return Call(run.name, operands, {**flags, **call.flags}, run.words)


def _only_tells(call: Call, program: Program) -> bool:
    """Say whether a call only prints help, a version, or what it would do."""
    flags = call.flags
    if call.name not in _HAS_NOT_HELPED and any(flag in flags for flag in HELP):
        return True
    for flag in (*DRY, *program.dry.split()):
        if flag in flags and not {"none", "false"} & set(flags[flag]):
            return True
    operands = call.operands
    if operands and "help" in (operands[0], operands[-1]):
        return True
    is_last = bool(call.words) and call.words[-1] == "-h"
    return is_last and len(operands) > 0 and call.name not in _HAS_NOT_HELPED and "-h" in flags


def _effects(call: Call, program: Program, known: Table) -> Iterable[Effect]:
    yield from _by_roles(call, program, known)
    for rule in known.rules.get(call.name, ()):
        effect = rule.effect(call)
        if effect is not None:
            yield effect
    if program.handler is not None:
        yield from program.handler(call)
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
                yield Effect("run", "\0".join(rest))
            break
        yield from _role(role, operand)
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
        yield from _unstudied(value)


def _unstudied(value: str) -> Iterable[Effect]:
    """Yield what an operand of an unknown program may mean: paths may be read."""
    if value.startswith(("/", "~", "./", "../")) and "://" not in value:
        yield Effect("read", value)
    elif value.startswith("@") and len(value) > 1:
        yield Effect("read", value[1:])


def _unknown(interpreter: Interpreter, run: Run) -> Flow:
    """Look at a program that no model knows: it runs with little power, unasked."""
    interpreter.unknown.append(run.name)
    call = told_apart(run.name, run.words, _UNSTUDIED)
    if any(flag in call.flags for flag in (*HELP, *DRY)):
        return ANYTHING
    for operand in call.operands:
        for effect in _unstudied(operand):
            interpreter.note(effect, run.span)
    verb = next((word for word in call.operands[:2] if _DESTRUCTIVE.search(word.lower())), None)
    if verb is not None and "/" not in verb and "." not in verb[1:]:
        interpreter.warn("infrastructure", f"asks {run.name} to {verb}", run.span)
    origins = run.piped.origins | run.origins
    return Flow(None, (), origins)


def apply(
    interpreter: Interpreter, run: Run, effects: Iterable[Effect], program: Program = _PLAIN
) -> Flow:
    """Write effects down, follow those that run something, and return what the program prints."""
    origins = set(run.piped.origins)
    effects = list(effects)
    reaches = any(effect.kind == "net" for effect in effects)
    for effect in effects:
        if effect.kind == "run":
            _follow(interpreter, run, effect)
        elif effect.kind == "code":
            run_code(interpreter, run, effect.what, effect.target)
        elif effect.kind == "script":
            shells.run_script(interpreter, run, effect.target)
        else:
            interpreter.note(effect, run.span)
            _remember(interpreter, effect, is_fetched=reaches)
    if reaches:
        origins.add("network")
        _leaks(interpreter, run)
    if any(effect.kind == "read" for effect in effects):
        origins.add("file")
    if program.gives:
        origins |= set(program.gives.split())
    if run.name in _MACHINE:
        origins.add("machine")
    return Flow(None, (), frozenset(origins))


def _follow(interpreter: Interpreter, run: Run, effect: Effect) -> None:
    if "\0" in effect.target:
        interpreter.run_words(effect.target.split("\0"), run.span, piped=run.piped)
    else:
        interpreter.run_text(effect.target, run.span, piped=run.piped, apart=True)


def _remember(interpreter: Interpreter, effect: Effect, *, is_fetched: bool) -> None:
    """Remember a file that the command itself makes, and whether it came from the network."""
    if effect.kind != "write" or effect.target.startswith("/dev/"):
        return
    state = interpreter.state
    path = state.absolute(effect.target)
    if is_fetched:
        state.files[path] = Flow(origins=frozenset({"network"}))
        if effect.is_recursive:
            state.fetched.add(path)
    if not load("os.path").lexists(path):
        state.made.add(path)


def _leaks(interpreter: Interpreter, run: Run) -> None:
    """Notice data of this machine inside an address."""
    if run.origins & {"file", "secret", "environment", "machine"}:
        what = f"puts data of this machine into a request of {run.name}"
        interpreter.warn("exfiltration", what, run.span)


def run_code(interpreter: Interpreter, run: Run, language: str, code: str) -> None:
    """Write down what inline code does."""
    if UNKNOWN in code and not code.replace(UNKNOWN, "").strip():
        interpreter.warn("opaque", f"runs {language} code that cannot be known", run.span)
        return
    effects = load("hermes.policy.shell.code.reading").effects_of(language, code)
    apply(interpreter, run, [effect for effect in effects if effect.kind != "code"])
