"""Tell what PHP code does by its risky calls."""

from __future__ import annotations

import codecs
import re

from hermes.policy.shell.code import folds
from hermes.policy.shell.code.findings import Language
from hermes.policy.shell.code.risky import risky_effects
from hermes.policy.shell.code.scanning import syntax
from hermes.policy.shell.effects import Effect

_SYNTAX = syntax(
    comments=r"//[^\n]*|\#(?!\[)[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)",
    raw=r"'(?:[^'\\]|\\.)*(?:'|\Z)",
    texts=r'"(?:[^"\\]|\\.)*(?:"|\Z)',
    word=r"\$?[A-Za-z_]\w*",
    hole=r"(?<!\\)(?:\{(\$[^}]*)\}|(\$\w+)(?:\[[^\]]*\]|->\w+)*)",
)
_RULES = {
    "system": "run_first", "exec": "run_first", "shell_exec": "run_first", "passthru": "run_first",
    "popen": "run_first", "proc_open": "run_first", "pcntl_exec": "run_list",
    "unlink": "delete:0", "rmdir": "delete:0", "rename": "move", "copy": "copy",
    "file_put_contents": "write:0", "touch": "write:0", "chmod": "write:0", "chown": "write:0",
    "mkdir": "write:0", "symlink": "write:1", "fopen": "open:0", "file_get_contents": "open:0",
    "file": "open:0", "readfile": "open:0", "parse_ini_file": "read:0", "scandir": "listing:0",
    "opendir": "listing:0",
    "move_uploaded_file": "write:1", "fsockopen": "connect", "pfsockopen": "connect",
    "stream_socket_client": "connect", "socket_connect": "connect", "curl_init": "fetch:0",
    "curl_setopt": "curl", "mail": "mail", "eval": "eval:0",
    "create_function": "eval:1", "include": "script:0", "require": "script:0",
    "include_once": "script:0", "require_once": "script:0", "unserialize": "opaque_data",
    "print_r": "show", "var_dump": "show", "echo": "show", "print": "show", "var_export": "show",
    "printf": "show", "json_encode": "show", "phpinfo": "environment",
    "posix_kill": "kill", "pcntl_fork": "fork", "posix_setuid": "rights", "FFI.cdef": "native",
    "dl": "native", "mysqli_query": "sql:1", "*.query": "sql:0", "*.exec": "sql:0",
    "*.prepare": "sql:0",
    "mysql_query": "sql:0", "pg_query": "sql:1", "call_user_func": "called",
}  # fmt: skip


def effects(code: str) -> list[Effect]:
    """Return what PHP code does besides computing and printing."""
    return risky_effects(re.sub(r"<\?(?:php|=)?|\?>", ";", code), _LANGUAGE)


_LANGUAGE = Language(
    _SYNTAX,
    _RULES,
    {
        "base64_decode": folds.from_base64,
        "hex2bin": folds.from_hex,
        "str_rot13": lambda parts: codecs.decode(parts[0], "rot13") if parts else None,
        "strrev": lambda parts: parts[0][::-1] if parts else None,
        "sys_get_temp_dir": lambda _: "/tmp",
        "getcwd": lambda _: ".",
        "__DIR__": lambda _: ".",
        "getenv": folds.home,
        "trim": folds.first,
        "escapeshellarg": lambda parts: f"'{parts[0]}'" if parts else None,
    },
    re.compile(r"\bgetenv \( \)|\$_ENV\b(?! \[)|\$_SERVER\b(?! \[)"),
    re.compile(r"(?:\bgetenv \(|\$_ENV \[|\$_SERVER \[) \"?(\w+)"),
    is_bare=True,
    prepare=lambda code: code.name_items("as", "glob"),
)
