"""Take a text apart into the requests that it joins, with what each of them depends on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

_MOST = 6
_DOER = (
    r"(?:they|it|that|this|those|everything|all|both|(?:all |the |my |our )*(?:tests?|build|suite))"
)
_COMES = (
    r"(?:(?:all|is|are|do|does|did|goes|go|has|have|still|it|that|not|n't|doesn't|don't)\s+)*"
    r"(?:pass\w*|succeed\w*|work\w*|green|ok|okay|fine|good|well|done|finish\w*|clean|"
    r"(?P<bad>fail\w*|break\w*|broken|red|error\w*))"
)
_WHEN = rf"(?:only\s+)?(?:if|when|once|as soon as|in case|provided)\s+{_DOER}\s+{_COMES}"
_CAME = _WHEN.replace("(?P<bad>", "(?:")
_IF = re.compile(rf"^{_WHEN}\s*,?\s*(?:then\s+|please\s+)*(?=[\w⟦])", re.IGNORECASE)
_IF_TESTS = re.compile(
    r"^(?:if|when|once)\s+(?:all |the |my |our )*tests?\s+(?:all\s+)?(?:pass|are green)\w*\s*,?\s*"
    r"(?:then\s+)?(?=[\w⟦])",
    re.IGNORECASE,
)
_THEN = re.compile(
    r"\s*(?:[,;.]?\s+(?:and\s+)?then(?:\s+also)?\s+|;\s+|\s+&&\s+|,?\s+and after that,?\s+|"
    r",?\s+afterwards\s+|[,.]?\s+after that,?\s+|"
    r"(?:[,;.]\s*(?:and\s+|but\s+|then\s+)?|\s+(?:and|but|then)\s+)"
    rf"(?={_CAME}\s*,?\s*[\w⟦]))",
    re.IGNORECASE,
)
_AND_IT = re.compile(
    (
        r",?\s+and\s+(?=(?:then\s+)?(?:\w+)(?:\s+(?:me|up))?\s+(?:it|them|that file|"
        r"the result|its contents?)\b|(?:show|print|read|display|open|count|give|tell|cat)\b"
        r"[^,;]*\s(?:of|in|from)\s+(?:it|them|that file)\b)"
    ),
    re.IGNORECASE,
)
_VERBS = (
    "run|show|list|read|open|print|display|count|search|grep|find|lint|build|commit|push|pull|"
    "check|tell|give|delete|remove|zip|copy|move|rename|create|make|fetch|download|install|"
    "format|notify|remind|wait|what|how|who|where|which|git|append|add|write|save|replace|change|"
    "unzip|extract|unpack|kill|stop|start|stash|switch|cat|tail|head|put|diff|compare|test|execute|"
    "set|remember|sort|compress|archive|restart|look|get|see|stage|tag|merge|touch|mkdir|is|are|do"
)
_AND_DO = re.compile(
    rf"(?:,?\s+and\s+|,\s+|\s+plus\s+|\.\s+|\?\s+)(?:also\s+|please\s+|finally\s+|maybe\s+)*(?=(?:{_VERBS})\b)",
    re.IGNORECASE,
)
_AND_THE = re.compile(
    r",?\s+and\s+(?:also\s+)?(?=(?:the|my|our|all|any|its?|last|how many)\s)", re.IGNORECASE
)
_PLACES = re.compile(
    r"^(?P<head>(?:search|grep|find|look|count|lint|list|which|how many)\b.+?"
    r"\s(?:in|inside|under)\s+)"
    r"(?:the\s+)?(?P<a>⟦\d+⟧|[\w-]+)\s+and\s+(?:in\s+)?(?:the\s+)?(?P<b>⟦\d+⟧|[\w-]+)"
    r"(?:\s+(?:folders|directories))?[?.!]*$",
    re.IGNORECASE,
)
"""One thing to do in two places."""
_SIZES = re.compile(
    r"^(?P<head>how (?:big|large|heavy) are )(?:the\s+)?(?P<a>⟦\d+⟧|[\w-]+)\s+and\s+(?:the\s+)?"
    r"(?P<b>⟦\d+⟧|[\w-]+)(?:\s+(?:folders|directories|files))?[?.!]*$",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"(?:show|list|give|tell|print|display|run|read|count|check)(?:\s+me)?\s", re.IGNORECASE
)
_NOUN = re.compile(r"(?:the|my|our|all|any)\s", re.IGNORECASE)
"""How a request begins that has its verb from the one before: *then the diff*."""
_WHOLE = re.compile(
    r"^(?:remember|note|make a todo|todo|add .* to (?:my|the) (?:todo|list))|:\s", re.I
)
_OWN = re.compile(
    r"\bits\s+((?:(?:very\s+)?(?:first|last|top|bottom|final)\s+)?(?:⟦\d+⟧\s+|few\s+)?lines?\b|"
    r"(?:contents?|size|history|text|end|beginning|headings|permissions|owner|author|checksum|"
    r"line count|number of lines)\b)",
    re.IGNORECASE,
)


def joints(shape: str) -> Iterator[tuple[str, str]]:
    """Yield the ways to part a text in two requests; whether both are some, others judge."""
    if _WHOLE.search(shape):
        return
    for match in _AND_DO.finditer(shape):
        yield shape[: match.start()].strip(), shape[match.end() :].strip()
    both = _PLACES.match(shape)
    if both and not re.fullmatch(_VERBS, both["b"], re.IGNORECASE):
        yield both["head"] + both["a"], both["head"] + both["b"]
    sizes = _SIZES.match(shape)
    if sizes:
        yield f"{sizes['head']}{sizes['a']} folder", f"{sizes['head']}{sizes['b']} folder"
    verb, and_the = _LEAD.match(shape), _AND_THE.search(shape)
    if verb and and_the:
        yield shape[: and_the.start()].strip(), verb[0] + shape[and_the.end() :].strip()


def clauses(shape: str) -> list[str]:
    """Return the requests in a text that are to be done one after the other."""
    if _WHOLE.search(shape):
        return [shape]
    first = _IF_TESTS.match(shape)
    if first:
        return ["run the tests", *clauses(f"if they pass {shape[first.end() :]}")]
    parts = [part for part in _THEN.split(_OWN.sub(r"the \1 of it", shape)) if part.strip()]
    verb = _LEAD.match(parts[0]) if parts else None
    if verb:
        parts = [verb[0] + part if _NOUN.match(part) else part for part in parts]
    found = [piece.strip() for part in parts for piece in _AND_IT.split(part) if piece.strip()]
    return found[:_MOST] or [shape]


def condition(shape: str) -> tuple[Literal["", "good", "bad"], str]:
    """Return how the step before must have ended, and the request without that."""
    match = _IF.match(shape)
    if match is None:
        return "", shape
    is_bad = match["bad"] is not None or re.search(r"\bnot\b|n't\b", match[0]) is not None
    return "bad" if is_bad else "good", shape[match.end() :]
