"""Tell what R code does by its risky calls."""

from __future__ import annotations

import re

from hermes.policy.shell.code import folds
from hermes.policy.shell.code.findings import Language
from hermes.policy.shell.code.risky import risky_effects
from hermes.policy.shell.code.scanning import syntax
from hermes.policy.shell.effects import UNKNOWN, Effect

_SYNTAX = syntax(
    comments=r"\#[^\n]*",
    raw=r"(?!)",
    texts=r'"(?:[^"\\]|\\.)*(?:"|\Z)|\'(?:[^\'\\]|\\.)*(?:\'|\Z)',
    word=r"[A-Za-z.][\w.]*",
)
_WRITERS = ("write.csv", "write.table", "saveRDS", "write_csv", "ggsave_", "fwrite", "write_rds")
_RULES = {
    "system": "run_first", "system2": "run", "shell": "run_first", "pipe": "run_first",
    "unlink": "tree:0", "file.remove": "deletes", "file.rename": "move", "file.copy": "copy",
    "file.create": "writes", "dir.create": "write:0",
    "Sys.chmod": "write:0", "writeLines": "write:1",
    "write": "write:1", "cat": "show", "print": "show", "message": "show",
    **dict.fromkeys(_WRITERS, "write:1"),
    "sink": "write:0", "source": "sourced", "readLines": "open:0", "read.csv": "open:0",
    "readRDS": "open:0", "file": "open:0", "url": "fetch:0", "download.file": "fetch:0 write:1",
    "GET": "fetch:0", "POST": "send:0", "httr.GET": "fetch:0", "httr.POST": "send:0",
    "socketConnection": "connect", "eval": "r_eval", "dyn.load": "native", "tools.pskill": "kill",
    "pskill": "kill", "dbExecute": "sql:1", "dbSendQuery": "sql:1",
}  # fmt: skip


def effects(code: str) -> list[Effect]:
    """Return what R code does besides computing and printing."""
    return risky_effects(code, _LANGUAGE)


_LANGUAGE = Language(
    _SYNTAX,
    _RULES,
    {
        "paste0": "".join,
        "file.path": "/".join,
        "path.expand": folds.first,
        "tempfile": lambda _: f"/tmp/{UNKNOWN}",
        "tempdir": lambda _: f"/tmp/{UNKNOWN}",
        "getwd": lambda _: ".",
        "Sys.getenv": folds.home,
    },
    re.compile(r"\bSys\.getenv \( \)"),
    re.compile(r"\bSys\.getenv \( \"(\w+)"),
)
