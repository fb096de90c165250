"""A service on this machine that answers as it is told, one answer for each question."""

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECONDS = 5


@dataclass
class Answer:
    """What one question is answered with; ``ending`` is close, abrupt or hang."""

    chunks: list[bytes]
    status: int = 200
    type: str = "text/event-stream"
    headers: dict = field(default_factory=dict)
    ending: str = "close"


def sse(*events, done=False):
    """Return events as the bytes of a stream, one chunk each."""
    chunks = []
    for event in events:
        name = f"event: {event['type']}\n" if isinstance(event.get("type"), str) else ""
        chunks.append(f"{name}data: {json.dumps(event)}\n\n".encode())
    return [*chunks, b"data: [DONE]\n\n"] if done else chunks


def whole(value, status=200, **headers):
    """Return one JSON value as an answer."""
    return Answer([json.dumps(value).encode()], status, "application/json", headers)


def page(status=200):
    """Return a web page, as a proxy shows it when the service is down."""
    html = b"<!DOCTYPE html><html><head><title>Bad gateway</title></head><body>502</body></html>"
    return Answer([html], status, "text/html")


class Service:
    """Answers questions in the order of its answers; the last one stands for all later ones."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []
        self.left = threading.Event()
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                length = int(self.headers.get("content-length") or 0)
                body = json.loads(self.rfile.read(length) or b"null")
                service.requests.append((self.path, dict(self.headers.items()), body))
                answers = service.answers
                try:
                    send(self, answers.pop(0) if len(answers) > 1 else answers[0], service)
                except OSError:  # whoever asked has left
                    service.left.set()
                    self.close_connection = True

            do_GET = do_POST

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    @property
    def bodies(self):
        return [body for _, _, body in self.requests]

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(SECONDS)


def send(handler, answer, service):
    handler.send_response(answer.status)
    handler.send_header("content-type", answer.type)
    handler.send_header("transfer-encoding", "chunked")
    for name, value in answer.headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    for chunk in answer.chunks:
        if chunk:
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            handler.wfile.flush()
    if answer.ending == "close":
        handler.wfile.write(b"0\r\n\r\n")
        return
    handler.close_connection = True
    if answer.ending == "hang":
        handler.connection.settimeout(SECONDS)
        try:
            gone = handler.connection.recv(1) == b""
        except OSError:
            gone = True
        if gone:
            service.left.set()
