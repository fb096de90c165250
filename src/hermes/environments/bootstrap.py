"""Our own modules as a text that any Python can be started with."""

from __future__ import annotations

import functools
import json
import shlex
import zlib
from collections.abc import Sequence
from importlib.resources import files

_PACKAGE = "hermes.environments.inside"
TOO_OLD = 86
"""The exit code of a Python that is too old."""

# One line, no single quote, no exclamation mark: every login shell hands it on as it is.
_START = (
    "import sys,os;"
    'sys.version_info<(3,8) and (sys.stderr.write("hermes: Python "+sys.version.split()[0]'
    f'+" is too old"),sys.exit({TOO_OLD}));'
    "import zlib,json;f=os.fdopen(os.dup(0),\"rb\",0);r=lambda n,d=b\"\":d if len(d)==n else "
    "(lambda p:r(n,d+p) if p else sys.exit(1))(f.read(n-len(d)));"
    "t=json.loads(zlib.decompress(r(int(r(9)))));f.close();s={};"
    f'exec(t["{_PACKAGE}.loading"],s);s["install"](t);'
    f"from {_PACKAGE}.agent import main;main()"
)  # fmt: skip

READY = b"\0hermes-line-1\0"
"""What a terminal writes once it is clean; what its shell printed comes before it."""

# A terminal takes no longer line than 4095 bytes before its shell is up, and shows what it takes.
_LOADER = (
    "import sys,os,tty,zlib;os.isatty(0) and tty.setraw(0);"
    'os.write(1,b"\\0hermes-line-1\\0");'
    'r=lambda n,d=b"":d if len(d)==n else r(n,d+os.read(0,n-len(d)));'
    "s={};exec(zlib.decompress(r(int(r(9)))),s);"
    'sys.exit(s["main"](sys.argv[1:]))'
)


def program(python: str = "python3") -> list[str]:
    """Return the program that is started there; it first reads what ``modules`` gives."""
    return [python, "-I", "-S", "-c", _START]


@functools.cache
def modules() -> bytes:
    """Return our modules as they are sent, once per connection."""
    texts = {"hermes": "", "hermes.environments": "", _PACKAGE: ""}
    for file in files(_PACKAGE).iterdir():
        name, _, ending = file.name.rpartition(".")
        if ending == "py" and name != "__init__":
            texts[f"{_PACKAGE}.{name}"] = file.read_text("utf-8")
    return _packed(json.dumps(texts))


def _packed(text: str) -> bytes:
    packed = zlib.compress(text.encode("utf-8"), 9)
    return b"%09d" % len(packed) + packed


def behind(argv: Sequence[str]) -> list[str]:
    """Return the program that runs another one by ``inside.line``.

    It writes ``READY`` and then reads what ``line`` gives.
    """
    return ["python3", "-I", "-S", "-c", _LOADER, *argv]


def typed(argv: Sequence[str]) -> bytes:
    """Return what is typed at the shell of a terminal for the same."""
    return f" {shlex.join(behind(argv))}; exit $?\n".encode()


def line() -> bytes:
    """Return the program that cleans a terminal, as it is sent."""
    return _packed(files(_PACKAGE).joinpath("line.py").read_text("utf-8"))
