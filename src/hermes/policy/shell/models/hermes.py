"""hermes itself: looking is fine, loosening its own policy never is."""

from __future__ import annotations

from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program

_LOOKING = {
    "tool": ("list", "show", "search", "doctor", "call"),
    "toolset": ("list", "show"),
    "config": ("get", "list", "path"),
    "permissions": ("show", "check", "explain"),
    "approvals": ("list", "export"),
    "journal": ("list", "show", "tail", "verify"),
    "sandbox": ("show", "run", "explain"),
    "env": ("list",),
    "sessions": ("list", "show", "search"),
    "skills": ("list", "search", "inspect", "audit"),
    "mcp": ("list", "test"),
    "cron": ("list", "show"),
    "batch": ("stats", "list"),
    "model": ("list", "test"),
}
_OPEN = frozenset({"doctor", "completion", "version", "help"})
_LOOSENING = frozenset(
    {
        "permissions", "approvals", "command_allowlist", "urls", "environment", "terminal",
        "docker", "ssh", "singularity", "modal", "daytona", "journal", "sandbox", "policy",
        "security", "profile", "profiles", "yolo",
    }
)  # fmt: skip
_VALUES = "--profile --home --model --toolsets --task --timeout --format --cwd --env --check"


def _hermes(call: Call) -> Iterator[Effect]:
    words = call.operands
    if call.has("--profile", "--yolo"):
        yield danger("privilege", "chooses hermes's own policy")
    if not words or words[0] in _OPEN:
        return
    verb = words[1] if len(words) > 1 else ""
    if verb in _LOOKING.get(words[0], ()) or not verb:
        if words[0] == "tool" and verb == "call":
            yield danger("opaque", "calls a tool through another hermes")
        return
    if words[0] in ("config", "permissions", "approvals"):
        key = words[2].partition(".")[0] if len(words) > 2 else ""
        if words[0] != "config" or verb == "edit" or key in _LOOSENING:
            yield danger("privilege", "changes hermes's own policy")
            return
    if words[0] == "env":
        yield danger("opaque", "runs commands through another hermes")
        return
    yield danger("persistence", f"has hermes {words[0]} {verb}")


PROGRAMS = {"hermes": Program(values=_VALUES, handler=_hermes)}
