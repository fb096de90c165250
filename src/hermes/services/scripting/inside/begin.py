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
from hermes.services.scripting.inside.streams import standard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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


def _prepared(channel: Channel, order: Any) -> Any:
    channel.token = order["token"]
    os.register_at_fork(after_in_child=channel.forked)
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


def _end(printing: Any, code: int) -> None:
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
        if printing is not None:
            printing.end(code)
        os._exit(code)


def begin(is_socket: bool) -> None:
    """Wait for a script, run it, and end."""
    channel, printing = standard(is_socket)
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
    _end(printing, code)


if __name__ == "__main__":
    begin(sys.argv[1] == "socket")
