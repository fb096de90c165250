"""Find where the symbolic links in a folder lead, for programs that copy what is behind them."""

from __future__ import annotations

import os
from collections.abc import Iterator

from hermes.policy.shell.effects import Effect

_MOST = 2_000
_DEEPEST = 6


def led_out(folder: str, cwd: str) -> Iterator[Effect]:
    """Yield a reading of each thing outside of a folder that a link in it leads to."""
    top = os.path.realpath(os.path.join(cwd or "/", folder))  # noqa: PTH118 - a text
    left, waiting = _MOST, [(top, 0)]
    while waiting and left > 0:
        path, depth = waiting.pop()
        for entry in _entries(path):
            left -= 1
            if entry.is_symlink():
                target = os.path.realpath(entry.path)
                if not target.startswith(f"{top}/"):
                    yield Effect("read", target, is_recursive=True)
            elif depth < _DEEPEST and entry.is_dir(follow_symlinks=False):
                waiting.append((entry.path, depth + 1))


def _entries(path: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(path) as found:
            return list(found)
    except OSError:
        return []
