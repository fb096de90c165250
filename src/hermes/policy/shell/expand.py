"""Turn a written word into the words that the program would be given."""

from __future__ import annotations

import re
from collections.abc import Callable
from fnmatch import translate

from hermes.base.secret_names import is_secret_name
from hermes.policy.shell.effects import UNKNOWN, UNSET
from hermes.policy.shell.flow import Flow
from hermes.policy.shell.grammar.braces import expanded
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
from hermes.policy.shell.state import State, Value
from hermes.policy.shell.tokens import origin_of

_SUM = re.compile(r"[\d\s+\-*/%()]{1,60}")
_MOST_FIELDS = 2_000
_LONGEST = 100_000
_LONGEST_STRIPPED = 2_000
_LONGEST_SEARCHED = 1_000
_PLAIN = frozenset("{~$")
_KEYED = re.compile(r"^\[[^\]]*\]=")


class Expander:
    """Expand words against a state; scripts inside them are run by whoever made this."""

    def __init__(
        self,
        state: State,
        run: Callable[[Script], Flow],
        channel: Callable[[Channel], str],
        run_text: Callable[[str], Flow],
    ) -> None:
        self.state = state
        self._run, self._channel, self._run_text = run, channel, run_text
        self.origins: set[str] = set()
        """Where the parts of what was expanded came from."""

    def fields(self, word: Word) -> list[str]:
        """Return the words that a written word becomes; unknown parts are ``UNKNOWN``."""
        parts = word.parts
        if len(parts) == 1 and isinstance(parts[0], Text):
            text = parts[0].text
            if parts[0].is_quoted or _PLAIN.isdisjoint(text):
                return [text]
        found: list[str] = []
        for one in expanded(word):
            found += self._fields(one.parts)
            if len(found) > _MOST_FIELDS:
                return [*found[:_MOST_FIELDS], UNKNOWN]
        return found

    def text(self, word: Word) -> str:
        """Return a word as one text, as an assignment or a here-document takes it."""
        return " ".join(self._fields(word.parts, splits=False))[:_LONGEST]

    def _fields(self, parts: tuple[Part, ...], *, splits: bool = True) -> list[str]:
        made = _Fields()
        for index, part in enumerate(parts):
            if isinstance(part, Text):
                text = part.text
                if index == 0 and not part.is_quoted and text.startswith("~"):
                    text = self._tilde(text, is_whole=len(parts) == 1)
                made.add(text, opens=part.is_quoted)
                continue
            values, is_quoted = self._values(part)
            if is_quoted or not splits:
                made.add_all(values, opens=is_quoted and not _is_list(part))
            else:
                separators = _separators(self.state.value("IFS"))
                for at, value in enumerate(values):
                    if at:
                        made.close()
                    made.split(value, separators)
        return made.all()

    def _tilde(self, text: str, *, is_whole: bool) -> str:
        head, slash, rest = text.partition("/")
        if head == "~" and (slash or is_whole):
            return self.state.places.home + slash + rest
        if head == "~+":
            return self.state.cwd + slash + rest
        return text

    def _values(self, part: Part) -> tuple[list[str], bool]:
        """Return the values of a part, and whether they are kept from splitting."""
        if isinstance(part, Variable):
            if part.operator == "joined" and part.argument is not None:
                return self._fields(part.argument.parts, splits=False) or [""], True
            return self._variable(part), part.is_quoted
        if isinstance(part, Substitution):
            return self._output(part), part.is_quoted or False
        if isinstance(part, Arithmetic):
            return [self._number(part.inner)], True
        if isinstance(part, Channel):
            return [self._channel(part)], True
        return [part.text], True

    def _output(self, part: Substitution) -> list[str]:
        flow = self._run(part.script)
        self.origins |= flow.origins - {UNSET}
        if flow.text is not None:
            return [flow.text.rstrip("\n")]
        if flow.paths:
            return list(flow.paths)
        return [UNKNOWN]

    def _number(self, inner: Word) -> str:
        text = "".join(self._fields(inner.parts, splits=False))
        text = re.sub(
            r"\b[A-Za-z_]\w*", lambda match: _one(self.state.value(match[0])) or "0", text
        )
        if _SUM.fullmatch(text) and "**" not in text:
            try:
                return str(int(eval(text.replace("/", "//"), {"__builtins__": {}})))
            except (ArithmeticError, SyntaxError, ValueError, TypeError):
                return UNKNOWN
        return UNKNOWN

    def _variable(self, part: Variable) -> list[str]:
        state, name, operator = self.state, part.name, part.operator
        self.origins |= state.origins.get(name, frozenset())
        if name not in state.variables and is_secret_name(name):
            self.origins |= {"secret", origin_of(name)}
        if part.subscript is not None and ("$(" in part.subscript or "`" in part.subscript):
            self._run_text(part.subscript)
        value = state.value(name)
        if operator == "" and part.subscript is None:
            if value == UNKNOWN and name not in state.variables and not name.isdecimal():
                self.origins.add(UNSET)
            return _listed(value) if name == "@" or isinstance(value, list) else [value]
        if part.subscript is not None:
            value = _indexed(value, part.subscript)
        if operator.startswith("!"):
            return self._indirect(value, operator[1:])
        if operator.startswith("#") and part.argument is None and operator == "#":
            return [str(len(_one(value)))]
        return self._operated(part, value)

    def _indirect(self, value: Value, operator: str) -> list[str]:
        name = _one(value)
        if operator or UNKNOWN in name:
            self.origins.add("secret")  # whichever variable that is
            return [UNKNOWN]
        return _listed(self.state.value(name))

    def _operated(self, part: Variable, value: Value) -> list[str]:
        operator, argument = part.operator, part.argument
        if not operator:
            return _listed(value)
        if operator.lstrip(":") in ("-", "=", "+", "?"):
            return self._defaulted(part, value)
        word = self.text(argument) if argument is not None else ""
        values = [_changed(one, operator, word) for one in _listed(value)]
        if operator == "@" and word == "P":
            self._run_text("".join(values))
        return values

    def _defaulted(self, part: Variable, value: Value) -> list[str]:
        kind = part.operator.lstrip(":")
        is_set = self.state.is_set(part.name) and bool(_one(value) or kind == part.operator)
        if kind == "?" or (kind in "-=" and is_set):
            return _listed(value)
        if kind == "+" and not is_set and part.name.isdecimal():
            return [""]
        word = self.text(part.argument) if part.argument is not None else ""
        if kind == "=" and not is_set:
            self.state.variables[part.name] = word
        return [word]


class _Fields:
    """Fields in the making: text is added to the last one until a separator closes it."""

    def __init__(self) -> None:
        self._made: list[str] = []
        self._current = ""
        self._is_open = False

    def add(self, text: str, *, opens: bool = False) -> None:
        """Add text to the field in the making."""
        self._current += text
        self._is_open = self._is_open or opens or bool(text)

    def add_all(self, values: list[str], *, opens: bool) -> None:
        """Add values, each but the first in a field of its own."""
        for at, value in enumerate(values):
            if at:
                self.close()
            self.add(value, opens=True)
        self._is_open = self._is_open or opens

    def split(self, value: str, separators: re.Pattern[str] | None) -> None:
        """Add a value that separators cut into fields."""
        if separators is None:
            self.add(value)
            return
        for at, word in enumerate(separators.split(value)):
            if at:
                self.close()
            self.add(word)

    def close(self) -> None:
        """End the field in the making; an empty one that nothing opened is none."""
        if self._is_open:
            self._made.append(self._current)
        self._current, self._is_open = "", False

    def all(self) -> list[str]:
        """Return the fields."""
        self.close()
        return self._made


_BLANKS = re.compile(r"[ \t\n]+")


def _separators(value: Value) -> re.Pattern[str] | None:
    if value == " \t\n" or not isinstance(value, str) or UNKNOWN in value:
        return _BLANKS
    return re.compile(f"[{re.escape(value)}]") if value else None


def _is_list(part: Part) -> bool:
    return isinstance(part, Variable) and part.name == "@"


def _listed(value: Value) -> list[str]:
    return value if isinstance(value, list) else [value]


def _one(value: Value) -> str:
    return value if isinstance(value, str) else (value[0] if value else "")


def _indexed(value: Value, subscript: str) -> Value:
    if subscript in ("@", "*"):
        return [_KEYED.sub("", one) for one in _listed(value)]
    if isinstance(value, list):
        key = f"[{subscript}]="
        for one in reversed(value):
            if one.startswith(key):
                return one[len(key) :]
        number = int(subscript) if subscript.lstrip("-").isdecimal() else None
        if number is not None and -len(value) <= number < len(value):
            return value[number]
        return UNKNOWN
    return value if subscript == "0" else UNKNOWN


def _changed(value: str, operator: str, word: str) -> str:
    """Return what ``${x%y}`` and its kin make of a value."""
    if operator == "@":
        return {"U": value.upper(), "L": value.lower(), "Q": value, "E": value, "P": value}.get(
            word, UNKNOWN
        )
    if operator in ("^", "^^", ",", ",,"):
        if len(operator) == 2:
            return value.upper() if operator == "^^" else value.lower()
        first = value[:1].upper() if operator == "^" else value[:1].lower()
        return first + value[1:]
    if UNKNOWN in word:
        return UNKNOWN
    if operator == ":":
        return _cut_out(value, word)
    if operator in ("/", "//"):
        return _replaced(value, word, is_all=operator == "//")
    return _stripped(value, operator, word)


def _cut_out(value: str, word: str) -> str:
    first, _, length = word.partition(":")
    try:
        start = int(first.strip() or 0)
        start = max(0, len(value) + start) if start < 0 else start
        size = int(length) if length.strip() else None
    except ValueError:
        return UNKNOWN
    if UNKNOWN in value:
        return UNKNOWN
    if size is None:
        return value[start:]
    return value[start:size] if size < 0 else value[start : start + size]


def _replaced(value: str, word: str, *, is_all: bool) -> str:
    pattern, _, new = word.partition("/")
    if not pattern:
        return value
    if "*" in pattern and len(value) > _LONGEST_SEARCHED:
        return UNKNOWN
    anchor, pattern = (pattern[0], pattern[1:]) if pattern[0] in "#%" else ("", pattern)
    written = translate(pattern).removesuffix(r"\Z").removesuffix(r"\z")
    written = {"#": rf"\A(?:{written})", "%": rf"(?:{written})\Z"}.get(anchor, written)
    return re.sub(written, lambda _: new, value, count=0 if is_all else 1)


def _stripped(value: str, operator: str, word: str) -> str:
    if operator not in ("#", "##", "%", "%%") or not word:
        return value
    if len(value) > _LONGEST_STRIPPED:
        return UNKNOWN
    is_front, is_longest = operator[0] == "#", len(operator) == 2
    match = re.compile(translate(word)).match
    if is_front:
        sizes = range(len(value), -1, -1) if is_longest else range(len(value) + 1)
        cut = next((value[n:] for n in sizes if match(value[:n])), value)
    else:
        sizes = range(len(value) + 1) if is_longest else range(len(value), -1, -1)
        cut = next((value[:n] for n in sizes if match(value[n:])), value)
    return cut
