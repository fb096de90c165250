"""Services that lend browsers, in their own words, over a real Chromium that listens here."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from typing import ClassVar

from tests.services.web.conftest import Site

NAMES = ("chromium", "chromium-browser", "google-chrome")


class Listening:
    """A Chromium that listens for the DevTools protocol."""

    def __init__(self):
        self._folder = tempfile.mkdtemp(prefix="listening-")
        program = next(filter(None, map(shutil.which, NAMES)))
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        self._process = subprocess.Popen(
            [program, "--headless=new", "--disable-gpu", "--no-first-run", "--disable-sync",
             "--disable-background-networking", "--disable-component-update", *sandbox,
             "--remote-debugging-port=0", f"--user-data-dir={self._folder}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        for line in self._process.stderr:
            if "DevTools listening on " in line:
                self.socket = line.rpartition(" ")[2].strip()
                break
        self.port = self.socket.partition("://")[2].partition("/")[0].rpartition(":")[2]
        self.url = f"http://127.0.0.1:{self.port}"

    def is_running(self):
        return self._process.poll() is None

    def close(self):
        self._process.terminate()
        self._process.wait(10)
        self._process.stderr.close()
        shutil.rmtree(self._folder, ignore_errors=True)


class Service:
    """What all of them share: a key, and the browsers that are lent out now."""

    key = "the-right-key"

    def __init__(self, browser):
        self.browser = browser
        self.site = Site()
        self.url = self.site.root
        self.lent = set()
        self.asked = []

    def serve(self, path, answer):
        def checked(request):
            body = json.loads(request.body or b"{}")
            self.asked.append((request.method, request.path, body))
            if self.key_of(request.headers) != self.key:
                return said(401, {"error": "Unauthorized"})
            return answer(request.method, body)

        self.site.routes[path] = checked

    def close(self):
        self.site.close()


class Browserbase(Service):
    """POST /v1/sessions lends one; POST /v1/sessions/{id} with REQUEST_RELEASE takes it back."""

    provider = "browserbase"
    variables: ClassVar = {
        "BROWSERBASE_API_KEY": Service.key,
        "BROWSERBASE_PROJECT_ID": "project-1",
    }

    def __init__(self, browser):
        super().__init__(browser)
        self.serve("/v1/sessions", self._begin)
        self.serve("/v1/sessions/bb-1", self._end)

    @staticmethod
    def key_of(headers):
        return headers["x-bb-api-key"]

    def _begin(self, method, body):
        if method != "POST" or body.get("projectId") != "project-1":
            return said(400, {"message": "no such project"})
        self.lent.add("bb-1")
        return said(201, {"id": "bb-1", "status": "RUNNING", "connectUrl": self.browser.socket})

    def _end(self, method, body):
        if method == "POST" and body.get("status") == "REQUEST_RELEASE":
            self.lent.discard("bb-1")
        return said(200, {"id": "bb-1", "status": "COMPLETED"})


class BrowserUse(Service):
    """POST /api/v4/browsers lends one; PATCH with the action stop takes it back."""

    provider = "browser_use"
    variables: ClassVar = {"BROWSER_USE_API_KEY": Service.key}

    def __init__(self, browser):
        super().__init__(browser)
        self.serve("/api/v4/browsers", self._begin)
        self.serve("/api/v4/browsers/bu-1", self._end)

    @staticmethod
    def key_of(headers):
        return headers["x-browser-use-api-key"]

    def _begin(self, method, body):
        self.lent.add("bu-1")
        lent = {
            "id": "bu-1",
            "status": "active",
            "cdpUrl": self.browser.url,
            "liveUrl": "https://l",
        }
        return said(201, lent)

    def _end(self, method, body):
        if method == "PATCH" and body.get("action") == "stop":
            self.lent.discard("bu-1")
        return said(200, {"id": "bu-1", "status": "stopped"})


class Firecrawl(Service):
    """POST /v2/browser lends one; DELETE /v2/browser/{id} takes it back."""

    provider = "firecrawl"
    variables: ClassVar = {"FIRECRAWL_API_KEY": Service.key}

    def __init__(self, browser):
        super().__init__(browser)
        self.serve("/v2/browser", self._begin)
        self.serve("/v2/browser/fc-1", self._end)

    @staticmethod
    def key_of(headers):
        return (headers["authorization"] or "").removeprefix("Bearer ")

    def _begin(self, method, body):
        self.lent.add("fc-1")
        return said(200, {"success": True, "id": "fc-1", "cdpUrl": self.browser.socket})

    def _end(self, method, body):
        if method == "DELETE":
            self.lent.discard("fc-1")
        return said(200, {"success": True})


def said(status, value):
    return status, {"content-type": "application/json"}, json.dumps(value)


SERVICES = (Browserbase, BrowserUse, Firecrawl)
HAS_BROWSER = any(map(shutil.which, NAMES))
