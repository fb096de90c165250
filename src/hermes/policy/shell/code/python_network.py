"""What the calls of Python code do to the network."""

from __future__ import annotations

from collections.abc import Callable

from hermes.policy.shell.code.python_story import Deed, shown
from hermes.policy.shell.code.python_values import (
    NOBODY_KNOWS,
    Ref,
    Taint,
    host_of,
    taint_in,
    text_of,
)
from hermes.policy.shell.effects import UNKNOWN

_UPLOADS = ("data", "json", "files", "content", "body")


def _fetch(call: Deed) -> object:
    address = call.first
    if isinstance(address, Ref) and address.name.startswith("send:"):
        return _upload(call)
    if call.given.named.get("data") is not None or (
        call.name.endswith("urlopen") and _second(call)
    ):
        return _upload(call)
    leaking = taint_in([address, call.given.named.get("params")])
    headers = taint_in([call.given.named.get("headers")])
    is_leaking = leaking is not None or (headers is not None and headers.kind != "secret")
    call.story.add("send" if is_leaking else "net", host_of(address))
    return Taint("fetched", host_of(address))


def _second(call: Deed) -> bool:
    return call.given.get(1) is not None


def _upload(call: Deed) -> object:
    host = host_of(call.first)
    taint = taint_in(call.given.all())
    call.story.add("send", host)
    if taint and taint.kind in {"environment", "secret"}:
        call.story.warn("exfiltration", f"sends secrets of the environment to {shown(host)}")
    return Taint("fetched", host)


def _request(call: Deed) -> object:
    method = text_of(call.given.named.get("method") or "GET").upper()
    is_sending = call.given.get(1, "data") is not None or method not in {"GET", "HEAD"}
    taint = taint_in(call.given.all())
    if taint and taint.kind in {"environment", "secret"} and call.given.get(1, "data") is not None:
        call.story.warn("exfiltration", "sends secrets of the environment away")
    host = host_of(call.given.get(0, "url"))
    return Ref("send:request" if is_sending else "net:request", host)


def _any_request(call: Deed) -> object:
    method = text_of(call.given.get(0, "method")).upper()
    call = Deed(call.story, call.name, call.given, 1, "url")
    is_sending = any(call.given.named.get(name) is not None for name in _UPLOADS)
    return _upload(call) if is_sending or method not in {"GET", "HEAD", "OPTIONS"} else _fetch(call)


def _retrieve(call: Deed) -> object:
    path = text_of(call.given.get(1, "filename") or UNKNOWN)
    call.story.add("net", host_of(call.given.get(0, "url")))
    call.story.add("write", path)
    call.story.fetched_paths.add(path)
    return (path, NOBODY_KNOWS)


def _connect(call: Deed) -> object:
    address = call.given.get(0, "host")
    host = host_of(address) if isinstance(address, list | tuple) else text_of(address or UNKNOWN)
    call.story.add("net", host)
    call.story.hosts.append(host)
    return Ref(f"{call.name}()", host)


def _wire_request(call: Deed) -> object:
    host = call.story.hosts[-1] if call.story.hosts else UNKNOWN
    is_reading = text_of(call.given.get(0, "method")).upper() in {"GET", "HEAD"}
    if not is_reading or call.given.get(2, "body") is not None:
        call.story.add("send", host)
    return NOBODY_KNOWS


def _wire_send(call: Deed) -> object:
    host = call.story.hosts[-1] if call.story.hosts else UNKNOWN
    call.story.add("send", host)
    taint = taint_in(call.given.all())
    if taint and taint.kind in {"environment", "secret"}:
        call.story.warn("exfiltration", f"sends secrets of the environment to {shown(host)}")
    return NOBODY_KNOWS


def _listen(call: Deed) -> object:
    call.story.is_listening = True
    return Ref(f"{call.name}()")


NETWORK_DEEDS: dict[str, Callable[[Deed], object]] = {
    "fetch": _fetch,
    "upload": _upload,
    "request": _request,
    "any_request": _any_request,
    "retrieve": _retrieve,
    "connect": _connect,
    "wire_request": _wire_request,
    "wire_send": _wire_send,
    "received": lambda _: Taint("fetched", UNKNOWN),
    "listen": _listen,
}
