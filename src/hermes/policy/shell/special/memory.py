"""The shell's own commands: they change its memory, or run text."""

from __future__ import annotations

import re

from hermes.policy.shell.effects import UNKNOWN, Effect
from hermes.policy.shell.ending import trap
from hermes.policy.shell.flow import ANYTHING, NOTHING, Flow, known
from hermes.policy.shell.interpret import Interpreter
from hermes.policy.shell.run import Run
from hermes.policy.shell.running import fed
from hermes.policy.shell.state import OWN_PROCESS
from hermes.policy.shell.suspicion import heard, suspect
from hermes.policy.shell.variables import look

_ASSIGNED = re.compile(r"([A-Za-z_]\w*)(\+?)=(.*)", re.DOTALL)
_WELL_KNOWN = re.compile(
    r"(?:ssh-agent|opam|direnv|pyenv|rbenv|nodenv|goenv|jenv|luaenv|plenv|brew|dircolors|starship"
    r"|zoxide|fnm|mise|rtx|asdf|conda|micromamba|mamba|register-python-argcomplete|gh|kubectl|helm"
    r"|thefuck|lesspipe|keychain|resize|minikube|docker-machine|podman|perl|hermes|uv|pip|npm|poetry"
    r"|pipenv|fzf|atuin|broot|navi|mcfly|just|rustup|chezmoi|gdircolors|stack|swiftenv|tmuxifier"
    r"|nvm|volta|crenv|phpenv|scalaenv|sdk|guix|nix|modulecmd|lmod|switch|kind|k3d|terraform|flux"
    r"|argocd|istioctl|op|vault|aws_completer|deno|bun|pixi|hatch|pdm|task|ng|xdg-user-dirs-update"
    r"|locale|getopt|stty|tput|cargo|go|rustc|xset|vault|linkerd|eksctl|kompose)"
)
_OTHERS_WORDS = frozenset({"-e", "-E", "-c", "eval", "exec", "run", "get", "api", "x", "read"})
"""Words that have a tool print what somebody else wrote, or run it."""


def _nothing(_: Interpreter, __: Run) -> Flow:
    return NOTHING


def _tested(interpreter: Interpreter, run: Run) -> Flow:
    """Look for commands inside subscripts, which tests and arithmetic run."""
    for word in run.words:
        if "[" in word and ("$(" in word or "`" in word):
            interpreter.run_text(f'echo "{word}"', run.span)
    return NOTHING


def _hash(interpreter: Interpreter, run: Run) -> Flow:
    if "-p" in run.words and len(run.words) > 2:
        at = run.words.index("-p")
        interpreter.state.aliases[run.words[-1]] = run.words[at + 1]
    return NOTHING


def _anything(_: Interpreter, run: Run) -> Flow:
    return Flow(None, (), run.piped.origins)


def _cd(interpreter: Interpreter, run: Run) -> Flow:
    state = interpreter.state
    targets = [word for word in run.words if not word.startswith("-") or word == "-"]
    target = targets[0] if targets else state.places.home
    old = state.cwd
    if target == "-":
        previous = state.value("OLDPWD")
        target = previous if isinstance(previous, str) else old
    state.variables["OLDPWD"] = old
    # An unknown folder is taken for one below this: the boundary holds either way.
    state.cwd = f"{old}/{UNKNOWN}" if target.startswith(UNKNOWN) else state.absolute(target)
    return NOTHING


def _declare(interpreter: Interpreter, run: Run) -> Flow:
    items: list[str] | None = None
    name = ""
    if any(re.fullmatch(r"-[a-zA-Z]*n[a-zA-Z]*", word) for word in run.words):
        for word in run.words:
            name, _, target = word.partition("=")
            interpreter.state.references[name] = target
        return NOTHING
    for word in run.words:
        match = _ASSIGNED.match(word)
        if match:
            if items is not None:
                interpreter.assign(name, items)
            name, items = match[1], None
            if match[3] == "" and run.name != "export":
                items = []
            interpreter.assign(match[1], match[3], is_added=bool(match[2]))
            interpreter.state.origins[match[1]] = run.origins
            look(interpreter, match[1], match[3], "", run.span)
        elif items is not None and not word.startswith("-"):
            items.append(word)
    if items:
        interpreter.assign(name, items)
    if not run.words or run.words in (("-p",), ("-x",), ("-px",)):
        return _dumped(interpreter, run)
    return NOTHING


def _dumped(interpreter: Interpreter, run: Run) -> Flow:
    """Print every variable: between a shell's own eyes that shows secrets."""
    if not run.is_sent:
        interpreter.warn("exfiltration", "prints every variable, secrets among them", run.span)
    return Flow(None, (), frozenset({"environment"}))


def _read(interpreter: Interpreter, run: Run) -> Flow:
    names = _names_behind(run.words, "adinNptu")
    paths = run.piped.paths
    text = run.piped.text
    separator = dict(run.environment).get("IFS")
    if text is not None and separator and separator.strip():
        text = re.sub(f"[{re.escape(separator)}]", " ", text)
    for at, name in enumerate(names or ["REPLY"]):
        value = UNKNOWN
        if paths and len(names) <= 1:
            value = paths[0]
        elif text is not None and text.count("\n") <= 1:
            words = text.split(None, len(names) - 1) if len(names) > 1 else [text.strip()]
            value = words[at] if at < len(words) else ""
        if "-a" in run.words or "-ra" in run.words:
            interpreter.assign(name, value.split())
        else:
            interpreter.assign(name, value)
        interpreter.state.origins[name] = run.piped.origins
    return NOTHING


def _names_behind(words: tuple[str, ...], takes: str) -> list[str]:
    """Return the operands behind options, some of which take a value."""
    found: list[str] = []
    skips = False
    for word in words:
        if skips:
            skips = False
        elif word.startswith("-") and len(word) > 1:
            skips = word[-1] in takes and word[-1] not in "a"
        else:
            found.append(word)
    return found


def _mapfile(interpreter: Interpreter, run: Run) -> Flow:
    names = _names_behind(run.words, "dnOsuCc")
    if run.piped.text is not None:
        value = run.piped.text.splitlines()
    else:
        value = list(run.piped.paths) or [UNKNOWN]
    interpreter.assign(names[0] if names else "MAPFILE", value)
    if "-C" in run.words:
        at = run.words.index("-C")
        interpreter.run_text(" ".join(run.words[at + 1 : at + 2]), run.span)
    return NOTHING


def _set(interpreter: Interpreter, run: Run) -> Flow:
    if run.words == ("+o", "history"):
        interpreter.warn("privilege", "stops the shell from keeping its history", run.span)
    if "--" in run.words:
        interpreter.state.arguments = list(run.words[run.words.index("--") + 1 :])
    elif run.words and not run.words[0].startswith(("-", "+")):
        interpreter.state.arguments = list(run.words)
    elif not run.words:
        return _dumped(interpreter, run)
    return NOTHING


def _shift(interpreter: Interpreter, run: Run) -> Flow:
    number = int(run.words[0]) if run.words and run.words[0].isdecimal() else 1
    del interpreter.state.arguments[:number]
    return NOTHING


def _unset(interpreter: Interpreter, run: Run) -> Flow:
    for name in run.words:
        interpreter.state.variables.pop(name, None)
        interpreter.state.functions.pop(name, None)
        interpreter.state.unset.add(name)
    if "HERMES_HOME" in run.words:
        what = "changes hermes's own policy through HERMES_HOME"
        interpreter.warn("privilege", what, run.span)
    if "HISTFILE" in run.words:
        interpreter.warn("privilege", "stops the shell from keeping its history", run.span)
    return NOTHING


def _eval(interpreter: Interpreter, run: Run) -> Flow:
    text = " ".join(run.words)
    if UNKNOWN in text:
        if "network" in run.origins:
            interpreter.warn("network-exec", "runs text that comes from the network", run.span)
            return ANYTHING
        if text.strip() == UNKNOWN and _is_tool_environment(interpreter, run):
            return ANYTHING
        suspect(interpreter, heard(run.origins), run.span)
    return interpreter.run_text(text, run.span, piped=run.piped, is_exact=True)


def _is_tool_environment(interpreter: Interpreter, run: Run) -> bool:
    """Say whether what is evaluated is the output of a tool that sets up a shell."""
    if not run.inner or _WELL_KNOWN.fullmatch(run.inner[0].rpartition("/")[2]) is None:
        return False
    made = interpreter.ran[-1 - len(run.inner) : -1]
    return all(_OTHERS_WORDS.isdisjoint(words[1:]) for words in made)


def _source(interpreter: Interpreter, run: Run) -> Flow:
    if not run.words:  # fish runs what is piped in
        return fed(interpreter, run, "bash") if run.piped.origins else NOTHING
    path = run.words[0]
    if path in ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"):
        return fed(interpreter, run, "bash")
    flow = interpreter.content(path, run.span)
    interpreter.noted.pop()  # sourcing reads it, and does more than that
    if flow.text is not None:
        return interpreter.run_text(flow.text, run.span, is_exact=True)
    if "network" in flow.origins:
        interpreter.warn("network-exec", f"runs {path}, which comes from the network", run.span)
    elif UNKNOWN in path and path.strip(f"{UNKNOWN}/.") == "":
        interpreter.warn("opaque", "runs a script that cannot be known beforehand", run.span)
    elif path.startswith("/dev/fd/"):
        _sourced_output(interpreter, run)
    return ANYTHING


def _sourced_output(interpreter: Interpreter, run: Run) -> None:
    if not _is_tool_environment(interpreter, run):
        interpreter.warn("opaque", "runs the output of another command", run.span)


def _exec(interpreter: Interpreter, run: Run) -> Flow:
    words = list(run.words)
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option == "-a" and words:
            words.pop(0)
    return interpreter.rerun(run, words)


def _trap(interpreter: Interpreter, run: Run) -> Flow:
    words = [word for word in run.words if word not in ("-p", "-l", "--")]
    if len(words) > 1 and words[0] != "-":
        trap(interpreter, run, words[0])
    return NOTHING


def _alias(interpreter: Interpreter, run: Run) -> Flow:
    for word in run.words:
        name, equals, text = word.partition("=")
        if equals:
            interpreter.state.aliases[name] = text
            interpreter.run_text(text, run.span, apart=True)
    return ANYTHING


def _command(interpreter: Interpreter, run: Run) -> Flow:
    words = list(run.words)
    while words and words[0].startswith("-") and words[0] != "--":
        if "v" in words[0].lower():
            return known(f"/usr/bin/{words[1]}\n") if len(words) > 1 else ANYTHING
        words.pop(0)
    if words[:1] == ["--"]:
        words.pop(0)
    return interpreter.rerun(run, words)


def _pwd(interpreter: Interpreter, _: Run) -> Flow:
    return known(f"{interpreter.state.cwd}\n")


def _enable(interpreter: Interpreter, run: Run) -> Flow:
    if "-f" in run.words:
        interpreter.warn("obfuscation", "loads a library into the shell", run.span)
    return NOTHING


def _bind(interpreter: Interpreter, run: Run) -> Flow:
    for flag in ("-x", "-C", "-F"):
        if flag in run.words:
            at = run.words.index(flag) + 1
            text = "".join(run.words[at : at + 1]).partition(":")[2] or "".join(
                run.words[at : at + 1]
            )
            if flag != "-F":
                interpreter.run_text(text.strip("\"' "), run.span, apart=True)
    return NOTHING


def _printed_text(interpreter: Interpreter, run: Run) -> Flow:
    """Follow ``compgen -c`` and its kin, which only print."""
    return _anything(interpreter, run)


def _history(interpreter: Interpreter, run: Run) -> Flow:
    if any(word in ("-c", "-d", "-w", "-r") or word.startswith("-c") for word in run.words):
        interpreter.warn("privilege", "changes the shell's history", run.span)
    elif not run.is_sent and not run.words:
        interpreter.note(Effect("read", "~/.bash_history"), run.span)
    return Flow(None, (), frozenset({"history"}))


def _jobs(_: Interpreter, run: Run) -> Flow:
    is_numbers = any(word.startswith("-") and "p" in word for word in run.words)
    return known(f"{OWN_PROCESS}\n") if is_numbers else ANYTHING


def _which(_: Interpreter, run: Run) -> Flow:
    names = [word for word in run.words if not word.startswith("-")]
    return known(f"/usr/bin/{names[0]}\n") if len(names) == 1 else ANYTHING


SPECIALS = {
    "cd": _cd, "pushd": _cd, "popd": _nothing, "dirs": _anything, "export": _declare,
    "declare": _declare, "local": _declare, "typeset": _declare, "readonly": _declare,
    "read": _read, "mapfile": _mapfile, "readarray": _mapfile, "set": _set, "shift": _shift,
    "unset": _unset, "eval": _eval, "source": _source, ".": _source, "exec": _exec,
    "trap": _trap, "alias": _alias, "unalias": _nothing, "command": _command,
    "builtin": _command, "pwd": _pwd, "type": _anything, "hash": _hash, "test": _tested,
    "[": _tested, "[[": _tested, "true": _nothing, ":": _nothing, "false": _nothing,
    "let": _tested, "return": _nothing, "exit": _nothing, "break": _nothing,
    "continue": _nothing, "wait": _nothing, "jobs": _jobs, "fg": _nothing, "bg": _nothing,
    "disown": _nothing, "times": _anything, "umask": _anything, "ulimit": _anything,
    "getopts": _nothing, "shopt": _anything, "enable": _enable, "bind": _bind,
    "complete": _bind, "compgen": _printed_text, "compopt": _nothing, "caller": _anything,
    "help": _anything, "logout": _nothing, "suspend": _nothing, "history": _history,
    "which": _which, "whatis": _anything, "whereis": _anything, "apropos": _anything,
    "print": _anything, "setopt": _nothing, "autoload": _nothing, "noglob": _command,
}  # fmt: skip
