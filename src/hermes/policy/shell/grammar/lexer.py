"""Read the words of a shell text: quotes, expansions, substitutions, here-documents."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hermes.policy.shell.grammar.escapes import matching_arithmetic, unescaped
from hermes.policy.shell.grammar.nodes import (
    Arithmetic,
    Channel,
    Part,
    Script,
    Substitution,
    Text,
    Variable,
    Word,
)

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_DEPTH = 40
_PLAIN = re.compile(r"[A-Za-z0-9_./:,@%+=^~\-\]}{*?!\u0080-\U0010ffff]+")
_BLANK = re.compile(r"(?:[ \t]|\\\n)+")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ENDS = frozenset(" \t\n;&|<>()")
_QUOTE_STOP = re.compile(r'["$`\\]')
_BODY_STOP = re.compile(r"[$`\\]")


class NotShell(Exception):
    """The text is not a command this grammar knows; says where and why."""

    def __init__(self, message: str, place: int) -> None:
        super().__init__(message)
        self.message, self.place = message, place


class Lexer:
    """Walk over a text; ``at`` is the place of the next character."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.waiting: list[Callable[[], None]] = []
        """Here-documents whose bodies begin after the next line end."""

    def script(self) -> Script:
        """Read a script up to what closes it; the grammar is the subclass's."""
        raise NotImplementedError

    def peek(self, text: str) -> bool:
        """Say whether a text comes next."""
        return self.text.startswith(text, self.at)

    def blanks(self) -> None:
        """Skip blanks, joined lines and a comment."""
        text = self.text
        following = text[self.at : self.at + 1]
        if following == " " or following == "\t" or following == "\\":
            match = _BLANK.match(text, self.at)
            if match:
                self.at = match.end()
                following = text[self.at : self.at + 1]
        if following == "#" and self._starts_comment():
            end = text.find("\n", self.at)
            self.at = len(text) if end < 0 else end

    def _starts_comment(self) -> bool:
        return self.at == 0 or self.text[self.at - 1] in " \t\n;&|()`"

    def descend(self) -> None:
        """Go one level deeper; a text nested beyond reason is not understood."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise NotShell("it is nested too deeply", self.at)

    def word(self) -> Word | None:
        """Return the next word, or None where there is none."""
        text, start = self.text, self.at
        match = _PLAIN.match(text, start)
        if match:
            end = match.end()
            if end == len(text) or (text[end] in _ENDS and not self._is_pattern_group(end)):
                self.at = end
                return Word((Text(match[0], False),), start, end)
        parts = self._parts()
        return Word(tuple(parts), start, self.at) if self.at > start else None

    def _is_pattern_group(self, at: int) -> bool:
        return self.text[at] == "(" and self.text[at - 1] in "@!*+?"

    def _parts(self) -> list[Part]:
        parts: list[Part] = []
        text = self.text
        while self.at < len(text):
            char = text[self.at]
            if char in _ENDS:
                if char == "(" and parts and self._is_pattern_group(self.at):
                    parts.append(Text(self._group(), False))
                    continue
                if char in "<>" and text.startswith("(", self.at + 1) and not parts:
                    parts.append(self._channel(char))
                    continue
                break
            part = self._part(char)
            if part is not None:
                parts.append(part)
        return parts

    def _part(self, char: str) -> Part | None:
        if char == "'":
            return Text(self._single(), True)
        if char == '"':
            return self._double()
        if char == "\\":
            return self._escaped()
        if char == "`":
            return self._backticks(is_quoted=False)
        if char == "$":
            return self._dollar(is_quoted=False)
        match = _PLAIN.match(self.text, self.at)
        self.at = match.end() if match else self.at + 1
        return Text(match[0] if match else char, False)

    def _single(self) -> str:
        end = self.text.find("'", self.at + 1)
        if end < 0:
            raise NotShell("a single quote is not closed", self.at)
        inner = self.text[self.at + 1 : end]
        self.at = end + 1
        return inner

    def _double(self) -> Part:
        start = self.at
        self.at += 1
        parts = self._quoted_parts(_QUOTE_STOP, '"')
        if not self.peek('"'):
            raise NotShell("a double quote is not closed", start)
        self.at += 1
        if len(parts) == 1:
            return parts[0]
        if not parts:
            return Text("", True)
        return Variable("", True, "joined", Word(tuple(parts), start, self.at))

    def _quoted_parts(self, stop: re.Pattern[str], closing: str) -> list[Part]:
        """Return what stands up to a closing character, in which few characters matter."""
        parts: list[Part] = []
        text = self.text
        while True:
            match = stop.search(text, self.at)
            end = match.start() if match else len(text)
            if end > self.at:
                parts.append(Text(text[self.at : end], True))
                self.at = end
            if match is None or match[0] == closing:
                return parts
            if match[0] == "\\":
                parts.append(self._quoted_escape())
            elif match[0] == "`":
                parts.append(self._backticks(is_quoted=True))
            else:
                parts.append(self._dollar(is_quoted=True))

    def _quoted_escape(self) -> Text:
        following = self.text[self.at + 1 : self.at + 2]
        self.at += 2
        if following == "\n":
            return Text("", True)
        return Text(following if following in '$`"\\' else "\\" + following, True)

    def _escaped(self) -> Part | None:
        following = self.text[self.at + 1 : self.at + 2]
        self.at += 2
        if following == "\n":
            return None
        return Text(following or "\\", True)

    def _group(self) -> str:
        """Return a pattern group such as ``(a|b)`` as it is written."""
        start, level = self.at, 0
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in "\"'":
                self._part(char)
                continue
            level += (char == "(") - (char == ")")
            self.at += 1
            if level == 0:
                return self.text[start : self.at]
        raise NotShell("a pattern group is not closed", start)

    def _channel(self, direction: str) -> Channel:
        self.at += 2
        return Channel(direction, self._nested())

    def _nested(self) -> Script:
        start = self.at
        self.descend()
        script = self.script()
        if not self.peek(")"):
            raise NotShell("a parenthesis is not closed", start)
        self.at += 1
        self.depth -= 1
        return script

    def _backticks(self, *, is_quoted: bool) -> Substitution:
        start, text = self.at, self.text
        end = start + 1
        while end < len(text) and text[end] != "`":
            end += 2 if text[end] == "\\" else 1
        if end >= len(text):
            raise NotShell("a backtick is not closed", start)
        inner = re.sub(r'\\([$`\\"])' if is_quoted else r"\\([$`\\])", r"\1", text[start + 1 : end])
        self.at = end + 1
        self.descend()
        script = type(self)(inner).within(self.depth)
        self.depth -= 1
        return Substitution(_moved(script, start, end + 1), is_quoted)

    def within(self, depth: int) -> Script:
        """Read a whole text that stands inside another."""
        self.depth = depth
        script = self.script()
        if self.at < len(self.text):
            raise NotShell(f"{self.text[self.at]!r} is not expected", self.at)
        return script

    def _dollar(self, *, is_quoted: bool) -> Part:
        text, start = self.text, self.at
        following = text[start + 1 : start + 2]
        if following == "(":
            if text.startswith("((", start + 1):
                number = self._arithmetic(start, is_quoted=is_quoted)
                if number is not None:
                    return number
            self.at = start + 2
            return Substitution(self._nested(), is_quoted)
        if following == "{":
            return self._braced(is_quoted=is_quoted)
        if following == "'" and not is_quoted:
            return self._ansi()
        if following == '"' and not is_quoted:
            self.at += 1
            return self._double()
        match = _NAME.match(text, start + 1)
        if match:
            self.at = match.end()
            return Variable(match[0], is_quoted)
        if following and following in "@*#?$!-0123456789":
            self.at += 2
            return Variable(following, is_quoted)
        self.at += 1
        return Text("$", True)

    def _arithmetic(self, start: int, *, is_quoted: bool) -> Arithmetic | None:
        """Return ``$((…))``, or None when it is a subshell inside a substitution."""
        end = matching_arithmetic(self.text, start + 3)
        if end is None:
            return None
        inner = type(self)(self.text[start + 3 : end])
        inner.depth = self.depth + 1
        if inner.depth > MAX_DEPTH:
            raise NotShell("it is nested too deeply", start)
        parts = inner._quoted_parts(_BODY_STOP, "")
        self.at = end + 2
        return Arithmetic(Word(tuple(parts), start, self.at), is_quoted)

    def _ansi(self) -> Text:
        start = self.at
        end = start + 2
        while end < len(self.text) and self.text[end] != "'":
            end += 2 if self.text[end] == "\\" else 1
        if end >= len(self.text):
            raise NotShell("a $' quote is not closed", start)
        self.at = end + 1
        return Text(unescaped(self.text[start + 2 : end]), True)

    def _braced(self, *, is_quoted: bool) -> Variable:
        start = self.at
        match = re.compile(r"\$\{([!#]?)([A-Za-z_]\w*|[0-9]+|[@*#?$!-])").match(self.text, start)
        if match is None:
            raise NotShell("this expansion is not known", start)
        prefix, name = match[1], match[2]
        self.at = match.end()
        subscript = self._subscript()
        operator = re.compile(r":?[-=?+]|##?|%%?|//?|\^\^?|,,?|@|:|[*@](?=\})|").match(
            self.text, self.at
        )
        self.at = operator.end() if operator else self.at
        argument = self._argument(start)
        written = (prefix + operator[0]) if operator else prefix
        return Variable(name, is_quoted, written, argument, subscript)

    def _subscript(self) -> str | None:
        if not self.peek("["):
            return None
        end = self.text.find("]", self.at)
        if end < 0:
            raise NotShell("a subscript is not closed", self.at)
        inner = self.text[self.at + 1 : end]
        self.at = end + 1
        return inner

    def _argument(self, start: int) -> Word | None:
        """Return what stands up to the closing brace of an expansion."""
        self.descend()
        begin, parts = self.at, list[Part]()
        while self.at < len(self.text) and self.text[self.at] != "}":
            char = self.text[self.at]
            if char in _ENDS or char in "{~*?":
                parts.append(Text(char, False))
                self.at += 1
            elif char in "\"'\\`$":
                part = self._part(char)
                parts += [part] if part is not None else []
            else:
                match = re.compile(r"[^ \t\n;&|<>(){}~*?\"'\\`$]+").match(self.text, self.at)
                parts.append(Text(match[0] if match else char, False))
                self.at = match.end() if match else self.at + 1
        if self.at >= len(self.text):
            raise NotShell("an expansion is not closed", start)
        self.at += 1
        self.depth -= 1
        return Word(tuple(parts), begin, self.at - 1) if parts else None

    def body(self, delimiter: str, *, is_literal: bool, strips_tabs: bool) -> Word:
        """Return the here-document that begins here, and stand behind it."""
        start, text, lines = self.at, self.text, list[str]()
        at = start
        while at < len(text):
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            line = text[at:end]
            at = end + 1
            if strips_tabs:
                line = line.lstrip("\t")
            if line == delimiter:
                break
            lines.append(line + "\n")
        self.at = min(at, len(text))
        content = "".join(lines)
        if is_literal or not _BODY_STOP.search(content):
            return Word((Text(content, True),), start, self.at)
        inner = type(self)(content)
        inner.depth = self.depth + 1
        parts = inner._quoted_parts(_BODY_STOP, "")
        return Word(tuple(parts), start, self.at)


def _moved(script: Script, start: int, end: int) -> Script:
    """Return a script of another text, all of it at the place where that text stands here."""
    return Script(script.pipelines, start, end)
