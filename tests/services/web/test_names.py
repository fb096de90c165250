"""Names looked up, with a real server of names on this machine."""

from __future__ import annotations

import asyncio
import socket
import threading

import dns.flags
import dns.message
import dns.rcode
import dns.rrset
import pytest

from hermes.base.errors import InvalidArguments, TimedOut, ToolError
from hermes.services.web import names

RECORDS = {
    ("example.test.", "A"): ["192.0.2.1", "192.0.2.2"],
    ("half.test.", "A"): ["192.0.2.3"],
    ("example.test.", "AAAA"): ["2001:db8::1"],
    ("example.test.", "MX"): ["10 mail.example.test."],
    ("example.test.", "TXT"): ['"v=spf1 " "-all"'],
    ("example.test.", "SOA"): ["ns.example.test. admin.example.test. 1 2 3 4 5"],
    ("example.test.", "CAA"): ['0 issue "ca.test"'],
    ("www.example.test.", "CNAME"): ["example.test."],
    ("_x._tcp.example.test.", "SRV"): ["1 2 443 host.example.test."],
    ("1.2.0.192.in-addr.arpa.", "PTR"): ["example.test."],
}


@pytest.fixture
def server():
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listener.bind(("127.0.0.1", 0))

    def serve():
        while True:
            data, peer = listener.recvfrom(4_096)
            if data == b"stop":
                return
            asked = dns.message.from_wire(data)
            question = asked.question[0]
            answer = dns.message.make_response(asked)
            answer.flags |= dns.flags.RA
            name, kind = question.name.to_text(), dns.rdatatype.to_text(question.rdtype)
            found = RECORDS.get((name, kind))
            if name.startswith("silent."):
                continue
            if name.startswith("closed.") or (name.startswith("half.") and kind != "A"):
                answer.set_rcode(dns.rcode.REFUSED)
                listener.sendto(answer.to_wire(), peer)
                continue
            if found:
                answer.answer.append(dns.rrset.from_text(question.name, 60, "IN", kind, *found))
            elif (name, "CNAME") in RECORDS:
                target = RECORDS[name, "CNAME"][0]
                answer.answer.append(dns.rrset.from_text(question.name, 60, "IN", "CNAME", target))
                answer.answer.append(
                    dns.rrset.from_text(target, 60, "IN", kind, *RECORDS[target, kind])
                )
            elif not any(known == name for known, _ in RECORDS):
                answer.set_rcode(dns.rcode.NXDOMAIN)
            listener.sendto(answer.to_wire(), peer)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield f"127.0.0.1:{listener.getsockname()[1]}"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stop:
        stop.sendto(b"stop", listener.getsockname())
    thread.join()
    listener.close()


def look_up(name, kind, server):
    return asyncio.run(names.look_up(name, kind, server))


def values(found):
    return [record.get("value") for record in found["records"]]


def test_records_of_every_kind_are_told(server):
    assert sorted(values(look_up("example.test", "A", server))) == ["192.0.2.1", "192.0.2.2"]
    assert values(look_up("example.test", "AAAA", server)) == ["2001:db8::1"]
    mail = look_up("example.test", "MX", server)["records"][0]
    assert (mail["priority"], mail["value"], mail["ttl"]) == (10, "mail.example.test", 60)
    assert values(look_up("example.test", "TXT", server)) == ["v=spf1 -all"]
    assert look_up("example.test", "SOA", server)["records"][0]["serial"] == 1
    assert values(look_up("example.test", "CAA", server)) == ["issue ca.test"]
    service = look_up("_x._tcp.example.test", "SRV", server)["records"][0]
    assert (service["port"], service["value"]) == (443, "host.example.test")


def test_another_name_is_followed_and_told(server):
    found = look_up("www.example.test", "A", server)
    assert found["canonical_name"] == "example.test"
    assert sorted(values(found)) == ["192.0.2.1", "192.0.2.2"]


def test_an_address_is_looked_up_in_reverse(server):
    assert values(look_up("192.0.2.1", "PTR", server)) == ["example.test"]


def test_everything_there_is_comes_together(server):
    kinds = {record["type"] for record in look_up("example.test", "ANY", server)["records"]}
    assert {"A", "AAAA", "MX", "TXT", "SOA", "CAA"} <= kinds


def test_what_no_server_says_is_not_taken_for_nothing(server):
    for kind in ("A", "ANY"):
        with pytest.raises(ToolError, match="no server can say anything"):
            look_up("closed.test", kind, server)
    half = look_up("half.test", "ANY", server)
    assert values(half) == ["192.0.2.3"]
    assert "AAAA" in half["note"]


def test_no_record_and_no_name_are_told_apart(server):
    assert "no NS records" in look_up("example.test", "NS", server)["note"]
    with pytest.raises(ToolError, match=r"there is no name nothing\.test"):
        look_up("nothing.test", "A", server)


def test_a_server_that_is_silent_is_told(server, monkeypatch):
    monkeypatch.setattr(names, "_SECONDS", 0.1)
    monkeypatch.setattr(names, "_LIFETIME", 0.2)
    with pytest.raises(TimedOut, match="no server answered"):
        look_up("silent.test", "A", server)


def test_what_is_no_server_or_name_is_refused():
    with pytest.raises(InvalidArguments, match="no address of a server"):
        look_up("example.test", "A", "dns.example")
    with pytest.raises(InvalidArguments, match="is no name"):
        look_up("a" * 70 + ".test", "A", "127.0.0.1:9")


@pytest.mark.parametrize("name", ["", "  ", "http://x.test/", "x.test:80", "a@b.test", "a b"])
def test_what_is_more_or_less_than_a_name_is_refused(name):
    with pytest.raises(InvalidArguments, match="is no name"):
        look_up(name, "A", "127.0.0.1:1")


@pytest.mark.parametrize("server", ["127.0.0.1:99999", "127.0.0.1:0", "[::1]:70000"])
def test_a_port_that_there_is_not_is_refused(server):
    with pytest.raises(InvalidArguments, match="no address of a server"):
        look_up("x.test", "A", server)
