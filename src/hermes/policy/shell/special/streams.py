"""Programs whose output can be known: echo, printf, cat, and the decoders."""

from __future__ import annotations

import base64
import re

from hermes.base.mounts import is_below
from hermes.base.optional import load
from hermes.policy.shell.effects import UNKNOWN, Effect
from hermes.policy.shell.filters import picked
from hermes.policy.shell.flow import NOTHING, Flow, known, together
from hermes.policy.shell.grammar.escapes import unescaped
from hermes.policy.shell.interpret import Interpreter
from hermes.policy.shell.modelled import modelled
from hermes.policy.shell.models.throwaway import is_throwaway
from hermes.policy.shell.run import Run

_FORMAT = re.compile(r"%(?:%|[-+ #0]*\d*(?:\.\d+)?[a-zA-Z])")
_ENDLESS = frozenset({"/dev/zero", "/dev/urandom", "/dev/random"})
_LONGEST = 50_000
_WIDEST = 6


def _echo(interpreter: Interpreter, run: Run) -> Flow:
    words = list(run.words)
    is_escaped, end = False, "\n"
    while words and re.fullmatch(r"-[neE]+", words[0]):
        option = words.pop(0)
        is_escaped = is_escaped or "e" in option
        end = "" if "n" in option else end
    if words and all(_is_pattern(word) for word in words):
        return Flow(None, tuple(words), run.origins)
    if "secret" in run.origins and not run.is_sent:
        interpreter.warn("exfiltration", "prints a secret", run.span)
    text = " ".join(words)
    flow = known((_escaped(text) if is_escaped else text) + end)
    return flow.with_origins(*run.origins)


def _is_pattern(word: str) -> bool:
    """Say whether a word stands for the names of files: text with blanks is none."""
    return ("*" in word or "?" in word) and not re.search(r"[\s;|&]", word)


def _escaped(text: str) -> str:
    """Return what ``echo -e`` makes of a text: octal numbers may begin with one more zero."""
    return unescaped(re.sub(r"\\0(?=[0-7]{1,3})", r"\\", text))


def _printf(interpreter: Interpreter, run: Run) -> Flow:
    words = list(run.words)
    variable = None
    if len(words) > 1 and words[0] == "-v":
        variable, words = words[1], words[2:]
    if words[:1] == ["--"]:
        words.pop(0)
    if not words:
        return NOTHING
    text = _formatted(words[0], words[1:])
    if variable is not None:
        if "$(" in variable or "`" in variable:
            interpreter.run_text(f'echo "{variable}"', run.span)
        interpreter.assign(variable, text)
        interpreter.state.origins[variable] = run.origins
        return NOTHING
    if any(_is_pattern(word) for word in words[1:]) and "\\n" in words[0]:
        return Flow(None, tuple(words[1:]), run.origins)
    if "secret" in run.origins and not run.is_sent:
        interpreter.warn("exfiltration", "prints a secret", run.span)
    return known(text).with_origins(*run.origins)


def _formatted(pattern: str, values: list[str]) -> str:
    rest = list(values)
    made: list[str] = []

    def filled(match: re.Match[str]) -> str:
        kind = match[0][-1]
        if match[0] == "%%":
            return "%"
        value = rest.pop() if rest else ""
        if len(match[0]) > _WIDEST:
            return UNKNOWN
        if kind == "b":
            return _escaped(value)
        if kind == "c":
            return value[:1]
        if kind in "xXo" and value.isdecimal():
            return format(int(value), match[0][1:])
        if kind == "d" and value[:1] in ("'", '"') and len(value) > 1:
            return str(ord(value[1]))
        return value

    written, size = unescaped(pattern), 0
    rest.reverse()
    while True:
        left = len(rest)
        made.append(_FORMAT.sub(filled, written))
        size += len(made[-1])
        if not rest or len(rest) == left or size > _LONGEST:
            return "".join(made)[:_LONGEST]


def _cat(interpreter: Interpreter, run: Run) -> Flow:
    files = [word for word in run.words if not word.startswith("-") or word == "-"]
    if not files:
        return _turned(run.piped) if run.name == "tac" else run.piped
    if any(path in _ENDLESS for path in files):
        return Flow(None, (), frozenset({"endless"}))
    return together(
        [run.piped if path == "-" else interpreter.content(path, run.span) for path in files]
    )


def _turned(flow: Flow) -> Flow:
    """Return a text with its last line first."""
    if flow.text is None:
        return flow
    return flow._replace(text="".join(reversed(flow.text.splitlines(keepends=True))))


def _passes(interpreter: Interpreter, run: Run) -> Flow:
    """Understand a filter by its model; what comes out comes from where it came in."""
    if run.name == "tail" and _ENDLESS & set(run.words):
        interpreter.warn("service", "reads without end until memory is full", run.span)
    flow = modelled(interpreter, run)
    if run.piped.paths and run.name in ("sort", "uniq", "head", "tail", "grep", "egrep", "rg"):
        return Flow(None, run.piped.paths, flow.origins | run.piped.origins)
    return flow


def _base64(interpreter: Interpreter, run: Run) -> Flow:
    return _decoder(interpreter, run, "base64", {"-d", "-D", "--decode", "-di", "-dw0"})


def _base32(interpreter: Interpreter, run: Run) -> Flow:
    return _decoder(interpreter, run, "base32", {"-d", "--decode"})


def _xxd(interpreter: Interpreter, run: Run) -> Flow:
    files = [word for word in run.words if not word.startswith("-") and not word.isdecimal()]
    if len(files) > 1:
        interpreter.note(Effect("write", files[1]), run.span)
        run = run._replace(words=tuple(word for word in run.words if word != files[1]))
    return _decoder(interpreter, run, "hex", {"-r", "-rp", "-pr", "-ps"})


def _openssl(interpreter: Interpreter, run: Run) -> Flow:
    if "-d" in run.words and ("base64" in run.words or "-base64" in run.words or "-a" in run.words):
        return _decoder(interpreter, run, "base64", {"-d"})
    flow = modelled(interpreter, run)
    return flow.with_origins("decoder") if "-d" in run.words else flow


def _decoder(interpreter: Interpreter, run: Run, kind: str, flags: set[str]) -> Flow:
    files = [word for word in run.words if not word.startswith("-")]
    files = [word for word in files if not word.isdecimal() and word not in ("base64", "enc")]
    path = files[-1] if files else None
    source = interpreter.content(path, run.span) if path else run.piped
    if not flags & set(run.words):
        return _encoded(source, kind)
    if source.text is not None:
        text = load("hermes.policy.shell.code.decode").decoded(kind, source.text.strip())
        if text is not None:
            return known(text).with_origins(*source.origins, "decoder")
    return Flow(None, (), source.origins | {"decoder"})


def _encoded(source: Flow, kind: str) -> Flow:
    """Return a text in another writing, which is known only for base64."""
    if source.text is None or kind != "base64":
        return Flow(None, (), source.origins)
    return Flow(base64.b64encode(source.text.encode()).decode() + "\n", (), source.origins)


def _rev(interpreter: Interpreter, run: Run) -> Flow:
    for path in (word for word in run.words if not word.startswith("-")):
        interpreter.content(path, run.span)
    if run.piped.text is not None:
        lines = [line[::-1] for line in run.piped.text.split("\n")]
        return known("\n".join(lines)).with_origins(*run.piped.origins, "decoder")
    return Flow(None, (), run.piped.origins)


def _tr(_: Interpreter, run: Run) -> Flow:
    text, words = run.piped.text, run.words
    if text is None:
        return Flow(None, (), run.piped.origins)
    origins = (*run.piped.origins, "decoder")
    if len(words) == 2 and words[0] in ("-dc", "-cd"):
        kept = set(_ranged(words[1]))
        return known("".join(c for c in text if c in kept)).with_origins(*origins)
    if len(words) == 2 and words[0] == "-d":
        gone = set(_ranged(words[1]))
        return known("".join(c for c in text if c not in gone)).with_origins(*origins)
    if len(words) == 2 and not words[0].startswith("-"):
        a, b = _ranged(words[0]), _ranged(words[1])
        if b:
            b += b[-1] * (len(a) - len(b))
            changed = dict(zip(a, b, strict=False))
            return known("".join(changed.get(c, c) for c in text)).with_origins(*origins)
    return Flow(None, (), frozenset(origins))


def _ranged(text: str) -> str:
    text = unescaped(text)
    text = text.replace("[:upper:]", "A-Z").replace("[:lower:]", "a-z")
    return re.sub(
        r"(.)-(.)",
        lambda match: "".join(map(chr, range(ord(match[1]), min(ord(match[2]), 0x2FF) + 1))),
        text,
        flags=re.DOTALL,
    )


def _unpacked(interpreter: Interpreter, run: Run) -> Flow:
    """Understand gunzip and its kin: what comes out was hidden before."""
    flow = modelled(interpreter, run)
    return flow.with_origins("decoder", *run.piped.origins)


def _environment(interpreter: Interpreter, run: Run) -> Flow:
    """Understand printenv: one harmless variable, or all of them."""
    names = [word for word in run.words if not word.startswith("-")]
    is_secret = load("hermes.base.secret_names").is_secret_name
    if not names:
        if not run.is_sent:
            interpreter.warn("exfiltration", "prints every variable, secrets among them", run.span)
        return Flow(None, (), frozenset({"environment"}))
    if any(is_secret(name) for name in names):
        interpreter.warn("exfiltration", f"prints the secret {names[0]}", run.span)
        return Flow(None, (), frozenset({"secret"}))
    value = interpreter.state.value(names[0])
    return known(f"{value}\n") if isinstance(value, str) else Flow()


def _mktemp(_: Interpreter, run: Run) -> Flow:
    words = [word for word in run.words if not word.startswith("-")]
    folder = "/tmp"
    for flag in ("-p", "--tmpdir"):
        if flag in run.words:
            folder = "".join(run.words[run.words.index(flag) + 1 :][:1]) or folder
    if words and "/" in words[-1] and UNKNOWN not in words[-1]:
        return known(f"{words[-1]}\n")
    return known(f"{folder}/tmp.XXXXXXXXXX\n")


def _dirname(_: Interpreter, run: Run) -> Flow:
    words = [word for word in run.words if not word.startswith("-")]
    if not words or UNKNOWN in words[0]:
        return Flow(None, (), run.origins)
    if run.name == "dirname":
        above = words[0].rstrip("/").rpartition("/")[0]
        return known((above or ("/" if words[0].startswith("/") else ".")) + "\n")
    return known(words[0].rstrip("/").rpartition("/")[2] + "\n")


def _expr(interpreter: Interpreter, run: Run) -> Flow:
    """Understand expr where it cuts texts: ``substr``, ``match`` and a colon."""
    words = run.words[1:] if run.words[:1] == ("match",) else run.words
    if UNKNOWN in "".join(words):
        return Flow(None, (), run.origins)
    if len(words) == 4 and words[0] == "substr" and words[2].isdigit() and words[3].isdigit():
        start = int(words[2]) - 1
        return known(words[1][max(start, 0) : start + int(words[3])] + "\n")
    if len(words) == 3 and words[1] == ":":
        words = (words[0], words[2])
    found = picked(*words) if len(words) == 2 else None
    return known(f"{found}\n") if found is not None else modelled(interpreter, run)


def _realpath(interpreter: Interpreter, run: Run) -> Flow:
    words = [word for word in run.words if not word.startswith("-")]
    if words and UNKNOWN not in words[-1]:
        return known(interpreter.state.absolute(words[-1]) + "\n")
    return Flow()


def _tee(interpreter: Interpreter, run: Run) -> Flow:
    for word in run.words:
        if not word.startswith("-"):
            interpreter.note(Effect("write", word), run.span)
            interpreter.state.files[interpreter.state.absolute(word)] = run.piped
            if (
                "file:/dev/null" in run.piped.origins
                and "-a" not in run.words
                and not is_throwaway(word)
            ):
                interpreter.warn("delete", f"empties {word}", run.span)
            if word.startswith(("/dev/tcp/", "/dev/udp/")):
                interpreter.warn("exfiltration", "writes into a raw network connection", run.span)
    return run.piped


def _ls(interpreter: Interpreter, run: Run) -> Flow:
    """Understand ls: its output is the names it was given, or those of a folder."""
    names = [word for word in run.words if not word.startswith("-")]
    for name in names:
        interpreter.note(Effect("read", name), run.span)
    is_long = any(re.match(r"-[a-zA-Z]*l", word) for word in run.words)
    if is_long or not names:
        return Flow(None, () if is_long else ("*",))
    return Flow(None, tuple(n if "*" in n or "?" in n else f"{n.rstrip('/')}/*" for n in names))


def _git(interpreter: Interpreter, run: Run) -> Flow:
    """Understand git by its model; the root of the repository is that of the workspace."""
    if run.words != ("rev-parse", "--show-toplevel"):
        return modelled(interpreter, run)
    state = interpreter.state
    roots = [root for root in state.places.workspace if is_below(state.cwd, root)]
    return known(max(roots, key=len, default=state.cwd) + "\n")


def _pgrep(_: Interpreter, run: Run) -> Flow:
    names = [word for word in run.words if not word.startswith("-")]
    return Flow(f"pid-of-{names[-1].replace(' ', '-')}\n") if names else Flow()


def _user(interpreter: Interpreter, run: Run) -> Flow:
    """Understand whoami: the name of the user, which is that of the home as a rule."""
    name = interpreter.state.value("USER")
    flow = modelled(interpreter, run)
    is_asked = run.name != "id" or set(run.words) & {"-un", "-nu"}
    return flow._replace(text=f"{name}\n") if is_asked and isinstance(name, str) else flow


def _yes(_: Interpreter, run: Run) -> Flow:
    if not run.is_sent:
        return NOTHING
    return known(f"{' '.join(run.words) or 'y'}\n").with_origins("endless")


SPECIALS = {
    "echo": _echo, "printf": _printf, "cat": _cat, "tac": _cat, "bat": _cat, "batcat": _cat,
    "base64": _base64, "base32": _base32, "xxd": _xxd, "openssl": _openssl, "rev": _rev,
    "tr": _tr, "gunzip": _unpacked, "zcat": _unpacked, "bunzip2": _unpacked, "bzcat": _unpacked,
    "xzcat": _unpacked, "unxz": _unpacked, "zstdcat": _unpacked, "lz4cat": _unpacked,
    "printenv": _environment, "mktemp": _mktemp, "dirname": _dirname, "basename": _dirname,
    "realpath": _realpath, "readlink": _realpath, "tee": _tee, "sponge": _tee,
    "ls": _ls, "expr": _expr,
    "git": _git, "whoami": _user, "logname": _user, "id": _user,
    "pgrep": _pgrep, "pidof": _pgrep, "yes": _yes, "sort": _passes,
    "uniq": _passes, "head": _passes, "tail": _passes, "grep": _passes, "egrep": _passes,
}  # fmt: skip
