"""The clipboard: the desktop's through its own programs, or one in the process without one."""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes.base.errors import InvalidArguments, Unavailable
from hermes.base.optional import load

if TYPE_CHECKING:
    from hermes.base.programs import Finished

MAX_BYTES = 1_000_000
SECONDS = 10.0
_MAX_TASKS = 64
_LOOKS = 20
_HANDED_ON = (
    "PATH", "HOME", "USER", "TMPDIR", "DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR",
)  # fmt: skip
_UTF8 = {"LC_ALL": "C.UTF-8"}
_UTF8_MACOS = {"LC_CTYPE": "UTF-8"}
_NOTHING_THERE = ("target targets not available", "nothing is copied", "no selection")
_TEXT_KINDS = ("UTF8_STRING", "text/plain")


class Backend(NamedTuple):
    """A pair of programs that read and write the desktop's clipboard."""

    name: str
    read: tuple[str, ...]
    write: tuple[str, ...]
    kinds: tuple[str, ...] | None = None
    """Lists what kinds of content the clipboard holds, where a program can."""
    settles_late: bool = False
    """The writer returns before others can read the text."""


WAYLAND = Backend(
    "wl-clipboard",
    ("wl-paste", "--no-newline", "--type", "text"),
    ("wl-copy", "--type", "text/plain;charset=utf-8"),
    ("wl-paste", "--list-types"),
)
XCLIP = Backend(
    "xclip",
    ("xclip", "-selection", "clipboard", "-out", "-target", "UTF8_STRING"),
    ("xclip", "-selection", "clipboard", "-in", "-target", "UTF8_STRING"),
    ("xclip", "-selection", "clipboard", "-out", "-target", "TARGETS"),
    settles_late=True,
)
XSEL = Backend(
    "xsel",
    ("xsel", "--clipboard", "--output"),
    # Without this, xsel leaves a log in the home folder.
    ("xsel", "--logfile", "/dev/null", "--clipboard", "--input"),
    settles_late=True,
)
MACOS = Backend("pbcopy", ("pbpaste", "-Prefer", "txt"), ("pbcopy",))


class Clipboard:
    """Read and write text on the clipboard of the desktop named by the environment handed in.

    Without a desktop, or without a program that reaches its clipboard, each task has a clipboard
    of its own inside this process.
    """

    def __init__(self, environment: Mapping[str, str], *, platform: str = sys.platform) -> None:
        self._environment = {
            "HOME": "/",  # xsel does not start without one
            **{name: environment[name] for name in _HANDED_ON if name in environment},
            **(_UTF8_MACOS if platform == "darwin" else _UTF8),
        }
        self._platform = platform
        self._texts: dict[str, str] = {}
        self._lock = threading.Lock()

    async def read(self, task_id: str) -> dict[str, Any]:
        """Return the clipboard's text and which clipboard it is."""
        backend = self._backend()
        if backend is None:
            with self._lock:
                return {"text": self._texts.get(task_id, ""), **self._own()}
        if not await self._has_text(backend):
            return {"text": "", "backend": backend.name}
        finished = await self._run(backend.read)
        if finished.code and not finished.is_cut:
            raise _failed(backend, finished)
        text = finished.output.decode("utf-8", "ignore" if finished.is_cut else "replace")
        cut = {"truncated": True} if finished.is_cut else {}
        return {"text": text, "backend": backend.name, **cut}

    async def write(self, task_id: str, text: str) -> dict[str, Any]:
        """Replace the clipboard's text and return how much was written where."""
        data = _checked(text)
        backend = self._backend()
        if backend is None:
            self._keep(task_id, text)
            return {"written_characters": len(text), **self._own()}
        finished = await self._run(backend.write, feed=data, reads=False)
        if finished.code:
            raise _failed(backend, finished)
        if backend.settles_late:
            await self._settle(backend, data)
        return {"written_characters": len(text), "backend": backend.name}

    def forget(self, task_id: str) -> None:
        """Drop the own clipboard of a finished task."""
        with self._lock:
            self._texts.pop(task_id, None)

    def _candidates(self) -> tuple[Backend, ...]:
        if self._platform == "darwin":
            return (MACOS,)
        wayland = (WAYLAND,) if self._environment.get("WAYLAND_DISPLAY") else ()
        x11 = (XCLIP, XSEL) if self._environment.get("DISPLAY") else ()
        return (*wayland, *x11)

    def _backend(self) -> Backend | None:
        find = load("hermes.base.programs").find
        for backend in self._candidates():
            if find(backend.read[0], self._environment) and find(
                backend.write[0], self._environment
            ):
                return backend
        return None

    def _own(self) -> dict[str, str]:
        missing = [backend.name for backend in self._candidates()]
        if not missing:
            return {"backend": "process"}
        return {
            "backend": "process",
            "hint": f"The desktop's clipboard is out of reach: install {' or '.join(missing)}.",
        }

    def _keep(self, task_id: str, text: str) -> None:
        with self._lock:
            self._texts.pop(task_id, None)
            self._texts[task_id] = text
            while len(self._texts) > _MAX_TASKS:
                del self._texts[next(iter(self._texts))]

    async def _run(
        self, argv: tuple[str, ...], *, feed: bytes | None = None, reads: bool = True
    ) -> Finished:
        programs = load("hermes.base.programs")
        finished: Finished = await programs.run(
            (programs.find(argv[0], self._environment) or argv[0], *argv[1:]),
            environment=self._environment,
            feed=feed,
            reads=reads,
            seconds=SECONDS,
            limit=MAX_BYTES,
        )
        return finished

    async def _settle(self, backend: Backend, data: bytes) -> None:
        """Read until the text is there; give up soon, for another program may have replaced it."""
        for _ in range(_LOOKS):
            if (await self._run(backend.read)).output == data:
                return

    async def _has_text(self, backend: Backend) -> bool:
        """Whether there is text to read; False when the clipboard is empty.

        Raises:
            Unavailable: it holds something else, or cannot be reached.
        """
        if backend.kinds is None:
            return True
        finished = await self._run(backend.kinds)
        if finished.code:
            if any(words in finished.errors.lower() for words in _NOTHING_THERE):
                return False
            raise _failed(backend, finished)
        kinds = finished.output.decode("utf-8", "replace").split()
        if any(kind.startswith(_TEXT_KINDS) for kind in kinds):
            return True
        named = [kind for kind in kinds if "/" in kind] or kinds
        raise Unavailable(
            f"the clipboard holds no text but {', '.join(named[:5])}", code="not_text"
        )


def _checked(text: str) -> bytes:
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise InvalidArguments("the text is not valid Unicode") from error
    if len(data) > MAX_BYTES:
        raise InvalidArguments(
            f"the text has {len(data):,} bytes; the clipboard takes {MAX_BYTES:,}",
            hint="Write it to a file and put the file's path on the clipboard.",
        )
    return data


def _failed(backend: Backend, finished: Finished) -> Unavailable:
    said = finished.errors or f"exit code {finished.code}"
    return Unavailable(
        f"{backend.name} could not reach the clipboard: {said}",
        hint="The desktop may be gone or may not let this process in.",
    )
