"""A real Chromium on pages that hold up, fail, crash and shout: each call ends, and says why."""

from __future__ import annotations

import shutil
import signal
import socket
import threading
import time

import psutil
import pytest
from tests.real.test_browser import Door
from tests.services.web.conftest import Site

from hermes import Runtime

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
    reason="needs chromium (apt package chromium)",
)


@pytest.fixture
def site():
    made = Site()
    made.routes["/ok"] = "<h1>Fine</h1><button>Go</button>"
    yield made
    made.close()


@pytest.fixture
def door(tmp_path):
    patience = {"action_seconds": 2, "load_seconds": 4}
    with Runtime(
        config={"urls": {"allow_private": True}, "browser": patience}, cwd=tmp_path
    ) as runtime:
        yield Door(runtime)


def test_a_dialog_that_opens_with_the_page_is_told_at_once(door, site):
    site.routes["/"] = "<h1>Before</h1><script>alert('hello')</script><h2>After</h2>"
    opened = door("browser_navigate", url=site.url())
    assert opened["dialog"] == {"type": "alert", "message": "hello"}
    assert "After" in door("browser_dialog", action="accept")["snapshot"]


def test_a_page_that_asks_before_it_is_left_is_asked_about(door, site):
    site.routes["/"] = """<input aria-label=Note>
    <script>onbeforeunload = e => { e.preventDefault(); return 'x' }</script>"""
    door("browser_navigate", url=site.url())
    door("browser_type", ref=door.ref("Note"), text="draft")
    asked = door("browser_navigate", url=site.url("/ok"))
    assert asked["dialog"]["type"] == "beforeunload"
    assert "Note" in str(door("browser_dialog", action="dismiss")) + str(door("browser_snapshot"))
    door("browser_navigate", url=site.url("/ok"))
    assert door("browser_dialog", action="accept")["url"] == site.url("/ok")


@pytest.mark.parametrize(
    ("expression", "code"), [("alert(1)", "dialog_open"), ("new Promise(() => 0)", "timeout")]
)
def test_an_expression_that_does_not_end_is_not_waited_for(door, site, expression, code):
    door("browser_navigate", url=site.url("/ok"))
    kept = f"window.kept = {expression}"  # else the promise is collected, which ends it
    assert door("browser_console", expression=kept)["code"] == code


def test_a_page_that_is_busy_for_ever_is_told_and_left(door, site):
    site.routes["/"] = "<button>Go</button><script>setTimeout(() => { for (;;); }, 300)</script>"
    ref = door("browser_navigate", url=site.url())["snapshot"].split()[0]
    time.sleep(0.5)
    assert "busy" in door("browser_snapshot")["error"]
    assert door("browser_click", ref=ref)["code"] == "timeout"
    assert "Fine" in door("browser_navigate", url=site.url("/ok"))["snapshot"]


def test_a_page_that_is_never_done_is_shown_as_far_as_it_is(door):
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 9999\r\n\r\n"
    served = []

    def serve(listener):
        while True:
            try:
                served.append(listener.accept()[0])
            except OSError:
                return
            served[-1].sendall(head + b"<h1>Beginning</h1>" + b" " * 2_000)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        opened = door("browser_navigate", url=url)
        listener.shutdown(socket.SHUT_RDWR)
    for each in served:
        each.close()
    assert (opened["status"], opened["snapshot"]) == (200, "# Beginning")
    assert "not done loading" in str(opened["events"])


def test_an_address_that_is_a_file_is_downloaded(door, site):
    attached = {"content-disposition": "attachment; filename=notes.bin"}
    site.routes["/"] = (200, attached, b"abc")
    assert door("browser_navigate", url=site.url())["downloads"][0]["bytes"] == 3


def test_after_a_load_that_failed_the_next_one_succeeds(door, site):
    site.routes["/round"] = (302, {"location": "/round"}, b"")
    for _ in range(3):
        assert "circle" in door("browser_navigate", url=site.url("/round"))["error"]
        assert door("browser_navigate", url=site.url("/ok"))["status"] == 200


def test_a_page_that_leads_on_at_once_is_followed(door, site):
    site.routes["/1"] = "<meta http-equiv=refresh content='0;url=/2'>one"
    site.routes["/2"] = "<script>location = '/ok'</script>two"
    for _ in range(3):
        assert "snapshot" in door("browser_navigate", url=site.url("/1"))
    assert "Fine" in door("browser_snapshot")["snapshot"]


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://nobody.invalid/", "no such host"),
        ("https://nobody.invalid/", "no such host"),
        ("http://127.0.0.1:2/", "nobody answers"),
        ("https://127.0.0.1:2/", "nobody answers"),
    ],
)
def test_what_cannot_be_reached_is_not_called_forbidden(door, url, why):
    answer = door("browser_navigate", url=url)
    assert answer["code"] == "navigation_failed", answer
    assert why in answer["error"]


def test_a_drawing_that_is_the_page_is_read(door, site):
    drawn = b'<svg xmlns="http://www.w3.org/2000/svg"><text y="20">Drawn</text></svg>'
    site.routes["/"] = (200, {"content-type": "image/svg+xml"}, drawn)
    assert door("browser_navigate", url=site.url())["snapshot"] == "Drawn"


def test_a_pdf_is_named_with_the_tool_that_reads_it(door, site):
    site.routes["/"] = (200, {"content-type": "application/pdf"}, b"%PDF-1.4\n%%EOF")
    assert "web_extract" in str(door("browser_navigate", url=site.url())["events"])


def test_a_console_that_is_flooded_does_not_hold_up_the_calls(door, site):
    site.routes["/"] = """<h1>Loud</h1><script>setInterval(() => {
      for (let i = 0; i < 100; i++) console.log(i, { i }) }, 20)</script>"""
    door("browser_navigate", url=site.url())
    for _ in range(3):
        shown = door("browser_snapshot")
    assert shown["snapshot"] == "# Loud"
    assert door("browser_navigate", url=site.url("/ok"))["status"] == 200
    door("browser_console", expression="console.log('heard again')")
    assert "heard again" in str(door("browser_console"))


def started(words):
    for process in psutil.Process().children(recursive=True):
        try:
            if words in " ".join(process.cmdline()):
                yield process
        except psutil.Error:
            continue


def test_a_page_that_crashes_is_told_and_replaced(door, site):
    door("browser_navigate", url=site.url("/ok"))
    for process in started("--type=renderer"):
        process.send_signal(signal.SIGKILL)
    time.sleep(0.5)
    assert "the page crashed" in str(door("browser_snapshot"))
    assert door("browser_navigate", url=site.url("/ok"))["status"] == 200


def test_a_driver_that_is_killed_is_told_and_replaced(door, site):
    door("browser_navigate", url=site.url("/ok"))
    for process in started("run-driver"):
        process.kill()
    time.sleep(0.5)
    assert door("browser_snapshot")["code"] == "browser_gone"
    assert door("browser_navigate", url=site.url("/ok"))["status"] == 200


def test_what_scripts_ask_for_is_waited_for_but_not_for_ever(door, site):
    def slowly(request):
        time.sleep(0.4)
        return b"arrived"

    site.routes["/data"] = slowly
    site.routes["/"] = """<p id=out>empty</p><button onclick="load('second ')">More</button><script>
    const load = word => fetch('/data').then(r => r.text()).then(t => out.textContent = word + t);
    load('first ')</script>"""
    assert "first arrived" in door("browser_navigate", url=site.url())["snapshot"]
    assert "second arrived" in str(door("browser_click", ref=door.ref("More")))
    waits = "fetch('/data').then(() => fetch('/data')).then(() => fetch('/data')), 1"
    assert door("browser_console", expression=waits)["value"] == 1
    assert "second arrived" in door("browser_snapshot")["snapshot"]
