"""Searching many conversations, opening a long one, and keeping a message."""

from __future__ import annotations

import itertools
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.harness import interleave
from hermes.base.messages import Message, ToolCall
from hermes.services.sessions import Sessions

WORDS = 30_000
COMMON = 1.07
"""How much rarer each next word is, as in texts that people write."""
PER_SESSION = 50
LETTERS = "etaoinshrdlucmfwypvbgkjqxz"
HANZI = "数据库迁移服务器部署测试文件错误日志连接网络配置用户系统问题"


def search(rounds: int, messages: int) -> dict:
    """Return seconds per question over so many messages, by the kind of question."""
    with tempfile.TemporaryDirectory(prefix="hermes-bench-") as folder:
        path = Path(folder) / "state.db"
        speech = _Speech(random.Random(7))
        fill(path, speech, messages)
        sessions = Sessions(path)
        asked = speech.questions()
        times: dict[str, list[float]] = {}
        for kind, questions in asked.items():
            works = [_asking(sessions, question) for question in questions]
            times[kind] = [each for taken in interleave(rounds, works) for each in taken]
        sessions.close()
    return {"times": times}


def fill(path: Path, speech: Iterator[Message], messages: int) -> None:
    """Keep so many messages in sessions of equal length."""
    made = Sessions(path, durable=False)
    for _ in range(max(1, messages // PER_SESSION)):
        made.start(title="bench").add_all(list(itertools.islice(speech, PER_SESSION)))
    made.close()


def resume(rounds: int, messages: int) -> dict:
    """Return seconds to open a session and read all of its messages."""
    with tempfile.TemporaryDirectory(prefix="hermes-bench-") as folder:
        path = Path(folder) / "state.db"
        made = Sessions(path, durable=False)
        session = made.start(title="long")
        turns = itertools.chain.from_iterable(map(_turn, itertools.count()))
        session.add_all(list(itertools.islice(turns, messages)))
        made.close()

        def work() -> None:
            sessions = Sessions(path)
            assert len(sessions.resume("long").messages()) == messages
            sessions.close()

        return {"times": interleave(rounds, [work])[0]}


def keep(rounds: int, messages: int) -> dict:
    """Return seconds to keep a message, until it is on the disk."""
    with tempfile.TemporaryDirectory(prefix="hermes-bench-") as folder:
        sessions = Sessions(Path(folder) / "state.db")
        session = sessions.start()
        said = itertools.cycle(itertools.chain.from_iterable(_turn(n) for n in range(100)))

        def work() -> None:
            for message in itertools.islice(said, messages):
                session.add(message)

        times = [taken / messages for taken in interleave(rounds, [work])[0]]
        sessions.close()
    return {"times": times}


class _Speech(Iterator[Message]):
    """Messages of words that are as common as in speech, one in twenty of them in Chinese."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._words = [
            "".join(chance.choices(LETTERS, range(26, 0, -1), k=chance.randint(3, 9)))
            for _ in range(WORDS)
        ]
        self._weights = list(
            itertools.accumulate(1 / (rank + 1) ** COMMON for rank in range(WORDS))
        )

    def __next__(self) -> Message:
        chance = self._chance
        role = chance.choice(("user", "assistant", "tool"))
        if chance.random() < 0.05:
            text = "".join(chance.choices(HANZI, k=30))
        else:
            count = chance.randint(5, 30)
            text = " ".join(chance.choices(self._words, cum_weights=self._weights, k=count))
        return Message(role, text, call_id="c" if role == "tool" else "")

    def questions(self) -> dict[str, list[str]]:
        """Return questions of every kind: common and rare words, several, parts, Chinese."""
        words = self._words
        return {
            "common word": words[:3],
            "rare word": words[5000:5003],
            "three words": [f"{words[2]} {words[40]} {words[400]}", " ".join(words[0:3])],
            "words that never meet": [f"{words[5000]} {words[9000]} {words[12000]}"],
            "beginning of a word": ["ete", "seat", "tona"],
            "part of a word": [word[1:] for word in words[:300] if len(word) > 6][:4],
            "Chinese": ["数据库", "迁移", "库", "服务器部署"],
            "nothing": ["qqqqqqqq", '"zzz" (AND'],
        }


def _asking(sessions: Sessions, question: str):
    return lambda: sessions.search(question)


def _turn(number: int) -> list[Message]:
    call = ToolCall(f"call_{number}", "read_file", {"path": f"src/part_{number}.py", "limit": 200})
    return [
        Message("user", f"What does part {number} do, and who calls it? " * 3),
        Message("assistant", "Let me look.", calls=(call,), reasoning="I should read the file."),
        Message("tool", '{"content": "' + "def f(x): return x\\n" * 40 + '"}', call_id=call.id),
        Message("assistant", f"Part {number} returns what it is given. " * 10),
    ]
