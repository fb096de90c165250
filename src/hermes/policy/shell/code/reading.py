"""Tell what inline code of any known language does."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import cast

from hermes.policy.shell.effects import Effect, danger

_LIMIT = 100_000
_MODULES = {
    "python": "python", "python2": "python", "python3": "python", "pypy": "python",
    "perl": "perl",
    "ruby": "ruby", "jruby": "ruby",
    "node": "node", "nodejs": "node", "javascript": "node", "js": "node", "typescript": "node",
    "deno": "node", "bun": "node",
    "php": "php",
    "awk": "awk", "gawk": "awk", "mawk": "awk", "nawk": "awk",
    "sed": "sed", "gsed": "sed",
    "lua": "lua", "luajit": "lua",
    "r": "r", "rscript": "r",
    "sql": "sql", "mysql": "sql", "postgres": "sql", "psql": "sql", "sqlite": "sql",
    "mongo": "mongo", "mongosh": "mongo",
    "redis": "redis",
    "powershell": "powershell", "pwsh": "powershell",
    "osascript": "osascript", "applescript": "osascript",
    "tcl": "tcl", "expect": "tcl",
    "make": "make",
    "julia": "others", "elixir": "others", "groovy": "others", "scala": "others",
    "haskell": "others", "java": "others", "kotlin": "others", "erlang": "others",
    "raku": "others", "clojure": "others", "janet": "others", "crystal": "others", "hy": "others",
}  # fmt: skip
_BROKEN = (
    RecursionError, MemoryError, ValueError, TypeError, LookupError, AttributeError,
    ArithmeticError, AssertionError, SyntaxError,
)  # fmt: skip


def effects_of(language: str, code: str) -> tuple[Effect, ...]:
    """Return what code does besides computing and printing; never raises.

    Code that cannot be read, or of a language that nobody here knows, is one opaque danger.
    """
    module = _MODULES.get(language.lower())
    if module is None:
        return (danger("opaque", f"runs code in {language or 'a language'} that cannot be read"),)
    if len(code) > _LIMIT:
        return (danger("opaque", "runs more code than can be read"),)
    try:
        return tuple(dict.fromkeys(_analyser(module)(code)))
    except _BROKEN:  # a reader that breaks must not let the code pass
        return (danger("opaque", f"runs {module} code that cannot be read"),)


@cache
def _analyser(module: str) -> Callable[[str], list[Effect]]:
    # Loaded when a language is first met: most commands hold no code of any.
    loaded = import_module(f"hermes.policy.shell.code.{module}")
    return cast(Callable[[str], list[Effect]], loaded.effects)
