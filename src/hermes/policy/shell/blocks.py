"""Interpret compound commands: every branch is taken, loops go round over what is known."""

from __future__ import annotations

from hermes.policy.shell.effects import UNKNOWN
from hermes.policy.shell.flow import NOTHING, Flow, together
from hermes.policy.shell.grammar.nodes import (
    Block,
    Command,
    Pipeline,
    Script,
    Simple,
    Text,
    Variable,
    first_word,
)
from hermes.policy.shell.interpret import MAX_ROUNDS, Interpreter

MANY = 500
_WAITING = frozenset({"wait", "sleep", "read", "inotifywait"})


def block(interpreter: Interpreter, command: Block, piped: Flow) -> Flow:
    """Interpret a compound command and return what it prints."""
    expander = interpreter.expander()
    incoming, outgoing = interpreter.redirects(command.redirects, expander, piped)
    if command.kind in ("for", "for-arguments"):
        flow = _for(interpreter, command, incoming)
    elif command.kind == "function":
        interpreter.state.functions[command.name] = command.bodies[0]
        if _multiplies({command.name, *interpreter.state.functions}, command.bodies[0]):
            what = "is a fork bomb: a function that starts itself again and again"
            interpreter.warn("process", what, interpreter.span_of(command))
        flow = NOTHING
    elif command.kind == "subshell":
        state = interpreter.state
        interpreter.state = state.copy()
        flow = interpreter.script(command.bodies[0], incoming)
        interpreter.state = state
    else:
        for word in command.words:
            for field in expander.fields(word):
                if "[$(" in field or "[`" in field:
                    interpreter.run_text(f'echo "{field}"', interpreter.span_of(command))
        flow = _bodies(interpreter, command, incoming)
    return interpreter.put(flow, outgoing, interpreter.span_of(command))


def _bodies(interpreter: Interpreter, command: Block, piped: Flow) -> Flow:
    is_fed_forever = "endless" in piped.origins
    if command.kind == "while" and _is_endless(command, is_fed_forever=is_fed_forever):
        _notice_bomb(interpreter, command)
    return together([interpreter.script(body, piped) for body in command.bodies])


def _notice_bomb(interpreter: Interpreter, command: Block) -> None:
    if _only_starts(command.bodies[-1]):
        what = "is a fork bomb: a loop without end that starts processes"
        interpreter.warn("process", what, interpreter.span_of(command))


def _for(interpreter: Interpreter, command: Block, piped: Flow) -> Flow:
    if command.kind == "for-arguments":
        items = list(interpreter.state.arguments) or [UNKNOWN]
    else:
        expander = interpreter.expander()
        items = [field for word in command.words for field in expander.fields(word)]
        if not command.name:
            items = [UNKNOWN]
            if _has_no_end(command):
                _notice_bomb(interpreter, command)
        interpreter.state.origins[command.name] = frozenset(expander.origins)
    if len(items) >= MANY and any(one.is_background for one in _pipelines(command.bodies[0])):
        what = "is a fork bomb: a loop that starts very many processes"
        interpreter.warn("process", what, interpreter.span_of(command))
    flows = []
    for item in _worth(items):
        if command.name:
            interpreter.assign(command.name, item)
        flows.append(interpreter.script(command.bodies[0], piped))
    return together(flows)


def _worth(items: list[str]) -> list[str]:
    """Return the items worth a round each: numbers and the like are all alike."""
    kept = list(dict.fromkeys(items))[:MAX_ROUNDS]
    is_alike = all(item.isdecimal() for item in items)
    return kept if len(items) <= MAX_ROUNDS or is_alike else [*kept, UNKNOWN]


def _multiplies(names: set[str], body: Script) -> bool:
    """Say whether a function starts itself, or one that is there already, over and over."""
    return any(_starts(names, pipeline) for pipeline in _pipelines(body))


def _starts(names: set[str], pipeline: Pipeline) -> bool:
    own = [command for command in pipeline.commands if _names_one(names, command)]
    return len(own) > 1 or bool(own and pipeline.is_background)


def _names_one(names: set[str], command: Command) -> bool:
    """Say whether a command is one of these functions, or the one that it stands in."""
    if not isinstance(command, Simple) or not command.words:
        return False
    first = command.words[0].parts[0]
    is_itself = isinstance(first, Variable) and first.name == "FUNCNAME"
    return is_itself or first_word(command) in names


def _pipelines(script: Script) -> list[Pipeline]:
    found: list[Pipeline] = []
    for pipeline in script.pipelines:
        found.append(pipeline)
        for command in pipeline.commands:
            if isinstance(command, Block):
                for body in command.bodies:
                    inner = _pipelines(body)
                    if pipeline.is_background:
                        inner = [one._replace(is_background=True) for one in inner]
                    found += inner
    return found


def _is_endless(command: Block, *, is_fed_forever: bool) -> bool:
    """Say whether the condition of a loop never lets it end."""
    condition = command.bodies[0]
    first = condition.pipelines[0].commands[0] if condition.pipelines else None
    if first is None:
        return False
    if command.name == "until":
        # nobody waits for true: what stood before it is its negation
        return first_word(first) in ("false", "true", ":")
    return (
        first_word(first) in ("true", ":", "/bin/true", "/usr/bin/true")
        or (isinstance(first, Block) and first.kind == "arithmetic")
        or _is_constant(first)
        or (is_fed_forever and first_word(first) == "read")
    )


def _is_constant(command: Command) -> bool:
    """Say whether a test such as ``[ 1 ]`` looks at nothing that could change."""
    if not isinstance(command, Simple) or first_word(command) not in ("[", "[[", "test"):
        return False
    return all(
        isinstance(part, Text) and not part.text.startswith("-")
        for word in command.words[1:]
        for part in word.parts
    )


def _has_no_end(command: Block) -> bool:
    """Say whether the condition between the semicolons of ``for ((;;))`` is missing."""
    header = "".join(
        part.text for word in command.words for part in word.parts if isinstance(part, Text)
    )
    parts = header.strip("() ").split(";") if header else ["", "", ""]
    return len(parts) == 3 and parts[1].strip() in ("", "1")


def _only_starts(body: Script) -> bool:
    """Say whether a loop's body starts processes and never waits for them."""
    pipelines = _pipelines(body)
    names = {
        first_word(command)
        for one in pipelines
        if not one.is_background
        for command in one.commands
    }
    return any(one.is_background for one in pipelines) and names.isdisjoint(_WAITING)
