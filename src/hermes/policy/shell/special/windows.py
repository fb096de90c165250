"""Commands of Windows: read as they were typed, since a backslash means something there."""

from __future__ import annotations

import re

from hermes.policy.shell.effects import Effect
from hermes.policy.shell.flow import ANYTHING, Flow
from hermes.policy.shell.interpret import Interpreter
from hermes.policy.shell.modelled import modelled
from hermes.policy.shell.run import Run
from hermes.policy.shell.running import is_fetched, run_code

_SIGN = re.compile(r"//?[a-zA-Z](?::\S*)?|(?:/[a-zA-Z])+|[A-Za-z]:.{0,200}|%\w+%", re.DOTALL)
_VERB_NOUN = re.compile(
    r"(?:Add|Clear|Copy|Disable|Enable|Expand|Export|Format|Get|Grant|Import|Initialize|Install"
    r"|Invoke|Mount|Move|New|Out|Register|Remove|Rename|Reset|Restart|Resume|Revoke|Save|Send|Set"
    r"|Start|Stop|Suspend|Uninstall|Unregister|Update|Write)-[A-Z]\w+"
)
_STARTS_ITSELF = re.compile(r"%~?0\s*\|\s*%~?0")
_CMDLETS = (
    "remove-item", "get-childitem", "get-item", "clear-disk", "format-volume", "get-disk",
    "initialize-disk", "remove-partition", "reset-physicaldisk", "clear-content", "stop-process",
    "invoke-expression", "set-content", "get-volume", "get-partition", "start-process",
)  # fmt: skip


def cmdlet(interpreter: Interpreter, run: Run) -> Flow:
    """Follow a cmdlet that is typed into a shell; what it lists goes down the pipe."""
    words = [word for word in run.words if not word.startswith("-")]
    before = len(interpreter.noted)
    _read(interpreter, run)
    if run.name.lower().startswith("get-"):
        return Flow(None, tuple(words))
    if len(interpreter.noted) == before:
        modelled(interpreter, run)  # its name may tell
    if run.name.lower() == "start-process":
        _started(interpreter, run, words)
    if run.name.lower() == "remove-item":
        for path in run.piped.paths:
            interpreter.note(Effect("delete", path, is_recursive=True), run.span)
    return ANYTHING


def is_cmdlet(name: str) -> bool:
    """Say whether a name is spelt as PowerShell spells its own: a verb and a noun."""
    return _VERB_NOUN.fullmatch(name) is not None


def _started(interpreter: Interpreter, run: Run, words: list[str]) -> None:
    """Notice a program that was fetched before."""
    for path in words[:1]:
        if is_fetched(interpreter, interpreter.state.absolute(path)):
            what = f"runs {path}, which comes from the network"
            interpreter.warn("network-exec", what, run.span)


def command(interpreter: Interpreter, run: Run) -> Flow:
    """Follow a command of cmd where its words are of Windows, and a namesake elsewhere."""
    if _STARTS_ITSELF.search(" ".join(run.words)):
        interpreter.warn("process", "is a fork bomb: a script that starts itself", run.span)
    if not any(_SIGN.fullmatch(word) for word in run.words):
        return modelled(interpreter, run)
    _read(interpreter, run)
    return ANYTHING


def _read(interpreter: Interpreter, run: Run) -> None:
    """Read a command both as it was typed and as the shell took it."""
    taken = " ".join((run.name, *run.words))
    for text in dict.fromkeys((interpreter.said(run), taken)):
        run_code(interpreter, run, "powershell", text)


SPECIALS = {
    **dict.fromkeys(_CMDLETS, cmdlet),
    **dict.fromkeys(
        (
            *("cmd", "rd", "rmdir", "del", "erase", "format", "format.com", "deltree"),
            *("icacls", "cacls", "takeown", "robocopy"),
        ),
        command,
    ),
}
