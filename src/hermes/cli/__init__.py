"""People enter here: the ``hermes`` command."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence

import hermes

INTERRUPTED = 130
BROKEN_PIPE = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code.

    Only the version is known here, so that the smallest question is answered at once; everything
    else is loaded by name.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        if words[:1] in (["--version"], ["-V"]):
            print(f"hermes {hermes.__version__}", flush=True)
            return 0
        code: int = importlib.import_module("hermes.cli.commands").run(words)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _forget_output()
        return BROKEN_PIPE
    return code


def _forget_output() -> None:
    """Send what is still buffered nowhere: the reader has gone, and that is its right."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
