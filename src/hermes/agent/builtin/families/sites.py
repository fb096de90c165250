"""What lies behind addresses beside pages: feeds, programs' interfaces, links, whole sites."""

from __future__ import annotations

import json
import re

from hermes.agent.builtin.answers import told
from hermes.agent.builtin.families.web import address, is_local
from hermes.agent.builtin.said import Said
from hermes.agent.builtin.steps import Hands, Steps, quote, shell, want
from hermes.base.messages import Json

_WORDS = r"(get|post|put|patch|delete|head|options)"
_METHODS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (rf"\b{_WORDS}\s+(?:request|call)\b", rf"\bmethod\s+{_WORDS}\b", rf"^{_WORDS}\b")
)
"""How people say the method, the surest way first."""
_SPANS = {
    "today": "24h", "yesterday": "48h", "this week": "7d", "last week": "14d", "past week": "7d",
    "this month": "31d",
}  # fmt: skip


def feed(said: Said, hands: Hands) -> Steps:
    """Read a feed."""
    url = address(said)
    since = next((span for words, span in _SPANS.items() if words in said.low), None)
    wanted = want("rss_reader", url=url, limit=said.number(), since=since)
    by_shell = shell(f"curl -sSL --max-time 30 {quote(url)}", access="network")
    return told((yield hands.pick(wanted, want("web_extract", urls=[url]), by_shell)))


def send_request(said: Said, hands: Hands) -> Steps:
    """Send a request to a program's interface: its method and body as they are said."""
    url = address(said)
    body = _body(said)
    words = [word for form in _METHODS for word in form.findall(said.shape)]
    method = words[0].upper() if words else "POST" if body is not None else "GET"
    given = method if method != "GET" else None
    text = body if isinstance(body, str) else json.dumps(body)
    data = "" if body is None else f" -H 'Content-Type: application/json' -d {quote(text)}"
    verb = "" if method == "GET" else f" -X {method}"
    by_shell = shell(f"curl -sSL --max-time 30{verb}{data} {quote(url)}", access="network")
    by_tool = want("http_request", url=url, method=given, body=body)
    answer = yield hands.pick(*((by_shell, by_tool) if is_local(url) else (by_tool, by_shell)))
    return told(answer)


def _body(said: Said) -> Json:
    """Return what is to be sent: JSON as a value, anything else as text."""
    found = said.find(
        r"(?P<body>[{\[].*[}\]])",
        r"\b(?:body|data|payload|json|with|send|content)\s+(?P<body>⟦\d+⟧)(?!\s+header)",
    )
    if not found or "://" in found["body"][:8]:
        return None
    try:
        return json.loads(found["body"])
    except ValueError:
        return found["body"]


def browse(said: Said, hands: Hands) -> Steps:
    """Open a page in the browser, and take its picture where one is wanted."""
    url = address(said)
    answer = yield hands.pick(want("browser_navigate", url=url), want("web_extract", urls=[url]))
    if answer.error or not said.has("screenshot") or not hands.has("browser_screenshot"):
        return told(answer)
    full = True if re.search(r"\b(?:full|whole|entire)\b", said.low) else None
    path = said.one("path")
    return told((yield want("browser_screenshot", full_page=full, path=path)))


def check_links(said: Said, hands: Hands) -> Steps:
    """Check the links of a site or a file."""
    path = said.one("path") if not said.one("url", "host") else None
    url = None if path else address(said)
    return told((yield hands.pick(want("link_checker", url=url, path=path))))


def crawl(said: Said, hands: Hands) -> Steps:
    """Keep the pages of a site."""
    return told((yield hands.pick(want("web_crawl", url=address(said), max_pages=said.number()))))
