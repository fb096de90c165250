"""Every promise has an id, and some test names it with `@pytest.mark.proves("id")`.

To add a promise: add its line here and the marker to the test that would fail if it were broken.
"""

from __future__ import annotations

import ast
from pathlib import Path

PROMISES = {
    "frame-first-run": "On a machine with only Python, ./hermes sets itself up and runs.",
    "frame-warm-run": "A later ./hermes starts Python at once and hands on arguments as given.",
    "frame-refresh": "./hermes installs again by itself when the lock changed.",
    "frame-half-made": "A set-up that fails or is interrupted is never taken for a finished one.",
    "frame-together": "Two first runs at once do the set-up once.",
    "frame-index": "The set-up uses the package index that the user set up for pip.",
    "frame-pip": "The set-up works with pip where uv cannot be had.",
    "frame-locks": "Every package that is installed is pinned by hash, and no lock names a host.",
    "frame-layers": "Every module has a layer, and modules loaded by name keep to the layers too.",
    "frame-skips": "CI fails on a skipped test whose part could have been installed.",
}


def proved():
    """Return every id that a test names, with the files that name it."""
    found = {}
    for path in sorted(Path(__file__).parent.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "proves"
            ):
                for argument in node.args:
                    found.setdefault(ast.literal_eval(argument), []).append(path.name)
    return found


def test_every_promise_is_proved_by_a_test():
    assert sorted(PROMISES.keys() - proved().keys()) == []


def test_every_id_that_a_test_names_is_a_promise():
    assert {name: files for name, files in proved().items() if name not in PROMISES} == {}
