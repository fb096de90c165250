"""How much of an article is found, and of nothing else: F1 over runs of four words."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

import lxml.html
import readability
import trafilatura

from hermes.services.web.extract import articles

_WORD = re.compile(r"\w+", re.UNICODE)
_RUN = 4


class Page(NamedTuple):
    """A page, and what people say its article is."""

    name: str
    html: str
    article: str


def ours(html):
    return articles.read(html, "https://a.example/", "text").text


def trafilaturas(html):
    return trafilatura.extract(html, include_comments=False) or ""


def readabilitys(html):
    return text_of(readability.Document(html).summary())


READERS = {"hermes": ours, "trafilatura": trafilaturas, "readability-lxml": readabilitys}


def text_of(html):
    """Return the text of HTML without scripts, its blocks apart."""
    if not html.strip():
        return ""
    tree = lxml.html.fromstring(html)
    for each in tree.xpath("//script | //style | //noscript"):
        each.drop_tree()
    return " ".join(tree.itertext())


def f1(found, wanted):
    """Return the harmonic mean of how much was found and how much of it was wanted."""
    one, two = runs(found), runs(wanted)
    if not one or not two:
        return float(not one and not two)
    both = sum((one & two).values())
    return 2 * both / (sum(one.values()) + sum(two.values()))


def runs(text):
    words = [word.lower() for word in _WORD.findall(text)]
    if len(words) < _RUN:
        return Counter([tuple(words)]) if words else Counter()
    return Counter(zip(*(words[start:] for start in range(_RUN)), strict=False))


def mean_scores(pages):
    """Return the mean F1 of every reader over the pages."""
    scores = dict.fromkeys(READERS, 0.0)
    for page in pages:
        for name, read in READERS.items():
            try:
                found = read(page.html)
            except Exception:
                found = ""
            scores[name] += f1(found, page.article) / len(pages)
    return scores
