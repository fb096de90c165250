"""Take a script from the channel, give it its tools, run it, and end as Python ends."""

from __future__ import annotations

import json
import os
import sys

from hermes.services.scripting.inside.channel import (
    Call,
    Channel,
    ToolFailed,
    gather,
    gather_later,
)
from hermes.services.scripting.inside.supervising import supervise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


_SHARING = ""
"""The text of the module ``sharing``, which is run when a script starts a process."""


class _NoHermes:
    """Keeps a script from using hermes itself, which would do nothing for it."""

    @staticmethod
    def find_spec(name: str, *places: Any) -> None:
        """Refuse the one name; others are found elsewhere."""
        del places
        if name == "hermes" or name.startswith("hermes."):
            words = "hermes itself cannot be imported by a script; its tools are in hermes_tools"
            raise ImportError(words, name=name)


def _limit(limits: Any) -> None:
    import resource

    for name, value in limits.items():
        number = getattr(resource, name, None)
        if number is not None:
            hard = resource.getrlimit(number)[1]
            least = value if hard == resource.RLIM_INFINITY else min(hard, value)
            resource.setrlimit(number, (least, least))


def _modules(channel: Channel, source: str) -> None:
    """Make the modules that a script imports its tools from."""
    kind: Any = type(sys)
    module, aio = kind("hermes_tools"), kind("hermes_tools.aio")

    def call(tool: str, args: Any) -> Any:
        return channel.wait(channel.begin(tool, args))

    def later(tool: str, args: Any) -> Call:
        return Call(channel, tool, args)

    module.__dict__.update(ToolFailed=ToolFailed, gather=gather, _call=call)
    exec(compile(source, "<hermes_tools>", "exec", dont_inherit=True), module.__dict__)
    aio.__dict__.update(ToolFailed=ToolFailed, gather=gather_later, _call=later)
    exec(compile(source, "<hermes_tools.aio>", "exec", dont_inherit=True), aio.__dict__)
    aio.__doc__ = "The same functions for asyncio: await them, or gather them."
    module.aio = aio
    sys.modules.update({"hermes_tools": module, "hermes_tools.aio": aio})
    module.__path__ = []


class _Share:
    """What the processes of a script are given, so that they can call tools as well."""

    def __init__(self, channel: Channel, script: str, stubs: str) -> None:
        self._channel, self._texts = channel, (script, stubs)
        self._later: Any = None
        self.door, self.place = -1, ""

    def _sharing(self) -> Any:
        if self._later is None:
            self._later = dict(globals())
            exec(compile(_SHARING, "<string>", "exec"), self._later)
        return self._later

    def open(self) -> None:
        """Have a door that processes can come by."""
        try:
            if self.door < 0:
                self.door = self._sharing()["open_door"](self._channel)
                os.set_inheritable(self.door, True)
        except (OSError, RuntimeError):
            pass  # no room for it; what the script starts runs without tools

    def enter(self) -> int:
        """Return a connection of this process's own."""
        try:
            found: int = self._sharing()["enter"](self.door)
        except OSError as error:
            raise ToolFailed("tools cannot be called from this process", "gone") from error
        return found

    def keep(self) -> None:
        """Have a place that a new interpreter can import the tools from."""
        self.open()
        if self.place or self.door < 0:
            return
        script, stubs = self._texts
        sharing = self._sharing()
        joining = f"_join({self.door}, {self._channel.token!r}, {stubs!r})"
        tools = f"{sharing['program']()}\n{joining}\n"
        try:
            files = (("hermes_tools.py", tools), ("hermes_script.py", script))
            self.place = sharing["archive"](files)
        except OSError:
            return  # as above
        sys.path.append(self.place)
        os.environ["PYTHONPATH"] = self._path(os.environ.get("PYTHONPATH", ""))

    def _path(self, path: str) -> str:
        parts = [part for part in path.split(os.pathsep) if part]
        return os.pathsep.join([*parts, *([] if self.place in parts else [self.place])])

    def given(self, words: Any) -> Any:
        """Return what a process is started with, and what it needs for its tools."""
        self.keep()
        if not self.place:
            return words
        ours = (self.door, int(self.place.rpartition("/")[2]))
        env = words[5]
        if env is not None:
            known = dict(each.split(b"=", 1) for each in env if b"=" in each)
            path = self._path(os.fsdecode(known.get(b"PYTHONPATH", b"")))
            known[b"PYTHONPATH"] = os.fsencode(path)
            env = [name + b"=" + value for name, value in known.items()]
        kept = tuple(sorted({*words[3], *ours}))
        return (*words[:3], kept, words[4], env, *words[6:])

    def install(self) -> None:
        """Have every process that is started from now on given it."""
        import _posixsubprocess

        start: Any = _posixsubprocess.fork_exec
        run = os.system

        def fork_exec(*words: Any) -> Any:
            return start(*self.given(words))

        def system(command: Any) -> int:
            self.keep()
            return run(command)

        self._channel.enter = self.enter
        os.register_at_fork(before=self.open, after_in_child=self._channel.forked)
        loaded: Any = sys.modules.get("subprocess")
        for place in (_posixsubprocess, loaded):
            for name in ("fork_exec", "_fork_exec"):
                if hasattr(place, name):
                    setattr(place, name, fork_exec)
        if hasattr(os, "POSIX_SPAWN_CLOSEFROM"):  # by which no descriptor of ours would be left
            del os.POSIX_SPAWN_CLOSEFROM
        if loaded is not None:
            loaded._HAVE_POSIX_SPAWN_CLOSEFROM = False
        os.system = system


def _join(door: int, token: str, source: str) -> None:
    """Give the tools to an interpreter that a script has started."""
    channel = Channel(-1, -1)
    channel.token = token
    share = _Share(channel, "", source)
    share.door, share.place = door, __file__.rpartition("/")[0]
    try:
        os.close(share.enter())
    except ToolFailed:
        words = "hermes_tools can be imported only by a process of a script"
        raise ImportError(words, name="hermes_tools") from None
    share.install()
    _modules(channel, source)


def _prepared(channel: Channel, order: Any) -> Any:
    channel.token = order["token"]
    _Share(channel, order["script"], order["stubs"]).install()
    _limit(order["limits"])
    if order["env"] is not None:
        os.environ.clear()
        os.environ.update(order["env"])
    if order["cwd"]:
        os.chdir(order["cwd"])
        sys.path.append(order["cwd"])
    sys.argv[:] = ["script.py"]
    sys.meta_path.insert(0, _NoHermes)
    _modules(channel, order["stubs"])
    make: Any = type(sys)
    main = make("__main__")
    main.__file__ = "script.py"
    main.__spec__ = type(sys.__spec__)("hermes_script", None)  # by which others can import it
    main.__builtins__ = __builtins__
    sys.modules["__main__"] = main
    return main


def _run(script: str, main: Any) -> None:
    """Run a script, which may await at its top."""
    code = compile(script, "script.py", "exec", flags=0x2000, dont_inherit=True)  # awaits, too
    work = eval(code, main.__dict__)
    if work is not None:
        import asyncio

        asyncio.run(work)


def _code_of(end: SystemExit) -> int:
    if end.code is None or isinstance(end.code, int):
        return (end.code or 0) & 0xFF
    sys.stderr.write(f"{end.code}\n")
    return 1


def _explain(script: str) -> None:
    """Print what went wrong as Python does, with the lines of the script and none of ours."""
    import linecache
    import traceback

    found: Any = sys.exc_info()
    kind, error, trace = found
    linecache.cache["script.py"] = (len(script), None, script.splitlines(True), "script.py")
    while trace is not None and trace.tb_frame.f_code.co_filename == "<string>":
        trace = trace.tb_next
    told = traceback.TracebackException(kind, error, trace)
    seen: Any = told
    while seen is not None:
        seen.stack[:] = [frame for frame in seen.stack if frame.filename != "<string>"]
        seen = seen.__cause__ or seen.__context__
    sys.stderr.write("".join(told.format()))


def _end(code: int) -> None:
    """Do what an interpreter does at its end, as far as others could notice."""
    import atexit

    threading = sys.modules.get("threading")
    try:
        if threading is not None:
            threading._shutdown()
        atexit._run_exitfuncs()
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError, AttributeError):
                code = code or 120
        os._exit(code)


def _opened() -> Channel:
    """Take the channel off the input, and leave a script an empty one."""
    fd = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.close(nothing)
    return Channel(fd, fd)


def begin(is_socket: bool) -> None:
    """Wait for a script, run it, and end."""
    if not is_socket:
        supervise()
    channel = _opened()
    printing_to: Any = sys.stdout
    printing_to.reconfigure(
        line_buffering=True
    )  # so that a script that is stopped leaves its lines
    frame = channel.receive()
    if frame is None:
        os._exit(0)
    order = json.loads(frame[1])
    code = 1
    try:
        _run(order["script"], _prepared(channel, order))
        code = 0
    except SystemExit as end:
        code = _code_of(end)
    except BaseException:
        _explain(order["script"])
    _end(code)


if __name__ == "__main__":
    begin(sys.argv[1] == "socket")
