"""Compound commands: groups, conditions, loops, cases, functions."""

from __future__ import annotations

import re

from hermes.policy.shell.grammar.escapes import matching_arithmetic
from hermes.policy.shell.grammar.lexer import Lexer, NotShell
from hermes.policy.shell.grammar.nodes import Block, Command, Pipeline, Script, Text, Word

_RESERVED = re.compile(r"[A-Za-z{}!\[\]]+(?=[\s;&|()<>]|$)")
_STARTS_RESERVED = frozenset("iwufscft{}[!deE")


class Compound(Lexer):
    """Read compound commands; simple ones are the parser's."""

    def command(self) -> Command:
        """Read one command."""
        raise NotImplementedError

    def line_ends(self) -> None:
        """Skip blanks and line ends."""
        raise NotImplementedError

    def reserved(self) -> str:
        """Return the word that comes next, if it could be one of the grammar's own."""
        if self.text[self.at : self.at + 1] not in _STARTS_RESERVED:
            return ""
        match = _RESERVED.match(self.text, self.at)
        return match[0] if match else ""

    def parenthesis(self) -> Block:
        """Read a subshell or an arithmetic command."""
        start = self.at
        if self.peek("(("):
            end = matching_arithmetic(self.text, start + 2)
            if end is not None:
                inner = type(self)(self.text[start + 2 : end])
                inner.depth = self.depth
                parts = inner._quoted_parts(re.compile(r"[$`\\]"), "")
                self.at = end + 2
                return Block("arithmetic", (), (Word(tuple(parts), start, end),), (), start, end)
        self.at += 1
        return Block("subshell", (self._nested(),), (), (), start, self.at)

    def compound(self, word: str) -> Block:
        """Read the compound command that a word begins."""
        self.descend()
        start = self.at
        self.at += len(word)
        readers = {
            "{": self._group_command,
            "if": self._if,
            "while": self._loop,
            "until": self._until,
            "for": self._for,
            "select": self._for,
            "case": self._case,
            "function": self._function,
            "[[": self._condition,
            "coproc": self._coproc,
        }
        block = readers[word]()
        self.depth -= 1
        return block._replace(start=start, end=self.at)

    def _expect(self, word: str) -> None:
        self.line_ends()
        if self.reserved() != word:
            raise NotShell(f"{word!r} is missing", self.at)
        self.at += len(word)

    def _group_command(self) -> Block:
        body = self.script()
        self._expect("}")
        return Block("group", (body,), (), (), 0, 0)

    def _if(self) -> Block:
        bodies = [self.script()]
        self._expect("then")
        bodies.append(self.script())
        while (word := self.reserved()) in ("elif", "else"):
            self.at += len(word)
            bodies.append(self.script())
            if word == "elif":
                self._expect("then")
                bodies.append(self.script())
        self._expect("fi")
        return Block("if", tuple(bodies), (), (), 0, 0)

    def _loop(self) -> Block:
        condition = self.script()
        self._expect("do")
        body = self.script()
        self._expect("done")
        return Block("while", (condition, body), (), (), 0, 0)

    def _until(self) -> Block:
        return self._loop()._replace(name="until")

    def _for(self) -> Block:
        self.blanks()
        if self.peek("(("):
            header = self.parenthesis()
            body = self._body_of_for()
            return Block("for", (body,), header.words, (), 0, 0, "")
        name = self.word()
        if name is None or len(name.parts) != 1 or not isinstance(name.parts[0], Text):
            raise NotShell("the variable of the loop is missing", self.at)
        self.line_ends()
        words: list[Word] = []
        listed = self.reserved() == "in"
        if listed:
            self.at += 2
            words = self._words()
        body = self._body_of_for()
        kind = "for" if listed else "for-arguments"
        return Block(kind, (body,), tuple(words), (), 0, 0, name.parts[0].text)

    def _body_of_for(self) -> Script:
        self.blanks()
        if self.peek(";"):
            self.at += 1
        self.line_ends()
        opener = "{" if self.peek("{") else "do"
        self._expect(opener)
        body = self.script()
        self._expect("}" if opener == "{" else "done")
        return body

    def _words(self) -> list[Word]:
        found: list[Word] = []
        while True:
            self.blanks()
            word = self.word()
            if word is None:
                return found
            found.append(word)

    def _case(self) -> Block:
        self.blanks()
        subject = self.word()
        if subject is None:
            raise NotShell("'case' has no word", self.at)
        self._expect("in")
        words, bodies = [subject], list[Script]()
        self.line_ends()
        while self.reserved() != "esac":
            words += self._patterns()
            bodies.append(self.script())
            self.line_ends()
            match = re.compile(r";;&|;;|;&").match(self.text, self.at)
            self.at = match.end() if match else self.at
            self.line_ends()
            if match is None and self.reserved() != "esac":
                raise NotShell("'esac' is missing", self.at)
        self.at += 4
        return Block("case", tuple(bodies), tuple(words), (), 0, 0)

    def _patterns(self) -> list[Word]:
        if self.peek("("):
            self.at += 1
        found = []
        while True:
            self.blanks()
            word = self.word()
            if word is None:
                raise NotShell("a pattern of 'case' is missing", self.at)
            found.append(word)
            self.blanks()
            if not self.peek("|"):
                break
            self.at += 1
        if not self.peek(")"):
            raise NotShell("a pattern of 'case' is not closed", self.at)
        self.at += 1
        return found

    def _function(self) -> Block:
        self.blanks()
        name = self.word()
        if name is None:
            raise NotShell("the function has no name", self.at)
        self.blanks()
        match = re.compile(r"\(\s*\)").match(self.text, self.at)
        self.at = match.end() if match else self.at
        return self.defined(self.text[name.start : name.end])

    def defined(self, name: str) -> Block:
        """Read the body of a function."""
        self.line_ends()
        start = self.at
        body = self.command()
        script = Script((Pipeline((body,), start, self.at),), start, self.at)
        return Block("function", (script,), (), (), start, self.at, name)

    def _coproc(self) -> Block:
        self.blanks()
        match = re.compile(r"[A-Za-z_]\w*[ \t]+(?=[{(])").match(self.text, self.at)
        self.at = match.end() if match else self.at
        start = self.at
        body = self.command()
        script = Script((Pipeline((body,), start, self.at),), start, self.at)
        return Block("coproc", (script,), (), (), start, self.at)

    def _condition(self) -> Block:
        """Read ``[[ … ]]``; only the substitutions inside matter, operators are skipped."""
        words: list[Word] = []
        while True:
            self.line_ends()
            if self.at >= len(self.text):
                raise NotShell("']]' is missing", self.at)
            if self.peek("]]"):
                self.at += 2
                return Block("condition", (), tuple(words), (), 0, 0)
            word = self.word()
            if word is None:
                self.at += 1
            else:
                words.append(word)
