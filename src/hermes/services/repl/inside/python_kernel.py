"""Hold a Python session: a Jupyter kernel that is spoken to by lines of JSON on its streams.

This is run by the Python of a task, wherever that is, and imports nothing but ipykernel. Messages
are those of Jupyter; instead of sockets, which a sandbox refuses, they go over standard streams.
"""

from __future__ import annotations

import sys

sys.path[:] = [path for path in sys.path if path]  # nothing of the folder stands for a module

import asyncio  # noqa: E402 - only now is it surely the standard library's
import contextlib  # noqa: E402
import fcntl  # noqa: E402
import importlib  # noqa: E402
import importlib.machinery  # noqa: E402
import io  # noqa: E402
import json  # noqa: E402
import linecache  # noqa: E402
import logging  # noqa: E402
import os  # noqa: E402
import select  # noqa: E402
import shutil  # noqa: E402
import signal  # noqa: E402
import tempfile  # noqa: E402
import termios  # noqa: E402
import threading  # noqa: E402
import time  # noqa: E402
import types  # noqa: E402
from typing import Any  # noqa: E402

HEAD = TAIL = 24_000
LIVE_SECONDS = 0.2
CELLS_KEPT = 500
LONGEST_MESSAGE = 8 << 20


class Channel:
    """Write messages to whoever started us, each a line."""

    def __init__(self, asked: int, fd: int) -> None:
        self._asked, self._fd, self._lock = asked, fd, threading.Lock()

    def hand_over(self) -> None:
        """Put our streams back where another program expects them."""
        os.dup2(self._asked, 0)
        os.dup2(self._fd, 1)

    def tell(self, kind: str, **content: Any) -> None:
        """Send one message."""
        line = json.dumps({"kind": kind, **content}, default=str).encode() + b"\n"
        if len(line) > LONGEST_MESSAGE:
            content = {
                "name": "stderr",
                "text": f"[a {kind} of {len(line):,} bytes was left out]\n",
            }
            line = json.dumps({"kind": "stream", **content}).encode() + b"\n"
        with self._lock:
            left = memoryview(line)
            while left:
                left = left[os.write(self._fd, left) :]


class Out(io.TextIOBase):
    """Pass on what a cell prints: the beginning as it comes, then the end, once that is known."""

    encoding = "utf-8"

    def __init__(self, channel: Channel, name: str, fd: int) -> None:
        super().__init__()
        self._channel, self.name, self._fd = channel, name, fd
        self._lock = threading.RLock()
        self._waiting: list[str] = []
        self._size = 0
        self._since = 0.0
        self.begin()

    def begin(self) -> None:
        """Begin a cell."""
        self._room, self._tail, self._dropped = HEAD, "", 0

    def fileno(self) -> int:
        """Return the descriptor that programs write to."""
        return self._fd

    def writable(self) -> bool:
        """Say yes."""
        return True

    def write(self, text: str) -> int:
        """Take text; it is sent soon."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        with self._lock:
            if self._room <= 0:
                self._keep(text)
                return len(text)
            self._waiting.append(text)
            self._size += len(text)
            now = time.monotonic()
            if self._size >= 4_096 or now - self._since > LIVE_SECONDS:
                self._since = now
                self._send()
        return len(text)

    def _keep(self, text: str) -> None:
        """Keep the end of what is too much."""
        self._dropped += len(text)
        self._waiting.append(text[-TAIL:])
        self._size += len(self._waiting[-1])
        if self._size > 8 * TAIL:
            self._settle()

    def _settle(self) -> None:
        self._tail = (self._tail + "".join(self._waiting))[-TAIL:]
        self._waiting, self._size = [], 0

    def _send(self) -> None:
        text, self._waiting, self._size = "".join(self._waiting), [], 0
        now, more = text[: self._room], text[self._room :]
        self._room -= len(now)
        if now:
            self._channel.tell("stream", name=self.name, text=now)
        if more:
            self._keep(more)

    def flush(self) -> None:
        """Send what waits."""
        with self._lock:
            if self._room > 0 and self._waiting:
                self._send()

    def end(self) -> None:
        """Send all that is left of a cell."""
        with self._lock:
            self.flush()
            self._settle()
            left_out = self._dropped - len(self._tail)
            gap = f"\n… {left_out:,} characters left out …\n" if left_out > 0 else ""
            if self._tail:
                self._channel.tell("stream", name=self.name, text=gap + self._tail)
            self.begin()


class Programs:
    """Read what programs write to our descriptors, as part of what the cell prints."""

    def __init__(self, outs: list[Out]) -> None:
        self._outs: dict[int, Out] = {}
        for out in outs:
            ours, theirs = os.pipe()
            os.set_blocking(ours, False)
            os.dup2(theirs, out.fileno())
            os.close(theirs)
            self._outs[ours] = out
        self._lock = threading.Lock()
        threading.Thread(target=self._follow, daemon=True).start()

    def _follow(self) -> None:
        while True:
            ready, _, _ = select.select(list(self._outs), [], [])
            for fd in ready:
                self._take(fd)

    def _take(self, fd: int) -> bool:
        with self._lock, contextlib.suppress(BlockingIOError):
            data = os.read(fd, 1 << 16)
            self._outs[fd].write(data.decode("utf-8", "replace"))
            return bool(data)
        return False

    def drain(self) -> None:
        """Read what was written before now."""
        for fd in self._outs:
            waiting = bytearray(4)
            for _ in range(64):
                fcntl.ioctl(fd, termios.FIONREAD, waiting)
                if not int.from_bytes(waiting, sys.byteorder) or not self._take(fd):
                    break
        with self._lock:
            pass  # whoever had read some has passed it on


class Lent:
    """Find only the named packages in a folder, so that nothing else of it is seen."""

    def __init__(self, names: list[str], folders: list[str]) -> None:
        self._names, self._folders = frozenset(names), folders

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return where a package is, or None."""
        if path is None and name in self._names:
            return importlib.machinery.PathFinder.find_spec(name, self._folders, target)
        return None


def kernel_class(channel: Channel, lent: dict[str, Any] | None) -> Any:
    """Return ipykernel's kernel, of this Python or else of the packages that are lent to it."""
    try:
        return importlib.import_module("ipykernel.ipkernel").IPythonKernel
    except ImportError as error:
        if not lent:
            channel.tell("missing", what="ipykernel", why=str(error), python=sys.executable)
            raise SystemExit(3) from None
    if list(sys.version_info[:2]) != lent["version"]:  # its packages are built for another one
        again = getattr(sys, "orig_argv", [])[1:]
        if not again or os.path.realpath(sys.executable) == os.path.realpath(lent["python"]):
            channel.tell("missing", what="ipykernel", why="", python=sys.executable)
            raise SystemExit(3)
        channel.hand_over()
        os.execv(lent["python"], [lent["python"], *again])
    sys.meta_path.insert(0, Lent(lent["names"], lent["folders"]))  # all of it, or it would not fit
    for name in [name for name in sys.modules if name.partition(".")[0] in lent["names"]]:
        del sys.modules[name]
    return importlib.import_module("ipykernel.ipkernel").IPythonKernel


def session_class(channel: Channel) -> Any:
    """Return a Jupyter session that sends its messages over our channel."""
    base = importlib.import_module("jupyter_client.session").Session

    class StreamSession(base):  # type: ignore[misc,valid-type]
        """Send messages as lines instead of over sockets."""

        def send(self, stream: Any, told: Any, content: Any = None, *more: Any, **yet: Any) -> Any:
            """Send one; how a cell ended, its error too, is told with its reply."""
            del stream, more, yet
            kind = told if isinstance(told, str) else told["msg_type"]
            body = content if isinstance(told, str) else told["content"]
            if kind in ("execute_result", "display_data", "update_display_data"):
                flush()
                channel.tell(kind, data=body.get("data", {}))
            elif kind == "clear_output":
                channel.tell(kind)
            return told

    def flush() -> None:
        for out in (sys.stdout, sys.stderr):
            out.flush()

    return StreamSession


class Kernel:
    """The kernel, run one cell after the other on a loop that goes on between them."""

    def __init__(self, channel: Channel, made: Any, outs: list[Out]) -> None:
        self._channel, self._made, self._outs = channel, made, outs
        self._programs = Programs(outs)
        self._queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._names: list[str] = []
        self._rest = b""
        self.is_busy = False

    def hear(self, fd: int) -> None:
        """Take what was asked; its end is ours."""
        data = os.read(fd, 1 << 20)
        if not data:
            os._exit(0)
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._queue.put_nowait(json.loads(line))

    async def serve(self) -> None:
        """Run what is asked, cell by cell."""
        while True:
            asked = await self._queue.get()
            await self._run(asked["code"])

    async def _run(self, code: str) -> None:
        known = set(linecache.cache)
        self.is_busy = True
        try:
            reply = await self._made.do_execute(code, silent=False, store_history=True)
        except (KeyboardInterrupt, asyncio.CancelledError):
            reply = {"status": "error", "ename": "KeyboardInterrupt", "evalue": "", "traceback": []}
        except BaseException as error:  # noqa: BLE001 - a broken hook of the user's must not end the session
            reply = {"status": "error", "ename": type(error).__name__, "evalue": str(error)}
        finally:
            self.is_busy = False
        self._forget(known)
        self._programs.drain()
        for out in self._outs:
            out.end()
        count = reply.get("execution_count", 0)
        told = {key: reply[key] for key in ("ename", "evalue", "traceback") if key in reply}
        self._channel.tell("done", status=reply["status"], count=count, **told)

    def _forget(self, known: Any) -> None:
        """Forget the sources of old cells, which would be kept for ever."""
        shell = self._made.shell
        self._names += [name for name in linecache.cache if name not in known]
        for name in self._names[:-CELLS_KEPT]:
            linecache.cache.pop(name, None)
            getattr(linecache, "_ipython_cache", {}).pop(name, None)
            getattr(shell.compile, "_filename_map", {}).pop(name, None)
        del self._names[:-CELLS_KEPT]
        number = shell.execution_count - CELLS_KEPT
        kept = shell.history_manager
        for cells in (kept.input_hist_parsed, kept.input_hist_raw):
            if 0 < number < len(cells):
                cells[number] = ""
        for name in (f"_i{number}", f"_{number}"):
            shell.user_ns.pop(name, None)
        kept.output_hist.pop(number, None)
        kept.output_hist_reprs.pop(number, None)


def shell_class(folder: str) -> Any:
    """Return IPython's shell with a folder for its settings that is not the user's."""
    base = importlib.import_module("ipykernel.zmqshell").ZMQInteractiveShell

    class FolderShell(base):  # type: ignore[misc,valid-type]
        """Keep out of the home, which a sandbox may not show."""

        def init_ipython_dir(self, ipython_dir: Any) -> None:
            """Use our folder."""
            del ipython_dir
            super().init_ipython_dir(folder)

    return FolderShell


def make(channel: Channel, lent: dict[str, Any] | None) -> Any:
    """Return the kernel with everything off that writes to disk or grows."""
    kernel = kernel_class(channel, lent)
    config = importlib.import_module("traitlets.config").Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.automagic = False  # what is judged as Python is run as Python
    config.InteractiveShell.colors = "NoColor"
    config.InteractiveShell.cache_size = CELLS_KEPT
    session = session_class(channel)(key=b"")
    folder = tempfile.mkdtemp(prefix="hermes-kernel-")
    os.makedirs(f"{folder}/profile_default/startup")  # noqa: PTH103 - quick to start
    with open(f"{folder}/profile_default/startup/README", "x", encoding="utf-8"):  # noqa: PTH123
        pass  # IPython would copy one and change its mode, which some sandboxes refuse
    try:
        made = kernel.instance(
            config=config,
            session=session,
            iopub_socket=object(),
            log=logging.getLogger("kernel"),
            shell_class=shell_class(folder),
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    made.shell_channel_thread = types.SimpleNamespace(parent_thread=threading.main_thread())
    return made


def main() -> None:
    """Hold the session until nothing more comes."""
    lent = json.loads(sys.argv[1]) if len(sys.argv) > 1 else None
    del sys.argv[1:]
    asked = os.dup(0)
    channel = Channel(asked, os.dup(1))
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    outs = [Out(channel, "stdout", 1), Out(channel, "stderr", 2)]
    made = make(channel, lent)
    sys.stdout, sys.stderr = outs
    made.io_loop = types.SimpleNamespace(add_callback=loop.call_soon_threadsafe)
    kernel = Kernel(channel, made, outs)

    def interrupt(number: int, frame: Any) -> None:
        del number, frame
        if kernel.is_busy:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    sys.path.insert(0, "")
    loop.add_reader(asked, kernel.hear, asked)
    serving = loop.create_task(kernel.serve())
    channel.tell("ready", version=sys.version.split()[0], python=sys.executable)
    while not serving.done():
        with contextlib.suppress(KeyboardInterrupt):
            loop.run_forever()


if __name__ == "__main__":
    main()
