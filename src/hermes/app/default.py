"""The process-wide runtime behind the documented functions."""

from __future__ import annotations

import atexit
import functools

from hermes.app.runtime import Runtime


@functools.cache
def default_runtime() -> Runtime:
    """Return the process-wide runtime behind the documented functions, closed at exit."""
    runtime = Runtime()
    atexit.register(runtime.close)
    return runtime
