"""Tell what Lua code does by its risky calls."""

from __future__ import annotations

import re

from hermes.policy.shell.code import folds
from hermes.policy.shell.code.findings import Language
from hermes.policy.shell.code.risky import risky_effects
from hermes.policy.shell.code.scanning import syntax
from hermes.policy.shell.effects import UNKNOWN, Effect

_SYNTAX = syntax(
    comments=r"--\[\[.*?(?:\]\]|\Z)|--[^\n]*",
    raw=r"\[\[.*?(?:\]\]|\Z)",
    texts=r'"(?:[^"\\]|\\.)*(?:"|\Z)|\'(?:[^\'\\]|\\.)*(?:\'|\Z)',
)
_RULES = {
    "os.execute": "run_first", "io.popen": "run_first", "os.remove": "delete:0",
    "os.rename": "move", "io.open": "open:0", "io.output": "write:0", "io.lines": "read:0",
    "io.input": "read:0", "dofile": "script:0", "loadfile": "script:0", "load": "eval:0",
    "loadstring": "eval:0", "print": "show", "io.write": "show", "socket.connect": "connect",
    "socket.http.request": "fetch:0", "http.request": "fetch:0", "*.connect": "connect",
    "ffi.load": "native", "ffi.cdef": "native",
    "package.loadlib": "native", "lfs.rmdir": "delete:0",
    "lfs.mkdir": "write:0",
}  # fmt: skip


def effects(code: str) -> list[Effect]:
    """Return what Lua code does besides computing and printing."""
    return risky_effects(code, _LANGUAGE)


_LANGUAGE = Language(
    _SYNTAX,
    _RULES,
    {
        "os.getenv": folds.home,
        "os.tmpname": lambda _: f"/tmp/{UNKNOWN}",
    },
    re.compile(r"(?!)"),
    re.compile(r"\bos \. getenv \(? ?\"(\w+)"),
    is_bare=True,
)
