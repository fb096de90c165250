"""The grammar of the shell: scripts, pipelines, compound commands, redirects."""

from __future__ import annotations

import functools
import re

from hermes.policy.shell.grammar.compound import Compound
from hermes.policy.shell.grammar.lexer import NotShell
from hermes.policy.shell.grammar.nodes import (
    Assignment,
    Block,
    Command,
    Part,
    Pipeline,
    Redirect,
    Script,
    Simple,
    Text,
    Word,
)

_KEY = re.compile(r"\[([^\]\n]*)\]=")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(\[[^\]\n]*\])?(\+?)=")
_REDIRECT = re.compile(
    r"(\d*|\{[A-Za-z_]\w*(?:\[\w+\])?\})(<<<|<<-|<<|<>|<&|>&|>>|>\||&>>|&>|<(?!\()|>(?!\())"
)
_STARTS_REDIRECT = frozenset("<>&{0123456789")
_PLAIN_WORD = re.compile(r"[A-Za-z0-9_./:@%+,=-]+")
_PLAIN_COMMAND = re.compile(
    r"([A-Za-z0-9_./:@%+,-]+)(?:[ \t]+[A-Za-z0-9_./:@%+,=-]+)*[ \t]*(?=[;\n|]|&(?!>)|$)"
)
_DECLARING = frozenset({"declare", "local", "export", "readonly", "typeset"})
_SEPARATOR = re.compile(r";;&|;;|;&|&&|\|\||;|&(?![>])")
_CLOSERS = frozenset({"then", "do", "done", "fi", "esac", "else", "elif", "}"})
_OPENERS = frozenset(
    {"if", "while", "until", "for", "select", "case", "function", "{", "[[", "coproc", "time", "!"}
)


class Parser(Compound):
    """Read a text by the grammar of bash."""

    def script(self) -> Script:
        """Read pipelines up to a closing word or parenthesis, which is left where it is."""
        start, found = self.at, list[Pipeline]()
        while True:
            self.line_ends()
            if self.at >= len(self.text) or self.peek(")") or self._closes():
                break
            pipeline = self.pipeline()
            self.blanks()
            is_background = self.peek("&") and not self.peek("&&")
            found.append(pipeline._replace(is_background=True) if is_background else pipeline)
            if not self._separator():
                break
        return Script(tuple(found), start, self.at)

    def _closes(self) -> bool:
        return self.reserved() in _CLOSERS or self.text.startswith((";;", ";&"), self.at)

    def _separator(self) -> bool:
        if self.peek("\n"):
            return True
        match = _SEPARATOR.match(self.text, self.at)
        if match is None or match[0] in (";;", ";&", ";;&"):
            return False
        self.at = match.end()
        return True

    def line_ends(self) -> None:
        """Skip blanks and line ends, and read the here-documents that begin after one."""
        while True:
            self.blanks()
            if not self.peek("\n"):
                return
            self.at += 1
            waiting, self.waiting = self.waiting, []
            for read in waiting:
                read()

    def pipeline(self) -> Pipeline:
        """Read commands joined by ``|``."""
        self.blanks()
        start = self.at
        commands = [self.command()]
        while True:
            self.blanks()
            if not self.peek("|") or self.peek("||"):
                break
            self.at += 2 if self.peek("|&") else 1
            self.line_ends()
            commands.append(self.command())
        return Pipeline(tuple(commands), start, self.at)

    def command(self) -> Command:
        """Read one command, simple or compound."""
        self.blanks()
        start, word = self.at, self.reserved()
        if word in ("!", "time"):
            return self._prefixed(word)
        if self.peek("("):
            return self._with_redirects(self.parenthesis(), start)
        if word in _OPENERS:
            return self._with_redirects(self.compound(word), start)
        return self._plain() or self._simple()

    def _plain(self) -> Simple | None:
        """Read the commonest kind at once: words without quotes, up to a separator."""
        match = _PLAIN_COMMAND.match(self.text, self.at)
        if match is None or match[1] in _DECLARING:
            return None
        start = self.at
        words = tuple(
            Word((Text(found[0], False),), *found.span())
            for found in _PLAIN_WORD.finditer(self.text, start, match.end())
        )
        self.at = match.end()
        return Simple((), words, (), start, self.at)

    def _prefixed(self, word: str) -> Command:
        self.at += len(word)
        self.blanks()
        while word == "time" and (match := re.compile(r"-p|--").match(self.text, self.at)):
            self.at = match.end()
            self.blanks()
        if self.at >= len(self.text) or self.text[self.at] in "\n;&|)":
            return Simple((), (), (), self.at, self.at)
        return self.command()

    def _with_redirects(self, block: Block, start: int) -> Block:
        found: list[Redirect] = []
        while True:
            self.blanks()
            redirect = self._redirect()
            if redirect is None:
                break
            found.append(redirect)
        return block._replace(redirects=tuple(found), start=start, end=self.at)

    def _simple(self) -> Command:
        start = self.at
        assignments, words, redirects = list[Assignment](), list[Word](), list[Redirect]()
        while True:
            self.blanks()
            if (redirect := self._redirect()) is not None:
                redirects.append(redirect)
                continue
            assignment = None if words else self._assignment()
            if assignment is not None:
                assignments.append(assignment)
                continue
            word = self.word()
            if word is None:
                break
            words.append(word)
            if len(words) == 1 and self._begins_function():
                return self.defined(self.text[word.start : word.end])
            if _is_declaring(words):
                self._declared(words)
        if not (words or assignments or redirects):
            shown = self.text[self.at : self.at + 1] or "the end"
            raise NotShell(f"{shown!r} is not expected here", self.at)
        return Simple(tuple(assignments), tuple(words), tuple(redirects), start, self.at)

    def _begins_function(self) -> bool:
        match = re.compile(r"[ \t]*\([ \t]*\)").match(self.text, self.at)
        if match is None:
            return False
        self.at = match.end()
        return True

    def _declared(self, words: list[Word]) -> None:
        """Read ``x=(a b)`` behind declare, local and their kin as words."""
        self.blanks()
        match = _ASSIGNMENT.match(self.text, self.at)
        if match and self.text.startswith("(", match.end()):
            start = self.at
            assignment = self._assignment()
            items = assignment.items if assignment else ()
            words.append(Word((Text(f"{match[1]}=", True),), start, self.at))
            words.extend(items or ())

    def _assignment(self) -> Assignment | None:
        match = _ASSIGNMENT.match(self.text, self.at)
        if match is None:
            return None
        start, name, is_added = self.at, match[1], bool(match[3])
        self.at = match.end()
        if self.peek("("):
            self.at += 1
            items = self._items()
            return Assignment(name, is_added, None, tuple(items), start, self.at)
        value = None if self.at < len(self.text) and self.text[self.at] in " \t\n" else self.word()
        if match[2]:
            one = (value,) if value else ()
            return Assignment(name, True, None, one, start, self.at, match[2])
        return Assignment(name, is_added, value, None, start, self.at)

    def _items(self) -> list[Word]:
        found: list[Word] = []
        while True:
            self.line_ends()
            if self.peek(")"):
                self.at += 1
                return found
            match = _KEY.match(self.text, self.at)
            self.at = match.end() if match else self.at
            word = self.word()
            if word is None:
                raise NotShell("an array is not closed", self.at)
            if match and not match[1].isdecimal():
                word = word._replace(parts=(Text(match[0], True), *word.parts))
            found.append(word)

    def _redirect(self) -> Redirect | None:
        if self.text[self.at : self.at + 1] not in _STARTS_REDIRECT:
            return None
        match = _REDIRECT.match(self.text, self.at)
        if match is None:
            return None
        start, operator = self.at, match[2]
        self.at = match.end()
        self.blanks()
        target = self.word()
        if target is None:
            raise NotShell("a redirect has no target", start)
        body: list[Word] = []
        if operator in ("<<", "<<-"):
            delimiter, is_literal = _delimiter(target.parts)
            read = functools.partial(
                self.body, delimiter, is_literal=is_literal, strips_tabs=operator == "<<-"
            )
            self.waiting.append(lambda: body.append(read()))
        return Redirect(operator, target, body, start, self.at, match[1])


def _delimiter(parts: tuple[Part, ...]) -> tuple[str, bool]:
    texts = [part for part in parts if isinstance(part, Text)]
    return "".join(part.text for part in texts), any(part.is_quoted for part in texts)


def _is_declaring(words: list[Word]) -> bool:
    first = words[0].parts[0]
    return isinstance(first, Text) and first.text in _DECLARING


@functools.lru_cache(maxsize=256)
def parse(text: str) -> Script:
    """Return a text as a script.

    Raises:
        NotShell: it is not a shell text; says where and why.
    """
    parser = Parser(text)
    script = parser.within(0)
    parser.line_ends()
    return script
