"""Notice code that a program is told to load from where anybody may write."""

from __future__ import annotations

import re

_SCRATCH = re.compile(r"/(?:var/)?tmp/|/dev/shm/")
_VI = ("-u", "-S", "--cmd")
_NODE = ("-r", "--require", "--import", "--loader", "--experimental-loader", "--preload")
_JAVA = ("-javaagent:", "-agentpath:", "-agentlib:", "-Xbootclasspath/a:")
_OPTIONS = {
    **dict.fromkeys(("node", "nodejs", "bun", "tsx", "ts-node", "mocha"), _NODE),
    **dict.fromkeys(("vim", "vi", "nvim", "ex", "gvim"), _VI),
    **dict.fromkeys(("java", "javaw"), _JAVA),
    **dict.fromkeys(("bash", "sh", "zsh"), ("--rcfile", "--init-file")),
    **dict.fromkeys(("gdb", "lldb"), ("-x", "-ix", "-s", "--command")),
    **dict.fromkeys(("emacs", "emacsclient"), ("-l", "--load", "-load")),
    "ruby": ("-r",),
    "perl": ("-I",),
    "lua": ("-l",),
    "sqlite3": ("-init",),
    "psql": ("--set=PSQLRC",),
}


def loaded(name: str, words: tuple[str, ...]) -> str | None:
    """Return the file that a program is told to load from a folder for temporary files."""
    options = _OPTIONS.get(name)
    if options is None:
        return None
    for at, word in enumerate(words):
        if word in options and at + 1 < len(words) and _SCRATCH.match(words[at + 1]):
            return words[at + 1]
        for option in options:
            rest = word.removeprefix(option) if word.startswith(option) else ""
            if _SCRATCH.match(rest.lstrip("=")):
                return rest.lstrip("=")
    return None
