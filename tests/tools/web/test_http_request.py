"""Requests through the whole pipeline: what is sent, what is kept, and what is refused."""

from __future__ import annotations

import gzip
import json
import random
import zlib
from email.parser import BytesParser

import pytest
from tests.tools.web.conftest import Person, echo

from hermes import Runtime


@pytest.fixture
def sending(door):
    """A door behind which a person says yes."""
    return door(approver=Person("once"))


def test_json_comes_as_values_and_text_as_text(call, site):
    site.routes["/json"] = (200, {"content-type": "application/vnd.api+json"}, b'{"a": [1]}')
    site.routes["/bad"] = (200, {"content-type": "application/json"}, b"{nonsense")
    site.routes["/text"] = (200, {"content-type": "text/plain; charset=latin-1"}, b"caf\xe9")
    assert call("http_request", url=site.url("/json"))["json"] == {"a": [1]}
    assert call("http_request", url=site.url("/bad"))["text"] == "{nonsense"
    assert call("http_request", url=site.url("/text"))["text"] == "café"


def test_bytes_are_told_by_their_size(call, site):
    site.routes["/"] = (200, {"content-type": "image/png"}, b"\x89PNG\0\0")
    answer = call("http_request", url=site.url())
    assert answer["bytes"] == 6
    assert "save_to" in answer["note"]


def test_a_failure_of_the_service_is_an_answer(call, site):
    answer = call("http_request", url=site.url("/nowhere"))
    assert (answer["status"], answer["text"]) == (404, "nothing here")


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_asking_needs_nobody(call, site, method):
    site.routes["/"] = echo
    assert call("http_request", url=site.url(), method=method)["status"] == 200
    assert site.requests[0].method == method


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_sending_is_denied_where_nobody_can_be_asked(call, site, method):
    answer = call("http_request", url=site.url(), method=method)
    assert answer["code"] == "denied"
    assert "nobody is there to ask" in answer["error"]
    assert site.requests == []


def test_a_body_is_sent_only_after_a_yes_whatever_the_method(door, site):
    assert door()("http_request", url=site.url(), body={"a": 1})["code"] == "denied"
    no, yes = Person("deny"), Person("once")
    assert door(approver=no)("http_request", url=site.url(), method="POST")["code"] == "denied"
    assert site.requests == []
    site.routes["/"] = echo
    sent = door(approver=yes)("http_request", url=site.url(), method="POST", body={"a": 1})
    assert json.loads(sent["json"]["body"]) == {"a": 1}
    assert len(no.asked) == len(yes.asked) == 1
    assert "network:send" in yes.asked[0].permissions


def test_a_body_goes_in_the_form_that_is_wanted(sending, site):
    site.routes["/"] = echo

    def sent(body, **headers):
        given = {"headers": {"Content-Type": headers["kind"]}} if headers else {}
        told = sending("http_request", url=site.url(), method="POST", body=body, **given)["json"]
        return told["headers"]["content-type"], told["body"]

    form = "application/x-www-form-urlencoded"
    assert sent({"a": [1, 2]}) == ("application/json", '{"a":[1,2]}')
    assert sent({"a": [1, 2], "b": "x y"}, kind=form) == (form, "a=1&a=2&b=x+y")
    assert sent("just words") == ("text/plain; charset=utf-8", "just words")
    assert sent("<a/>", kind="application/xml") == ("application/xml", "<a/>")
    kind, body = sent({"a": 1}, kind="multipart/form-data")
    assert kind.startswith("multipart/form-data; boundary=")
    assert 'name="a"' in body


def test_the_other_names_of_a_body_and_a_method_in_small_letters_work(sending, site):
    site.routes["/"] = echo
    for name in ("data", "payload"):
        told = sending("http_request", url=site.url(), method="post", **{name: {"a": 1}})
        assert told["json"]["body"] == '{"a":1}'


def test_files_are_uploaded_with_their_names_and_fields(sending, site, tmp_path):
    site.routes["/"] = "kept"
    (tmp_path / "a.csv").write_bytes(b"1,2\r\n\x00\xff")
    answer = sending(
        "http_request", url=site.url(), method="POST", files={"file": "a.csv"}, body={"who": "Ann"}
    )
    assert answer["status"] == 200
    got = site.requests[0]
    head = f"Content-Type: {got.headers['content-type']}\r\n\r\n".encode()
    who, file = BytesParser().parsebytes(head + got.body).get_payload()
    assert who.get_payload() == "Ann"
    assert (file.get_filename(), file.get_content_type()) == ("a.csv", "text/csv")
    assert b"1,2\r\n\x00\xff" in got.body


def test_a_file_that_may_not_be_read_is_not_sent(sending, site, tmp_path):
    (tmp_path / ".env").write_text("KEY=1\n")
    for path in (".env", "/etc/shadow", "nothing.txt"):
        answer = sending("http_request", url=site.url(), method="POST", files={"file": path})
        assert "error" in answer, path
    assert site.requests == []


def test_what_is_saved_is_the_body_byte_for_byte(call, site, tmp_path):
    data = bytes(range(256)) * 100
    site.routes["/"] = (200, {"content-type": "application/octet-stream"}, data)
    answer = call("http_request", url=site.url(), save_to="deep/er/a.bin")
    assert answer["saved_to"] == str(tmp_path / "deep/er/a.bin")
    assert answer["bytes"] == len(data)
    assert (tmp_path / "deep/er/a.bin").read_bytes() == data


def test_a_failure_is_shown_and_not_saved(call, site, tmp_path):
    (tmp_path / "a.txt").write_text("before")
    answer = call("http_request", url=site.url("/nowhere"), save_to="a.txt")
    assert answer["text"] == "nothing here"
    assert (tmp_path / "a.txt").read_text() == "before"


def test_what_may_not_be_written_is_not_asked_for(call, site):
    for path in ("/etc/cron.d/x", "~/.ssh/authorized_keys", ".git/hooks/pre-commit"):
        answer = call("http_request", url=site.url(), save_to=path)
        assert answer["code"] == "denied", path
    assert site.requests == []


@pytest.mark.parametrize(("coding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
def test_what_is_packed_on_the_way_is_unpacked(call, site, coding, pack):
    def packed(request):
        assert coding in request.headers["accept-encoding"]
        return 200, {"content-type": "text/plain", "content-encoding": coding}, pack(b"words" * 99)

    site.routes["/"] = packed
    assert call("http_request", url=site.url())["text"] == "words" * 99


RAW = zlib.compressobj(wbits=-15)
PACKED = {
    "x-gzip": gzip.compress(b"some words"),
    "GZIP": gzip.compress(b"some ") + gzip.compress(b"words") + b"\0\0",
    "deflate": RAW.compress(b"some words") + RAW.flush(),
    "deflate, gzip": gzip.compress(zlib.compress(b"some words")),
    "identity": b"some words",
}


@pytest.mark.parametrize("coding", PACKED)
def test_bodies_are_unpacked_whole_however_their_coding_is_spelt(call, site, coding):
    headers = {"content-type": "text/plain", "content-encoding": coding}
    site.routes["/"] = (200, headers, PACKED[coding])
    assert call("http_request", url=site.url())["text"] == "some words"


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress])
def test_a_packed_body_that_breaks_off_says_so(call, site, pack):
    coding = "gzip" if pack is gzip.compress else "deflate"
    data = pack(bytes(random.Random(1).choices(b"abcdefgh", k=20_000)))[:2_000]
    headers = {"content-type": "text/plain", "content-encoding": coding, "etag": '"1"'}
    site.routes["/"] = (200, headers, data)
    answer = call("http_request", url=site.url())
    assert answer["cut"] == f"The body broke off after {len(answer['text']):,} bytes."


@pytest.mark.parametrize("coding", ["br", "compress", "gzip, aes128gcm"])
def test_a_coding_that_nobody_asked_for_is_told_and_not_shown_as_text(call, site, coding):
    headers = {"content-type": "text/plain", "content-encoding": coding}
    site.routes["/"] = (200, headers, b"\x0b\x02\x80hello\x03")
    answer = call("http_request", url=site.url())
    assert answer["code"] == "connection"
    assert coding.rpartition(" ")[2] in answer["error"]


def test_a_body_that_is_too_long_says_how_much_of_it_there_is(call, site, tmp_path):
    site.routes["/"] = (200, {"content-type": "text/plain"}, b"x" * 6_000_000)
    answer = call("http_request", url=site.url())
    assert answer["cut"] == "Only the first 5,000,000 bytes were read."
    assert "cut" not in call("http_request", url=site.url(), save_to="all.txt")
    assert (tmp_path / "all.txt").stat().st_size == 6_000_000


def test_a_bomb_is_cut_while_it_is_unpacked(call, site):
    bomb = gzip.compress(b"\0" * 50_000_000)
    site.routes["/"] = (200, {"content-type": "text/plain", "content-encoding": "gzip"}, bomb)
    answer = call("http_request", url=site.url())
    assert answer["cut"]
    assert len(json.dumps(answer)) < 1_000_000


def test_a_body_that_is_not_what_its_coding_says_is_told(call, site):
    site.routes["/"] = (200, {"content-encoding": "gzip"}, b"this is no gzip")
    assert call("http_request", url=site.url())["code"] == "connection"


def test_a_service_that_is_slow_is_given_up_in_time(call, site):
    import threading

    ended = threading.Event()
    site.routes["/"] = lambda _: ended.wait(10) or b""
    answer = call("http_request", url=site.url(), timeout_seconds=0.3)
    ended.set()
    assert answer["code"] == "timeout"
    assert "0.3 s" in answer["error"]


def test_redirects_are_followed_or_shown(call, site):
    site.routes["/a"] = (301, {"location": "/b"}, b"")
    site.routes["/b"] = (200, {"content-type": "text/plain"}, b"here")
    assert call("http_request", url=site.url("/a"))["redirects"] == [site.url("/a")]
    shown = call("http_request", url=site.url("/a"), follow_redirects=False)
    assert (shown["status"], shown["headers"]["location"]) == (301, "/b")


def test_a_header_cannot_carry_another_one(call, site):
    bad = call("http_request", url=site.url(), headers={"x": "a\r\nevil: 1"})
    assert bad["code"] == "invalid_arguments"
    assert site.requests == []


@pytest.mark.parametrize("where", ["url", "header", "body", "quoted"])
def test_a_secret_of_the_environment_never_leaves(monkeypatch, door, site, where):
    monkeypatch.setenv("SHOP_API_KEY", "top/secret value+1")
    call = door(approver=Person("once"))
    arguments = {
        "url": {"url": site.url("/?k=top/secret value+1")},
        "quoted": {"url": site.url("/?k=top%2Fsecret+value%2B1")},
        "header": {"url": site.url(), "headers": {"x-key": "Bearer top/secret value+1"}},
        "body": {"url": site.url(), "method": "POST", "body": {"k": "top/secret value+1"}},
    }[where]
    answer = call("http_request", **arguments)
    assert answer["code"] == "denied"
    assert "SHOP_API_KEY" in answer["error"]
    assert "top/secret" not in json.dumps(answer)
    assert site.requests == []


def test_a_user_name_in_an_address_is_refused(call, site):
    answer = call("http_request", url=site.url().replace("http://", "http://ann:pass@"))
    assert answer["code"] == "denied"
    assert site.requests == []


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://a.example/x", "gopher://a.example/", "not an address"]
)
def test_only_the_web_is_asked(call, url):
    assert call("http_request", url=url)["code"] in ("denied", "invalid_arguments")


def test_each_task_keeps_its_cookies(call, site):
    site.routes["/set"] = (200, {"set-cookie": "who=ann; Path=/"}, b"")
    site.routes["/"] = echo
    call("http_request", "one", url=site.url("/set"))
    call("http_request", "one", url=site.url())
    assert site.requests[1].headers["cookie"] == "who=ann"
    call("http_request", "two", url=site.url())
    assert site.requests[2].headers["cookie"] is None


def test_the_command_line_asks_too(site, tmp_path):
    with Runtime(config={"urls": {"allow_private": True}}, cwd=tmp_path) as runtime:
        definition = next(
            each["function"] for each in runtime.definitions()
            if each["function"]["name"] == "http_request"
        )  # fmt: skip
    assert definition["parameters"]["required"] == ["url"]
    assert list(definition["parameters"]["properties"]) == [
        "url", "method", "headers", "body", "timeout_seconds", "follow_redirects", "save_to",
        "files",
    ]  # fmt: skip
