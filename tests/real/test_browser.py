"""A real Chromium driven through the tools alone: pages, forms, frames, dialogs, files, limits."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest
from tests.services.web.conftest import Site

from hermes import Runtime

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
    reason="needs chromium (apt package chromium)",
)

FORM = """<title>Order</title><h1>Order</h1>
<form onsubmit="event.preventDefault(); out.textContent = 'Sent ' + who.value + ' ' + color.value">
<label>Name <input id=who></label>
<select id=color aria-label=Color><option>Red<option>Blue</select>
<input type=checkbox aria-label=Agree id=agree><button>Send</button></form><p id=out></p>"""


@pytest.fixture
def site():
    made = Site()
    yield made
    made.close()


class Door:
    """Calls tools as any program would."""

    def __init__(self, runtime, task=None):
        self.runtime = runtime
        self.task = task

    def __call__(self, name, **arguments):
        return json.loads(self.runtime.call_sync(name, arguments, self.task))

    def ref(self, words, role=r"\w+"):
        shown = self("browser_snapshot")["snapshot"]
        found = re.search(rf'@(\w+) {role} "{re.escape(words)}', shown)
        assert found, f"no {words!r} in:\n{shown}"
        return f"@{found[1]}"


@pytest.fixture
def door(tmp_path):
    with Runtime(config={"urls": {"allow_private": True}}, cwd=tmp_path) as runtime:
        yield Door(runtime)


def test_a_form_is_filled_and_sent_by_refs_alone(door, site):
    site.routes["/"] = FORM
    page = door("browser_navigate", url=site.url())
    assert (page["status"], page["title"]) == (200, "Order")
    assert "# Order" in page["snapshot"]
    typed = door("browser_type", ref=door.ref("Name"), text="Ann")
    assert '= "Ann"' in str(typed)
    door("browser_type", ref=door.ref("Color"), text="blue")
    assert "[checked]" in str(door("browser_click", ref=door.ref("Agree")))
    assert "Sent Ann Blue" in str(door("browser_click", ref=door.ref("Send")))


def test_enter_submits_what_was_typed(door, site):
    site.routes["/"] = FORM
    door("browser_navigate", url=site.url())
    sent = door("browser_type", ref=door.ref("Name"), text="Bo", submit=True)
    assert "Sent Bo Red" in str(sent)


def test_frames_and_shadow_roots_are_seen_and_acted_on(door, site):
    site.routes["/inner"] = "<button onclick=\"this.textContent='pressed'\">Inner</button>"
    site.routes["/"] = """<iframe src="/inner"></iframe><div id=host></div><script>
    host.attachShadow({mode: 'open'}).innerHTML = '<button>Shadow</button>';
    host.shadowRoot.querySelector('button').onclick = e => e.target.textContent = 'opened'</script>"""
    door("browser_navigate", url=site.url())
    assert "pressed" in str(door("browser_click", ref=door.ref("Inner")))
    assert "opened" in str(door("browser_click", ref=door.ref("Shadow")))


def test_a_page_that_changes_its_address_itself_is_followed(door, site):
    site.routes["/"] = """<button onclick="history.pushState({}, '', '/two');
    document.body.innerHTML = '<h1>Second view</h1>'">Go</button>"""
    door("browser_navigate", url=site.url())
    after = door("browser_click", ref=door.ref("Go"))
    assert after["url"] == site.url("/two")
    assert "Second view" in after["snapshot"]


def test_a_page_grows_as_it_is_scrolled(door, site):
    site.routes["/"] = """<div id=list></div><script>let n = 0;
    const add = () => { for (let i = 0; i < 20; i++) { const p = document.createElement('p');
      p.textContent = 'entry ' + n++; p.style.height = '80px'; list.append(p) } };
    add(); addEventListener('scroll', () => { if (scrollY + innerHeight > document.body.scrollHeight - 100) add() })
    </script>"""
    first = door("browser_navigate", url=site.url())["snapshot"]
    assert "entry 20" not in first
    after = door("browser_scroll", direction="down", amount=5_000)
    assert after["scrolled"]["top"] > 0
    assert "entry 20" in door("browser_snapshot")["snapshot"]


@pytest.mark.parametrize(("action", "said"), [("accept", "yes"), ("dismiss", "no")])
def test_a_dialog_waits_for_its_answer(door, site, action, said):
    site.routes["/"] = (
        """<p id=o></p><button onclick="o.textContent = confirm('Sure?') ? 'yes' : 'no'">Ask</button>"""
    )
    door("browser_navigate", url=site.url())
    opened = door("browser_click", ref=door.ref("Ask"))
    assert opened["dialog"] == {"type": "confirm", "message": "Sure?"}
    assert door("browser_snapshot")["code"] == "dialog_open"
    assert said in str(door("browser_dialog", action=action))
    assert door("browser_dialog", action="accept")["code"] == "no_dialog"


def test_a_prompt_is_given_its_text(door, site):
    site.routes["/"] = (
        """<p id=o></p><button onclick="o.textContent = prompt('Who?')">Ask</button>"""
    )
    door("browser_navigate", url=site.url())
    door("browser_click", ref=door.ref("Ask"))
    assert "Cy" in str(door("browser_dialog", action="accept", prompt_text="Cy"))


def test_a_download_lands_in_the_workspace(door, site, tmp_path):
    site.routes["/f"] = (200, {"content-disposition": "attachment; filename=../a.csv"}, b"1,2\n")
    site.routes["/"] = '<a href="/f">Get</a>'
    door("browser_navigate", url=site.url())
    ref = door.ref("Get")
    saved = [door("browser_click", ref=ref)["downloads"][0] for _ in range(2)]
    assert [Path(each["saved_to"]).parent for each in saved] == [tmp_path / "downloads"] * 2
    assert Path(saved[0]["saved_to"]).read_bytes() == b"1,2\n"
    assert saved[0]["saved_to"] != saved[1]["saved_to"], "nothing is overwritten"


def test_files_are_given_to_a_page_as_far_as_the_policy_lets_them(door, site, tmp_path):
    site.routes["/"] = """<p id=o></p><input type=file aria-label=File multiple
    onchange="o.textContent = [...this.files].map(f => f.name + ' ' + f.size).join(', ')">"""
    (tmp_path / "a.txt").write_text("hello")
    (tmp_path / "b.txt").write_text("bye")
    door("browser_navigate", url=site.url())
    ref = door.ref("File")
    assert "a.txt 5, b.txt 3" in str(door("browser_type", ref=ref, text="a.txt | b.txt"))
    assert door("browser_type", ref=ref, text="/etc/shadow")["code"] == "denied"
    assert "error" in door("browser_type", ref=ref, text="nothing.txt")


def test_tabs_are_told_and_changed(door, site):
    site.routes["/"] = '<h1>One</h1><a href="/two" target=_blank>open</a>'
    site.routes["/two"] = "<h1>Two</h1>"
    door("browser_navigate", url=site.url())
    opened = door("browser_click", ref=door.ref("open"))
    assert "# Two" in opened["snapshot"]
    assert len(opened["tabs"]) == 2
    assert "# One" in door("browser_press", key="tab 1")["snapshot"]
    assert "# Two" in str(door("browser_press", key="tab 2"))
    assert "# One" in str(door("browser_press", key="closetab"))


def test_keys_hovering_dragging_and_editing_in_place(door, site):
    site.routes["/"] = """<p id=o>-</p><div contenteditable=true>old</div>
    <button onmouseover="o.textContent = 'hovered'">Over</button>
    <button ondblclick="o.textContent = 'twice'">Twice</button>
    <div id=a draggable=true style="width:60px;height:30px;cursor:pointer">drag me</div>
    <div id=b style="width:60px;height:60px;cursor:pointer" ondragover="event.preventDefault()"
      ondrop="o.textContent = 'dropped'">target</div>
    <script>addEventListener('keydown', e => { if (e.key === 'F2') o.textContent = 'F2' })</script>"""
    door("browser_navigate", url=site.url())
    assert "hovered" in str(door("browser_press", key=f"hover {door.ref('Over')}"))
    assert "twice" in str(door("browser_press", key=f"dblclick {door.ref('Twice')}"))
    assert "F2" in str(door("browser_press", key="F2"))
    dragged = door("browser_press", key=f"drag {door.ref('drag me')} {door.ref('target')}")
    assert "dropped" in str(dragged)
    assert 'textbox "new words"' in str(door("browser_type", ref=door.ref("old"), text="new words"))


@pytest.mark.proves("browser-noticed")
def test_what_listens_without_a_role_and_icons_without_words_have_refs(door, site):
    site.routes["/"] = """<p id=out></p><p>Some <span id=word>words</span> and more</p>
    <div id=row style="cursor:pointer">Mail by Ann <span class="icon-trash"
      style="display:inline-block;width:9px;height:9px"></span></div>
    <svg width=80 height=30><text id=seven x=5 y=20>7</text></svg>
    <button id=send class="btn btn-send"></button><div id=app>
    <h2>Title</h2><a href="/x">a link</a></div><script>
    const say = text => event => { out.textContent = text; event.stopPropagation() };
    word.addEventListener('click', say('a word'));
    row.onclick = say('the row');
    document.querySelector('.icon-trash').addEventListener('click', say('the bin'));
    seven.addEventListener('click', say('seven'));
    app.addEventListener('click', say('all'));
    send.addEventListener('click', say('sent'))</script>"""
    shown = door("browser_navigate", url=site.url())["snapshot"]
    assert "## Title" in shown
    for name, said in (
        ("words", "a word"), ("icon trash", "the bin"), ("7", "seven"), ("btn btn send", "sent"),
    ):  # fmt: skip
        assert said in str(door("browser_click", ref=door.ref(name)))


def test_what_listens_is_told_whole_once_it_holds_more(door, site):
    site.routes["/"] = """<div id=box>Open</div><script>box.addEventListener('click', () => {
    box.innerHTML = '<h2>Inside</h2><button>One</button><button>Two</button>' })</script>"""
    door("browser_navigate", url=site.url())
    door("browser_click", ref=door.ref("Open"))
    shown = door("browser_snapshot")["snapshot"]
    assert "## Inside" in shown
    assert 'button "Two"' in shown


def test_things_are_dragged_by_pixels_and_text_is_selected(door, site):
    site.routes["/"] = """<p id=out></p><p id=moved></p>
    <div id=knob style="position:absolute;left:100px;top:200px;width:20px;height:20px;cursor:grab">
    </div><p id=text>Take <b>only this</b> part</p><textarea aria-label=Note>one two</textarea>
    <script>let from = null;
    knob.onmousedown = e => from = e;
    onmouseup = e => { if (from) moved.textContent =
      `moved ${Math.round(e.clientX - from.clientX)} ${Math.round(e.clientY - from.clientY)}` };
    onkeyup = () => out.textContent = 'selected: ' + getSelection()</script>"""
    door("browser_navigate", url=site.url())
    assert "moved 40 -10" in str(door("browser_press", key=f"drag {door.ref('knob')} +40 -10"))
    whole = door("browser_snapshot", full=True)["snapshot"]
    ref = re.search(r"paragraph \[(@e\d+)\]:\s*(?:- text: )?Take", whole)[1]
    assert "selected: only this" in str(door("browser_press", key=f"select {ref} only this"))
    door("browser_press", key=f"select {door.ref('Note')} two")
    assert "one 2" in str(door("browser_press", key="2"))
    assert door("browser_press", key=f"select {ref} nothing")["code"] == "no_text"
    assert "error" in door("browser_press", key=f"drag {ref}")


@pytest.mark.proves("browser-stale")
def test_an_element_that_is_gone_says_so_with_the_nearest(door, site):
    site.routes["/"] = """<button id=b onclick="const n = document.createElement('button');
    n.textContent = 'Save all'; this.replaceWith(n)">Save</button>"""
    door("browser_navigate", url=site.url())
    ref = door.ref("Save")
    door("browser_click", ref=ref)
    stale = door("browser_click", ref=ref)
    assert stale["code"] == "stale_ref"
    assert "Save all" in stale["hint"]


def test_an_element_that_is_covered_says_what_covers_it(tmp_path, site):
    site.routes["/"] = """<button>Under</button>
    <div class=veil style="position:fixed;inset:0;background:#0008"></div>"""
    config = {"urls": {"allow_private": True}, "browser": {"action_seconds": 1}}
    with Runtime(config=config, cwd=tmp_path) as runtime:
        door = Door(runtime)
        door("browser_navigate", url=site.url())
        failed = door("browser_click", ref=door.ref("Under"))
    assert "covers it" in failed["error"]
    assert "veil" in failed["error"]


def test_the_console_is_read_and_asked(door, site):
    site.routes["/"] = "<script>console.warn('careful'); console.error('broken')</script>"
    assert door("browser_navigate", url=site.url())["console_errors"] == ["broken"]
    messages = door("browser_console", clear=True)["messages"]
    said = [(each["type"], each["text"]) for each in messages]
    assert said[:2] == [("warning", "careful"), ("error", "broken")]
    assert door("browser_console")["count"] == 0
    assert door("browser_console", expression="({a: [1, 2]})")["value"] == {"a": [1, 2]}
    assert "boom" in door("browser_console", expression="throw new Error('boom')")["error"]


def test_pictures_are_taken_and_listed(door, site, tmp_path):
    dot = bytes.fromhex(
        "47494638396101000100800000ff0000ffffff21f90400000000002c00000000010001000002024401003b"
    )
    site.routes["/dot.gif"] = (200, {"content-type": "image/gif"}, dot)
    site.routes["/"] = '<img src="/dot.gif" alt="a dot" width=50 height=50><button>Press</button>'
    door("browser_navigate", url=site.url())
    found = door("browser_get_images")["images"]
    assert [(each["url"], each["alt"]) for each in found] == [(site.url("/dot.gif"), "a dot")]
    plain = door("browser_screenshot", path="plain.png")
    door("browser_screenshot", path="marked.png", annotate=True)
    assert plain["parts"][0]["media_type"] == "image/png"
    one, two = ((tmp_path / name).read_bytes() for name in ("plain.png", "marked.png"))
    assert one.startswith(b"\x89PNG")
    assert one != two
    assert (
        "hermes-marks"
        not in door("browser_console", expression="document.documentElement.outerHTML")["value"]
    )


def test_a_question_about_a_picture_needs_a_model_that_sees(door, site):
    site.routes["/"] = "<h1>hi</h1>"
    door("browser_navigate", url=site.url())
    answer = door("browser_vision", question="Which colour is it?")
    assert answer["code"] == "unavailable"
    assert "model" in answer["error"]


def test_a_long_page_is_paged_and_asked(door, site):
    site.routes["/"] = "".join(f"<p>Entry {n} is about subject {n}.</p>" for n in range(2_000))
    page = door("browser_navigate", url=site.url())
    assert len(page["snapshot"]) <= 15_000
    rest = door("browser_snapshot", offset=page["next_offset"])
    assert rest["snapshot"].split()[0] == "Entry"
    assert "subject 1500" in door("browser_snapshot", query="subject 1500")["snapshot"]
    assert "[@e" in door("browser_snapshot", full=True)["snapshot"]


@pytest.mark.proves("browser-reach")
def test_private_places_are_closed_to_pages_and_to_what_they_load(tmp_path, site):
    site.routes["/secret"] = "inside"
    with Runtime(cwd=tmp_path) as runtime:
        door = Door(runtime)
        assert door("browser_navigate", url=site.url())["code"] == "denied"
        assert door("browser_navigate", url="file:///etc/passwd")["code"] in (
            "denied",
            "invalid_arguments",
        )
        door("browser_snapshot")
        fetched = door(
            "browser_console",
            expression=f"fetch('{site.url('/secret')}', {{mode: 'no-cors'}}).then(r => r.status)",
        )
        assert site.requests == [] or fetched.get("error"), fetched
    assert site.requests == []


def test_metadata_endpoints_stay_closed_where_private_addresses_are_open(door, site):
    site.routes["/"] = "<h1>hi</h1>"
    door("browser_navigate", url=site.url())
    assert door("browser_navigate", url="http://169.254.169.254/")["code"] == "denied"
    door("browser_console", expression="fetch('http://169.254.169.254/').catch(() => 0)")
    assert "169.254.169.254" in str(door("browser_snapshot")["blocked"])


def test_a_redirect_into_a_closed_place_is_not_followed(door, site):
    site.routes["/"] = (302, {"location": "http://169.254.169.254/latest"}, b"")
    answer = door("browser_navigate", url=site.url())
    assert answer["code"] == "denied"
    assert "169.254.169.254" in answer["error"]


@pytest.mark.proves("browser-apart")
def test_each_task_has_cookies_and_storage_of_its_own(tmp_path, site):
    site.routes["/"] = "<h1>hi</h1>"
    with Runtime(config={"urls": {"allow_private": True}}, cwd=tmp_path) as runtime:
        one, two = Door(runtime, "one"), Door(runtime, "two")
        for door in (one, two):
            door("browser_navigate", url=site.url())
        one("browser_console", expression="document.cookie = 'a=1', localStorage.setItem('k', 'v')")
        seen = "document.cookie + ',' + localStorage.getItem('k')"
        assert one("browser_console", expression=seen)["value"] == "a=1,v"
        assert two("browser_console", expression=seen)["value"] == ",null"


def browsers_of(pid):
    return [each for each in psutil.Process(pid).children(recursive=True) if is_browser(each)]


def is_browser(process):
    try:
        return "chrom" in process.name() and "--type=" not in " ".join(process.cmdline())
    except psutil.Error:
        return False


@pytest.mark.proves("browser-shared")
def test_many_tasks_share_one_browser(tmp_path, site):
    site.routes["/"] = lambda request: f"<h1>{request.path}</h1>"

    async def all_tasks():
        async with Runtime(config={"urls": {"allow_private": True}}, cwd=tmp_path) as runtime:
            calls = (
                runtime.call("browser_navigate", {"url": site.url(f"/?{n}")}, f"t{n}")
                for n in range(20)
            )
            answers = await asyncio.gather(*calls)
            return answers, len(browsers_of(os.getpid()))

    answers, count = asyncio.run(all_tasks())
    assert [json.loads(each)["status"] for each in answers] == [200] * 20
    assert count == 1
    assert browsers_of(os.getpid()) == []


def test_a_browser_that_nobody_uses_is_closed(tmp_path, site):
    site.routes["/"] = "<h1>hi</h1>"
    config = {"urls": {"allow_private": True}, "browser": {"idle_seconds": 0.5}}
    with Runtime(config=config, cwd=tmp_path) as runtime:
        door = Door(runtime)
        door("browser_navigate", url=site.url())
        assert browsers_of(os.getpid())
        wait_until(lambda: not browsers_of(os.getpid()))
        assert door("browser_navigate", url=site.url())["status"] == 200, "a new one is started"


def test_a_browser_that_is_killed_is_told_and_replaced(door, site):
    site.routes["/"] = "<h1>hi</h1>"
    door("browser_navigate", url=site.url())
    for each in browsers_of(os.getpid()):
        each.kill()
    answers = [door("browser_snapshot"), door("browser_navigate", url=site.url())]
    assert answers[1].get("status") == 200, answers


@pytest.mark.proves("browser-left")
def test_a_hermes_that_is_killed_leaves_no_browser_behind(tmp_path, site, hermes_home):
    site.routes["/"] = "<h1>hi</h1>"
    program = f"""
        from hermes import Runtime
        runtime = Runtime(config={{"urls": {{"allow_private": True}}}})
        print(runtime.call_sync("browser_navigate", {{"url": {site.url()!r}}})[:20], flush=True)
        input()
    """
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path, text=True,
        env={**os.environ, "HERMES_HOME": str(hermes_home)},
    )  # fmt: skip
    assert child.stdout.readline().startswith('{"status":200')
    left = psutil.Process(child.pid).children(recursive=True)
    assert left
    os.kill(child.pid, signal.SIGKILL)
    child.communicate()
    with Runtime(config={"urls": {"allow_private": True}}, cwd=tmp_path) as runtime:
        Door(runtime)("browser_navigate", url=site.url())
        wait_until(
            lambda: not any(each.is_running() and each.status() != "zombie" for each in left)
        )


def test_a_call_that_is_given_up_at_once_leaves_nothing_behind(tmp_path):
    with Runtime(cwd=tmp_path) as runtime:
        for seconds in (0.01, 0.2, 0.6, 1.0):
            runtime.call_sync("browser_snapshot", {}, f"t{seconds}", timeout_seconds=seconds)
    wait_until(lambda: not drivers_of(os.getpid()) and not browsers_of(os.getpid()))


def drivers_of(pid):
    found = psutil.Process(pid).children(recursive=True)
    return [each for each in found if each.is_running() and "node" in each.name()]


def test_closing_says_whether_there_was_anything_to_close(door, site):
    site.routes["/"] = "<h1>hi</h1>"
    door("browser_navigate", url=site.url())
    assert door("browser_close") == {"closed": True}
    assert door("browser_close") == {"closed": False}


def test_a_page_that_needs_scripts_is_extracted_through_the_browser(door, site):
    words = "These words are written by a script and by nothing else at all. " * 8
    site.routes["/"] = (
        f"<div id=root></div><script>root.innerHTML = '<article><p>{words}</p></article>'</script>"
    )
    page = door("web_extract", urls=[site.url()])["pages"][0]
    assert page["rendered"]
    assert "written by a script" in page["content"]


def wait_until(is_so, seconds=15):
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.05)
