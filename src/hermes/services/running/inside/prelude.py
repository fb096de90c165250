"""Run a Python file as if it were started itself; keep its last value and its figures.

Called with the file, and a folder to leave ``value`` and ``figure-1.png``… in.
"""

from __future__ import annotations

import ast
import os
import sys
import traceback
import types
import warnings
from typing import Any

LONGEST_VALUE = 20_000
MOST_FIGURES = 8


def main(path: str, folder: str) -> int:
    """Run the file and return its exit code."""
    module = types.ModuleType("__main__")
    module.__dict__.update(__file__=path, __builtins__=__builtins__)
    sys.modules["__main__"] = module
    sys.argv[:] = [path]
    sys.path[0:1] = [os.path.dirname(path), os.getcwd()]  # noqa: PTH109, PTH120 - quick to start
    warnings.filterwarnings("ignore", message=".*non-interactive, and thus cannot be shown")
    try:
        value = run(path, module.__dict__)
    except SystemExit:
        keep_figures(folder)
        raise
    except BaseException as error:  # noqa: BLE001 - told as Python itself tells it
        keep_figures(folder)
        print_error(error, path)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    if value is not None:
        keep_value(value, folder)
    keep_figures(folder)
    return 0


def run(path: str, names: dict[str, Any]) -> Any:
    """Run a file's statements; return the value of the last one, if that is an expression."""
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 - quick to start
        tree = ast.parse(file.read(), path)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, path, "exec"), names)
    if not isinstance(last, ast.Expr):
        return None
    return eval(compile(ast.Expression(last.value), path, "eval"), names)


def print_error(error: BaseException, path: str) -> None:
    """Print a traceback that begins in the file."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != path:
        trace = trace.tb_next
    traceback.print_exception(type(error), error, trace)


def keep_value(value: Any, folder: str) -> None:
    """Leave how a value is written."""
    try:
        text = repr(value)
    except Exception as error:  # noqa: BLE001 - it is the user's own
        text = f"<{type(value).__name__} that cannot be shown: {error}>"
    with open(f"{folder}/value", "w", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
        file.write(text[:LONGEST_VALUE])


def keep_figures(folder: str) -> None:
    """Leave the figures that matplotlib has open as images."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return
    for count, number in enumerate(pyplot.get_fignums()[:MOST_FIGURES], 1):
        try:
            pyplot.figure(number).savefig(f"{folder}/figure-{count}.png")
        except Exception as error:  # noqa: BLE001 - one broken figure costs itself alone
            sys.stderr.write(f"figure {number} could not be drawn: {error}\n")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
