"""Our own modules as a text that any Python can be started with."""

from __future__ import annotations

import functools
import json
import zlib
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
    packed = zlib.compress(json.dumps(texts).encode("ascii"), 9)
    return b"%09d" % len(packed) + packed
