"""Take calls out of a text as it comes: what is said goes on at once, marks are never shown.

Nothing inside a code fence or between backticks is a call: there a model shows what one looks like.
What may turn out to be a call is held back until one can tell. The outcome is the same however the
text is cut into pieces.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from hermes.llm.dialects.all_forms import FORMS
from hermes.llm.dialects.forms import Form, Found, Reading, Written, is_begun, skip
from hermes.llm.dialects.unmarked import bare_at, fence_at, list_at


class Said(NamedTuple):
    """Something that is said."""

    text: str


class Thought(NamedTuple):
    """Something that is thought."""

    text: str


class Mark(NamedTuple):
    """A mark that says nothing by itself; it is only told of where not every mark is meant."""

    text: str


Event = Said | Thought | Mark | Written

_OPENS: dict[str, Form] = {mark: form for form in FORMS for mark in form.opens}
_MARKS = tuple(_OPENS)
_LONGEST = max(map(len, _MARKS))
_NEXT = re.compile(
    "|".join([*map(re.escape, sorted(_MARKS, key=len, reverse=True)), r"`+", r"~+", r"[{\[]"])
)
_TICKS = re.compile(r"`+|\n")
_FORCED = re.compile(r"[>}\])`\n|]")
_HELD, _LONG = 512, 8_192
_THINK, _THOUGHT = "<think>", "</think>"


class Scanner:
    """Read one answer; ``names`` are the tools on offer.

    With ``is_told`` the model was told to write calls as text, so every mark is meant: a call of a
    tool that is not there, or that cannot be read, is a call too, and gets an answer.
    """

    def __init__(self, names: Collection[str], *, is_told: bool = True) -> None:
        self._names = names
        self._is_told = is_told
        self._text = ""
        self._at = 0
        self._code = ""
        self._spaces = ""
        self._is_fence = self._is_thinking = self._is_waiting = False
        self._has_spoken = self._is_inner = False
        self._is_new_line = True
        self._later = 0
        self._events: list[Event] = []

    def feed(self, text: str) -> list[Event]:
        """Return what can be told after a piece of text."""
        self._text += text
        held = len(self._text)
        if self._is_waiting and held > _HELD and (held < self._later or not _FORCED.search(text)):
            return []  # a long call is looked at again only when it may have ended
        events = self._scan(is_over=False)
        held = len(self._text)
        self._later = held + held // 32 if held > _LONG else 0
        return events

    def close(self) -> list[Event]:
        """Return the rest, when the answer is over."""
        events = self._scan(is_over=True)
        if self._spaces and not self._is_inner:
            events.append(Said(self._spaces))
        self._spaces = ""
        return events

    def _scan(self, *, is_over: bool) -> list[Event]:
        self._events = []
        self._is_waiting = False
        while self._at < len(self._text) and self._step(is_over):
            pass
        self._text, self._at = self._text[self._at :], 0
        return self._events

    def _step(self, is_over: bool) -> bool:
        """Go on to the next thing; False when more text must come first."""
        if self._is_thinking:
            return self._think(is_over)
        if self._code:
            return self._fenced(is_over) if self._is_fence else self._quoted(is_over)
        if self._is_told and not self._has_spoken and (step := self._begin(is_over)) is not None:
            return step
        found = _NEXT.search(self._text, self._at)
        if found is None:
            self._say(self._sayable(is_over, _MARKS))
            return False
        self._say(found.start())
        mark = found[0]
        if mark[0] in "`~":
            return self._ticks(mark, is_over)
        if mark in "{[":
            return self._take(self._unmarked(mark, is_over), 1)
        return self._take(_OPENS[mark].read(self._text, self._at, is_over), len(mark))

    def _begin(self, is_over: bool) -> bool | None:
        """See whether the answer begins with a thought."""
        start = skip(self._text, self._at)
        if self._text.startswith(_THINK, start):
            self._is_thinking = self._is_inner = True
            self._at = start + len(_THINK)
            return True
        return False if not is_over and is_begun(self._text, start, (_THINK,)) else None

    def _think(self, is_over: bool) -> bool:
        end = self._text.find(_THOUGHT, self._at)
        until = end if end >= 0 else self._sayable(is_over, (_THOUGHT,))
        if until > self._at:
            self._events.append(Thought(self._text[self._at : until]))
        self._at = until
        if end < 0:
            return False
        self._is_thinking = False
        self._at = end + len(_THOUGHT)
        return True

    def _sayable(self, is_over: bool, marks: tuple[str, ...]) -> int:
        """Return how far the text goes before what may be the beginning of a mark."""
        end = len(self._text)
        if is_over:
            return end
        at = self._text.find("<", max(self._at, end - _LONGEST))
        while at >= 0 and not is_begun(self._text, at, marks):
            at = self._text.find("<", at + 1)
        return at if at >= 0 else end

    def _ticks(self, mark: str, is_over: bool) -> bool:
        """Go into code, or take a fence for the calls that it holds."""
        if not is_over and self._at + len(mark) == len(self._text):
            return False
        is_fence = len(mark) >= 3 and self._is_new_line
        if is_fence and self._is_told:
            found = fence_at(self._text, self._at, self._names, is_over)
            if found is not None:
                return self._take(found, len(mark))
        if is_fence or mark[0] == "`":
            self._code, self._is_fence = mark, is_fence
        self._say(self._at + len(mark))
        return True

    def _fenced(self, is_over: bool) -> bool:
        """Say a line of a fence, and see whether it closes it."""
        line_end = self._text.find("\n", self._at)
        until = line_end if line_end >= 0 else len(self._text)
        line = self._text[self._at : until].strip()
        if self._is_new_line and set(line) <= {self._code[0]}:
            if line_end < 0 and not is_over:
                return False
            if len(line) >= len(self._code):
                self._code = ""
                self._say(until)
                return True
        self._say(until if line_end < 0 else until + 1)
        return line_end >= 0

    def _quoted(self, is_over: bool) -> bool:
        """Say what stands between backticks; they end with the line at the latest."""
        found = _TICKS.search(self._text, self._at)
        if found is None:
            self._say(len(self._text))
            return False
        if not is_over and found.end() == len(self._text) and found[0] != "\n":
            self._say(found.start())
            return False
        self._say(found.end())
        if found[0] in (self._code, "\n"):
            self._code = ""
        return True

    def _unmarked(self, mark: str, is_over: bool) -> Reading:
        if mark == "[" and not is_over and is_begun(self._text, self._at, _MARKS):
            return "wait"
        if not self._is_told or not self._is_new_line:
            return None
        found = bare_at(self._text, self._at, self._names, is_over)
        if found is None and mark == "[" and not self._has_spoken:
            return list_at(self._text, self._at, self._names, is_over)
        return found

    def _take(self, found: Reading, width: int) -> bool:
        if found == "wait":
            self._is_waiting = True
            return False
        if found is None:
            self._say(self._at + width)
        elif not self._is_told and not found.calls and not found.thought:
            self._events.append(Mark(self._text[self._at : found.end]))
            self._at = found.end
        elif not self._is_meant(found):
            self._say(found.end)
        else:
            if found.thought:
                self._events.append(Thought(found.thought))
            self._events += found.calls
            self._is_inner = self._is_inner or bool(found.calls or found.thought)
            self._is_new_line = True
            self._at = found.end
        return True

    def _is_meant(self, found: Found) -> bool:
        if self._is_told:
            return True
        return not found.thought and all(one.name in self._names for one in found.calls)

    def _say(self, end: int) -> None:
        """Say the text up to there; spaces wait until something follows them."""
        text = self._text[self._at : end]
        self._at = end
        _, newline, line = text.rpartition("\n")
        self._is_new_line = not line.strip() and (bool(newline) or self._is_new_line)
        said = (self._spaces + text).rstrip()
        if not said:
            self._spaces += text
            return
        whole = self._spaces + text
        self._spaces = whole[len(said) :]
        first, self._has_spoken = self._is_inner and not self._has_spoken, True
        said = said.lstrip() if first else said
        last = self._events[-1] if self._events else None
        if isinstance(last, Said):
            self._events[-1] = Said(last.text + said)
        else:
            self._events.append(Said(said))
