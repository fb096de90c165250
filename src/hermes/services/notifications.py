"""Notifications on the desktop of the person at the machine."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from hermes.base.errors import InvalidArguments, TimedOut, Unavailable
from hermes.base.optional import load

if TYPE_CHECKING:
    from hermes.base.programs import Finished

Urgency = Literal["low", "normal", "critical"]

MAX_TITLE = 200
MAX_MESSAGE = 2_000
SECONDS = 5.0
_HANDED_ON = (
    "PATH", "HOME", "USER", "LANG", "DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
)  # fmt: skip
_UNSEEN = re.compile(
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_SCRIPT = """\
on run argv
  display notification (item 2 of argv) with title (item 1 of argv){sound}
end run
"""


class Notifications:
    """Show notifications with the program of the desktop that the environment names."""

    def __init__(self, environment: Mapping[str, str], *, platform: str = sys.platform) -> None:
        self._environment = {name: environment[name] for name in _HANDED_ON if name in environment}
        self._platform = platform

    async def send(self, title: str, message: str, urgency: Urgency) -> dict[str, Any]:
        """Show a notification; answer whether it was delivered and, if not, why."""
        title, message = _line(title)[:MAX_TITLE], _clean(message)[:MAX_MESSAGE]
        if not title:
            raise InvalidArguments("a notification needs a title with something to read")
        if self._platform == "darwin":
            sent = await self._through_osascript(title, message, urgency)
        else:
            sent = await self._through_notify_send(title, message, urgency)
        if not sent["delivered"]:
            log = load("logging").getLogger("hermes.notifications")
            log.info("not delivered (%s): %s: %s", sent["reason"], title, message)
        return sent

    async def _through_notify_send(self, title: str, message: str, urgency: str) -> dict[str, Any]:
        if not self._has_bus():
            return _undelivered("no desktop session is running here")
        words = ("--app-name=hermes", f"--urgency={urgency}", "--", title)
        return await self._through("notify-send", (*words, _as_body(message)) if message else words)

    async def _through_osascript(self, title: str, message: str, urgency: str) -> dict[str, Any]:
        # The script is constant and comes on stdin; the words are its arguments, never its text.
        sound = ' sound name "Sosumi"' if urgency == "critical" else ""
        script = _SCRIPT.format(sound=sound).encode()
        return await self._through("osascript", ("-", title, message), feed=script)

    async def _through(
        self, program: str, words: tuple[str, ...], *, feed: bytes | None = None
    ) -> dict[str, Any]:
        programs = load("hermes.base.programs")
        where = programs.find(program, self._environment)
        if where is None:
            return _undelivered(f"{program} is not installed")
        try:
            finished: Finished = await programs.run(
                (where, *words),
                environment=self._environment,
                feed=feed,
                reads=False,
                seconds=SECONDS,
            )
        except (TimedOut, Unavailable) as error:
            return _undelivered(error.message)
        if finished.code:
            return _undelivered(f"{program}: {finished.errors or f'exit code {finished.code}'}")
        return {"delivered": True, "backend": program}

    def _has_bus(self) -> bool:
        if self._environment.get("DBUS_SESSION_BUS_ADDRESS"):
            return True
        runtime = self._environment.get("XDG_RUNTIME_DIR")
        return bool(runtime) and Path(runtime or "", "bus").exists()


def _clean(text: str) -> str:
    return _UNSEEN.sub(" ", text).strip()


def _line(text: str) -> str:
    return " ".join(_clean(text).split())


def _as_body(message: str) -> str:
    """Return a message that notify-send and the desktop show as it stands.

    notify-send reads backslash escapes in a body, and desktops read markup in it.
    """
    for plain, escaped in (("\\", "\\\\"), ("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        message = message.replace(plain, escaped)
    return message


def _undelivered(reason: str) -> dict[str, Any]:
    return {
        "delivered": False,
        "reason": reason,
        "hint": "Say it in your answer instead; the person will read it there.",
    }
