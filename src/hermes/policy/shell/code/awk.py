"""Tell what awk programs do: commands, pipes, files and gawk's network names."""

from __future__ import annotations

import re

from hermes.base.secret_names import is_secret_name
from hermes.policy.shell.code.calls import Code, source_of
from hermes.policy.shell.code.scanning import Token, syntax
from hermes.policy.shell.effects import Effect, danger

_SYNTAX = syntax(
    comments=r"\#[^\n]*",
    raw=r"(?!)",
    texts=r'"(?:[^"\\]|\\.)*(?:"|\Z)',
    word=r"\$?[A-Za-z_]\w*|\$\d+|@\w+",
    has_slash_patterns=True,
)
_NETWORK = re.compile(r"^/inet[46]?/(?:tcp|udp)/[^/]*/([^/]+)")
_VARIABLE = re.compile(r"\bENVIRON \[ \"(\w+)\"")
_SHELL = re.compile(r"(?:/\S*/)?(?:ba|da|z|k)?sh(?: -s?)?")
_ENDS = frozenset((";", "}", "\n"))
_STARTS = frozenset(("{", ";", "\n", "(", "&&", "||", "!", "}", ")"))
_ARROWS = frozenset((">", ">>", "|", "|&"))
_CALM_FILES = frozenset(("/dev/stdout", "/dev/stderr", "/dev/tty", "-"))


def effects(code: str) -> list[Effect]:
    """Return what an awk program does besides computing and printing."""
    program = Code(code, _SYNTAX, {})
    systems = program.calls(lambda name: name == "system")
    found = [Effect("run", call.text(0)) for call in systems]
    for at, token in enumerate(program.tokens):
        if token.kind != "word" or program.is_exhausted:
            continue
        if token.text in {"print", "printf"}:
            found += _printed(program, at)
        elif token.text == "getline":
            found += _read(program, at)
        elif token.text == "@load":
            found.append(danger("opaque", "loads native code into awk"))
    if program.is_exhausted:
        found.append(danger("opaque", "is too tangled to be read to its end"))
    return found + _network(program)


def _printed(program: Code, at: int) -> list[Effect]:
    """Follow one print: what it shows, and where that goes."""
    tokens = program.tokens
    start = at = at + 1
    arrow = 0
    while at < min(len(tokens), start + 200) and not (
        tokens[at].kind == "sign" and tokens[at].text in _ENDS
    ):
        if tokens[at].kind == "sign" and tokens[at].text in {"(", "[", "{"}:
            at = program.partners.get(at, len(tokens))
        elif tokens[at].kind == "sign" and tokens[at].text in _ARROWS and not arrow:
            arrow = at
        at += 1
    program.steps += at - start
    found = _shown(tokens[start : arrow or at])
    if not arrow:
        return found
    target = program.text(tokens[arrow + 1 : at])
    if target in _CALM_FILES or _NETWORK.match(target):
        return found
    if tokens[arrow].text.startswith("|"):
        if _SHELL.fullmatch(target.strip()):
            found.append(Effect("run", program.text(tokens[start:arrow])))
        return [*found, Effect("run", target)]
    return [*found, Effect("write", target)]


def _shown(tokens: list[Token]) -> list[Effect]:
    source = source_of(tokens[:200])
    if re.search(r"\bENVIRON \[ (?!\")", source):
        return [danger("exfiltration", "prints the whole environment")]
    names = [found[1] for found in _VARIABLE.finditer(source) if is_secret_name(found[1])]
    return [danger("exfiltration", f"prints the secret variable {name}") for name in names]


def _read(program: Code, at: int) -> list[Effect]:
    """Follow one getline: from a command before it, or from a file after it."""
    tokens = program.tokens
    for after in (at + 1, at + 2):
        if after < len(tokens) and tokens[after].text == "<":
            path = program.text(program.expression(after + 1))
            return [] if path in _CALM_FILES else [Effect("read", path)]
    if at == 0 or tokens[at - 1].text not in {"|", "|&"}:
        return []
    start = at - 1
    if tokens[at - 2].text == ")":
        opened = {end: begin for begin, end in program.partners.items()}.get(at - 2, at - 2)
        return [Effect("run", program.text(tokens[opened + 1 : at - 2]))]
    while (
        start > 0
        and at - start < 100
        and not (tokens[start - 1].kind == "sign" and tokens[start - 1].text in _STARTS)
    ):
        start -= 1
    command = program.text(tokens[start : at - 1])
    return [] if _NETWORK.match(command) else [Effect("run", command)]


def _network(program: Code) -> list[Effect]:
    texts = [token.text for token in program.tokens if token.kind == "text"]
    joined = [*texts, *program.names.values()]
    hosts = [found[1] for text in joined if (found := _NETWORK.match(text))]
    if not hosts and not any(text.startswith("/inet") for text in texts):
        return []
    host = hosts[0] if hosts else "an unknown host"
    is_running = any(token.text == "getline" for token in program.tokens)
    if is_running and any(token.text == "|&" for token in program.tokens):
        return [danger("network-exec", f"opens a reverse shell to {host}")]
    return [Effect("send", host)]
