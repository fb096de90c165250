"""Short tasks on pages, done by the same steps through the browser tools and in bare Playwright."""

from __future__ import annotations

import functools
import re
from collections.abc import Awaitable, Callable
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import mkdtemp
from threading import Thread
from typing import Any

PAGES = Path(__file__).parents[2] / ".parts" / "miniwob" / "miniwob" / "html"
BEGIN = """(async () => {
  while (document.readyState !== 'complete') await new Promise(go => setTimeout(go, 10));
  Math.seedrandom?.('1'); core.startEpisodeReal() })()"""
REWARD = "[WOB_DONE_GLOBAL, WOB_RAW_REWARD_GLOBAL]"
OWN = """<title>Task</title><div id=query></div><input type=text><button>Submit</button><script>
const core = { startEpisodeReal() { query.textContent = 'Enter "Ann" into the text field' } };
var WOB_DONE_GLOBAL = false, WOB_RAW_REWARD_GLOBAL = 0;
document.querySelector('button').onclick = () => { WOB_DONE_GLOBAL = true;
  WOB_RAW_REWARD_GLOBAL = document.querySelector('input').value === 'Ann' ? 1 : -1 }</script>"""
_ITEM = re.compile(r'@((?:f\d+)?e\d+) ([a-z]+)(?: "([^"]*)")?')

Step = tuple[str, str, str | int, str]
"""What to do, to what role, with which name or the how manieth, and the text."""
Call = Callable[..., Awaitable[dict[str, Any]]]


def _steps(task: str, goal: str) -> list[Step]:
    """Return what solves a task whose goal was read."""
    quoted = re.findall(r'"([^"]*)"', goal)
    submit: Step = ("click", "button", "Submit", "")
    if task == "click-test-2":
        return [("click", "button", "ONE", "")]
    if task == "click-dialog":
        return [("click", "button", "Close", "")]
    if task == "click-button":
        return [("click", "button", quoted[0], "")]
    if task == "click-tab":
        return [("click", "tab", re.findall(r"Tab #\d", goal)[0], "")]
    if task == "login-user":
        fields: list[Step] = [("type", "textbox", n, text) for n, text in enumerate(quoted)]
        return [*fields, ("click", "button", "Login", "")]
    if task == "enter-password":
        return [("type", "textbox", 0, quoted[0]), ("type", "textbox", 1, quoted[0]), submit]
    if task == "choose-list":
        return [("choose", "combobox", 0, re.findall(r"Select (.*) from", goal)[0]), submit]
    return [("type", "textbox", 0, quoted[0]), submit]


TASKS = ("click-test-2", "click-dialog", "click-button", "click-tab", "login-user",
         "enter-password", "choose-list", "enter-text")  # fmt: skip


class _Quiet(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args: object) -> None:
        pass


def serve() -> tuple[ThreadingHTTPServer, str, tuple[str, ...]]:
    """Serve the tasks of MiniWoB++, or one of our own where they are not installed."""
    folder, tasks = PAGES, TASKS
    if not PAGES.exists():
        folder, tasks = Path(mkdtemp()), ("enter-text",)
        (folder / "miniwob").mkdir()
        (folder / "miniwob" / "enter-text.html").write_text(OWN)
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_port}/miniwob", tasks


async def through_tools(call: Call, root: str, tasks: tuple[str, ...]) -> None:
    """Solve each task by refs of a snapshot."""
    for task in tasks:
        await call("browser_navigate", url=f"{root}/{task}.html")
        await call("browser_console", expression=BEGIN)
        shown = (await call("browser_snapshot"))["snapshot"]
        items = _ITEM.findall(shown)
        for does, role, which, text in _steps(task, shown.splitlines()[0]):
            fitting = [item for item in items if item[1] == role]
            if isinstance(which, str):
                fitting = [item for item in fitting if item[2] == which]
            ref = f"@{fitting[which if isinstance(which, int) else 0][0]}"
            if does == "click":
                await call("browser_click", ref=ref)
            else:
                await call("browser_type", ref=ref, text=text)
        ended = (await call("browser_console", expression=REWARD))["value"]
        assert ended[0] and ended[1] == 1, (task, ended)


async def bare(page: Any, root: str, tasks: tuple[str, ...]) -> None:
    """Solve each task by roles and names."""
    for task in tasks:
        await page.goto(f"{root}/{task}.html", wait_until="domcontentloaded")
        await page.evaluate(BEGIN)
        goal = await page.inner_text("#query")
        await page.aria_snapshot(mode="ai")
        for does, role, which, text in _steps(task, goal):
            if isinstance(which, int):
                found = page.locator("select" if does == "choose" else "#area input, body > input")
                found = found.nth(which)
            else:
                found = page.get_by_role(role, name=which, exact=True).first
            if does == "click":
                await found.click()
            elif does == "choose":
                await found.select_option(label=text)
            else:
                await found.fill(text)
        ended = await page.evaluate(REWARD)
        assert ended[0] and ended[1] == 1, (task, ended)
