"""HTTP tools against a real server on the loopback."""

import asyncio
import base64
import json
import logging
import socket
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.base.client_pool import ClientPool
from hermes.base.errors import InvalidArguments, TimedOut, ToolError, Unavailable
from hermes.base.retrying import retry_after
from hermes.runtime.reach import Reach
from hermes.runtime.yaml_tools import YamlSource, entries, parse
from hermes.runtime.yaml_tools.http_request import Request, build
from hermes.runtime.yaml_tools.http_tool import redirected

TOKEN = 's3cret/token+with"signs'
BASE = "name: t\ndescription: d\ntype: http_wrapper\n"


class Context:
    cancelled = False

    def __init__(self, reach=Reach(), **secrets):  # noqa: B008 - it never changes
        self.secrets = secrets
        self.reach = reach

    def secret(self, name):
        return self.secrets.get(name)

    def use(self, kind):
        assert kind is Reach
        return self.reach


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, answer):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = answer
        self.seen = []
        self.release = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request, client_address):
        """Say nothing: a client that gave up is what some tests are about."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle_any(self):
        size = int(self.headers.get("content-length") or 0)
        request = {
            "method": self.command,
            "path": self.path,
            "headers": {name.lower(): value for name, value in self.headers.items()},
            "body": self.rfile.read(size).decode(),
        }
        self.server.seen.append(request)
        status, headers, body = self.server.answer(request, len(self.server.seen))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_PATCH = handle_any

    def log_message(self, *args):
        pass


@contextmanager
def serving(answer):
    server = Server(answer)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.release.set()
        server.shutdown()
        thread.join()
        server.server_close()


def echo(request, count):
    return 200, {"Content-Type": "application/json"}, json.dumps(request).encode()


def says(value, status=200, **headers):
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return lambda request, count: (status, headers, body)


@pytest.fixture
def call(tmp_path, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)

    def make(text, arguments=None, **secrets):
        file = tmp_path / "t.yaml"
        file.write_text(BASE + text)

        async def run():
            pool = ClientPool()
            (entry,) = entries(file, pool=pool)
            try:
                return await entry.handler(arguments or {}, ctx=Context(**secrets))
            finally:
                await pool.aclose(asyncio.get_running_loop())

        return asyncio.run(run())

    return make


def test_arguments_go_where_they_belong(call):
    text = (
        "method: POST\nendpoint: {url}/v1/{{city}}?fixed=1&opt={{nope}}\n"
        'headers: {{X-Trace: "id-{{trace}}"}}\nquery: {{days: "{{days}}", tag: "{{tags}}"}}\n'
        'body: {{count: "{{days}}", deep: {{name: "n {{city}}", gone: "{{nope}}"}}}}\n'
        "parameters:\n  - {{name: city, required: true}}\n"
        "  - {{name: days, type: integer, default: 3}}\n"
        "  - {{name: tags, type: array}}\n  - {{name: trace}}\n  - {{name: nope}}\n"
        "  - {{name: extra, type: object}}\n"
    )
    with serving(echo) as server:
        arguments = {
            "city": "São Paulo/../x?y#z",
            "tags": ["a&b", "c"],
            "trace": 7,
            "extra": {"k": [1]},
        }
        got = call(text.format(url=server.url), arguments)
    address = urlsplit(got["path"])
    assert address.path == "/v1/S%C3%A3o%20Paulo%2F..%2Fx%3Fy%23z"
    assert parse_qsl(address.query) == [("fixed", "1"), ("days", "3"), ("tag", "a&b"), ("tag", "c")]
    assert got["headers"]["x-trace"] == "id-7"
    assert got["headers"]["content-type"] == "application/json"
    assert json.loads(got["body"]) == {
        "extra": {"k": [1]},
        "count": 3,
        "deep": {"name": "n São Paulo/../x?y#z"},
    }


def test_a_form_body_is_encoded_as_a_form(call):
    text = (
        "method: POST\nendpoint: {url}/\n"
        "headers: {{Content-Type: application/x-www-form-urlencoded}}\n"
        "parameters: [{{name: a}}, {{name: b, type: array}}]\n"
    )
    with serving(echo) as server:
        got = call(text.format(url=server.url), {"a": "x&y", "b": [1, 2]})
    assert sorted(parse_qsl(got["body"])) == [("a", "x&y"), ("b", "1"), ("b", "2")]


AUTH = [
    ("{type: bearer, token_env: T}", "authorization", f"Bearer {TOKEN}"),
    (
        "{type: basic, username_env: U, password_env: T}",
        "authorization",
        f"Basic {base64.b64encode(f'admin:{TOKEN}'.encode()).decode()}",
    ),
    (
        "{type: basic, username_env: T}",
        "authorization",
        f"Basic {base64.b64encode(f'{TOKEN}:'.encode()).decode()}",
    ),
    ("{type: header, name: X-API-Key, value_env: T}", "x-api-key", TOKEN),
]


@pytest.mark.parametrize(("auth", "header", "value"), AUTH)
def test_credentials_reach_the_service_and_nothing_else(call, auth, header, value):
    with serving(echo) as server:
        got = call(f"endpoint: {server.url}/\nauth: {auth}\n", T=f"{TOKEN}\n", U="admin")
        (request,) = server.seen
    assert request["headers"][header] == value
    assert "[redacted]" in got["headers"][header]
    for spelling in (TOKEN, value.rpartition(" ")[2], json.dumps(TOKEN)[1:-1]):
        assert spelling not in json.dumps(got)


def test_a_key_in_the_query_is_sent_but_never_logged(call, caplog):
    caplog.set_level(logging.DEBUG)
    text = "endpoint: {url}/x?a=1\nauth: {{type: query, name: key, value_env: T}}\n"
    with serving(echo) as server:
        got = call(text.format(url=server.url), T=TOKEN)
        (request,) = server.seen
    assert parse_qsl(urlsplit(request["path"]).query) == [("a", "1"), ("key", TOKEN)]
    assert got["path"] == "/x?a=1&key=[redacted]"
    assert "s3cret" not in caplog.text
    assert "s3cret" not in json.dumps(got)


def test_a_missing_variable_makes_the_tool_unavailable(call):
    with pytest.raises(Unavailable, match="environment variable T is not set"):
        call("endpoint: http://127.0.0.1:9/\nauth: {type: bearer, token_env: T}\n")


@pytest.mark.parametrize("value", [".", "..", ""])
def test_a_value_cannot_walk_the_path(call, value):
    text = "endpoint: http://127.0.0.1:9/{a}/x\nparameters: [{name: a, required: true}]\n"
    with pytest.raises(InvalidArguments, match="part of the address"):
        call(text, {"a": value})


def test_values_together_cannot_walk_the_path(call):
    text = "endpoint: http://127.0.0.1:9/.{a}/x\nparameters: [{name: a, required: true}]\n"
    (spec,) = parse(BASE + text, "t.yaml")
    assert build(spec, spec.action, {"a": "b"}, str).url == "http://127.0.0.1:9/.b/x"
    with pytest.raises(InvalidArguments):
        call(text, {"a": "."})


def test_a_header_cannot_smuggle_a_line(call):
    text = "endpoint: http://127.0.0.1:9/\nparameters: [{name: a, location: header}]\n"
    with pytest.raises(InvalidArguments, match="line break"):
        call(text, {"a": "x\r\nEvil: 1"})


def test_a_host_outside_the_enum_is_refused_even_unvalidated(call):
    text = 'endpoint: "http://{h}:9/"\nparameters: [{name: h, required: true, enum: [localhost]}]\n'
    with pytest.raises(InvalidArguments, match="not one of"):
        call(text, {"h": "evil.example"})


@given(st.text(), st.text())
def test_no_value_changes_the_shape_of_the_address(city, word):
    text = (
        "endpoint: https://h.example/a/{city}/b\n"
        "parameters: [{name: city, required: true}, {name: q}]\n"
    )
    (spec,) = parse(BASE + text, "t.yaml")
    try:
        url = build(spec, spec.action, {"city": city, "q": word}, str).url
    except InvalidArguments:
        assert city in {"", ".", ".."}
        return
    parts = urlsplit(url)
    assert (parts.scheme, parts.netloc, parts.fragment) == ("https", "h.example", "")
    assert len(parts.path.split("/")) == 4
    assert len(parse_qsl(parts.query, keep_blank_values=True)) == 1


def test_the_answer_is_picked_by_its_path(call):
    with serving(says({"data": {"items": [{"name": "a"}, {"name": "b"}]}})) as server:
        assert call(f"endpoint: {server.url}/\nresponse: {{path: 'data.items[*].name'}}\n") == [
            "a",
            "b",
        ]
        with pytest.raises(ToolError, match="no 'nope' at data") as caught:
            call(f"endpoint: {server.url}/\nresponse: {{path: data.nope}}\n")
    assert caught.value.code == "response_path"


def test_text_an_empty_answer_and_head(call):
    with serving(
        says("hé".encode("latin-1"), **{"Content-Type": "text/plain; charset=latin-1"})
    ) as server:
        got = call(f"endpoint: {server.url}/\nresponse: {{format: text}}\n")
        assert got == {"text": "hé", "truncated": False}
        got = call(f"endpoint: {server.url}/\nmethod: HEAD\n")
        assert (got["status"], got["headers"]["content-length"]) == (200, "2")
    with serving(says(b"", status=204)) as server:
        assert call(f"endpoint: {server.url}/\nmethod: DELETE\n") == {"status": 204}


def test_a_big_answer_is_cut_without_showing_half_a_secret(call):
    with serving(says(b"x" * 990 + TOKEN.encode() + b"y" * 5_000_000)) as server:
        limit = "response: {format: text, max_bytes: 1000}\n"
        got = call(f"endpoint: {server.url}/\nheaders: {{X-A: {{value_env: T}}}}\n{limit}", T=TOKEN)
        assert got == {"text": "x" * 990 + "[redacted]", "truncated": True}
        with pytest.raises(ToolError, match="larger than 2,000,000 bytes") as caught:
            call(f"endpoint: {server.url}/\n")
    assert caught.value.code == "too_large"


def test_what_is_not_json_says_what_it_is(call):
    with (
        serving(says(b"<html>busy</html>", **{"Content-Type": "text/html"})) as server,
        pytest.raises(ToolError, match="text/html, which is not JSON: <html>busy") as caught,
    ):
        call(f"endpoint: {server.url}/\n")
    assert "format: text" in caught.value.hint


def test_a_bad_status_is_an_error_with_an_excerpt_and_no_secret(call):
    with (
        serving(says({"message": f"no {TOKEN}" + "x" * 5_000}, status=403)) as server,
        pytest.raises(ToolError) as caught,
    ):
        call(f"endpoint: {server.url}/\nauth: {{type: bearer, token_env: T}}\n", T=TOKEN)
    error = caught.value
    assert str(error).startswith('127.0.0.1 answered 403 Forbidden: {"message": "no [redacted]xxx')
    assert (error.code, error.extra) == ("http_status", {"status": 403})
    assert len(str(error)) < 700
    assert "credentials" in error.hint


def flaky(failures, status, **headers):
    def answer(request, count):
        return (status, headers, b"") if count <= failures else (200, {}, b'{"ok": true}')

    return answer


RETRIES = "retries: {attempts: 3, backoff_seconds: 0}\n"


def test_a_busy_service_is_asked_again(call):
    with serving(flaky(2, 503, **{"Retry-After": "0"})) as server:
        assert call(f"endpoint: {server.url}/\n{RETRIES}") == {"ok": True}
        assert len(server.seen) == 3


def test_attempts_end_and_other_statuses_are_not_retried(call):
    with serving(flaky(9, 503)) as server:
        with pytest.raises(ToolError, match="503"):
            call(f"endpoint: {server.url}/\n{RETRIES}")
        assert len(server.seen) == 3
    with serving(flaky(1, 500)) as server:
        with pytest.raises(ToolError, match="500"):
            call(f"endpoint: {server.url}/\n{RETRIES}")
        assert len(server.seen) == 1


def test_a_wait_beyond_the_limit_is_not_waited_for(call):
    with serving(flaky(1, 429, **{"Retry-After": "3600"})) as server:
        with pytest.raises(ToolError, match="429"):
            call(f"endpoint: {server.url}/\n{RETRIES}")
        assert len(server.seen) == 1


def test_a_post_is_sent_again_only_when_declared_unsafe(call):
    with serving(flaky(1, 503)) as server:
        with pytest.raises(ToolError, match="503"):
            call(f"endpoint: {server.url}/\nmethod: POST\n")
        assert call(f"endpoint: {server.url}/\nmethod: POST\n{RETRIES[:-2]}, unsafe: true}}\n") == {
            "ok": True
        }


def test_retry_after_is_a_number_or_a_date():
    assert retry_after("7", now=0) == 7
    assert retry_after("Thu, 01 Jan 1970 00:01:00 GMT", now=50) == 10
    assert retry_after("Thu, 01 Jan 1970 00:01:00 GMT", now=100) == 0
    assert retry_after("soon", now=0) is None
    assert retry_after(None, now=0) is None


def test_a_redirect_to_another_host_leaves_the_credentials_behind(call):
    text = (
        "endpoint: {url}/\nauth: {{type: bearer, token_env: T}}\n"
        "headers: {{X-Own: mine, Accept: a/b, X-Key: {{value_env: T}}}}\n"
        "query: {{key: {{value_env: T}}}}\n"
    )
    with serving(echo) as other:
        target = f"http://localhost:{other.server_port}/there?key={TOKEN}&a=1"
        with serving(says(b"", status=302, Location=target)) as first:
            got = call(text.format(url=first.url), T=TOKEN)
    assert got["path"] == "/there?a=1"
    assert got["headers"]["accept"] == "a/b"
    assert not {"authorization", "x-own", "x-key"} & got["headers"].keys()


def test_a_redirect_on_the_same_host_keeps_them(call):
    def answer(request, count):
        return (307, {"Location": "/there"}, b"") if count == 1 else echo(request, count)

    with serving(answer) as server:
        text = "method: PUT\nbody: hi\nauth: {type: bearer, token_env: T}\n"
        call(f"endpoint: {server.url}/\n{text}", T=TOKEN)
        second = server.seen[1]
    assert (second["method"], second["path"], second["body"]) == ("PUT", "/there", "hi")
    assert second["headers"]["authorization"] == f"Bearer {TOKEN}"


def test_redirects_end(call):
    with serving(says(b"", status=302, Location="/again")) as server:
        with pytest.raises(ToolError, match="redirects more than 5 times"):
            call(f"endpoint: {server.url}/\n")
        assert len(server.seen) == 6


PROVEN = Request("GET", "https://a.example/x", secret_headers=(("Authorization", "Bearer x"),))


@pytest.mark.parametrize(
    ("location", "keeps"),
    [
        ("/y", True),
        ("https://a.example:443/y", True),
        ("http://a.example/y", False),
        ("https://a.example:8443/y", False),
        ("https://b.a.example/y", False),
        ("//b.example/y", False),
    ],
)
def test_credentials_stay_with_their_origin(location, keeps):
    assert bool(redirected(PROVEN, 302, location).secret_headers) is keeps


@pytest.mark.parametrize("location", ["file:///etc/passwd", "https://u:p@b.example/"])
def test_a_redirect_that_leaves_the_web_is_refused(location):
    with pytest.raises(ToolError, match="not followed"):
        redirected(PROVEN, 302, location)


def test_a_body_is_not_taken_to_another_origin():
    post = Request("POST", "https://a.example/x", content=b"mine")
    with pytest.raises(ToolError, match="may not be sent the request's content"):
        redirected(post, 307, "https://b.example/")
    onward = redirected(post, 302, "https://b.example/")
    assert (onward.method, onward.content) == ("GET", None)


def test_cookies_of_one_call_are_unknown_to_the_next(tmp_path):
    file = tmp_path / "t.yaml"
    with serving(
        lambda request, count: (200, {"Set-Cookie": "a=b"}, echo(request, count)[2])
    ) as server:
        file.write_text(f"{BASE}endpoint: {server.url}/\n")

        async def twice():
            pool = ClientPool()
            (entry,) = entries(file, pool=pool)
            await entry.handler({}, ctx=Context())
            got = await entry.handler({}, ctx=Context())
            await pool.aclose(asyncio.get_running_loop())
            return got

        assert "cookie" not in asyncio.run(twice())["headers"]


def test_a_silent_service_times_out(call):
    def silent(request, count):
        server.release.wait(5)
        return 200, {}, b"{}"

    with serving(silent) as server:
        with pytest.raises(TimedOut, match=r"127\.0\.0\.1 did not answer within 0\.05 s"):
            call(f"endpoint: {server.url}/\ntimeout_seconds: 0.05\n")
        server.release.set()


def test_a_service_that_is_not_there_is_named(call):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(ToolError, match=r"127\.0\.0\.1 cannot be reached") as caught:
            call(f"endpoint: http://127.0.0.1:{taken.getsockname()[1]}/\n")
    assert caught.value.code == "connection"
    assert "Check the host name" in caught.value.hint


@pytest.mark.proves("declare-yaml-secrets")
def test_through_the_runtime_secrets_stay_out_of_answer_and_journal(
    runtime, hermes_home, tmp_path, monkeypatch
):
    monkeypatch.setenv("MY_TOKEN", TOKEN)
    with serving(echo) as server:
        (tmp_path / "t.yaml").write_text(
            f"{BASE}endpoint: {server.url}/{{city}}\nauth: {{type: bearer, token_env: MY_TOKEN}}\n"
            "parameters: [{name: city, required: true}]\n"
        )
        with runtime() as rt:
            rt.add_source(YamlSource(tmp_path))
            answer = json.loads(rt.call_sync("t", {"city": "a/b"}))
            missing = json.loads(rt.call_sync("t", {}))
        assert answer.get("path") == "/a%2Fb"
        assert server.seen[0]["headers"]["authorization"] == f"Bearer {TOKEN}"
    assert answer["path"] == "/a%2Fb"
    assert missing["code"] == "invalid_arguments"
    assert len(server.seen) == 1
    for file in hermes_home.rglob("*"):
        assert not file.is_file() or b"s3cret" not in file.read_bytes()
    assert "s3cret" not in json.dumps(answer)


def test_each_loop_has_its_own_client_until_the_pool_closes():
    class Client:
        closed = 0

        async def aclose(self):
            self.closed += 1

    pool = ClientPool()

    async def use():
        loop = asyncio.get_running_loop()
        client = pool.client(loop, Client)
        assert pool.client(loop, Client) is client
        return client

    async def use_and_close():
        client = await use()
        await pool.aclose(asyncio.get_running_loop())
        return client

    first, second = asyncio.run(use()), asyncio.run(use_and_close())
    assert first is not second
    assert second.closed == 1
