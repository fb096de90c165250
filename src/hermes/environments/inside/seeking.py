"""Search in processes of their own: several work at once, and one that hangs can be ended."""

# Paths are strings here: they are handed to the kernel.
# ruff: noqa: PTH100, PTH120
from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import time
from typing import Any, Callable, Dict, Iterable, List, Optional

from hermes.environments.inside import searching, walking
from hermes.environments.inside.excerpts import Shown
from hermes.environments.inside.patterns import BadPattern
from hermes.environments.inside.searching import Hit, Pick, Question, Tally
from hermes.environments.inside.walking import Scope

Words = Dict[str, Any]
Stop = Callable[[], bool]
_NAME = "hermes.environments.inside.seeking"
_LOADING = "hermes.environments.inside.loading"
_MOST = 8
_PART = 1 << 18
_LOOK_SECONDS = 0.05
_GRACE_SECONDS = 1.0


def tally(question: Question, is_stopped: Stop = lambda: False) -> Tally:
    """Count hits by file.

    Raises:
        BadPattern: the pattern cannot be read.
    """
    question.matcher()
    shares = 1 if question.scope.only else max(1, min(_MOST, os.cpu_count() or 1))
    orders = [
        {"op": "tally", "question": question._replace(at="."), "share": share, "shares": shares}
        for share in range(shares)
    ]
    whole = Tally({}, [], 0, 0, is_complete=True)
    for answer in _ask(orders, question, is_stopped):
        part = Tally(*answer) if answer is not None else whole._replace(is_complete=False)
        whole.counts.update(part.counts)
        whole.telling.extend(part.telling)
        whole = Tally(
            whole.counts,
            whole.telling,
            whole.files + part.files,
            whole.binary + part.binary,
            whole.is_complete and part.is_complete,
        )
    return whole


def hits(
    question: Question, picks: Iterable[Pick], context: int, is_stopped: Stop = lambda: False
) -> List[Hit]:
    """Return the hits that are wanted, as they are shown."""
    order = {"op": "hits", "question": question._replace(at="."), "picks": list(picks)}
    (answer,) = _ask([{**order, "context": context}], question, is_stopped)
    return [Hit(path, Shown(*shown)) for path, shown in answer or ()]


def _ask(orders: List[Words], question: Question, is_stopped: Stop) -> List[Any]:
    """Have each order done by a process; None for one that did not come to its end."""
    until = time.monotonic() + question.seconds + _GRACE_SECONDS
    running = [_start(order, question.at or question.root) for order in orders]
    said = dict.fromkeys(running, b"")
    try:
        with selectors.DefaultSelector() as selector:
            for process in running:
                selector.register(process.stdout, selectors.EVENT_READ, process)  # type: ignore[arg-type]  # it is a pipe
            while selector.get_map() and time.monotonic() < until and not is_stopped():
                for key, _ in selector.select(_LOOK_SECONDS):
                    part = os.read(key.fd, _PART)
                    said[key.data] += part
                    if not part:
                        selector.unregister(key.fileobj)
    finally:
        for process in running:
            process.kill()
            process.wait()
            process.stdout.close()  # type: ignore[union-attr]  # as above
    return [_value(said[process]) for process in running]


def _value(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:  # it was ended before
        return None


def _start(order: Words, folder: str) -> "subprocess.Popen[bytes]":
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _program()],
        cwd=folder,
        env={},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    with process.stdin as pipe:  # type: ignore[union-attr]  # as above
        texts = _texts()
        if texts is not None:
            pipe.write(json.dumps(texts).encode("ascii") + b"\n")
        pipe.write(json.dumps(order).encode("ascii"))
    return process


def _texts() -> Optional[Dict[str, str]]:
    """Return our modules where they came as text; None where they are files."""
    if "__file__" in globals():
        return None
    texts: Dict[str, str] = next(one.texts for one in sys.meta_path if hasattr(one, "texts"))
    return texts


def _program() -> str:
    end = f"from {_NAME} import main;main()"
    if "__file__" not in globals():
        begin = 'import sys,json;t=json.loads(sys.stdin.buffer.readline());s={};exec(t["'
        return f'{begin}{_LOADING}"],s);s["install"](t);{end}'
    home = os.path.abspath(__file__)
    for _ in _NAME.split("."):
        home = os.path.dirname(home)
    return f"import sys;sys.path.insert(0,{home!r});{end}"


def main() -> None:
    """Do one order."""
    words = json.loads(sys.stdin.buffer.read())
    question = _question(words["question"])
    answer: Any
    if words["op"] == "tally":
        answer = searching.tally(question, words["share"], words["shares"])
    else:
        answer = searching.hits(
            question, (Pick(*pick) for pick in words["picks"]), words["context"]
        )
    sys.stdout.write(json.dumps(answer))


def asked_tally(words: Words, is_stopped: Stop) -> Any:
    """Count for a host; a pattern that cannot be read is told as a value."""
    try:
        return tally(_question([words[name] for name in Question._fields]), is_stopped)
    except BadPattern as error:
        return {"reason": error.reason, "position": error.position}


def asked_hits(words: Words) -> Any:
    """Return some hits for a host."""
    question = _question([words[name] for name in Question._fields])
    return hits(question, [Pick(*pick) for pick in words["picks"]], words["context"])


def asked_names(words: Words) -> List[str]:
    """Return the files in scope for a host."""
    return walking.listed(words["root"], Scope(*words["scope"]))


def _question(words: List[Any]) -> Question:
    question = Question(*words)
    return question._replace(scope=Scope(*question.scope))
