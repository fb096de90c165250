"""Find servers on this machine: all usual ports at once, in a moment, without a library.

Plain sockets and one `select` for all: this is on the path of a first start, where a client for
HTTP would cost more than the question.
"""

from __future__ import annotations

import selectors
import socket
import time
from collections.abc import Sequence

from hermes.base.json import NotJson, decode
from hermes.llm import values

# in HTTP/1.0 an answer comes in one piece
_QUESTION = b"GET %s HTTP/1.0\r\nHost: %s\r\nAccept: application/json\r\n\r\n"
_LARGEST = 1_000_000


def find_servers(
    addresses: Sequence[tuple[str, int]], *, path: str = "/v1/models", seconds: float = 0.4
) -> dict[tuple[str, int], tuple[str, ...]]:
    """Return the models of the servers that answer in time, by their address.

    A server that speaks another language, or does not answer, is left out.
    """
    with selectors.DefaultSelector() as selector:
        for address in dict.fromkeys(addresses):
            _Look.begin(address, path, selector)
        return _gather(selector, time.monotonic() + seconds)


def _gather(
    selector: selectors.BaseSelector, deadline: float
) -> dict[tuple[str, int], tuple[str, ...]]:
    found: dict[tuple[str, int], tuple[str, ...]] = {}
    looks: list[_Look] = [key.data for key in selector.get_map().values()]
    try:
        while selector.get_map() and (left := deadline - time.monotonic()) > 0:
            for key, _ in selector.select(left):
                look: _Look = key.data
                if look.step(selector):
                    continue
                selector.unregister(look.socket)
                models = models_in(look.answer)
                if models is not None:
                    found[look.address] = models
    finally:
        for look in looks:
            look.socket.close()
    return found


class _Look:
    """One question to one port: connecting, asking, reading."""

    def __init__(self, address: tuple[str, int], path: str) -> None:
        self.address = address
        self.answer = b""
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.socket.setblocking(False)
        self._path = path
        self._is_asked = False

    @classmethod
    def begin(cls, address: tuple[str, int], path: str, selector: selectors.BaseSelector) -> None:
        look = cls(address, path)
        try:
            look.socket.connect_ex(address)
            selector.register(look.socket, selectors.EVENT_WRITE, look)
        except (OSError, ValueError, OverflowError):  # no such host or port
            look.socket.close()

    def step(self, selector: selectors.BaseSelector) -> bool:
        """Go on as far as possible; say whether there is more to come."""
        try:
            if self._is_asked:
                chunk = self.socket.recv(65536)
                self.answer += chunk
                return bool(chunk) and len(self.answer) < _LARGEST and not _is_whole(self.answer)
            self.socket.sendall(_QUESTION % (self._path.encode(), self.address[0].encode()))
        except OSError:
            return False
        self._is_asked = True
        selector.modify(self.socket, selectors.EVENT_READ, self)
        return True


def _is_whole(answer: bytes) -> bool:
    return models_in(answer) is not None


def models_in(answer: bytes) -> tuple[str, ...] | None:
    """Return the models that an HTTP answer lists; None when it is no such list."""
    head, _, body = answer.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/") or head[9:12] != b"200":
        return None
    start, end = body.find(b"{"), body.rfind(b"}")
    try:
        listed = decode(body[start : end + 1])
    except NotJson:
        return None
    if not isinstance(values.at(listed, "data"), list):
        return None
    return model_names(listed)


def model_names(listed: object) -> tuple[str, ...]:
    """Return the names in a list of models as OpenAI, Anthropic and Gemini write it."""
    rows = [
        *values.objects(values.at(listed, "data")),
        *values.objects(values.at(listed, "models")),
    ]
    names = (values.text(row.get("id")) or values.text(row.get("name")) for row in rows)
    return tuple(dict.fromkeys(name.removeprefix("models/") for name in names if name))
