"""The task pages of MiniWoB++ solved in a real Chromium, through the browser tools alone.

Each task is begun with a few seeds and solved by an oracle that sees what browser_snapshot shows
and acts by refs; expressions only seed the task, begin it and read its reward.
"""

from __future__ import annotations

import functools
import json
import shutil
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.real.miniwob_oracles import clicking, dragging, places, widgets, writing
from tests.real.miniwob_oracles.hands import Hands
from tests.real.miniwob_oracles.unsolved import REASONS

from hermes import Runtime

PAGES = Path(__file__).parents[2] / ".parts" / "miniwob" / "miniwob" / "html"
ORACLES = clicking.ORACLES | dragging.ORACLES | places.ORACLES | widgets.ORACLES | writing.ORACLES
SEEDS = (1, 2)
CHOSEN_SEEDS = {
    "tic-tac-toe": (1, 6),  # the other player may win, whatever one does
    "click-pie": (2, 3),  # the item that is wanted may be the one that is chosen already
    "click-pie-nodelay": (2, 3),
    "email-inbox-forward": (1, 3),  # two mails may be from the same sender, and one is meant
    "email-inbox-noscroll": (1, 3),
}
TRIES = {"button-delay": 3}  # it is about seconds, which another program may take from us
BEGIN = """(async () => {
  while (!document.getElementById('sync-task-cover')) await new Promise(go => setTimeout(go, 10));
  Math.seedrandom('%s'); core.startEpisodeReal() })()"""
REWARD = "[WOB_DONE_GLOBAL, WOB_RAW_REWARD_GLOBAL]"

pytestmark = [
    pytest.mark.skipif(
        not any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
        reason="needs chromium (apt package chromium)",
    ),
    pytest.mark.skipif(
        not PAGES.exists(), reason="needs miniwob (pip package miniwob), by scripts/miniwob"
    ),
]


class Quiet(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def root():
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(PAGES)))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/miniwob"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def runtime(tmp_path_factory):
    folder = tmp_path_factory.mktemp("miniwob")
    with Runtime(config={"urls": {"allow_private": True}}, cwd=folder) as made:
        json.loads(made.call_sync("browser_snapshot", {}, "keeps the browser open"))
        yield made


def played(runtime, url, task, seed):
    """Play one episode; return whether it ended and what it was worth."""
    name = f"{task} {seed}"

    def call(tool, *, may_fail=False, **arguments):
        answer = json.loads(runtime.call_sync(tool, arguments, name))
        assert may_fail or "error" not in answer, answer
        return answer

    call("browser_navigate", url=f"{url}/{task}.html")
    call("browser_console", expression=BEGIN % seed)
    hands = Hands(call)
    try:
        ORACLES[task](hands, hands.look())
        return call("browser_console", expression=REWARD)["value"]
    finally:
        call("browser_close", may_fail=True)


@pytest.mark.proves("browser-tasks")
@pytest.mark.parametrize("task", sorted(ORACLES))
def test_the_task_is_solved_by_the_tools_alone(runtime, root, task):
    for seed in CHOSEN_SEEDS.get(task, SEEDS):
        for _ in range(TRIES.get(task, 1)):
            is_done, reward = played(runtime, root, task, seed)
            if reward >= 0.99:
                break
        assert is_done, f"seed {seed}: nothing came of it"
        assert reward >= 0.99, f"seed {seed}: {reward}"


def test_every_page_is_solved_or_says_what_it_would_need():
    found = {page.stem for page in (PAGES / "miniwob").glob("*.html")}
    assert found == set(ORACLES) | set(REASONS)
    assert not set(ORACLES) & set(REASONS)
