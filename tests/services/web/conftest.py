"""A site on this machine, and a caller who may reach it."""

from __future__ import annotations

import asyncio
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from hermes.policy.urls import UrlRules
from hermes.services.web import Web


class Request:
    def __init__(self, method, path, headers, body):
        self.method, self.path, self.headers, self.body = method, path, headers, body


class Site:
    """Answers with what tests say: a body, or a function of the request."""

    def __init__(self):
        self.routes = {}
        self.requests = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                length = int(self.headers.get("content-length") or 0)
                body = self.rfile.read(length)
                request = Request(self.command, self.path, self.headers, body)
                site.requests.append(request)
                answer = site.routes.get(self.path.partition("?")[0], (404, {}, b"nothing here"))
                if callable(answer):
                    answer = answer(request)
                if not isinstance(answer, tuple):
                    answer = (200, {"content-type": "text/html; charset=utf-8"}, answer)
                status, headers, content = answer
                content = content.encode() if isinstance(content, str) else content
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content)

            do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = do_GET

            def log_message(self, *args):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.root = f"http://127.0.0.1:{self._server.server_port}"

    def url(self, path="/"):
        return self.root + path

    def close(self):
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def site():
    made = Site()
    yield made
    made.close()


@pytest.fixture
def other_site():
    made = Site()
    yield made
    made.close()


class Caller:
    """A caller whose profile lets it reach this machine."""

    cancelled = False

    def __init__(self, task_id="t1", rules=None):
        self.task_id = task_id
        self.rules = rules or (UrlRules(allow_private=True),)
        self.checked = []
        self.said = []

    def check_url(self, url):
        self.checked.append(url)
        return self.rules

    def progress(self, text):
        self.said.append(text)


@pytest.fixture
def caller():
    return Caller()


@pytest.fixture
def web():
    return Web()


def run(web, coroutine):
    """Return what comes of a coroutine; the web's connections are closed with its loop."""

    async def closed():
        try:
            return await coroutine
        finally:
            await web.aclose()

    return asyncio.run(closed())
