"""Run requests through the built-in model with real tools, and judge the calls it makes."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
from pathlib import Path

import pytest

from hermes import Runtime
from hermes.agent.builtin import open_builtin
from hermes.base.messages import Message
from hermes.llm.contract import Reply, Request

HERE = Path(__file__).parent
_ROUNDS = 6

_FILES = {
    "README.md": "# Demo\n\n## Install\nIt uses redis.\n",
    "src/a.py": "import os\n\n\ndef foo():\n    # TODO fix this\n    count = 1\n    return count\n",
    "src/b.py": "from a import foo\n\nprint(foo())\n",
    "tests/test_a.py": "# TODO more\ndef test_x():\n    assert True\n",
    "docs/guide.md": "# Guide\nYou will recieve it.\n",
    "config.toml": 'host = "localhost"\n',
    "pyproject.toml": '[project]\nname = "demo"\nversion = "1"\n[tool.pytest.ini_options]\n',
    "app.log": "error: one\nok\n",
    "old.txt": "old\n",
    "notes.txt": "note\n",
    "a.py": "foo = 1\n",
    "b.py": "bar = 1\n",
    "LICENSE": "MIT\n",
    "run.sh": "echo hi\n",
}


def _schema(**properties):
    return {"type": "object", "properties": properties}


_TEXT, _LIST = {"type": "string"}, {"type": "array", "items": {"type": "object"}}
AGENT_TOOLS = {
    "todo": _schema(todos=_LIST, merge={"type": "boolean"}),
    "memory": _schema(action=_TEXT, target=_TEXT, content=_TEXT, old_text=_TEXT),
    "clarify": _schema(question=_TEXT, choices={"type": "array", "items": _TEXT}),
    "session_search": _schema(query=_TEXT, limit={"type": "integer"}),
    "delegate_task": _schema(goal=_TEXT, context=_TEXT),
}
_STOOD_IN = {
    "todo": {"todos": []},
    "memory": {"entries": []},
    "clarify": {"answer": "", "note": "nobody is there to ask"},
    "session_search": {"results": []},
    "delegate_task": {"summary": "done"},
}


def make_project(folder: Path, files=_FILES) -> Path:
    """Write a small project with a git history."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    git = ["git", "-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "First"]):
        subprocess.run([*git, *command], cwd=folder, check=True, capture_output=True)
    return folder


def definitions(runtime):
    """Return what the runtime offers, with the agent's own tools."""
    offered = list(runtime.definitions())
    known = {one["function"]["name"] for one in offered}
    for name, schema in AGENT_TOOLS.items():
        if name not in known:
            function = {"name": name, "description": name, "parameters": schema}
            offered.append({"type": "function", "function": function})
    return tuple(offered)


async def reply(model, request):
    """Return the whole answer of a model."""
    async for piece in model.ask(request):
        last = piece
    assert isinstance(last, Reply)
    return last


async def run(model, runtime, offered, text, messages, *, is_dry=None):
    """Return the calls and the words of one turn; ``messages`` grows."""
    messages.append(Message("user", text))
    calls = []
    for _ in range(_ROUNDS):
        answer = await reply(model, Request(tuple(messages), offered))
        messages.append(answer.message())
        if not answer.calls:
            return calls, answer.text
        for call in answer.calls:
            calls.append(call)
            result = await _called(runtime, call, is_dry)
            messages.append(Message("tool", result, call_id=call.id, name=call.name))
    raise AssertionError(f"{text!r} went on for {_ROUNDS} rounds")


async def _called(runtime, call, is_dry):
    if call.name in _STOOD_IN:
        return json.dumps(_STOOD_IN[call.name])
    if call.name in {"sleep", "notification"} or (is_dry and is_dry(call)):
        return json.dumps({"done": True})
    return await runtime.call(call.name, call.arguments, task_id="corpus")


def fits(want, calls, text):
    """Whether one of the calls, some of them in order, or the words, are what is wanted."""
    if "steps" in want:
        left = iter(calls)
        return all(any(_is_step(step, call) for call in left) for step in want["steps"])
    if "text" in want:
        return not calls and re.search(want["text"], text) is not None
    return any(
        call.name == want["tool"]
        and all(_fits(check, call.arguments.get(key)) for key, check in want["args"].items())
        for call in calls
    )


def _is_step(step, call):
    said = json.dumps(call.arguments, ensure_ascii=False)
    return (
        call.name in step["tool"].split("|")
        and all(_found(form, said) for form in step["has"])
        and not any(_found(form, said) for form in step.get("lacks", ()))
    )


def _found(form, said):
    return re.search(form.replace("(?i)", ""), said, re.I if "(?i)" in form else 0) is not None


def _fits(check, value):
    if check is None:
        return value is None
    if isinstance(check, dict):
        plain = "" if value is None else value if isinstance(value, str) else json.dumps(value)
        return re.search(check["re"], plain) is not None
    if isinstance(check, list) and check and isinstance(check[0], dict):
        return all(_fits(one, value) for one in check)
    return _plain(check) == _plain(value)


def _plain(value):
    if isinstance(value, str):
        return value.removeprefix("./").rstrip("/") or value
    return [_plain(one) for one in value] if isinstance(value, list) else value


def rows(name):
    """Return the requests of a file."""
    return [json.loads(line) for line in (HERE / name).read_text().splitlines() if line.strip()]


async def judge(name, folder, runtime, *, model=None):
    """Return the requests that went wrong, with what was done instead."""
    model = model or open_builtin(embeddings=False, decoding=False)
    offered, wrong = definitions(runtime), []
    for row in rows(name):
        messages = []
        for text in row.get("after", ()):
            await run(model, runtime, offered, text, messages, is_dry=_is_slow)
        calls, text = await run(model, runtime, offered, row["say"], messages, is_dry=_is_slow)
        if not any(fits(want, calls, text) for want in row["want"]):
            wrong.append((row["say"], [(c.name, c.arguments) for c in calls], text[:150]))
    return wrong


_WEB = frozenset(
    [
        "web_search",
        "web_extract",
        "web_crawl",
        "http_request",
        "html_extract",
        "rss_reader",
        "link_checker",
        "dns_lookup",
        "browser_navigate",
        "browser_screenshot",
    ]
)


def _is_slow(call):
    """Whether a call changes something, takes long or needs a net; the choice is judged."""
    command = call.arguments.get("command", "") if call.name == "terminal" else ""
    return call.name in {
        "write_file",
        "patch",
        "file_compress",
        "clipboard",
        "env_manager",
        "code_lint",
        "code_format",
        "code_test",
        *_WEB,
    } or bool(
        command
        and re.match(r"(?!ls\b|find\b(?!.*-delete)|git (?:log|status|diff|branch)\b)", command)
    )


@pytest.fixture
def judged(tmp_path):
    """Return a function that runs a file of requests and returns what went wrong, and how many."""

    def judged(name, files=_FILES, **options):
        async def work():
            async with Runtime(cwd=make_project(tmp_path, files)) as runtime:
                return await judge(name, tmp_path, runtime, **options)

        return asyncio.run(work()), len(rows(name))

    return judged


@pytest.fixture
def ask():
    """Return a function that puts one request, with the answers that tools gave, to the model."""

    def ask(text, *answers, offered=None, before=(), model=None):
        brain = model or open_builtin(embeddings=False, decoding=False)
        messages = [*before, Message("user", text)]

        async def work():
            for given in answers:
                calls = (await reply(brain, Request(tuple(messages), tools(offered)))).calls
                messages.append(Message("assistant", calls=calls))
                text = given if isinstance(given, str) else json.dumps(given)
                messages.append(Message("tool", text, call_id=calls[0].id, name=calls[0].name))
            return await reply(brain, Request(tuple(messages), tools(offered)))

        return asyncio.run(work())

    return ask


def tools(names=None):
    """Return definitions of some tools with the parameters that the brain looks at."""
    names = EVERY if names is None else names
    return tuple(
        {"type": "function", "function": {"name": n, "description": n, "parameters": EVERY[n]}}
        for n in names
    )


EVERY = {
    **AGENT_TOOLS,
    "terminal": _schema(command=_TEXT, access=_TEXT, background={"type": "boolean"}),
    "search_files": _schema(pattern=_TEXT, target=_TEXT, path=_TEXT),
    "read_file": _schema(path=_TEXT, offset={"type": "integer"}, limit={"type": "integer"}),
    "directory_list": _schema(path=_TEXT),
    "write_file": _schema(path=_TEXT, content=_TEXT, mode=_TEXT),
    "patch": _schema(path=_TEXT, old_string=_TEXT, new_string=_TEXT),
    "system_info": _schema(sections={"type": "array", "items": _TEXT}),
    "sleep": _schema(seconds={"type": "number"}),
}
