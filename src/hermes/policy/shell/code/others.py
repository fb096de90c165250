"""Tell code that only computes and prints from the rest, in languages read by their words alone."""

from __future__ import annotations

import re

from hermes.policy.shell.effects import Effect, danger

_RISKY = re.compile(
    r"`|\b(?:attach|bash|ccall|cmd|code|connect|copy|cp|curl|del|delete|destroy|download"
    r"|dlopen|env|environ\w*|eval\w*|exec\w*|\w*file\w*|fetch|foreign|getenv|http\w*|include"
    r"|kill|link|load|mkdir|mktemp|mv|net|node|open|path|pipe|port|posix|process\w*|remove"
    r"|rename|request|require|rm\w*|run\w*|send|sh|shell\w*|socket|source|spawn|symlink"
    r"|touch|truncate|unlink|unsafe\w*|url\w*|write\w*)\b|\bsystem\s*[(`]",
    re.IGNORECASE,
)


def effects(code: str) -> list[Effect]:
    """Return nothing for code without a risky word, one opaque danger for the rest."""
    # A word may be joined to others by capitals or underscores: readFile, delete_all.
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", code)
    if _RISKY.search(code) or _RISKY.search(words):
        return [danger("opaque", "runs code of a language that cannot be read")]
    return []
