"""Keep what signing in to a server gave: tokens with the time they end, and who gave them."""

from __future__ import annotations

import asyncio
import fcntl
import json
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from hermes.base.errors import ToolError
from hermes.base.files import private_folder, write_atomic

_VERSION = 1
_log = logging.getLogger("hermes.mcp")


class NeedsLogin(ToolError):
    """Say that a person has to sign in to a server first."""

    code = "needs_login"

    def __init__(self, server: str, why: str) -> None:
        super().__init__(f"{server}: {why}", hint=f"Sign in with: hermes mcp login {server}")


class TokenFile:
    """One server's file, for its owner alone; what was kept for another address is not given."""

    def __init__(self, folder: Path, server: str, url: str) -> None:
        self.file = Path(folder) / f"{server.lower()}.json"
        self._url = url

    def read(self) -> dict[str, Any]:
        """Return what is kept; nothing when there is nothing, or it is for another address."""
        try:
            told = json.loads(self.file.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            _log.warning("%s cannot be read, sign in again: %s", self.file, error)
            return {}
        is_ours = isinstance(told, dict) and told.get("version") == _VERSION
        return told if is_ours and told.get("url") == self._url else {}

    def write(self, **changed: Any) -> None:
        """Change some of what is kept and leave the rest."""
        private_folder(self.file.parent)
        kept = {**self.read(), **changed, "version": _VERSION, "url": self._url}
        made = {key: value for key, value in kept.items() if value is not None}
        write_atomic(self.file, json.dumps(made, indent=1))

    def forget(self) -> bool:
        """Drop everything, and say whether there was anything."""
        had = self.file.exists()
        self.file.unlink(missing_ok=True)
        return had

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Keep other processes, and other tasks of this one, from refreshing at the same time."""
        private_folder(self.file.parent)
        name = self.file.with_suffix(".lock")
        descriptor = os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            await asyncio.to_thread(fcntl.flock, descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)
