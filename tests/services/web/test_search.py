"""Search engines, each asked and answering in its own real format."""

from __future__ import annotations

import contextlib
import datetime
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.services.web.conftest import Caller, run

from hermes.base.errors import InvalidArguments, ToolError, Unavailable
from hermes.policy.urls import UrlRules
from hermes.services.web.search import Engines, merge, same_page
from hermes.services.web.search.contract import Hit, query_of
from hermes.services.web.search.days import day_of
from hermes.services.web.searching import Searching

JSON = {"content-type": "application/json"}
KEYS = {
    "BRAVE_API_KEY": "brave-key", "TAVILY_API_KEY": "tavily-key", "EXA_API_KEY": "exa-key",
    "SERPER_API_KEY": "serper-key", "GOOGLE_API_KEY": "google-key", "GOOGLE_CSE_ID": "engine-id",
    "FIRECRAWL_API_KEY": "fire-key",
}  # fmt: skip
DUCK = """<html><body>
<div class="result results_links web-result result--ad"><a class="result__a" href="//duckduckgo.com/y.js?ad">Ad</a></div>
<div class="result results_links results_links_deep web-result"><h2 class="result__title">
<a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fone.test%2Fa%3Fb%3D1&amp;rut=x">One <b>page</b></a></h2>
<a class="result__snippet" href="//duckduckgo.com/l/?uddg=x">About <b>one</b> thing</a></div>
<div class="result web-result"><a class="result__a" href="https://two.test/">Two</a></div>
</body></html>"""


def answers(name):
    row = {"title": "One <b>page</b>", "url": "https://one.test/a", "snippet": "About one"}
    found = {
        "searxng": {"results": [{**row, "content": "About one", "publishedDate": "2024-05-01T00:00:00", "score": 2.5}]},
        "brave": {"web": {"results": [{**row, "description": "About <strong>one</strong>", "page_age": "2024-05-01"}]}},
        "tavily": {"results": [{**row, "content": "About one", "score": 0.9, "published_date": "2024-05-01"}]},
        "exa": {"results": [{**row, "highlights": ["About one"], "publishedDate": "2024-05-01", "score": 0.5}]},
        "serper": {"organic": [{"title": row["title"], "link": row["url"], "snippet": "About one", "date": "May 1, 2024"}]},
        "google": {"items": [{"title": "One page", "link": row["url"], "snippet": "About one"}]},
        "firecrawl": {"success": True, "data": {"web": [{**row, "description": "About one"}]}},
    }  # fmt: skip
    return 200, JSON, json.dumps(found[name])


PATHS = {"searxng": "/search", "brave": "/res/v1/web/search", "tavily": "/search", "exa": "/search",
         "serper": "/search", "google": "/customsearch/v1", "firecrawl": "/v2/search",
         "duckduckgo": "/html/"}  # fmt: skip


def asked(web, site, name, *, query=None, keys=KEYS, order=None):
    engines = Engines(order or (name,), dict.fromkeys(PATHS, site.root))
    searching = Searching(web, engines, lambda key: keys.get(key, ""))
    # the engines are this machine's, which only a configured address opens
    caller = Caller(rules=(UrlRules(),))
    return run(web, searching.search(query or query_of("one thing", 5, None, None), caller))


@pytest.mark.parametrize("name", [name for name in PATHS if name != "duckduckgo"])
def test_every_engine_gives_the_same_form(web, site, name):
    site.routes[PATHS[name]] = answers(name)
    found = asked(web, site, name)
    assert found["engine"] == name
    hit = found["results"][0]
    assert hit["title"] == "One page"
    assert hit["url"] == "https://one.test/a"
    assert hit["snippet"] == "About one"


def test_keys_go_where_each_engine_wants_them(web, site):
    for name in ("brave", "tavily", "exa", "serper", "google", "firecrawl"):
        site.routes[PATHS[name]] = answers(name)
        asked(web, site, name)
    sent = [(each.path, each.headers, each.body) for each in site.requests]
    assert sent[0][1]["x-subscription-token"] == "brave-key"
    assert sent[1][1]["authorization"] == "Bearer tavily-key"
    assert sent[2][1]["x-api-key"] == "exa-key"
    assert sent[3][1]["x-api-key"] == "serper-key"
    assert "key=google-key" in sent[4][0]
    assert "cx=engine-id" in sent[4][0]
    assert sent[5][1]["authorization"] == "Bearer fire-key"


DATES = {
    "searxng": ("month", lambda request: "time_range=month" in request.path),
    "brave": ("2024-05-01..2024-06-30", lambda r: "freshness=2024-05-01to2024-06-30" in r.path),
    "tavily": ("2024-05-01..2024-06-30", lambda r: json.loads(r.body)["start_date"] == "2024-05-01"),
    "exa": ("2024-05-01", lambda r: json.loads(r.body)["startPublishedDate"].startswith("2024-05-01")),
    "serper": ("week", lambda r: json.loads(r.body)["tbs"] == "qdr:w"),
    "google": ("year", lambda r: "dateRestrict=y1" in r.path),
    "firecrawl": ("2024-05-01..2024-06-30", lambda r: json.loads(r.body)["tbs"] == "cdr:1,cd_min:5/1/2024,cd_max:6/30/2024"),
    "duckduckgo": ("day", lambda r: b"df=d" in r.body),
}  # fmt: skip


@pytest.mark.parametrize("name", DATES)
def test_dates_are_asked_for_in_the_words_of_the_engine(web, site, name):
    words, is_right = DATES[name]
    site.routes[PATHS[name]] = DUCK if name == "duckduckgo" else answers(name)
    found = asked(web, site, name, query=query_of("x", 5, words, None))
    assert is_right(site.requests[0])
    assert "unsupported" not in found


SAFE = {
    "searxng": lambda r: "safesearch=2" in r.path,
    "brave": lambda r: "safesearch=strict" in r.path,
    "exa": lambda r: json.loads(r.body)["moderation"] is True,
    "google": lambda r: "safe=active" in r.path,
    "duckduckgo": lambda r: b"kp=1" in r.body,
    "tavily": None,
    "serper": None,
    "firecrawl": None,
}


@pytest.mark.parametrize("name", SAFE)
def test_safe_search_is_honoured_or_said_to_be_unsupported(web, site, name):
    site.routes[PATHS[name]] = DUCK if name == "duckduckgo" else answers(name)
    found = asked(web, site, name, query=query_of("x", 5, None, True))
    if SAFE[name] is None:
        assert found["unsupported"] == ["safe_search"]
    else:
        assert SAFE[name](site.requests[0])
        assert "unsupported" not in found


def test_a_range_of_dates_that_an_engine_has_no_words_for_is_told(web, site):
    site.routes["/search"] = answers("searxng")
    found = asked(web, site, "searxng", query=query_of("x", 5, "2024-05-01", None))
    assert found["unsupported"] == ["date_range"]


def test_duckduckgo_is_read_without_its_redirects_and_advertisements(web, site):
    site.routes["/html/"] = DUCK
    found = asked(web, site, "duckduckgo")["results"]
    assert [each["url"] for each in found] == ["https://one.test/a?b=1", "https://two.test/"]
    assert found[0]["title"] == "One page"
    assert found[0]["snippet"] == "About one thing"


@pytest.mark.proves("web-engines")
def test_an_engine_that_fails_is_followed_by_the_next(web, site):
    site.routes["/html/"] = (202, {"content-type": "text/html"}, '<form id="challenge-form">')
    site.routes["/res/v1/web/search"] = (429, {"retry-after": "100"}, b"{}")
    site.routes["/customsearch/v1"] = answers("google")
    found = asked(web, site, "", order=("duckduckgo", "brave", "google"))
    assert found["engine"] == "google"
    assert "puzzle" in found["tried"][0]
    assert "limits how often" in found["tried"][1]


@pytest.mark.parametrize(
    "page", ["<body>a page of another kind <a href='http://x'>x</a></body>", ""]
)
def test_a_page_that_is_no_list_of_results_is_an_engine_that_fails(web, site, page):
    site.routes["/html/"] = page
    with pytest.raises(ToolError, match="no list of results"):
        asked(web, site, "duckduckgo")
    site.routes["/html/"] = (
        '<div id="links" class="results"><div class="no-results">No.</div></div>'
    )
    assert asked(web, site, "duckduckgo")["results"] == []


@pytest.mark.parametrize(("name", "words"), [("searxng", "json in search.formats"),
                                             ("duckduckgo", "keeps programs out")])  # fmt: skip
def test_an_engine_without_a_key_does_not_blame_one(web, site, name, words):
    site.routes[PATHS[name]] = (403, {"content-type": "text/html"}, "Forbidden")
    with pytest.raises(ToolError, match=words):
        asked(web, site, name)


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("2024-05-01", "2024-05-01"),
        ("2024-05-01T10:00:00.0000000", "2024-05-01"),
        ("2024-05-01 10:00", "2024-05-01"),
        ("May 1, 2024", "2024-05-01"),
        ("1 September 2024", "2024-09-01"),
        ("Wed, 01 May 2024 10:00:00 GMT", "2024-05-01"),
        ("3 days ago", "2024-02-27"),
        ("an hour ago", "2024-03-01"),
        ("2024-13-01", "2024-13-01"),
        ("01/02/2024", "01/02/2024"),
        ("last spring", "last spring"),
        ("", ""),
    ],
)
def test_days_have_one_spelling(said, day):
    assert day_of(said, datetime.date(2024, 3, 1)) == day


def test_dates_of_results_have_one_spelling(web, site):
    site.routes[PATHS["serper"]] = answers("serper")
    assert asked(web, site, "serper")["results"][0]["date"] == "2024-05-01"


def test_a_range_that_ends_before_it_begins_is_refused():
    with pytest.raises(InvalidArguments, match="before it begins"):
        query_of("x", 5, "2024-06-30..2024-05-01", None)


def test_a_result_that_is_no_address_is_left_out():
    hits = [Hit("A", "http://x.test:abc/"), Hit("B", "http://[x/"), Hit("C", "http://x.test/")]
    assert [hit.title for hit in merge(hits)] == ["C"]


def test_engines_without_a_key_are_left_out(web, site):
    site.routes["/html/"] = DUCK
    found = asked(web, site, "", keys={}, order=("brave", "duckduckgo"))
    assert found["engine"] == "duckduckgo"
    assert "tried" not in found


def test_an_engine_asked_for_by_name_must_be_ready(web, site):
    searching = Searching(web, Engines(), lambda _: "")
    with pytest.raises(Unavailable, match="BRAVE_API_KEY is not set"):
        run(web, searching.search(query_of("x", 5, None, None), Caller(), only="brave"))
    with pytest.raises(InvalidArguments, match="no search engine"):
        run(web, searching.search(query_of("x", 5, None, None), Caller(), only="braev"))


def test_when_nobody_answers_each_says_why(web, site):
    site.routes["/html/"] = (500, {}, b"oops")
    with pytest.raises(ToolError, match=r"no search engine answered: duckduckgo answered 500"):
        asked(web, site, "duckduckgo")


def test_an_engine_that_answers_nonsense_is_an_engine_that_fails(web, site):
    site.routes["/search"] = (200, JSON, b"<html>")
    with pytest.raises(ToolError, match="did not answer in JSON"):
        asked(web, site, "searxng")


def test_the_same_page_is_one_result():
    hits = [Hit("A", "https://www.x.test/a/?utm_source=y&b=2&a=1", "short"),
            Hit("A", "http://x.test/a?a=1&b=2#top", "a longer snippet", "2024-01-01"),
            Hit("B", "javascript:alert(1)")]  # fmt: skip
    assert merge(hits) == [Hit("A", hits[0].url, "a longer snippet", "2024-01-01")]


@given(st.text(max_size=40))
def test_words_for_a_time_are_understood_or_refused(words):
    with contextlib.suppress(InvalidArguments):
        query_of("x", 5, words, None)


@given(st.sampled_from(["http", "https"]), st.text("abc/?=&#", max_size=20))
def test_the_form_of_an_address_has_its_own_form(scheme, rest):
    once = same_page(f"{scheme}://x.test/{rest}")
    assert same_page(f"{scheme}://{once}") == once or "?" in rest or "#" in rest
