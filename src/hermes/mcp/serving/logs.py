"""Pass on to a client what hermes logs while it works for it."""

from __future__ import annotations

import logging
from collections.abc import Callable

from hermes.mcp.serving.caller import CURRENT, Caller

_LEVELS = ("debug", "info", "warning", "error", "critical")
_OURS = {"notice": logging.INFO, "alert": logging.CRITICAL, "emergency": logging.CRITICAL}


class ToClients(logging.Handler):
    """Tell the client whose call is running, as far as it wants to know."""

    def __init__(self, clean: Callable[[str], str]) -> None:
        super().__init__()
        self._clean = clean
        self._log = logging.getLogger("hermes")
        self._before = self._log.level
        self._is_attached = False

    def look(self, caller: Caller) -> None:
        """Begin to listen when the first client wants to know of anything."""
        level = caller.level
        if level is None:
            return
        if not self._is_attached:
            self._is_attached = True
            self._log.addHandler(self)
        number = _OURS.get(level) or logging.getLevelNamesMapping()[level.upper()]
        if self._log.getEffectiveLevel() > number:
            self._log.setLevel(number)

    def emit(self, record: logging.LogRecord) -> None:
        """Send one record to whose call it belongs to."""
        caller = CURRENT.get()
        if caller is None:
            return
        level = _LEVELS[min(max(record.levelno // 10 - 1, 0), len(_LEVELS) - 1)]
        try:
            text = self._clean(record.getMessage())
        except (TypeError, ValueError):
            return
        caller.log(level, text, record.name)

    def detach(self) -> None:
        """Stop listening, and leave the log as it was."""
        if self._is_attached:
            self._log.removeHandler(self)
            self._log.setLevel(self._before)
