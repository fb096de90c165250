"""Pages, addresses and names on the network."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from hermes.agent.builtin.answers import block, bullets, short, told
from hermes.agent.builtin.said import Said
from hermes.agent.builtin.steps import (
    Answer,
    Hands,
    Missing,
    Steps,
    Unsure,
    quote,
    shell,
    want,
)

_MOST = 5
_CURL = "curl -sSL --max-time 30"


def address(said: Said) -> str:
    """Return the address that a request names, or the latest one before it."""
    found = said.one("url")
    if found:
        return found
    host = said.one("host", "ip")
    if host is None:
        for text in reversed(said.past.texts):
            match = re.search(r"https?://\S+", text)
            if match:
                return match[0].rstrip(".,?!")
        raise Unsure("Which address do you mean?")
    return (
        host
        if "://" in host
        else f"{'http' if re.match(r'localhost|127|10|192|0', host) else 'https'}://{host}"
    )


def is_local(url: str) -> bool:
    """Whether an address is on this machine or in its own network; web tools refuse those."""
    return re.match(r"\w+://(?:localhost|127\.|10\.|192\.168\.|0\.0|\[::1)", url) is not None


def page(said: Said, hands: Hands) -> Steps:
    """Fetch a page and give what was asked of it: headings, links, title or text."""
    url = address(said)
    is_headings = said.has("headings") and not re.search(r"\b(?:response|http) headers\b", said.low)
    selector = _selector(said) or ("title, h1, h2, h3, h4" if is_headings else None)
    if selector and hands.has("html_extract") and not is_local(url):
        return told((yield want("html_extract", url=url, selector=selector)))
    by_shell = shell(f"{_CURL} {quote(url)}", access="network")
    is_list = not hands.takes("web_extract", "url")
    by_tools = (
        want("web_extract", urls=said.all("url")[:_MOST] or [url])
        if is_list
        else want("web_extract", url=url),
        want("web_fetch", url=url),
        want("http_request", url=url),
    )
    answer = yield hands.pick(*(() if is_local(url) else by_tools), by_shell, *by_tools)
    if answer.error or answer.value.get("exit_code"):
        return told(answer)
    failed = _failed(answer)
    if failed:
        return failed
    text = _text_of(answer)
    if is_headings:
        return f"The headings of {url}:\n{bullets(headings(text) or ['(none)'])}"
    if said.has("links"):
        return f"The links of {url}:\n{bullets(links(text) or ['(none)'])}"
    if said.has("summary"):
        lead = (
            "I am an offline demo brain and cannot summarise; these are its headings and "
            "first lines:"
        )
        return f"{lead}\n{bullets(headings(text))}\n{block(plain(text)[:1200])}"
    return f"{url}:\n{short(plain(text))}"


_PARTS = {
    r"links?|hyperlinks?|hrefs?|urls": "a@href",
    r"images?|pictures?|photos?|imgs?": "img@src",
    r"tables?": "table",
    r"paragraphs?": "p",
    r"forms?": "form",
    r"lists?": "ul, ol",
    r"bullet points?|list items?": "li",
    r"scripts?": "script@src",
}
"""What people call the parts of a page, and how they are picked out."""


def _selector(said: Said) -> str | None:
    """Return the selector of the part of a page that is asked for, if one is."""
    level = re.search(r"\b(h[1-6])(?:s|'s)?\b", said.low)
    if level:
        return level[1]
    given = said.find(
        r"\b(?:selector|xpath)\s+(?:is\s+)?(?P<css>⟦\d+⟧|\S+?)(?:\s+(?:on|of|in|from)\s.*)?[.?!]*$",
        r"\b(?:every|each|all)(?:\s+the)?\s+<?(?P<css>h[1-6]|li|td|img|pre|nav|meta)s?>?\b",
        r"\b(?:the|all)\s+<(?P<css>\w+)>",
    )
    if given:
        return given["css"]
    asked = re.compile(
        rf"\b(?:the|all|any|every|its|what|which|many|list|extract|get|show|give|me)\s+"
        rf"(?:the\s+|all\s+|external\s+|internal\s+)*(?:{'|'.join(f'({one})' for one in _PARTS)})\b"
        rf"(?!\s+(?:at|⟦))",
        re.IGNORECASE,
    ).search(said.shape)
    return list(_PARTS.values())[(asked.lastindex or 1) - 1] if asked else None


def _failed(answer: Answer) -> str:
    """Say why pages could not be read, where none could."""
    pages = [one for one in answer.value.get("pages") or () if isinstance(one, dict)]
    if not pages or not all(one.get("error") for one in pages):
        return ""
    return "\n".join(f"{one['error']}. {one.get('hint') or ''}".strip() for one in pages)


def _text_of(answer: Answer) -> str:
    """Return the text in an answer, wherever a tool put it."""
    found = [v for v in _strings(answer.value) if len(v) > 40] or list(_strings(answer.value))
    return max(found, key=len, default="")


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in inside for text in _strings(item)]


class _Outline(HTMLParser):
    """Collects headings, links and words of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.headings: list[str] = []
        self.links: list[str] = []
        self.words: list[str] = []
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open a heading, note a link."""
        if tag in {"h1", "h2", "h3", "h4", "title", "script", "style"}:
            self._inside = tag
            if tag.startswith("h"):
                self.headings.append("")
        self.links += [value for name, value in attrs if tag == "a" and name == "href" and value]

    def handle_endtag(self, tag: str) -> None:
        """Close a heading."""
        if tag == self._inside:
            self._inside = ""

    def handle_data(self, data: str) -> None:
        """Keep words."""
        if self._inside in {"script", "style"}:
            return
        if self._inside.startswith("h"):
            self.headings[-1] = f"{self.headings[-1]} {data.strip()}".strip()
        if data.strip():
            self.words.append(data.strip())


def _outline(text: str) -> _Outline:
    outline = _Outline()
    outline.feed(text)
    return outline


def headings(text: str) -> list[str]:
    """Return the headings of a page in HTML or Markdown."""
    marked = re.findall(r"^#{1,4}\s+(.+)$", text, re.MULTILINE)
    return (
        marked
        if marked and "<h" not in text.lower()
        else [one for one in _outline(text).headings if one]
    )


def links(text: str) -> list[str]:
    """Return the addresses that a page links to."""
    marked = re.findall(r"\]\((https?://[^)\s]+)", text)
    return list(dict.fromkeys(marked or _outline(text).links))


def plain(text: str) -> str:
    """Return the words of a page."""
    return (
        "\n".join(_outline(text).words)
        if re.search(r"<(?:html|body|p|div)\b", text, re.I)
        else text
    )


def download(said: Said, hands: Hands) -> Steps:
    """Save what is at an address into a file."""
    url = address(said)
    to = said.one("path")
    if to and to.endswith("/"):
        to += url.rstrip("/").rsplit("/", 1)[-1]
    to = to or url.split("?")[0].rstrip("/").rsplit("/", 1)[-1]
    to = to if "." in to and to not in url.split("/")[2:3] else "index.html"
    by_shell = shell(f"{_CURL} -fo {quote(to)} {quote(url)}", access="network", timeout=600)
    answer = yield hands.pick(
        want("http_request", url=url, save_to=to)
        if hands.takes("http_request", "save_to") and not is_local(url)
        else by_shell,
        by_shell,
    )
    return (
        told(answer) if answer.error or answer.value.get("exit_code") else f"Saved {url} to {to}."
    )


def is_up(said: Said, hands: Hands) -> Steps:
    """Ask an address for its status or its headers."""
    url = address(said)
    method = "HEAD" if said.has("header", "headings") else None
    form = "-I" if method else "-o /dev/null -w '%{http_code} in %{time_total} s\\n'"
    by_shell = shell(f"curl -sSL --max-time 15 {form} {quote(url)}", access="network")
    by_tool = want("http_request", url=url, method=method)
    answer = yield hands.pick(*((by_shell, by_tool) if is_local(url) else (by_tool, by_shell)))
    if "status" in answer.value:
        return f"{url} answers with status {answer.value['status']}."
    return told(answer, f"{url}:" if not answer.error else "")


def ping(said: Said, hands: Hands) -> Steps:
    """Ping a host."""
    host = re.sub(r"^\w+://|[/:].*$", "", said.one("host", "ip", "url") or "")
    if not host:
        word = said.find(r"\bping\s+(?P<name>[\w.-]+)")
        host = word["name"] if word else ""
    if not host:
        raise Unsure("Which host should I ping?")
    return told(
        (yield hands.pick(shell(f"ping -c {said.number(4)} {quote(host)}", access="network")))
    )


_RECORDS = {
    r"\bname ?servers?\b": "NS",
    r"\b(?:mail|e-?mail) (?:servers?|records?|exchang\w+)\b": "MX",
    r"\bipv6\b": "AAAA",
    r"\b(?:text records?|spf|dmarc)\b": "TXT",
    r"\balias\w*\b": "CNAME",
    r"\ball (?:the )?(?:dns )?records\b": "ANY",
}
"""What people call the records of a name."""


def dns(said: Said, hands: Hands) -> Steps:
    """Look up the addresses of a name."""
    name = re.sub(r"^\w+://|[/:].*$", "", said.one("host", "url", "ip") or "")
    if not name:
        raise Unsure("Which name should I look up?")
    kind = re.search(r"\b(mx|txt|cname|ns|aaaa|soa|srv|caa|ptr)\b", said.low)
    record = kind[1].upper() if kind else None
    record = record or next(
        (t for words, t in _RECORDS.items() if re.search(words, said.low)), None
    )
    by_shell = (
        f"dig +short {quote(name)} {record or 'A'}" if record else f"getent ahosts {quote(name)}"
    )
    return told(
        (
            yield hands.pick(
                want("dns_lookup", name=name, type=record), shell(by_shell, access="network")
            )
        )
    )


def search_web(said: Said, hands: Hands) -> Steps:
    """Search the web, where a tool for it is on offer."""
    found = said.find(
        r"\b(?:google|bing|duckduckgo)\s+(?:for\s+)?(?P<query>.+)$",
        (
            r"\b(?:search|look up|look|find)\s+(?:me\s+)?(?:the web|online|the internet|on the web|"
            r"the news)?\s*(?:for|about|on)?\s*(?P<query>.+?)(?:\s+(?:on|in|from) (?:the "
            r")?(?:web|internet|news|google))?[.?!]*$"
        ),
    )
    query = re.sub(
        r"\s+(?:online|on the web|on the internet)$", "", (found or {}).get("query", said.text)
    )
    if not hands.has("web_search"):
        raise Missing("web_search", "web_search")
    return told((yield want("web_search", query=query, limit=said.number())))
