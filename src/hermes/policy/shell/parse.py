"""The grammar of the shell: scripts, pipelines, compound commands, redirects."""

from __future__ import annotations

import functools
import re

from hermes.policy.shell.lexer import Lexer, NotShell, matching_arithmetic
from hermes.policy.shell.nodes import (
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

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(\[[^\]\n]*\])?(\+?)=")
_REDIRECT = re.compile(
    r"(\d*|\{[A-Za-z_]\w*(?:\[\w+\])?\})(<<<|<<-|<<|<>|<&|>&|>>|>\||&>>|&>|<(?!\()|>(?!\())"
)
_STARTS_RESERVED = frozenset("iwufscft{}[!deE")
_STARTS_REDIRECT = frozenset("<>&{0123456789")
_SEPARATOR = re.compile(r";;&|;;|;&|&&|\|\||;|&(?![>])")
_WORD = re.compile(r"[A-Za-z{}!\[\]]+(?=[\s;&|()<>]|$)")
_CLOSERS = frozenset({"then", "do", "done", "fi", "esac", "else", "elif", "}"})
_OPENERS = frozenset(
    {"if", "while", "until", "for", "select", "case", "function", "{", "[[", "coproc", "time", "!"}
)


class Parser(Lexer):
    """Read a text by the grammar of bash."""

    def script(self, closing: str = "") -> Script:  # noqa: ARG002 - the lexer names it
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
        return self._reserved() in _CLOSERS or self.text.startswith((";;", ";&"), self.at)

    def _separator(self) -> bool:
        if self.peek("\n"):
            return True
        match = _SEPARATOR.match(self.text, self.at)
        if match is None or match[0] in (";;", ";&", ";;&"):
            return False
        self.at = match.end()
        return True

    def _reserved(self) -> str:
        if self.text[self.at : self.at + 1] not in _STARTS_RESERVED:
            return ""
        match = _WORD.match(self.text, self.at)
        return match[0] if match else ""

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
        start, word = self.at, self._reserved()
        if word in ("!", "time"):
            return self._prefixed(word)
        if self.peek("("):
            return self._with_redirects(self._parenthesis(), start)
        if word in _OPENERS:
            return self._with_redirects(self._compound(word), start)
        return self._simple()

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

    def _parenthesis(self) -> Block:
        start = self.at
        if self.peek("(("):
            end = matching_arithmetic(self.text, start + 2)
            if end is not None:
                inner = Parser(self.text[start + 2 : end])
                inner.depth = self.depth
                parts = inner._quoted_parts(re.compile(r"[$`\\]"), "")
                self.at = end + 2
                return Block("arithmetic", (), (Word(tuple(parts), start, end),), (), start, end)
        self.at += 1
        return Block("subshell", (self._nested(),), (), (), start, self.at)

    def _compound(self, word: str) -> Block:
        self.descend()
        start = self.at
        self.at += len(word)
        readers = {
            "{": self._group_command,
            "if": self._if,
            "while": self._loop,
            "until": self._loop,
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
        if self._reserved() != word:
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
        while (word := self._reserved()) in ("elif", "else"):
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

    def _for(self) -> Block:
        self.blanks()
        if self.peek("(("):
            header = self._parenthesis()
            body = self._body_of_for()
            return Block("for", (body,), header.words, (), 0, 0, "")
        name = self.word()
        if name is None or len(name.parts) != 1 or not isinstance(name.parts[0], Text):
            raise NotShell("the variable of the loop is missing", self.at)
        self.line_ends()
        words: list[Word] = []
        listed = self._reserved() == "in"
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
        while self._reserved() != "esac":
            words += self._patterns()
            bodies.append(self.script())
            self.line_ends()
            match = re.compile(r";;&|;;|;&").match(self.text, self.at)
            self.at = match.end() if match else self.at
            self.line_ends()
            if match is None and self._reserved() != "esac":
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
        return self._defined(self.text[name.start : name.end])

    def _defined(self, name: str) -> Block:
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
                return self._defined(self.text[word.start : word.end])
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
            match = re.compile(r"\[[^\]\n]*\]=").match(self.text, self.at)
            self.at = match.end() if match else self.at
            word = self.word()
            if word is None:
                raise NotShell("an array is not closed", self.at)
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
    declares = {"declare", "local", "export", "readonly", "typeset"}
    return isinstance(first, Text) and first.text in declares


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
