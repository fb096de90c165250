"""Tell what Perl code does by its risky calls."""

from __future__ import annotations

import re

from hermes.policy.shell.code import folds
from hermes.policy.shell.code.calls import Code
from hermes.policy.shell.code.findings import Language
from hermes.policy.shell.code.risky import risky_effects
from hermes.policy.shell.code.scanning import Token, syntax
from hermes.policy.shell.effects import UNKNOWN, Effect, danger

_SYNTAX = syntax(
    comments=r"(?:(?<=\s)|(?<=;)|^)\#[^\n]*",
    raw=r"'(?:[^'\\]|\\.)*(?:'|\Z)",
    texts=r'"(?:[^"\\]|\\.)*(?:"|\Z)',
    word=r"[$@%&]?[A-Za-z_]\w*|\$[0-9&_!@/\\,;.]|@_",
    hole=r"(?<!\\)(?:[$@]\{(\w+)\}|@\{\[(.*?)\]\}|([$@]\w+(?:(?:->)?(?:\[[^\]]*\]|\{[^}]*\}))*))",
    quotes=r"(?<![\w$@%>])(?P<quote>qq|qx|qw|qr|q|m|s|tr|y)\s*(?=[^\w\s,;)=>])(?!=)[^\w\s]",
    has_slash_patterns=True,
)
_TURNED = re.compile(r"(?:^|[^\w$@%])(?:tr|y)\s*([/{(|!#,])[^\n]{1,200}?\1?[^\n]*;")
_RULES = {
    "system": "run", "exec": "run", "CORE.system": "run", "CORE.exec": "run", "readpipe": "run",
    "unlink": "deletes", "rmdir": "deletes", "rmtree": "tree:0", "remove_tree": "trees",
    "File.Path.rmtree": "tree:0", "File.Path.remove_tree": "trees", "rename": "move",
    "move": "move", "copy": "copy", "mkdir": "write:0", "truncate": "write:0", "symlink": "write:1",
    "chmod": "changed", "chown": "changed", "open": "perl_open", "sysopen": "write:1",
    "opendir": "listing:1", "kill": "kill", "fork": "fork", "eval": "eval:0", "do": "script:0",
    "require": "script:0", "print": "show", "say": "show", "printf": "show", "warn": "show",
    "LWP.Simple.get": "fetch:0", "getprint": "fetch:0", "getstore": "fetch:0 write:1",
    "*.get": "maybe_fetch", "*.post": "maybe_send", "*.mirror": "maybe_fetch", "get": "maybe_fetch",
    "IO.Socket.INET.new": "connect", "connect": "connect", "syscall": "native",
    "IPC.Open3.open3": "run_first:3", "open3": "run_first:3", "open2": "run_first:2",
    "POSIX.setuid": "rights", "setuid": "rights", "dup2": "duplicate",
    "*.slurp": "read:0", "*.do": "sql:0", "*.remove_tree": "trees",
}  # fmt: skip


def effects(code: str) -> list[Effect]:
    """Return what Perl code does besides computing and printing."""
    found = risky_effects(code, _LANGUAGE)
    if _TURNED.search(code) and any(effect.kind in ("run", "code") for effect in found):
        found.append(danger("opaque", "turns letters into others before it runs them"))
    return found


def _join_names(code: Code) -> None:
    """Learn the values that lists in parentheses give to the names before them."""
    for at, token in enumerate(code.tokens[:-1]):
        if token.text == "}" and code.tokens[at - 1].kind == "word" and at > 2:
            name = code.tokens[at - 3].text
            if name == "$ENV" and code.tokens[at - 1].text == "HOME":
                code.tokens[at - 3] = Token("text", "~")
                code.tokens[at - 2 : at + 1] = [Token("sign", "\n")] * 3


def _pack(parts: list[str]) -> str | None:
    is_hex = len(parts) == 2 and parts[0].startswith("H")
    return folds.from_hex(parts[1:]) if is_hex else None


_LANGUAGE = Language(
    _SYNTAX,
    _RULES,
    {
        "decode_base64": folds.from_base64,
        "MIME.Base64.decode_base64": folds.from_base64,
        "pack": _pack,
        "reverse": lambda parts: parts[0][::-1] if len(parts) == 1 else None,
        "$ENV{HOME}": lambda _: "~",
        "$ENV{'HOME'}": lambda _: "~",
        "glob": folds.first,
        "getcwd": lambda _: ".",
        "tempdir": lambda _: f"/tmp/{UNKNOWN}",
    },
    re.compile(r"%ENV\b|\bvalues %ENV|\$ENV \{ \$\w+ \}|\$ENV\{\$\w+\}"),
    re.compile(r"\$ENV ?\{ ?\"?(\w+)"),
    is_bare=True,
    prepare=_join_names,
)
