"""Variables by which a harmless program is made to run code."""

from __future__ import annotations

from fnmatch import fnmatchcase

_LOADS_CODE = (
    "LD_*", "DYLD_*", "GCONV_PATH", "BASH_ENV", "ENV", "BASH_FUNC_*", "BASHOPTS", "SHELLOPTS",
    "IFS", "PS4", "PROMPT_COMMAND", "ZDOTDIR", "PYTHONSTARTUP", "PYTHONPATH", "PYTHONHOME",
    "PYTHONBREAKPOINT", "PYTHONWARNINGS", "PYTHONINSPECT", "NODE_OPTIONS", "NODE_PATH",
    "PERL5OPT", "PERL5LIB", "PERLLIB", "PERL5DB", "RUBYOPT", "RUBYLIB", "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH", "LUA_INIT*", "PHPRC", "PHP_INI_SCAN_DIR",
    "GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_EXTERNAL_DIFF",
    "GIT_PROXY_COMMAND", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR", "GIT_CONFIG*", "LESSOPEN",
    "LESSCLOSE", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "MAKEFLAGS",
)  # fmt: skip
"""Variables that make a harmless program run code of the value's choosing."""

_RUNS_VALUE = ("*PAGER", "*EDITOR", "VISUAL", "BROWSER")
"""Variables whose value is run as a command; only the values in ``_INERT`` are harmless."""

_INERT = frozenset({"", "cat", "true", "false", ":"})


def runs_code(name: str, value: str) -> bool:
    """Say whether a variable makes other programs run code of its value's choosing."""
    if any(fnmatchcase(name, pattern) for pattern in _LOADS_CODE):
        return True
    is_command = any(fnmatchcase(name, pattern) for pattern in _RUNS_VALUE)
    return is_command and value.strip() not in _INERT
