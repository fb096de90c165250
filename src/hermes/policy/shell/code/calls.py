"""Find the calls in scanned code, with their arguments as texts as far as they are constant."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

from hermes.policy.shell.code.scanning import Syntax, Token, scan
from hermes.policy.shell.effects import UNKNOWN

_JOINTS = frozenset((".", "::", "->", "?."))
_OPENING = {"(": ")", "[": "]", "{": "}"}
_STOPS = frozenset((";", "\n", "}", "||", "&&"))
_STOP_WORDS = frozenset(
    ("if", "unless", "or", "and", "while", "until", "for", "foreach", "do", "then")
)
_GLUE = frozenset(("+", ".", "..", "(", ")"))
_KEEPING = frozenset(("toString", "trim", "strip", "chomp", "to_s", "decode", "String", "chop"))
_LONGEST = 20_000
_MOST = 300
_BUDGET = 150_000
Fold = Callable[[list[str]], str | None]
_BARE_NAMES = frozenset(("children", "entries", "each_child", "foreach"))
"""Methods whose items are names without their folder."""


class Call(NamedTuple):
    """One call: its full name, its arguments, and the code that they are written in."""

    name: str
    arguments: list[list[str]]
    """Each argument as texts: one for a plain value, several for a list."""
    source: str
    """The arguments as code, texts left out unless they could be names."""
    tokens: list[Token]

    def text(self, at: int) -> str:
        """Return an argument as one text, empty when it is missing."""
        return " ".join(self.arguments[at]) if at < len(self.arguments) else ""

    def words(self) -> list[str]:
        """Return all arguments, lists spread, as the words of a command."""
        return [text for argument in self.arguments for text in argument]


class Code:
    """Scanned code with the values of its names."""

    def __init__(
        self, text: str, how: Syntax, folds: dict[str, Fold], *, is_bare: bool = False
    ) -> None:
        self.tokens = scan(text, how)
        self.how = how
        self.folds = folds
        self.is_bare = is_bare
        self.partners = _partners(self.tokens)
        self.names: dict[str, str] = {}
        self.aliases: dict[str, str] = {}
        self.steps = 0
        self.name_values()

    @property
    def is_exhausted(self) -> bool:
        """Say whether reading on would take too long."""
        return self.steps > _BUDGET

    def name_values(self) -> None:
        """Learn the names that are given one constant value."""
        for at, token in enumerate(self.tokens):
            if token.text != "=" or token.kind != "sign" or at == 0:
                continue
            target = self.tokens[at - 1]
            if target.kind != "word":
                continue
            value = self.text(self.expression(at + 1)[:100])
            known = self.names.get(target.text, value)
            self.names[target.text] = value if known == value else UNKNOWN

    def name_items(self, mark: str, source: str) -> None:
        """Give the name of a loop's item, found after a mark, the pattern that its files match."""
        for at, token in enumerate(self.tokens[:-1]):
            item = self.tokens[at + 1]
            if token.text != mark or item.kind != "word":
                continue
            before = self.tokens[max(at - 12, 0) : at]
            texts = [inner.text for inner in before if inner.kind == "text"]
            if _gives_bare_names(before):
                continue
            if texts and any(inner.text == source for inner in before):
                self.names[item.text] = texts[-1]

    def expression(self, start: int) -> list[Token]:
        """Return the tokens of the expression that starts here."""
        at = start
        end = min(len(self.tokens), start + _MOST)
        while at < end:
            token = self.tokens[at]
            if token.kind == "sign":
                if token.text in _OPENING:
                    at = self.partners.get(at, end)
                elif token.text in _STOPS or token.text in {",", ")", "]"}:
                    break
            elif token.kind == "word" and token.text in _STOP_WORDS:
                break
            at += 1
        return self.tokens[start : min(at, end)]

    def text(self, tokens: list[Token]) -> str:
        """Return the text that an expression gives, with the sign for what is not known."""
        parts: list[str] = []
        at = 0
        self.steps += len(tokens)
        while at < len(tokens) and not self.is_exhausted:
            token = tokens[at]
            if token.kind == "text":
                parts.append(self.filled(token))
            elif token.kind == "number":
                parts.append(token.text)
            elif token.kind == "shell":
                parts.append(UNKNOWN)
            elif token.kind == "word":
                value, at = self.named(tokens, at)
                parts.append(value)
            elif token.text not in _GLUE and token.text not in {"\n", "\\"}:
                parts.append(UNKNOWN)
            at += 1
        return squeezed("".join(parts))

    def filled(self, token: Token) -> str:
        """Return a text with the constant names in its holes filled in."""
        if not token.holes:
            return token.text
        pieces = token.text.split(UNKNOWN)
        whole = pieces[0]
        for at, piece in enumerate(pieces[1:]):
            hole = token.holes[at].strip() if at < len(token.holes) else ""
            whole += self.names.get(hole, self.folded(hole) or UNKNOWN) + piece
        return whole[:_LONGEST]

    def folded(self, hole: str) -> str | None:
        """Return the value of an expression without arguments that is well known."""
        name = hole.removesuffix("()")
        return self.folds[name]([]) if name in self.folds else None

    def named(self, tokens: list[Token], at: int) -> tuple[str, int]:
        """Return the value of the name or call that starts here, and its last place."""
        name, value = self.aliases.get(tokens[at].text, tokens[at].text), ""
        is_called = False
        while at + 1 < len(tokens):
            following = tokens[at + 1]
            if following.text in _JOINTS and at + 2 < len(tokens) and tokens[at + 2].kind == "word":
                name, at = f"{name}.{tokens[at + 2].text}", at + 2
            elif following.text in _OPENING and following.kind == "sign":
                self.steps += len(tokens) - at
                close = _partners(tokens[at + 1 :]).get(0, len(tokens) - at - 2)
                inner = split_arguments(tokens[at + 2 : at + 1 + close])
                at += 1 + close
                name, value = self.called(name, value, inner)
                is_called = True
            elif following.kind == "text" and name in self.folds:
                name, value = self.called(name, value, [[following]])
                is_called, at = True, at + 1
            else:
                break
        if not is_called:
            fold = self.folds.get(name)
            value = self.names.get(name, (fold([]) if fold else None) or UNKNOWN)
        elif name.rpartition(".")[2] not in _KEEPING | {"!"}:
            value = UNKNOWN
        return value, at

    def called(self, name: str, value: str, inner: list[list[Token]]) -> tuple[str, str]:
        """Return the name and the value of what a call in an expression gives."""
        if name.rpartition(".")[2] in _KEEPING and value:
            return "!", value
        texts = [self.text(argument) for argument in inner]
        if name == "require" and texts:
            module = texts[0].removeprefix("node:")
            return self.aliases.get(module, module), UNKNOWN
        fold = self.folds.get(name)
        folded = fold(texts) if fold is not None else None
        return ("!", folded) if folded is not None else (f"{name}()", UNKNOWN)

    def calls(self, is_risky: Callable[[str], bool]) -> Iterator[Call]:
        """Yield every call of a risky name."""
        for at, token in enumerate(self.tokens):
            if token.kind != "word" or self.is_exhausted:
                continue
            name = self.full_name(at)
            inside = self.argument_tokens(at) if is_risky(name) else None
            if inside is not None:
                self.steps += len(inside)
                arguments = [self.listed(argument) for argument in split_arguments(inside)]
                yield Call(name, arguments, source_of(inside), inside)

    def argument_tokens(self, at: int) -> list[Token] | None:
        """Return the tokens of the arguments of the word here, None when it is not called."""
        following = self.tokens[at + 1] if at + 1 < len(self.tokens) else None
        if following is not None and following.text == "(" and following.kind == "sign":
            close = self.partners.get(at + 1, len(self.tokens))
            return self.tokens[at + 2 : min(close, at + _MOST)]
        if not self.is_bare:
            return None
        if following is None or following.text in {"=", ".", "->", "::", ",", "=>", "==", "=~"}:
            return [] if following is None else None
        return self.bare_arguments(at + 1)

    def bare_arguments(self, start: int) -> list[Token]:
        """Return the arguments that follow a word without parentheses."""
        at, end = start, min(len(self.tokens), start + _MOST)
        while at < end:
            token = self.tokens[at]
            if token.kind == "sign" and token.text in _OPENING:
                at = self.partners.get(at, end)
            elif (token.kind == "sign" and token.text in _STOPS | {")", "]"}) or (
                token.kind == "word" and token.text in _STOP_WORDS
            ):
                break
            at += 1
        return self.tokens[start : min(at, end)]

    def listed(self, tokens: list[Token]) -> list[str]:
        """Return an argument as the texts it holds."""
        tokens = [token for token in tokens if token.text != "\n" or token.kind != "sign"]
        if tokens and tokens[0].text == "[" and tokens[0].kind == "sign":
            inner = split_arguments(tokens[1:-1] if tokens[-1].text == "]" else tokens[1:])
            return [self.text(item) for item in inner if item]
        return [self.text(tokens)]

    def full_name(self, at: int) -> str:
        """Return the dotted name of a called word, with what it is a member of."""
        parts = [self.tokens[at].text]
        at -= 1
        while at > 0 and self.tokens[at].text in _JOINTS and len(parts) < 8:
            before = self.tokens[at - 1]
            if before.kind == "word":
                parts.append(before.text)
                at -= 2
            elif before.text == ")":
                open_at = self.partners.get(at - 1, 0)
                parts.append(self.made_by(open_at, at - 1))
                at = open_at - 2
            else:
                parts.append("?")
                break
        parts.reverse()
        parts[0] = self.aliases.get(parts[0], parts[0])
        return ".".join(parts)

    def made_by(self, open_at: int, close_at: int) -> str:
        """Return a name for what a call in front of a joint gives."""
        if open_at > 0 and self.tokens[open_at - 1].text in {"require", "import"}:
            return self.text(self.tokens[open_at + 1 : close_at]).removeprefix("node:")
        return f"{self.tokens[open_at - 1].text}()" if open_at > 0 else "?"


def _gives_bare_names(tokens: list[Token]) -> bool:
    """Say whether a method in an expression gives the names of files without their folder."""
    return any(dot.text == "." and method.text in _BARE_NAMES for dot, method in pairwise(tokens))


def split_arguments(tokens: list[Token]) -> list[list[Token]]:
    """Return the arguments between commas, those inside brackets left whole."""
    arguments: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        if token.kind == "sign":
            depth += (token.text in _OPENING) - (token.text in {")", "]", "}"})
            if depth == 0 and token.text in {",", "=>"}:
                arguments.append([])
                continue
        arguments[-1].append(token)
    return arguments if arguments != [[]] else []


def source_of(tokens: list[Token]) -> str:
    """Return code as text without its texts, but with names in quotes and holes."""
    parts: list[str] = []
    for token in tokens:
        if token.kind in {"text", "shell"}:
            parts += [
                f'"{token.text}"' if token.text.replace("_", "").isalnum() else '""',
                *token.holes,
            ]
        else:
            parts.append(token.text)
    return " ".join(parts)[:_LONGEST]


def squeezed(text: str) -> str:
    """Return a text with runs of the unknown made one, and bounded in length."""
    while UNKNOWN * 2 in text:
        text = text.replace(UNKNOWN * 2, UNKNOWN)
    return text[:_LONGEST]


def _partners(tokens: list[Token]) -> dict[int, int]:
    """Return for each bracket the place of its partner."""
    open_places: list[int] = []
    pairs: dict[int, int] = {}
    for at, token in enumerate(tokens):
        if token.kind != "sign":
            continue
        if token.text in _OPENING:
            open_places.append(at)
        elif token.text in {")", "]", "}"} and open_places:
            start = open_places.pop()
            pairs[start], pairs[at] = at, start
    return pairs
