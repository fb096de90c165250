"""What is measured inside a process of its own, so that nothing else has been loaded before."""

import sys
from importlib import import_module


def answer() -> None:
    """Call `module:function` with `name=number` words and print what it returns as JSON."""
    target, *words = sys.argv[1:]
    module, _, name = target.partition(":")
    options = {key: int(value) for key, _, value in (word.partition("=") for word in words)}
    value = getattr(import_module(f"bench.inside.{module}"), name)(**options)
    # Only now: json would spare a cold figure an import.
    print(import_module("json").dumps(value))
