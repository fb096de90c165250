"""One tree of errors, sorted by who must act.

HermesError
├── ConfigError            the operator: a file, a key, a value, and the fix
├── ServiceMissing         the developer: a service nobody provided
├── ModelError             the person: why the model gave no answer (in llm/contract.py)
├── ToolError              the model: it can read this and try again
│   ├── UnknownTool        no such tool; the nearest names are in the hint
│   ├── InvalidArguments   every problem at once
│   ├── Unavailable        the tool exists but cannot run here now
│   │   └── ExtraMissing   an optional dependency is not installed
│   ├── Denied             a rule or a person said no; there is nothing to argue
│   └── TimedOut           it ran longer than it may
├── WouldWait              nobody: a handler that was tried at once is called in a thread
└── RunStopped             nobody: the run was cancelled
"""

from __future__ import annotations

from typing import Any


class HermesError(Exception):
    """Base of everything hermes raises on purpose."""

    code = "error"

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class ConfigError(HermesError):
    """Tell the operator what in which file is wrong and how to mend it."""

    code = "config_error"

    def __init__(
        self,
        message: str,
        *,
        file: object = None,
        line: int | None = None,
        key: str | None = None,
        hint: str | None = None,
    ) -> None:
        place = f"{file}:{line}" if file and line else str(file or "")
        where = ": ".join(part for part in (place, key) if part)
        super().__init__(f"{where}: {message}" if where else message, hint=hint)
        self.file, self.line, self.key = file, line, key


class ServiceMissing(HermesError):
    """Tell the developer which service nobody provided."""

    code = "service_missing"

    def __init__(
        self, message: str, *, hint: str | None = None, service: type | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.service = service


class RunStopped(HermesError):
    """End a run that was cancelled; nobody needs to act."""

    code = "stopped"


class WouldWait(HermesError):
    """Say that a handler cannot answer at once; it is called again where it may wait."""


class ToolError(HermesError):
    """Tell the model what went wrong and what to do next.

    Extra keywords travel in the answer beside ``error``, ``code`` and ``hint``.
    """

    code = "tool_error"

    def __init__(
        self, message: str, *, hint: str | None = None, code: str | None = None, **extra: Any
    ) -> None:
        super().__init__(message, hint=hint)
        self.code = code or type(self).code
        self.extra = extra


class UnknownTool(ToolError):
    """Name the tool that does not exist and the nearest ones that do."""

    code = "unknown_tool"


class InvalidArguments(ToolError):
    """Report every problem of the arguments at once."""

    code = "invalid_arguments"


class Unavailable(ToolError):
    """Say why a tool that exists cannot run here now."""

    code = "unavailable"


class ExtraMissing(Unavailable):
    """Name the optional dependency that is missing and the command that installs it."""

    code = "extra_missing"


class Denied(ToolError):
    """Report that a rule or a person refused the call."""

    code = "denied"
    judged: tuple[str, Any] | None = None
    """Which tool and arguments were refused, where the call named them otherwise."""


class TimedOut(ToolError):
    """Report that a call ran longer than it may."""

    code = "timeout"
