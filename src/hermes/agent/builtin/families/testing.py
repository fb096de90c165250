"""Tests: run them, all or some, and say how they went."""

from __future__ import annotations

import re

from hermes.agent.builtin.answers import facts, told
from hermes.agent.builtin.families.project import by_project
from hermes.agent.builtin.names import HERE
from hermes.agent.builtin.said import Said
from hermes.agent.builtin.steps import Answer, Hands, Steps, quote, want
from hermes.base.messages import Json

_ONLY = (
    r"\b(?:named|called|matching|for|only|test)\s+(?P<name>test_\w+)\b",
    r"\b(?P<name>test_\w+)\b(?!\.)",
    r"\b(?:matching|named|called|about|containing)\s+(?P<name>⟦\d+⟧|\w+)[.!?]*$",
    (
        r"\btests?\s+(?:for|of|on)\s+(?:the\s+)?(?P<name>\w+)"
        r"(?:\s+(?:module|package|class|function|code|file))?[.!?]*$"
    ),
    r"^test\s+(?:the\s+|my\s+)?(?P<name>\w+)\s+(?:module|package|class|function)\b",
    r"^(?:re-?)?test\s+(?:only\s+|just\s+)?(?:the\s+|my\s+)?(?P<name>\w+)(?:\s+only)?[.!?]*$",
    r"\b(?:run|execute|only|just)\s+(?:only\s+|just\s+)?the\s+(?P<name>[a-z]+)\s+tests?[.!?]*$",
)
"""How people say which tests they mean."""
_NO_TEST = HERE | {
    "me", "the", "my", "our", "errors", "failures", "unit", "python", "integration", "existing",
    "full", "new", "failing", "failed", "broken", "whole", "entire", "complete", "slow",
    "other", "same", "js", "javascript", "frontend", "backend", "coverage",
}  # fmt: skip


_FIRST = re.compile(r"\b(?:first (?:failure|error|fail)|fail[- ]fast)\b")
"""How people say that the first failure is to end it."""


def run_tests(said: Said, hands: Hands) -> Steps:
    """Run the tests with the runner of this project."""
    is_plain = not re.search(r"\bverbos|\b(?:failed|failing) (?:tests|ones)\b", said.low)
    is_plain = is_plain and not _FIRST.search(said.low)
    if hands.has("code_test") and is_plain:
        answer = yield want("code_test", **_which_tests(said))
        if answer.value.get("code") != "unavailable" or not hands.has("terminal"):
            return _told_tests(answer)
    return (yield from by_project("test", said, hands, _options(said)))


def _which_tests(said: Said) -> dict[str, Json]:
    """Return which tests are meant, and whether what they cover is to be measured."""
    only = said.find(*_ONLY)
    name = only["name"] if only else ""
    path = said.one("path") or (said.folder if said.folder != "." else None)
    path, _, inside = (path or "").partition("::")
    path = path or None
    if path is None and re.search(r"\b(?:js|javascript|frontend|node|npm|jest)\b", said.low):
        runner = "node" if "node" in said.low else "jest" if "jest" in said.low else None
    else:
        runner = None
    chosen_by_name = name and name not in _NO_TEST and name != path
    return {
        "path": path,
        "runner": runner,
        "filter": inside.rpartition("::")[2]
        or (name if chosen_by_name and not said.one("path") else None),
        "coverage": True if "coverage" in said.low else None,
    }


def _told_tests(answer: Answer) -> str:
    """Say how many tests passed, and what failed."""
    value = answer.value
    if answer.error or "passed" not in value:
        return told(answer)
    counts = [f"{value[k]} {k}" for k in ("passed", "failed", "errors", "skipped") if value.get(k)]
    text = f"{value.get('runner')}: {', '.join(counts) or 'no tests'}."
    rest = {k: value[k] for k in ("failures", "coverage", "output") if value.get(k)}
    return f"{text}\n{facts(rest)}" if rest else text


def _options(said: Said) -> list[str]:
    """Return what pytest is told about which tests are meant, and how to show them."""
    which = _which_tests(said)
    return [
        *(["-x"] if _FIRST.search(said.low) else []),
        *(["-v"] if "verbos" in said.low else []),
        *(["--lf"] if re.search(r"\b(?:failed|failing) (?:tests|ones)\b", said.low) else []),
        *([quote(which["path"])] if which["path"] else []),
        *(["-k", quote(which["filter"])] if which["filter"] else []),
        *(["--cov"] if which["coverage"] else []),
    ]
