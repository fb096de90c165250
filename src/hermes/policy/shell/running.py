"""Follow what a program runs: shell text, code, scripts, whether given, fetched or piped in."""

from __future__ import annotations

import os.path
import posixpath
import re
from collections.abc import Iterable

from hermes.base.optional import load
from hermes.policy.paths.regenerable import is_regenerable
from hermes.policy.shell.effects import UNKNOWN, Effect
from hermes.policy.shell.flow import ANYTHING, Flow
from hermes.policy.shell.interpret import Interpreter
from hermes.policy.shell.languages import LANGUAGES, SHELLS, language_of
from hermes.policy.shell.model import HELP
from hermes.policy.shell.models.files_changing import seen_from
from hermes.policy.shell.models.scripts_named import task
from hermes.policy.shell.run import Run
from hermes.policy.shell.suspicion import heard, suspect, suspect_code
from hermes.policy.shell.telltales import folded, signs
from hermes.policy.shell.tokens import strays

_STARTS_ITSELF = re.compile(r"\$0\s*[&|]|\bfork\s*\(\s*\)")
_KEPT = re.compile(
    r"=\s*(?:'(?:[^'\\\n]|\\.)*\((?:[^'\\\n]|\\.)*'"
    r"|\"(?:[^\"\\\n]|\\.)*\((?:[^\"\\\n]|\\.)*\")"
)
"""A text with a call in it that Python only keeps: whether it runs, its reader tells."""
_LONGEST = 200
_LAST = re.compile(r"[/:]")
_LOCAL = re.compile(r"//(?:localhost|127\.|\[::1\]|0\.0\.0\.0)|^localhost|^127\.")
_PACKED = re.compile(r"\.(?:git|tgz|tar(?:\.\w+)?|zip|t[bx]z2?|7z)$")
_UNPACKING = frozenset({"tar", "bsdtar", "unzip", "7z", "7za", "cpio", "unrar", "gunzip"})
_DATA = re.compile(
    r"data|fixture|model|sample|asset|font|corpus|image|doc|backup|dump|weights", re.I
)
_POURING = frozenset({"ftp", "tftp", "sftp", "lftp", "ncftpget", "gh", "glab"})
"""Programs that fetch files whose names are not among their words."""
_COPYING = frozenset({"cp", "ln", "install", "mv"})
_SCRIPTS = ("sh", "bash", "zsh", "py", "rb", "js", "ts", "mjs", "cjs", "pl", "php")
_READ = frozenset({"python", "node", "perl", "ruby", "php", "lua", "awk", "sed"})
_ELSEWHERE = frozenset(
    {"kubectl", "k", "oc", "kubecolor", "vagrant", "multipass", "lxc", "incus", "heroku", "fly"}
)
"""Programs that run commands where the files of this machine are not."""
_MACHINE = frozenset({"whoami", "hostname", "id", "ifconfig", "logname"})


def apply(interpreter: Interpreter, run: Run, effects: Iterable[Effect], gives: str = "") -> Flow:
    """Write effects down, follow those that run something, and return what the program prints."""
    effects = list(effects)
    kinds = {effect.kind for effect in effects}
    inner: Flow | None = None
    for effect in effects:
        if effect.kind in ("run", "code", "script"):
            inner = _follow(interpreter, run, effect)
        else:
            interpreter.note(effect, run.span)
            if run.name != "mv" or effect.target not in run.words[:-1]:  # what it takes was there
                _remember(interpreter, effect, is_fetched="net" in kinds)
    if "net" in kinds:
        _leaks(interpreter, run)
        _strays(interpreter, run, effects)
        _fetch(interpreter, run)
    if run.name in _UNPACKING and _is_from_network(interpreter, run, effects):
        _unpack(interpreter, effects)
    if run.name in _COPYING:
        _rename(interpreter, run)
    passed = {name for name in run.piped.origins if name != "endless" and name[:5] != "file:"}
    origins = frozenset(passed) | set(gives.split())
    origins |= {"network"} if "net" in kinds else set()
    origins |= {"file"} if "read" in kinds else set()
    origins |= {"machine"} if run.name in _MACHINE else set()
    if inner is not None and kinds <= {"run", "danger"} and run.name not in _ELSEWHERE:
        return inner.with_origins(*origins)
    return Flow(None, (), origins)


def _unpack(interpreter: Interpreter, effects: list[Effect]) -> None:
    """Remember the folder that an archive from the network was unpacked into."""
    state = interpreter.state
    is_data = any(_DATA.search(word) for ran in interpreter.ran for word in ran)
    for effect in effects:
        path = state.absolute(effect.target)
        if effect.kind == "write" and path not in state.places.workspace:
            state.fetched.add(path)
        elif effect.kind == "write" and not is_data:
            state.poured.add(path)


def _is_from_network(interpreter: Interpreter, run: Run, effects: list[Effect]) -> bool:
    state = interpreter.state
    return "network" in run.piped.origins or any(
        effect.kind == "read" and is_fetched(interpreter, state.absolute(effect.target))
        for effect in effects
    )


def _follow(interpreter: Interpreter, run: Run, effect: Effect) -> Flow:
    if effect.kind == "code":
        run_code(interpreter, run, effect.what, effect.target)
    elif effect.kind == "script":
        run_script(interpreter, run, effect.target)
    elif effect.target.startswith("\0"):
        words = effect.target[1:].split("\0")
        return interpreter.rerun(run, words)
    else:
        if UNKNOWN in effect.target and run.piped.text:
            filled = effect.target.replace(UNKNOWN, run.piped.text.strip()[:_LONGEST])
            suspect(interpreter, [filled], run.span)
        return interpreter.run_text(effect.target, run.span, piped=run.piped, apart=True)
    return ANYTHING


def _remember(interpreter: Interpreter, effect: Effect, *, is_fetched: bool) -> None:
    """Remember a file that the command itself makes, and whether it came from the network."""
    if effect.kind != "write" or effect.target.startswith("/dev/"):
        return
    state = interpreter.state
    path = state.absolute(effect.target)
    if is_fetched:
        state.files[path] = Flow(origins=frozenset({"network"}))
        state.fetched.add(path)
    is_below = path.startswith(tuple(f"{root}/" for root in state.places.workspace))
    while is_below and not os.path.lexists(path):
        state.made.setdefault(path, len(interpreter.noted))
        path = posixpath.dirname(path)
        is_below = path.startswith(tuple(f"{root}/" for root in state.places.workspace))


def _leaks(interpreter: Interpreter, run: Run) -> None:
    """Notice data of this machine inside an address."""
    if not run.origins & {"file", "secret", "environment", "machine"}:
        return
    user = f"{interpreter.state.value('USER')}."
    is_in_address = any(
        UNKNOWN in word and "." in word.replace(UNKNOWN, "") and " " not in word
        for word in run.words
    ) or ("machine" in run.origins and any(_host(word).startswith(user) for word in run.words))
    if is_in_address or "environment" in run.origins:
        what = f"puts data of this machine into a request of {run.name}"
        interpreter.warn("exfiltration", what, run.span)


def _host(word: str) -> str:
    return word.partition("://")[2] or word


def _strays(interpreter: Interpreter, run: Run, effects: list[Effect]) -> None:
    """Notice a token that goes to somebody whom it does not belong to."""
    hosts = [effect.target for effect in effects if effect.kind == "net"]
    name = strays(run.origins, [host for host in hosts if not _LOCAL.search(host)])
    if name is not None:
        interpreter.warn("exfiltration", f"gives the secret {name} to {hosts[0]}", run.span)


def _fetch(interpreter: Interpreter, run: Run) -> None:
    """Remember what a download may be called here: the last part of each address."""
    state = interpreter.state
    if run.name == "git" and {"clone", "submodule", "subtree"} & set(run.words):
        state.fetched |= {state.absolute(word) for word in run.words[1:] if "/" in word}
    if run.name in _POURING and ("download" in run.words or run.name[0] != "g"):
        state.poured.add(state.cwd)
    if run.name == "git" and run.words[:1] == ("pull",):
        state.fetched.add(state.cwd)
    for word in run.words:
        name = _LAST.split(word.partition("?")[0].rstrip("/"))[-1]
        if name and name != word and not word.startswith("-") and not _LOCAL.search(word):
            path = state.absolute(name)
            state.files.setdefault(path, Flow(origins=frozenset({"network"})))
            state.fetched.add(path)
            state.fetched.add(_PACKED.sub("", path))


def _rename(interpreter: Interpreter, run: Run) -> None:
    """Remember that a program is given another name."""
    words = [word for word in run.words if not word.startswith("-")]
    state = interpreter.state
    if run.name == "mv" and len(words) > 1 and words[-1].startswith(state.places.scratch):
        names = [word.rstrip("/").rpartition("/")[2] for word in words[:-1]]
        state.moved |= {state.absolute(f"{words[-1]}/{name}") for name in names}
        state.moved.add(state.absolute(words[-1]))
    elif run.name == "mv" and len(words) > 1:
        state.renamed[state.absolute(words[1])] = state.absolute(words[0])
        _place(interpreter, words[:-1], words[-1])
    if run.name == "ln" and len(words) == 2 and any("s" in word for word in run.words[:1]):
        led = seen_from(words[1], words[0], state.cwd)
        state.links[state.absolute(words[1])] = state.absolute(led)
    if len(words) == 2 and state.absolute(words[0]) in state.files:
        state.files[state.absolute(words[1])] = state.files[state.absolute(words[0])]
    if len(words) == 2 and words[0].startswith(("/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/")):
        interpreter.state.copies[interpreter.state.absolute(words[1])] = words[0]


def _place(interpreter: Interpreter, sources: list[str], target: str) -> None:
    """Remember where something is put that this command did not make: it is not its own there."""
    state = interpreter.state
    for source in sources:
        path = state.absolute(source)
        is_own = any(path == made or path.startswith(f"{made}/") for made in state.made)
        if not is_own and not is_regenerable(source):
            state.placed |= {state.absolute(f"{target}/{posixpath.basename(path)}")}
            state.placed.add(state.absolute(target))


def run_code(interpreter: Interpreter, run: Run, language: str, code: str) -> None:
    """Write down what inline code does."""
    if UNKNOWN in code and not code.replace(UNKNOWN, "").strip():
        interpreter.warn("opaque", f"runs {language} code that cannot be known", run.span)
        return
    whole = folded(code)
    effects = load("hermes.policy.shell.code.reading").effects_of(language, whole)
    if language != "sql":
        is_read = language in _READ and whole == code
        effects = (*effects, *signs(whole, is_read=is_read))
        seen = _KEPT.sub("=''", whole) if language == "python" else whole
        suspect_code(interpreter, run, seen, is_read=language in _READ)
    apply(interpreter, run, [effect for effect in effects if effect.kind != "code"])


def compiles(interpreter: Interpreter, run: Run) -> None:
    """Look at the source of a program that is compiled here, and at what the compiler starts."""
    for flag in {"-wrapper", "--wrapper"} & set(run.words[:-1]):
        interpreter.rerun(run, run.words[run.words.index(flag) + 1].split(","))
    for word in run.words:
        if word.startswith(("-fplugin=/tmp", "-fplugin=/var/tmp", "-fplugin=~", "-B/tmp")):
            interpreter.warn("obfuscation", f"has {run.name} load {word}", run.span)
    own = interpreter.state.files
    texts = [run.piped.text, *(own[path].text for path in map(interpreter.state.absolute, run.words)
                               if path in own)]  # fmt: skip
    for text in texts:
        apply(interpreter, run, signs(text or ""))
    if "network" in run.piped.origins and "-o" in run.words[:-1]:
        made = run.words[run.words.index("-o") + 1]
        own[interpreter.state.absolute(made)] = Flow(origins=frozenset({"network"}))


def is_fetched(interpreter: Interpreter, path: str) -> bool:
    """Say whether a path lies in a folder whose content this command took from the network."""
    own = interpreter.state.files.get(path)
    if own is not None and "network" in own.origins:
        return True
    return any(
        path == folder or path.startswith(f"{folder.rstrip('/')}/")
        for folder in interpreter.state.fetched
    )


def is_poured(interpreter: Interpreter, path: str) -> bool:
    """Say whether a file that is not there yet may be among those that came from the network."""
    state = interpreter.state
    return (
        bool(state.poured)
        and path.startswith(tuple(f"{folder}/" for folder in state.poured))
        and path not in state.files
        and path not in state.made
        and not os.path.lexists(path)
    )


def fed(interpreter: Interpreter, run: Run, language: str) -> Flow:
    """Follow an interpreter that runs what comes in on standard input."""
    piped = run.piped
    if "endless" in piped.origins and language == "bash":
        interpreter.warn("process", "is a fork bomb: commands without end", run.span)
    if piped.text is not None:
        if piped.text.strip():
            if language == "bash":
                return interpreter.run_text(piped.text, run.span, apart=True, is_exact=True)
            run_code(interpreter, run, language, piped.text)
        return ANYTHING
    if language == "bash":
        suspect(interpreter, heard(piped.origins), run.span)
    if "network" in piped.origins:
        what = f"runs what it gets from the network in {run.name}"
        interpreter.warn("network-exec", what, run.span)
    elif "decoder" in piped.origins:
        interpreter.warn("obfuscation", f"decodes hidden text and runs it in {run.name}", run.span)
    else:
        source = next((name for name in piped.origins if name.startswith("file:")), None)
        if source is not None and UNKNOWN not in source and piped.origins == {"file", source}:
            return run_script(interpreter, run, source[5:])
        what = f"runs text in {run.name} that cannot be known beforehand"
        interpreter.warn("opaque", what, run.span)
    return ANYTHING


def named(interpreter: Interpreter, run: Run, path: str, arguments: list[str]) -> None:
    """Look at a script of the project by its name, as at a task of its build."""
    stem, dot, ending = path.rpartition("/")[2].partition(".")
    if dot and ending in _SCRIPTS and not any(word in (*HELP, "-h") for word in arguments):
        for effect in task(stem, tuple(arguments)):
            interpreter.note(effect, run.span)


def run_script(
    interpreter: Interpreter, run: Run, path: str, arguments: list[str] | None = None
) -> Flow:
    """Follow a script that an interpreter is given by its path."""
    state = interpreter.state
    named(interpreter, run, path, arguments or [])
    absolute = state.absolute(path)
    flow = state.files.get(absolute)
    if flow is not None and flow.text is not None:
        if _STARTS_ITSELF.search(flow.text):
            interpreter.warn("process", "is a fork bomb: a script that starts itself", run.span)
        if run.name in SHELLS or run.name not in LANGUAGES:
            return _run_own(interpreter, run, absolute, arguments or [])
        run_code(interpreter, run, LANGUAGES[run.name].language, flow.text)
    elif flow is not None and "network" in flow.origins:
        interpreter.warn("network-exec", f"runs {path}, which comes from the network", run.span)
    elif flow is not None and "decoder" in flow.origins:
        interpreter.warn("obfuscation", f"runs {path}, which was hidden before", run.span)
    elif flow is not None and absolute.startswith("/dev/fd/"):
        return fed(interpreter, run._replace(piped=flow), language_of(run.name))
    elif (
        is_fetched(interpreter, absolute)
        or is_poured(interpreter, absolute)
        or path.startswith(("http://", "https://"))
    ):
        interpreter.warn("network-exec", f"runs {path}, which comes from the network", run.span)
    elif path in ("/dev/stdin", "-", "/proc/self/fd/0"):
        return fed(interpreter, run, language_of(run.name))
    elif UNKNOWN in path and path.strip(f"{UNKNOWN}/.") == "":
        interpreter.warn("opaque", "runs a script that cannot be known beforehand", run.span)
    return ANYTHING


def _run_own(interpreter: Interpreter, run: Run, path: str, arguments: list[str]) -> Flow:
    """Follow a shell script that this very command wrote."""
    state = interpreter.state
    flow = state.files[path]
    if path in state.started:
        interpreter.warn("process", "is a fork bomb: a script that starts itself", run.span)
        return ANYTHING
    kept = state.arguments
    state.arguments = arguments
    state.started.add(path)
    try:
        return interpreter.run_text(flow.text or "", run.span, apart=True, is_exact=True)
    finally:
        state.arguments = kept
        state.started.discard(path)
