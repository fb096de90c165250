"""A real searx on this machine, searched through the tool that models have."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import time
import urllib.request

import pytest
from tests.services.web.conftest import Site

from hermes import Runtime

pytestmark = pytest.mark.skipif(
    not shutil.which("searx-run"), reason="needs searx-run (apt package searx)"
)

PAGES = [
    {"title": "Wells & springs", "url": "https://a.example/wells?utm_source=x", "content": "Deep."},
    {"title": "Wells again", "url": "https://a.example/wells", "content": "Deep and old water."},
    {"title": "Rivers", "url": "https://b.example/rivers", "content": "They run."},
]


@pytest.fixture
def source():
    """A service that searx asks for JSON."""
    made = Site()
    answer = json.dumps({"results": PAGES})
    made.routes["/q"] = (200, {"content-type": "application/json"}, answer)
    yield made
    made.close()


@pytest.fixture
def searx(source, tmp_path):
    port = free_port()
    settings = tmp_path / "settings.yml"
    settings.write_text(json.dumps(settings_of(port, source.url("/q?q={query}"))))
    with (tmp_path / "searx.log").open("w") as log:
        running = subprocess.Popen(
            ["searx-run"],
            env={**os.environ, "SEARX_SETTINGS_PATH": str(settings)},
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=tmp_path,
            start_new_session=True,
        )  # fmt: skip
    try:
        wait_for(f"http://127.0.0.1:{port}/", running, tmp_path / "searx.log")
        yield f"http://127.0.0.1:{port}"
    finally:
        running.terminate()
        running.wait(10)


def test_a_search_goes_through_a_real_searx(searx, source, tmp_path):
    with Runtime(config={"web": {"searxng_url": searx}}, cwd=tmp_path) as runtime:

        def search(**given):
            return json.loads(runtime.call_sync("web_search", given))

        found = search(query="deep wells", search_engine="searxng", max_results=3)
        assert found["engine"] == "searxng", found
        by_host = {each["url"].split("/")[2]: each for each in found["results"]}
        assert set(by_host) == {"a.example", "b.example"}
        assert len(found["results"]) == 2, "the same page is told once"
        assert by_host["a.example"]["snippet"] == "Deep and old water."
        assert search(query="rivers", safe_search=True)["results"][0]["title"]
        # searx leaves out engines that know no dates, as this one
        dated = search(query="rivers", date_range="week", search_engine="searxng")
        assert (dated["results"], dated["note"]) == ([], "Nothing was found; try other words.")
        denied = runtime.call_sync("http_request", {"url": searx})
    assert json.loads(denied)["code"] == "denied", "only the search may go there"
    assert "deep" in source.requests[0].path


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def wait_for(url, running, log, seconds=60):
    end = time.monotonic() + seconds
    while True:
        with contextlib.suppress(OSError):
            urllib.request.urlopen(url, timeout=5).close()
            return
        assert running.poll() is None, log.read_text()
        assert time.monotonic() < end, log.read_text()
        time.sleep(0.1)


def settings_of(port, address):
    """Return settings with one engine; searx wants every section to be there."""
    engine = {
        "name": "local", "engine": "json_engine", "shortcut": "lo", "categories": "general",
        "search_url": address, "results_query": "results", "title_query": "title",
        "url_query": "url", "content_query": "content", "enable_http": True, "timeout": 5,
        "disabled": False,
    }  # fmt: skip
    share = "/usr/share/python3-searx"
    brand = dict.fromkeys(
        ("docs_url", "git_url", "issue_url", "public_instances", "twitter_url", "wiki_url"),
        "https://searx.example/",
    )
    return {
        "brand": {**brand, "git_branch": "master"},
        "checker": {"off_when_debug": True, "additional_tests": {}, "tests": {}},
        "default_doi_resolver": "doi.org",
        "doi_resolvers": {"doi.org": "https://doi.org/"},
        "engines": [engine],
        "general": {
            "debug": False, "instance_name": "searx", "contact_url": False, "enable_stats": False,
        },
        "locales": {"en": "English"},
        "outgoing": {
            "request_timeout": 5.0, "useragent_suffix": "", "pool_connections": 10,
            "pool_maxsize": 10,
        },
        "search": {
            "safe_search": 0, "autocomplete": "", "default_lang": "", "formats": ["html", "json"],
            "ban_time_on_fail": 1, "max_ban_time_on_fail": 1, "prefer_configured_language": False,
        },
        "server": {
            "port": port, "bind_address": "127.0.0.1", "secret_key": "only-for-this-test",
            "base_url": False, "image_proxy": False, "limiter": False, "method": "GET",
            "http_protocol_version": "1.0", "default_http_headers": {},
        },
        "ui": {
            "static_path": f"{share}/static", "templates_path": f"{share}/templates",
            "default_theme": "oscar", "default_locale": "", "archive_today": False,
            "autofocus": True, "theme_args": {"oscar_style": "logicodev"},
        },
    }  # fmt: skip
