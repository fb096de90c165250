"""What happens on a task's pages between two looks: messages, dialogs, downloads, new tabs."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import Any, NamedTuple
from weakref import WeakSet

_MOST_MESSAGES = 500
_MOST_A_SECOND = 500
_LONGEST = 1_000
_FAULTS = ("error", "assert")


class Message(NamedTuple):
    """One message of a page's console."""

    type: str
    text: str
    where: str = ""


class Events:
    """Note what happens on pages, to be told with the next answer."""

    def __init__(self) -> None:
        self.messages: deque[Message] = deque(maxlen=_MOST_MESSAGES)
        self.dialog: Any = None
        """The dialog that waits for an answer."""
        self.dialog_opened = asyncio.Event()
        self.chooser: Any = None
        """The question for files that waits for an answer."""
        self.downloads: list[Any] = []
        self.download_began = asyncio.Event()
        self.crashed: WeakSet[Any] = WeakSet()
        """The pages whose process is gone, or that are given up."""
        self._told_messages = 0
        self._count = 0
        self._flooding: WeakSet[Any] = WeakSet()
        self._second, self._said = 0.0, 0
        self._notes: list[str] = []

    def follow(self, page: Any) -> None:
        """Listen to a page."""
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self._add("error", f"uncaught: {error}"))
        page.on("dialog", self._on_dialog)
        page.on("download", self._on_download)
        page.on("filechooser", self._on_chooser)
        page.on("crash", self._on_crash)

    def note(self, text: str) -> None:
        """Have something told with the next answer."""
        self._notes.append(text)

    def told(self) -> dict[str, Any]:
        """Return what happened since this was asked last."""
        answer: dict[str, Any] = {}
        new = self._count - self._told_messages
        self._told_messages = self._count
        recent = list(self.messages)[-new:] if new else []
        faults = [each.text for each in recent if each.type in _FAULTS and not _is_idle(each)]
        if faults:
            answer["console_errors"] = faults[-5:]
        if self.dialog is not None:
            answer["dialog"] = dialog_of(self.dialog)
        if self._notes:
            answer["events"], self._notes = self._notes, []
        return answer

    def answered(self) -> None:
        """Forget the dialog, which was answered."""
        self.dialog = None
        self.dialog_opened.clear()

    def clear(self) -> None:
        """Forget the console's messages."""
        self.messages.clear()

    def listen_again(self, page: Any) -> None:
        """Listen to the console of a page that is left for another one, if it was too much."""
        if page in self._flooding:
            self._flooding.discard(page)
            page.on("console", self._on_console)

    def _on_console(self, message: Any) -> None:
        self._check_flood(message.page)
        place = message.location or {}
        where = f"{place.get('url', '')}:{place.get('lineNumber', 0)}" if place.get("url") else ""
        self._add(message.type, message.text, where)

    def _add(self, kind: str, text: str, where: str = "") -> None:
        self.messages.append(Message(kind, str(text)[:_LONGEST], where))
        self._count += 1

    def _check_flood(self, page: Any) -> None:
        """Stop listening to a page that says too much: whoever listens has to keep up with it."""
        now = time.monotonic()
        if now - self._second > 1:
            self._second, self._said = now, 0
        self._said += 1
        if self._said > _MOST_A_SECOND and page is not None and page not in self._flooding:
            self._flooding.add(page)
            page.remove_listener("console", self._on_console)
            self.note("the page floods its console, which is not read again until the next page")

    def _on_dialog(self, dialog: Any) -> None:
        self.dialog = dialog
        self.dialog_opened.set()
        self.note(f"{titled(dialog)} opened: {dialog.message[:200]!r}")

    def _on_crash(self, page: Any) -> None:
        self.crashed.add(page)
        self.note("the page crashed")

    def _on_chooser(self, chooser: Any) -> None:
        self.chooser = chooser
        self.note("the page asks for a file: give its path to the same ref with browser_type")

    def _on_download(self, download: Any) -> None:
        self.downloads.append(download)
        self.download_began.set()
        self.note(f"a download began: {download.suggested_filename}")


def _is_idle(message: Message) -> bool:
    """Say whether a message is about the little picture that every browser asks for."""
    return "/favicon.ico" in message.where


def titled(dialog: Any) -> str:
    """Return what a dialog is called."""
    return f"{'an' if dialog.type == 'alert' else 'a'} {dialog.type} dialog"


def dialog_of(dialog: Any) -> dict[str, str]:
    """Return what a dialog says."""
    answer = {"type": dialog.type, "message": dialog.message[:_LONGEST]}
    if dialog.default_value:
        answer["default"] = dialog.default_value[:_LONGEST]
    return answer
