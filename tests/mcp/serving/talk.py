"""A client of a few lines: it sends messages as they are, and hears what comes back."""

import json
import os
import queue
import threading

from hermes.mcp.serving.stdio import MOST_BYTES, Stdio
from hermes.runtime.bridge import loop_thread

SECONDS = 10
VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
LEVEL = "io.modelcontextprotocol/logLevel"


class Talk:
    """One conversation with a server over two pipes."""

    def __init__(self, offering, *, most_bytes=MOST_BYTES):
        given, self._sent = os.pipe()
        self._heard, taken = os.pipe()
        self._ends = (given, taken)
        stdio = Stdio(offering, "mcp-test", most_bytes=most_bytes)
        self.running = loop_thread().submit(stdio.serve(given, taken))
        self._messages = queue.Queue()
        self.hears = threading.Event()
        """Whether it reads at all."""
        self.hears.set()
        threading.Thread(target=self._hear, daemon=True).start()
        self._id = 0
        self.others = []
        """What came while something else was waited for."""
        self.modern = None

    def _hear(self):
        with os.fdopen(self._heard, "rb") as stream:
            for line in stream:
                self.hears.wait(SECONDS)
                self._messages.put(json.loads(line))
        self._messages.put(None)

    def write(self, data):
        while data:
            data = data[os.write(self._sent, data) :]

    def send(self, message):
        self.write(json.dumps(message).encode() + b"\n")

    def begin(self, method, params=None, *, id=None):
        self._id += 1
        id = self._id if id is None else id
        params = dict(params or {})
        if self.modern is not None:
            params["_meta"] = {**self.modern, **params.get("_meta", {})}
        self.send({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        return id

    def tell(self, method, params=None):
        self.send({"jsonrpc": "2.0", "method": method, "params": params or {}})

    def hear(self):
        return self._messages.get(timeout=SECONDS)

    def answer_to(self, id):
        while True:
            message = self.hear()
            assert message is not None, "the server left"
            if isinstance(message, dict) and message.get("id") == id and "method" not in message:
                return message
            self.others.append(message)

    def ask(self, method, params=None):
        return self.answer_to(self.begin(method, params))

    def result(self, method, params=None):
        answer = self.ask(method, params)
        assert "result" in answer, answer
        return answer["result"]

    def error(self, method, params=None):
        return self.ask(method, params)["error"]

    def until(self, method):
        """Return the next message of a method, a notification or a request."""
        for message in self.others:
            if message.get("method") == method:
                self.others.remove(message)
                return message
        while True:
            message = self.hear()
            assert message is not None, "the server left"
            if message.get("method") == method:
                return message
            self.others.append(message)

    def greet(self, version="2025-11-25", **capabilities):
        info = {"name": "test", "version": "1"}
        params = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": info}
        result = self.result("initialize", params)
        self.tell("notifications/initialized")
        return result

    def be_modern(self, **capabilities):
        self.modern = {VERSION: "2026-07-28", CAPABILITIES: capabilities}
        return self

    def leave(self):
        os.close(self._sent)
        self.running.result(SECONDS)
        for end in self._ends:
            os.close(end)
