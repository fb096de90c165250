"""Choose any tool by the index, and fill its arguments by their types."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from hermes.agent.builtin.answers import told
from hermes.agent.builtin.marks import number_of, seconds_of
from hermes.agent.builtin.rules import Rules
from hermes.agent.builtin.said import Said
from hermes.agent.builtin.steps import Act, Hands, Steps, Unsure, want
from hermes.base.messages import Json
from hermes.runtime.search import Searchable, ToolIndex, tokens

_MARGIN, _NEAR = 1.15, 0.43
_FREE = frozenset(
    {
        "terminal",
        "code_execute",
        "execute_code",
        "tool_call",
        "tool_describe",
        "tool_search",
        "clarify",
        "mixture_of_agents",
        "patch",
        "write_file",
    }
)
"""Tools that do whatever they are told; they are never chosen by likeness."""
_KNOWN = frozenset(
    """
    browser_navigate browser_screenshot clipboard code_format code_lint code_test cronjob
    delegate_task directory_list dns_lookup env_manager file_compress file_diff file_watch
    html_extract http_request link_checker memory notification process read_file rss_reader
    search_files session_search sleep system_info todo web_crawl web_extract web_search
    """.split()
)
"""Tools that the rules of the families know."""
_COMMON = frozenset(
    "code file text data get list search find read write run show web tool create".split()
)
"""Words in names of tools that say little about what a tool does."""
_WHOLE = frozenset(
    {"query", "question", "prompt", "goal", "message", "text", "task", "content", "instructions"}
)
_PREPOSITION = r"\b(?:in|at|for|of|to|from|about|on|named|called|with|by)\s+(?:the\s+)?"


class Tool(NamedTuple):
    """What the index reads of a tool on offer."""

    name: str
    description: str
    parameters: Mapping[str, Json]
    toolset: str = ""
    tags: Sequence[str] = ()


class Ranker(Protocol):
    """Tells how near texts are in meaning to a request, from 0 to 1."""

    def nearness(self, text: str, others: Sequence[str]) -> list[float]:
        """Return one figure for each of the other texts."""


class Writer(Protocol):
    """Writes an object that fits a schema, from a request."""

    def arguments(self, request: str, schema: Mapping[str, Json]) -> dict[str, Json]:
        """Return the arguments that the request asks for."""


def _nothing() -> None:
    return None


class Filler:
    """Chooses a tool by BM25, and by meaning where embeddings are there; fills it by types."""

    def __init__(
        self,
        ranker: Callable[[], Ranker | None] = _nothing,
        writer: Callable[[], Writer | None] = _nothing,
    ) -> None:
        self._ranker, self._writer = ranker, writer

    def choose(self, said: Said, hands: Hands, rules: Rules) -> Act | None:
        """Return an act for the tool or the example that fits best, or None when none does."""
        tool = _by_words(said, hands, set(hands.tools) - _FREE)
        if tool and not _is_named(said.text, tool) and not hands.tools[tool].get("required"):
            tool = None  # nothing but likeness speaks for it, and it would run at once
        return self._using(tool, hands) if tool else self._by_meaning(said, rules)

    def stranger(self, said: Said, hands: Hands, *, is_free: bool = False) -> Act | None:
        """Return an act for a tool on offer that no rule knows, if the words point to it.

        It must be named, unless the rule that fits does nothing by itself.
        """
        tool = _by_words(said, hands, set(hands.tools) - _FREE - _KNOWN)
        if tool is None or not (is_free or _is_named(said.text, tool)):
            return None
        properties = hands.tools[tool].get("properties") or {}
        needed = hands.tools[tool].get("required") or []
        is_filled = all(slot(k, properties.get(k, {}), said, is_needed=True) for k in needed)
        return self._using(tool, hands) if is_filled or is_free else None

    def _using(self, tool: str, hands: Hands) -> Act:
        schema = hands.tools[tool]

        def use(said: Said, hands: Hands) -> Steps:
            return told((yield hands.pick(want(tool, **self.arguments(said, tool, schema)))))

        return use

    def _by_meaning(self, said: Said, rules: Rules) -> Act | None:
        ranker = self._ranker()
        if ranker is None:
            return None
        examples = {
            line: intent
            for intent in rules.intents
            for line in intent.examples
            if not intent.is_change
        }
        figures = ranker.nearness(said.text, list(examples))
        near, best = max(zip(figures, examples, strict=True))
        return examples[best].act if near > _NEAR else None

    def arguments(self, said: Said, name: str, schema: Mapping[str, Json]) -> dict[str, Json]:
        """Return the arguments of a tool as far as the request tells them.

        Raises:
            Unsure: something that the tool needs was not said.
        """
        properties: Mapping[str, Any] = schema.get("properties") or {}
        needed = schema.get("required") or []
        found = {
            key: value
            for key, kind in properties.items()
            if (value := slot(key, kind, said, is_needed=key in needed)) is not None
        }
        missing = [key for key in needed if key not in found]
        writer = self._writer() if missing else None
        if writer is not None:
            written = writer.arguments(
                said.text,
                {**schema, "properties": {k: properties[k] for k in missing}, "required": missing},
            )
            found |= {key: value for key, value in written.items() if value not in (None, "")}
            missing = [key for key in needed if key not in found]
        if missing:
            raise Unsure(f"For {name} I need: {', '.join(missing)}. What should it be?")
        return found


def _by_words(said: Said, hands: Hands, names: set[str]) -> str | None:
    """Return the tool that the words of a request point to more than to any other."""
    tools = [Tool(name, hands.described[name], hands.tools[name]) for name in sorted(names)]
    if not tools or not any(tokens(said.text)):
        return None
    hits = ToolIndex(tools).search(said.text, 2)
    if not hits or hits[0].score <= 0 or not _covers(said.text, hits[0].entry):
        return None
    if len(hits) > 1 and hits[0].score < _MARGIN * hits[1].score:
        return None
    return hits[0].name


def _is_named(text: str, tool: str) -> bool:
    """Whether a request says a word of a tool's name that tells it from others."""
    words = {word.removesuffix("s") for word in re.findall(r"[a-z\d]+", text.lower())}
    return bool({word.removesuffix("s") for word in tool.lower().split("_")} & words - _COMMON)


def _covers(text: str, tool: Searchable) -> bool:
    """Whether the words of a tool hold at least half of those of a request."""
    wanted = set(tokens(text))
    known = set(tokens(f"{tool.name} {tool.description} {' '.join(tool.tags)}"))
    shared = len(wanted & known)
    return shared * 2 >= len(wanted) and (shared > 1 or len(wanted) < 3)


def slot(key: str, kind: Mapping[str, Any], said: Said, *, is_needed: bool) -> Json:
    """Return the value of one parameter by its type and its name, or None."""
    choices = kind.get("enum")
    if choices:
        return next(
            (
                one
                for one in choices
                if re.search(rf"\b{re.escape(str(one).replace('_', ' '))}\b", said.low)
            ),
            None,
        )
    types = kind.get("type", "string")
    types = types if isinstance(types, list) else [types]
    low = key.lower()
    if "array" in types:
        inner = slot(key.rstrip("s"), {"type": "string"}, said, is_needed=is_needed)
        return None if inner is None else [inner]
    if "integer" in types or "number" in types:
        return _amount(low, said)
    if "string" not in types:
        return None
    return _text(low, said, is_needed=is_needed)


def _amount(key: str, said: Said) -> float | int | None:
    span = said.one("time")
    if span and re.search(r"second|time|duration|delay|wait", key):
        return seconds_of(span)
    number = said.one("number")
    return None if number is None else number_of(number)


def _text(key: str, said: Said, *, is_needed: bool) -> str | None:
    if re.search(r"url|uri|link|address|endpoint", key):
        return said.one("url", "host")
    if re.search(r"path|file|folder|dir|archive|source|destination", key):
        return said.one("path") or (said.folder if is_needed else None)
    if re.search(r"host|domain", key):
        return said.one("host", "ip")
    if re.search(r"mail|recipient|^to$", key):
        return said.one("email")
    if re.search(r"glob|pattern", key) and said.glob:
        return said.glob
    if not is_needed:
        return None
    quoted = said.one("quoted", "code")
    if quoted:
        return quoted
    named = said.find(
        rf"\b{re.escape(key.replace('_', ' '))}\s+(?:is\s+|of\s+|=\s*|:\s*)?(?P<v>⟦\d+⟧|[\w.-]+)"
    )
    if named:
        return named["v"]
    if key in _WHOLE:
        return said.text
    after = said.find(
        rf"{_PREPOSITION}(?P<v>(?:[A-Z][\w-]+(?:\s+[A-Z][\w-]+)*)|⟦\d+⟧)",
        rf"{_PREPOSITION}(?P<v>[\w-]+(?:\s+[\w-]+)?)[?.!]*$",
    )
    return after["v"] if after else None
