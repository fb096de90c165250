"""What happens on a task's pages between two looks: messages, dialogs, downloads, new tabs."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any, NamedTuple

_MOST_MESSAGES = 500
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
        self.downloads: list[Any] = []
        self._told_messages = 0
        self._count = 0
        self._notes: list[str] = []

    def follow(self, page: Any) -> None:
        """Listen to a page."""
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self._add("error", f"uncaught: {error}"))
        page.on("dialog", self._on_dialog)
        page.on("download", self._on_download)
        page.on("crash", lambda _: self.note("the page crashed"))

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

    def _on_console(self, message: Any) -> None:
        place = message.location or {}
        where = f"{place.get('url', '')}:{place.get('lineNumber', 0)}" if place.get("url") else ""
        self._add(message.type, message.text, where)

    def _add(self, kind: str, text: str, where: str = "") -> None:
        self.messages.append(Message(kind, str(text)[:_LONGEST], where))
        self._count += 1

    def _on_dialog(self, dialog: Any) -> None:
        self.dialog = dialog
        self.dialog_opened.set()
        self.note(f"a {dialog.type} dialog opened: {dialog.message[:200]!r}")

    def _on_download(self, download: Any) -> None:
        self.downloads.append(download)
        self.note(f"a download began: {download.suggested_filename}")


def _is_idle(message: Message) -> bool:
    """Say whether a message is about the little picture that every browser asks for."""
    return "/favicon.ico" in message.where


def dialog_of(dialog: Any) -> dict[str, str]:
    """Return what a dialog says."""
    answer = {"type": dialog.type, "message": dialog.message[:_LONGEST]}
    if dialog.default_value:
        answer["default"] = dialog.default_value[:_LONGEST]
    return answer
