"""Let a person change a file in an editor of their own."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

from hermes.base.files import private_folder, write_atomic
from hermes.cli.command import Usage


def open_in(command: str, file: Path, first_lines: str) -> int:
    """Open a file, made with its first lines when it is missing; return the editor's exit code."""
    if not file.exists():
        private_folder(file.parent)
        write_atomic(file, first_lines)
    try:
        words = shlex.split(command)
        return subprocess.run([*words, str(file)], check=False).returncode
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Usage(
            f"cannot start the editor {command!r}: {reason}", hint="Set EDITOR or VISUAL."
        ) from error
