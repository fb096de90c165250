"""Programs that start others in a window, in a lock, again and again, or under a debugger."""

from __future__ import annotations

import itertools
import re

from hermes.policy.shell.effects import Effect
from hermes.policy.shell.flow import ANYTHING, Flow
from hermes.policy.shell.interpret import Interpreter
from hermes.policy.shell.model import Program, told_apart
from hermes.policy.shell.run import Run
from hermes.policy.shell.running import run_code, run_script

_TMUX = ("new", "new-session", "new-window", "neww", "split-window", "splitw", "respawn-pane",
         "run-shell", "run", "if-shell", "send-keys", "send", "pipe-pane", "popup")  # fmt: skip

_WINDOWS = """
xterm konsole urxvt xfce4-terminal gnome-terminal kitty alacritty wezterm foot zellij terminator
tilix st ghostty lxterminal mate-terminal qterminal rxvt sakura termite cool-retro-term ptyxis kgx
"""
_OWN_SCREEN = ("", "localhost", "127.0.0.1", "unix")
_SCRIPT = Program(
    values="-c --command -O --log-out -B --log-io -I --log-in -T --log-timing -m -o -E -t"
    " -qc -qec -ec -fc -aqc -qfc",
    stops=True,
)
_TMUX_STARTS = frozenset(_TMUX[:7]) | {"respawn-window", "display-popup", "popup"}
_TMUX_START = Program(values="-c -e -F -f -n -s -t -x -y -l -p -w -h -b -T -S", stops=True)


def tmux(interpreter: Interpreter, run: Run) -> Flow:
    """Follow tmux and screen: commands that run out of sight."""
    words = list(run.words)
    if run.name == "screen":
        at = next((at for at in range(len(words)) if _is_program(words, at)), None)
        if "-X" in words and {"quit", "kill", "stuff"} & set(words):
            interpreter.warn("process", "ends or types into a screen session", run.span)
        if "-X" in words and "stuff" in words:
            typed = re.sub(r"\\[nr015]+|\^M", "\n", " ".join(words[words.index("stuff") + 1 :]))
            interpreter.run_text(typed, run.span, apart=True)
        elif at is not None:
            interpreter.run_words(words[at:], run.span)
        return ANYTHING
    if "kill-server" in words or ("kill-session" in words and "-a" in words):
        interpreter.warn("process", "ends all tmux sessions", run.span)
    found = next((at for at, word in enumerate(words) if word in _TMUX), None)
    if found is None:
        return ANYTHING
    verb = words[found]
    for word in words[found + 1 :]:
        if not word.startswith("-") and (" " in word or verb.startswith(("run", "if", "pipe"))):
            interpreter.run_text(word.replace("C-m", ""), run.span, apart=True)
    if verb in _TMUX_STARTS:
        rest = told_apart(verb, words[found + 1 :], _TMUX_START).operands
        interpreter.run_words(rest if len(rest) > 1 else (), run.span)
    return ANYTHING


def _is_program(words: list[str], at: int) -> bool:
    """Say whether a word of screen's is neither an option nor the value of one."""
    takes = ("-S", "-t", "-r", "-x", "-p", "-c", "-h", "-L", "-dmS", "-AdmS")
    return not words[at].startswith("-") and (at == 0 or words[at - 1] not in takes)


def script(interpreter: Interpreter, run: Run) -> Flow:
    """Follow script, which takes a command and writes down what it prints.

    Linux takes text behind ``-c``; macOS takes the words behind the file.
    """
    words = list(run.words)
    rest = told_apart(run.name, words, _SCRIPT).operands
    if len(rest) > 1:
        interpreter.note(Effect("write", rest[0]), run.span)
        return interpreter.rerun(run, rest[1:])
    for flag in ("-c", "--command", "-qc", "-qec", "-ec"):
        if flag in words:
            text = "".join(words[words.index(flag) + 1 :][:1])
            interpreter.run_text(text, run.span, apart=True)
    if words and not words[-1].startswith("-") and " " not in words[-1]:
        interpreter.note(Effect("write", words[-1]), run.span)
    if "-a" in words[:-1]:
        interpreter.note(Effect("write", words[words.index("-a") + 1]), run.span)
    return ANYTHING


def repeated(interpreter: Interpreter, run: Run) -> Flow:
    """Follow watch, hyperfine and entr, whose operands are commands."""
    words = list(run.words)
    takes: tuple[str, ...] = ("-n", "--interval")
    if run.name == "entr":
        takes = ()
    elif run.name == "hyperfine":
        takes = ("-w", "--warmup", "-r", "--runs", "-m", "-M", "-q", "-p", "--prepare")
    while words and words[0].startswith("-"):
        word = words.pop(0)
        if word in takes and words:
            words.pop(0)
    if run.name == "entr" and not any("s" in word for word in run.words if word[:1] == "-"):
        return interpreter.rerun(run, words)
    for text in words if run.name == "hyperfine" else [" ".join(words)]:
        if text:
            interpreter.run_text(text, run.span, piped=run.piped, apart=True)
    return Flow(None, (), run.piped.origins)


def terminal(interpreter: Interpreter, run: Run) -> Flow:
    """Follow a terminal emulator: what stands behind ``-e`` or ``--`` is the command."""
    for flag, screen in itertools.pairwise(run.words):
        if flag in ("-display", "--display") and screen.partition(":")[0] not in _OWN_SCREEN:
            interpreter.warn("network-exec", f"opens a shell for whoever is at {screen}", run.span)
    for flag in ("-e", "-x", "--"):
        if flag in run.words:
            rest = run.words[run.words.index(flag) + 1 :]
            if len(rest) == 1:
                return interpreter.run_text(rest[0], run.span, apart=True)
            return interpreter.rerun(run, rest)
    bare = [at for at, word in enumerate(run.words) if word[:1] != "-"]
    if run.name in ("kitty", "foot", "footclient") and bare:
        return interpreter.rerun(run, run.words[bare[0] :])
    return ANYTHING


def coreutils(interpreter: Interpreter, run: Run) -> Flow:
    """Follow the one binary of coreutils, which is told what to be."""
    first = run.words[0] if run.words else ""
    name = first.partition("=")[2] if first.startswith("--coreutils-prog=") else ""
    return interpreter.rerun(run, (name, *run.words[1:])) if name else ANYTHING


def flock(interpreter: Interpreter, run: Run) -> Flow:
    """Follow flock: a lock file, then a command or ``-c`` text."""
    words = list(run.words)
    while words and words[0].startswith("-"):
        word = words.pop(0)
        if word in ("-w", "--timeout", "-E", "--wait") and words:
            words.pop(0)
    if words:
        interpreter.note(Effect("write", words[0]), run.span)
    rest = words[1:]
    if rest[:1] in (["-c"], ["--command"]):
        return interpreter.run_text("".join(rest[1:2]), run.span, piped=run.piped, apart=True)
    return interpreter.run_words(rest, run.span, piped=run.piped)


def _gdb(interpreter: Interpreter, run: Run) -> Flow:
    for at, word in enumerate(run.words[:-1]):
        if word in ("-ex", "--ex", "-eval-command", "-iex"):
            text = run.words[at + 1]
            if text.startswith(("shell ", "!")):
                interpreter.run_text(text.removeprefix("shell ").lstrip("!"), run.span, apart=True)
            elif text.startswith("python "):
                run_code(interpreter, run, "python", text.removeprefix("python "))
            elif text.startswith(("call ", "p ", "print ")) and "-p" in run.words:
                interpreter.warn("process", "changes a process that is running", run.span)
        elif word in ("-x", "--command", "--source", "-ix"):
            run_script(interpreter, run._replace(name="sh"), run.words[at + 1])
    for flag in {"--args", "-args"} & set(run.words):
        return interpreter.rerun(run, run.words[run.words.index(flag) + 1 :])
    if "-p" in run.words or "--pid" in run.words:
        interpreter.warn("process", "looks into a process that is running", run.span)
        if any("hermes" in word for word in run.words):
            interpreter.warn("process", "stops hermes with a debugger", run.span)
    return ANYTHING


SPECIALS = {
    **dict.fromkeys(("tmux", "screen"), tmux),
    "script": script,
    **dict.fromkeys(("watch", "hyperfine", "entr"), repeated),
    "flock": flock,
    "coreutils": coreutils,
    **dict.fromkeys(_WINDOWS.split(), terminal),
    **dict.fromkeys(("gdb", "lldb"), _gdb),
}
