"""Walk through a parsed command as the shell would, and note everything it does."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from hermes.policy.shell.effects import UNKNOWN, Category, Effect, danger
from hermes.policy.shell.emptied import kept, loss
from hermes.policy.shell.expand import Expander
from hermes.policy.shell.flow import ANYTHING, NOTHING, Flow, known, together
from hermes.policy.shell.grammar.lexer import NotShell
from hermes.policy.shell.grammar.nodes import (
    Assignment,
    Block,
    Channel,
    Command,
    Pipeline,
    Redirect,
    Script,
    Simple,
    first_word,
    is_descriptor,
    literal,
    starts_itself,
)
from hermes.policy.shell.grammar.parse import parse
from hermes.policy.shell.run import Noted, Run, Span
from hermes.policy.shell.state import State

MAX_STEPS = 6_000
MAX_DEPTH = 12
MAX_ROUNDS = 24
_PASSING_ON = frozenset(
    {"sort", "cat", "less", "more", "uniq", "nl", "base64", "tee", "column", "tac", "rev", "xxd"}
)
SECRETS = re.compile(r"(?i)secret|token|pass|key|credential|private|aws|auth|github|akia")
_WRITING = frozenset({">", ">>", ">|", "&>", "&>>", "<>"})


class Ways(NamedTuple):
    """How what an interpreter meets is understood: programs, compound commands, variables."""

    program: Callable[[Interpreter, Run], Flow]
    block: Callable[[Interpreter, Block, Flow], Flow]
    variable: Callable[[Interpreter, str, str, str, Span], None]


class TooMuch(Exception):
    """The command does more than can be followed."""


class Interpreter:
    """Interpret scripts on a state; programs are understood by the functions handed in."""

    def __init__(self, state: State, ways: Ways, source: str = "") -> None:
        self.state = state
        self.ways = ways
        self.noted: list[Noted] = []
        self.ran: list[tuple[str, ...]] = []
        """Every simple command as its words, in order."""
        self.unknown: list[str] = []
        """Programs that no model knows."""
        self.traps: list[tuple[str, Span, State]] = []
        self._source = source
        self._steps = 0
        self._depth = 0
        self._span: Span | None = None
        self._channels = 0

    def aside(self) -> Interpreter:
        """Return an interpreter that tries something out: nothing it does is remembered here."""
        other = Interpreter(self.state.aside(), self.ways)
        self._count(50)
        other._steps, other._depth = self._steps, self._depth + 1
        return other

    def _count(self, steps: int) -> None:
        self._steps += steps
        if self._steps > MAX_STEPS:
            raise TooMuch

    def note(self, effect: Effect, span: Span, *, is_redirect: bool = False) -> None:
        """Write down an effect; one of a redirect is not of the program that ran last."""
        words = self.ran[-1] if self.ran and not is_redirect else ()
        self.noted.append(Noted(effect, self.state.cwd, span, words))

    def warn(self, category: Category, what: str, span: Span) -> None:
        """Write down a danger."""
        self.note(danger(category, what), span)

    def run_text(
        self,
        text: str,
        span: Span,
        *,
        piped: Flow = NOTHING,
        apart: bool = False,
        is_exact: bool = False,
    ) -> Flow:
        """Interpret text that runs, ``apart`` in its own shell; ``is_exact`` must be readable."""
        if UNKNOWN in text and not text.replace(UNKNOWN, "").strip(" ;\n'\""):
            self.warn("opaque", "runs a command that cannot be known beforehand", span)
            return ANYTHING
        self._count(len(text) // 60)
        try:
            script = parse(text)
        except NotShell as error:
            is_unclear = is_exact and UNKNOWN not in text
            what = "is not understood" if is_unclear else "runs text that is not understood"
            self.warn("opaque", f"{what}: {error.message}", span)
            return ANYTHING
        return self.inside(script, span, piped=piped, apart=apart)

    def inside(self, script: Script, span: Span, *, piped: Flow, apart: bool) -> Flow:
        """Interpret a script of another text; what it does is marked at ``span``."""
        if self._depth >= MAX_DEPTH:
            self.warn("opaque", "commands are nested too deeply to be followed", span)
            return ANYTHING
        kept, state = self._span, self.state
        self._span = span
        self._depth += 1
        if apart:
            self.state = state.copy()
        try:
            return self.script(script, piped)
        finally:
            self._span, self._depth = kept, self._depth - 1
            if apart:
                self.state = state

    def script(self, script: Script, piped: Flow = NOTHING) -> Flow:
        """Interpret pipelines one after the other and return what they print together."""
        flows = [self.pipeline(pipeline, piped) for pipeline in script.pipelines]
        return flows[0] if len(flows) == 1 else together(flows)

    def pipeline(self, pipeline: Pipeline, piped: Flow = NOTHING) -> Flow:
        """Interpret commands that feed each other."""
        flow = piped
        last = len(pipeline.commands) - 1
        for at, command in enumerate(pipeline.commands):
            flow = self.command(command, flow, is_last=at == last)
        if last and starts_itself(pipeline):
            what = "is a fork bomb: a script that starts itself"
            self.warn("process", what, self._span or (pipeline.start, pipeline.end))
        if last and (flow.origins & {"environment", "history"} or self._lists(pipeline)):
            self._printed(pipeline, is_all="environment" in flow.origins)
        return flow

    def _lists(self, pipeline: Pipeline) -> bool:
        """Say whether a pipeline begins with a program that prints its settings."""
        first = pipeline.commands[0]
        words = first.words if isinstance(first, Simple) else ()
        return any(literal(word) in ("config", "-pn", "-p") for word in words[1:3])

    def _printed(self, pipeline: Pipeline, *, is_all: bool) -> None:
        """Notice that all variables are printed, or what sounds secret."""
        names = [first_word(command) for command in pipeline.commands[1:]]
        text = " ".join(" ".join(words) for words in self.ran[-len(names) :])
        is_all = is_all and all(name in _PASSING_ON for name in names)
        if is_all or SECRETS.search(text):
            span = self._span or (pipeline.start, pipeline.end)
            self.warn("exfiltration", "prints variables, secrets among them", span)

    def command(self, command: Command, piped: Flow, *, is_last: bool = True) -> Flow:
        """Interpret one command and return what it prints."""
        self._count(1)
        if isinstance(command, Simple):
            return self._simple(command, piped, is_last=is_last)
        return self.ways.block(self, command, piped)

    def expander(self) -> Expander:
        """Return what expands words here and now."""
        return Expander(self.state, self._substituted, self._channelled, self._prompted)

    def _prompted(self, text: str) -> Flow:
        return self.run_text(f'echo "{text}"', self._span or (0, 0))

    def _substituted(self, script: Script) -> Flow:
        state, depth = self.state, self._depth
        if depth >= MAX_DEPTH:
            raise TooMuch
        self.state = state.copy()
        self._depth += 1
        try:
            return self.script(script)
        finally:
            self.state, self._depth = state, depth

    def _channelled(self, channel: Channel) -> str:
        self._channels += 1
        path = f"/dev/fd/{62 + self._channels}"
        if channel.direction == "<":
            self.state.files[path] = self._substituted(channel.script)
        else:
            self.inside(channel.script, self._span or (0, 0), piped=ANYTHING, apart=True)
        return path

    def said(self, run: Run) -> str:
        """Return a command as it was typed, backslashes and all, or as the words that are left."""
        if self._source and self._span is None and self._depth == 0:
            return self._source[slice(*run.span)]
        return " ".join((run.name, *run.words))

    def span_of(self, node: Simple | Block | Redirect) -> Span:
        """Return the part of the judged text that a node stands for."""
        return self._span or (node.start, node.end)

    def _simple(self, command: Simple, piped: Flow, *, is_last: bool) -> Flow:
        span = self.span_of(command)
        expander, before = self.expander(), len(self.ran)
        words = [field for word in command.words for field in expander.fields(word)]
        inner = tuple(ran[0] for ran in self.ran[before:])
        if words and not command.assignments and not command.redirects:
            origins = frozenset(expander.origins)
            name, *rest = words
            return self.run(Run(name, tuple(rest), piped, origins, span, not is_last, (), inner))
        prefix = [self._assigned(given, expander) for given in command.assignments]
        incoming, outgoing = self.redirects(command.redirects, expander, piped)
        self._emptied(command, words, outgoing)
        if not words:
            self._assign(command.assignments, prefix, expander)
            flow = incoming if command.redirects and not command.assignments else NOTHING
        else:
            origins = frozenset(expander.origins)
            is_sent = bool(outgoing) or not is_last
            variables = tuple(
                (given.name, value)
                for given, value in zip(command.assignments, prefix, strict=True)
                if isinstance(value, str)
            )
            run = Run(
                words[0], tuple(words[1:]), incoming, origins, span, is_sent, variables, inner
            )
            for given, value in zip(command.assignments, prefix, strict=True):
                self._prefixed(given.name, value, words[0], span)
            flow = self.run(run)
        return self.put(flow, outgoing, span)

    def _emptied(self, command: Simple, words: list[str], outgoing: list[str]) -> None:
        """Notice a file that is emptied: by nothing, or before its own content is read."""
        if not outgoing or command.redirects[0].operator != ">":
            return
        for path in outgoing:
            found = loss(words, path)
            if found is not None:
                self.note(found, self.span_of(command), is_redirect=True)

    def run(self, run: Run) -> Flow:
        """Understand one program and return what it prints."""
        self._count(1)
        self.ran.append((run.name, *run.words))
        return self.ways.program(self, run)

    def run_words(
        self,
        words: Sequence[str],
        span: Span,
        *,
        piped: Flow = NOTHING,
        is_sent: bool = False,
        origins: frozenset[str] = frozenset(),
        environment: tuple[tuple[str, str], ...] = (),
    ) -> Flow:
        """Understand a command that another one runs with these words."""
        if not words:
            return NOTHING
        if self._depth >= MAX_DEPTH:
            self.warn("opaque", "commands are nested too deeply to be followed", span)
            return ANYTHING
        self._depth += 1
        try:
            return self.run(
                Run(words[0], tuple(words[1:]), piped, origins, span, is_sent, environment)
            )
        finally:
            self._depth -= 1

    def rerun(self, run: Run, words: Sequence[str]) -> Flow:
        """Understand the command that a wrapper runs in its own place."""
        return self.run_words(
            words,
            run.span,
            piped=run.piped,
            is_sent=run.is_sent,
            origins=run.origins,
            environment=run.environment,
        )

    def _assigned(self, given: Assignment, expander: Expander) -> str | list[str]:
        if given.subscript and ("$(" in given.subscript or "`" in given.subscript):
            self.run_text(f'echo "{given.subscript}"', self._span or (given.start, given.end))
        if given.items is not None:
            return [field for word in given.items for field in expander.fields(word)]
        return expander.text(given.value) if given.value is not None else ""

    def _assign(
        self,
        given: Sequence[Assignment],
        values: Sequence[str | list[str]],
        expander: Expander,
    ) -> None:
        origins = frozenset(expander.origins)
        for assignment, value in zip(given, values, strict=True):
            key = assignment.subscript
            if key and not key[1:-1].isdecimal() and isinstance(value, list):
                value = [f"{key}={one}" for one in value]
            self.assign(assignment.name, value, is_added=assignment.is_added)
            if origins:
                self.state.origins[assignment.name] = origins
            self._prefixed(assignment.name, value, "", (assignment.start, assignment.end))

    def assign(self, name: str, value: str | list[str], *, is_added: bool = False) -> None:
        """Set a variable, or add to it."""
        variables = self.state.variables
        old = variables.get(name)
        if is_added and old is not None:
            if isinstance(old, list) or isinstance(value, list):
                value = [*_listed(old), *_listed(value)]
            else:
                value = old + value
        variables[name] = value if isinstance(value, list) else value[:100_000]

    def _prefixed(self, name: str, value: str | list[str], program: str, span: Span) -> None:
        """Look at a variable that changes how programs behave."""
        if isinstance(value, str) and (name.isupper() or "_" in name):
            span = self._span or span
            self.ways.variable(self, name, value, program, span)

    def redirects(
        self, redirects: Sequence[Redirect], expander: Expander, piped: Flow
    ) -> tuple[Flow, list[str]]:
        """Return what comes in on standard input, and the files that the output goes to."""
        incoming, outgoing = piped, list[str]()
        for redirect in redirects:
            operator = redirect.operator
            if operator.startswith("<") and operator != "<>":
                flow = self._incoming(redirect, expander, piped)
                if redirect.descriptor in ("", "0"):
                    incoming = flow
                else:
                    self.state.files[f"/dev/fd/{redirect.descriptor}"] = flow
            else:
                path = " ".join(expander.fields(redirect.target))
                if operator in _WRITING or (operator == ">&" and not is_descriptor(path)):
                    self._written(redirect, path)
                    if redirect.descriptor in ("", "1") and operator != "<>":
                        outgoing.append(path)
        return incoming, outgoing

    def _incoming(self, redirect: Redirect, expander: Expander, piped: Flow) -> Flow:
        """Return what a redirect has a command read."""
        if redirect.operator in ("<<", "<<-"):
            return known(expander.text(redirect.body[0])) if redirect.body else NOTHING
        if redirect.operator == "<<<":
            text = expander.text(redirect.target) + "\n"
            return known(text).with_origins(*expander.origins)
        path = " ".join(expander.fields(redirect.target))
        if redirect.operator == "<":
            return self.content(path, self.span_of(redirect))
        if path in ("0", "-"):
            return piped if path == "0" else NOTHING
        return self.state.files.get(f"/dev/fd/{path}", ANYTHING)

    def _written(self, redirect: Redirect, path: str) -> None:
        self.note(Effect("write", path), self.span_of(redirect), is_redirect=True)
        if redirect.operator == "<>" and path.startswith(("/dev/tcp/", "/dev/udp/")):
            self.content(path, self.span_of(redirect))

    def content(self, path: str, span: Span) -> Flow:
        """Return what reading a file gives, and write down that it is read."""
        if path.startswith(("/dev/tcp/", "/dev/udp/")):
            self.note(Effect("net", path.split("/")[3] if path.count("/") > 2 else path), span)
            return Flow(origins=frozenset({"network"}))
        self.note(Effect("read", path), span)
        own = self.state.content(path)
        if own is not None:
            return own
        return Flow(origins=frozenset({"file", f"file:{path}"}))

    def put(self, flow: Flow, outgoing: list[str], span: Span) -> Flow:
        """Put output into the files it goes to, and return what is left to print."""
        if not outgoing:
            return flow
        for path in outgoing:
            absolute = self.state.absolute(path)
            for found in kept(flow.origins, path):
                self.note(found, span)
            self.state.files[absolute] = flow
        return NOTHING


def _listed(value: str | list[str]) -> list[str]:
    return value if isinstance(value, list) else [value]
