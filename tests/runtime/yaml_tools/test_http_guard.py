"""Addresses are judged when they are connected to, and at every redirect."""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import httpx2
import pytest

from hermes.base.client_pool import ClientPool
from hermes.base.errors import Denied, ToolError
from hermes.runtime.reach import Reach
from hermes.runtime.yaml_tools import entries
from hermes.runtime.yaml_tools.http_guard import came_from_inside

BASE = "name: t\ndescription: d\ntype: http_wrapper\nresponse: {format: text}\n"


@contextmanager
def serving(location=None):
    """Serve on loopback: send everybody on to a location, or answer."""
    seen = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            seen.append(self.path)
            self.send_response(302 if location and self.path == "/" else 200)
            if location:
                self.send_header("Location", location)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port, seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def names(**known):
    """Return a resolver that gives a name's addresses, another lot each time, and who asked."""
    asked = []

    async def resolve(host, port):
        asked.append(host)
        lots = known.get(host.replace(".", "_"), [[host]])
        return lots[min(asked.count(host), len(lots)) - 1]

    return resolve, asked


@pytest.fixture
def fetch(tmp_path, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)

    def call(url, reach):
        class Context:
            def secret(self, name):
                return None

            def use(self, kind):
                return reach

        async def run():
            file = tmp_path / "t.yaml"
            file.write_text(f"{BASE}endpoint: {url}\n")
            pool = ClientPool()
            (entry,) = entries(file, pool=pool)
            try:
                return await entry.handler({}, ctx=Context())
            finally:
                await pool.aclose(asyncio.get_running_loop())

        return asyncio.run(run())

    return call


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "::1", "10.0.0.1", "169.254.169.254", "::ffff:127.0.0.1", "100.64.0.1"]
)
def test_a_public_name_does_not_lead_inside(fetch, address):
    resolve, _ = names(api_example_com=[[address]])
    with pytest.raises(Denied, match="leads to"):
        fetch("http://api.example.com/", Reach(resolve=resolve))


def test_nothing_is_sent_to_a_refused_address(fetch):
    with serving() as (port, seen):
        resolve, _ = names(api_example_com=[["127.0.0.1"]])
        with pytest.raises(Denied):
            fetch(f"http://api.example.com:{port}/", Reach(resolve=resolve))
    assert seen == []


def test_a_name_is_resolved_once_and_only_what_passed_is_dialled(fetch):
    with serving() as (port, seen):
        lots = [["169.254.169.254", "127.0.0.1"], ["169.254.169.254"]]
        resolve, asked = names(api_example_com=lots)
        fetch(f"http://api.example.com:{port}/", Reach(True, resolve=resolve))
    assert (asked, seen) == (["api.example.com"], ["/"])


def test_the_next_address_is_tried_when_one_does_not_answer(fetch):
    with serving() as (port, seen):
        resolve, _ = names(api_example_com=[["127.0.0.77", "127.0.0.1"]])
        fetch(f"http://api.example.com:{port}/", Reach(True, resolve=resolve))
    assert seen == ["/"]


def test_this_machine_s_own_address_is_this_machine(fetch):
    resolve, _ = names(api_example_com=[["93.184.216.34"]])
    reach = Reach(own=lambda: frozenset({"93.184.216.34"}), resolve=resolve)
    with pytest.raises(Denied, match="this machine itself"):
        fetch("http://api.example.com/", reach)


def test_a_private_host_that_the_file_names_is_open(fetch):
    with serving() as (port, seen):
        fetch(f"http://127.0.0.1:{port}/", Reach())
        fetch(f"http://localhost:{port}/", Reach(resolve=names(localhost=[["127.0.0.1"]])[0]))
    assert seen == ["/", "/"]


@pytest.mark.parametrize(
    "location",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://metadata.google.internal/",
        "http://[fd00:ec2::254]/",
        "http://rebound.example.com/",
        "http://127.1/",
        "//2130706433/",
        "http:\\\\169.254.169.254\\",
    ],
)
def test_no_redirect_leads_to_what_nothing_opens(fetch, location):
    resolve, _ = names(rebound_example_com=[["169.254.169.254"]])
    with (
        serving(location) as (port, _),
        pytest.raises(ToolError, match=r"not followed|is not valid") as caught,
    ):
        fetch(f"http://127.0.0.1:{port}/", Reach(True, resolve=resolve))
    assert caught.value.code in ("redirects", "connection")


def test_a_private_place_may_redirect_to_another(fetch):
    with serving() as (there, seen), serving(f"http://localhost:{there}/there") as (port, _):
        resolve, _ = names(localhost=[["127.0.0.1"]])
        fetch(f"http://127.0.0.1:{port}/", Reach(resolve=resolve))
    assert seen == ["/there"]


def test_a_file_that_names_a_cloud_s_metadata_is_refused(fetch):
    with pytest.raises(Denied, match="store of credentials"):
        fetch("http://169.254.169.254/latest", Reach(True))


@pytest.mark.parametrize(
    ("peer", "is_inside"),
    [("127.0.0.1", True), ("10.1.2.3", True), ("fd12::1", True), ("93.184.216.34", False)],
)
def test_where_an_answer_came_from_decides_what_it_may_open(peer, is_inside):
    class Stream:
        def get_extra_info(self, name):
            return (peer, 80) if name == "server_addr" else None

    answer = httpx2.Response(302, extensions={"network_stream": Stream()})
    assert came_from_inside(answer) is is_inside
    assert not came_from_inside(httpx2.Response(302))
