"""Look for a file by its name where the one that was named is not here."""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import NamedTuple

from hermes.agent.builtin.said import Said
from hermes.agent.builtin.steps import Answer, Hands, Wanted, want

_ABSENT = re.compile(
    r"no such (?:file|path)|not_found|does not exist|there is no|cannot find|not found|"
    r"can't open file|unknown revision or path|no file",
    re.IGNORECASE,
)
_HOLDER = re.compile(r"⟦(\d+)⟧")
_BARE = re.compile(r"[\w-][\w.-]*\.\w{1,6}")


class Named(NamedTuple):
    """A bare file name, and where it stands in the shape of a request."""

    name: str
    start: int
    end: int


def bare(said: Said) -> Named | None:
    """Return the one file that a request names without saying where it is, if there is one."""
    found = [
        Named(said.marks[int(one[1])].value, *one.span())
        for one in _HOLDER.finditer(said.shape)
        if said.marks[int(one[1])].kind == "path"
    ]
    return found[0] if len(found) == 1 and _BARE.fullmatch(found[0].name) else None


def is_absent(named: Named, wanted: Wanted, answer: Answer) -> bool:
    """Whether an answer says that a file is not there; git says nothing at all then."""
    if str(wanted.args.get("command", "")).startswith(("git log", "git diff")):
        return not answer.output.strip()
    has_failed = answer.error or answer.value.get("exit_code")
    text = str(answer.value)
    return bool(has_failed) and named.name in text and _ABSENT.search(text) is not None


def located(named: Named, hands: Hands) -> Generator[Wanted, Answer, str | None]:
    """Return where the only file of a name lies; None where there is none, or several."""
    if not hands.has("search_files"):
        return None
    answer = yield want("search_files", pattern=named.name, target="files")
    found = answer.value.get("files")
    return str(found[0]) if isinstance(found, list) and len(found) == 1 else None
