"""Programs that run others on what they find: find, fd, xargs, parallel."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from hermes.policy.shell.effects import UNKNOWN, Effect
from hermes.policy.shell.flow import ANYTHING, Flow
from hermes.policy.shell.interpret import Interpreter
from hermes.policy.shell.run import Run

_TAKES = frozenset(
    {
        "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex",
        "-lname", "-type", "-xtype", "-mtime", "-mmin", "-atime", "-amin", "-ctime", "-cmin",
        "-newer", "-anewer", "-cnewer", "-size", "-perm", "-user", "-group", "-uid", "-gid",
        "-maxdepth", "-mindepth", "-links", "-inum", "-samefile", "-fstype", "-printf", "-used",
        "-context", "-regextype", "-newermt", "-newerct", "-newerat",
    }
)  # fmt: skip
_NAMES = frozenset({"-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename"})
_FILES = frozenset({"-fprint", "-fprint0", "-fls"})
_ENDS = frozenset({"-o", "-or", ")"})
_FIRST = frozenset({"-H", "-L", "-P", "-x", "-X", "-s", "-E", "-f"})
_RUNS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})


_PARALLEL = re.compile(r"-P ?(?:0|\d{3,})\b|--max-procs[= ](?:0|\d{3,})\b")


_ALL_AT_ONCE = re.compile(r"-j ?0\b|--jobs[= ]0\b")


def find(interpreter: Interpreter, run: Run) -> Flow:
    """Follow find: where it looks, what it does to what it finds."""
    words = list(run.words)
    starts: list[str] = []
    while words and (words[0] in _FIRST or not _is_expression(words[0])):
        word = words.pop(0)
        if not word.startswith("-"):
            starts.append(word)
    starts = starts or ["."]
    patterns = _patterns(starts, words)
    prints = True
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word in _RUNS:
            prints = False
            inner, at = _command_at(words, at)
            _each(interpreter, run, inner, patterns)
        elif word == "-delete":
            prints = False
            _delete(interpreter, run, words, patterns)
        elif word in _FILES or word == "-fprintf":
            interpreter.note(Effect("write", "".join(words[at : at + 1])), run.span)
            at += 2 if word == "-fprintf" else 1
        elif word in _TAKES:
            at += 1
    return Flow(None, tuple(patterns) if prints and "-printf" not in words else ())


def _is_expression(word: str) -> bool:
    return word.startswith("-") or word in ("(", ")", "!", ",")


def _patterns(starts: Sequence[str], words: Sequence[str]) -> list[str]:
    """Return what the files that are found look like; ``x/**`` is everything below x."""
    after = 0
    if "-prune" in words and "-o" in words[words.index("-prune") :]:
        after = words.index("-o", words.index("-prune"))
    names: list[str] = []
    for at, word in enumerate(words[:-1]):
        is_wanted = at >= after and not (at and words[at - 1] in ("!", "-not"))
        is_passed_over = words[at + 2 : at + 3] == ["-prune"] and {*words[at + 3 : at + 4]} & _ENDS
        if word in _NAMES and is_wanted and not is_passed_over:
            names.append(words[at + 1].rpartition("/")[2] or "*")
    if "-maxdepth" in words[:-1] and words[words.index("-maxdepth") + 1] == "0":
        return list(starts)
    if not names or "*" in names:
        return [f"{start.rstrip('/')}/**" for start in starts]
    return [f"{start.rstrip('/')}/**/{name}" for start in starts for name in names]


def _delete(
    interpreter: Interpreter, run: Run, words: Sequence[str], patterns: Sequence[str]
) -> None:
    if "-empty" in words and not {"-o", "-or"} & set(words):
        patterns = [p for p in patterns if p.startswith(("/", "~"))]
    for pattern in patterns:
        interpreter.note(Effect("delete", pattern), run.span)


def _command_at(words: Sequence[str], at: int) -> tuple[list[str], int]:
    inner: list[str] = []
    while at < len(words) and words[at] not in (";", "\\;"):
        if words[at] == "+" and inner and inner[-1] == "{}":
            break
        inner.append(words[at])
        at += 1
    return inner, at + 1


def _each(
    interpreter: Interpreter,
    run: Run,
    inner: Sequence[str],
    found: Sequence[str],
    mark: str = "{}",
    origins: frozenset[str] = frozenset(),
) -> Flow:
    """Run a command on what was found; its mark stands for each of them."""
    if not inner:
        return ANYTHING
    if any(mark in word for word in inner[1:]) or mark in inner[0]:
        flow = ANYTHING
        if any(word.endswith(f"/{mark}") for word in inner):  # names, as ls prints them
            found = [*found, *(item.rpartition("/")[2] for item in found if "/" in item)]
        for item in found[:8] or [UNKNOWN]:
            words = [word.replace(mark, item) for word in inner]
            flow = interpreter.run_words(words, run.span, is_sent=run.is_sent, origins=origins)
        return flow
    return interpreter.run_words([*inner, *found], run.span, is_sent=run.is_sent, origins=origins)


def xargs(interpreter: Interpreter, run: Run) -> Flow:
    """Follow xargs: what is piped in becomes operands."""
    words = list(run.words)
    mark, source = "", run.piped
    if "endless" in source.origins and _PARALLEL.search(" ".join(words)):
        what = "is a fork bomb: commands without end, all at once"
        interpreter.warn("process", what, run.span)
    splits = None
    while words and words[0].startswith("-") and len(words[0]) > 1:
        word = words.pop(0)
        if word == "--":
            break
        if word.startswith(("-I", "--replace", "-i")):
            value = word[2:] if word[:2] in ("-I", "-i") else word.partition("=")[2]
            mark = value or (words.pop(0) if word == "-I" and words else "{}")
        elif word in ("-0", "--null"):
            splits = "\0"
        elif word in ("-a", "--arg-file") and words:
            source = interpreter.content(words.pop(0), run.span)
        elif word in ("-n", "-P", "-L", "-s", "-d", "-E", "-l", "--max-args", "--max-procs",
                      "--delimiter", "--max-lines", "--max-chars", "--eof"):  # fmt: skip
            del words[:1]
    items = _items(source, "\n" if mark and splits is None else splits)
    if mark:
        return _each(interpreter, run, words, items, mark, source.origins)
    inner = words or ["echo"]
    return _each(interpreter, run, inner, items, "\0", source.origins)


def _items(source: Flow, separator: str | None = None) -> list[str]:
    if source.paths:
        return list(source.paths)
    if source.text is not None:
        parts = _unquoted(source.text, separator)[:200]
        return [part.strip("\n") for part in parts if part.strip()] or [""]
    return [UNKNOWN]


def _unquoted(text: str, separator: str | None) -> list[str]:
    """Return the parts of a text; where blanks part them, quotes hold them together."""
    if separator is None and ("'" in text or '"' in text):
        try:
            return shlex.split(text)
        except ValueError:
            return text.split()
    return text.split(separator)


_PARALLEL_TAKES = frozenset(
    {
        "-j", "--jobs", "-P", "-N", "-n", "--timeout", "--delay", "-S", "--joblog", "--tmpdir",
        "--results", "--colsep", "-C", "-I", "--retries", "-L", "--max-args", "-a",
    }
)  # fmt: skip


def parallel(interpreter: Interpreter, run: Run) -> Flow:
    """Follow GNU parallel: a command on each of what follows ``:::`` or is piped in."""
    words = list(run.words)
    items = _items(run.piped, "\n")
    if "endless" in run.piped.origins and _ALL_AT_ONCE.search(" ".join(words)):
        interpreter.warn("process", "is a fork bomb: commands without end, all at once", run.span)
    while words and words[0].startswith("-") and len(words[0]) > 1:
        word = words.pop(0)
        if word in _PARALLEL_TAKES and words:
            value = words.pop(0)
            if word == "-a":
                items = _items(interpreter.content(value, run.span), "\n")
            if word == "-S":
                interpreter.warn("infrastructure", f"runs commands on {value}", run.span)
    for mark in (":::", "::::", ":::+"):
        if mark in words:
            at = words.index(mark)
            items = words[at + 1 :] if mark != "::::" else [UNKNOWN]
            words = words[:at]
            break
    if not words:
        for item in items[:8]:
            interpreter.run_text(item, run.span, apart=True)
        return ANYTHING
    _on_each(interpreter, run, " ".join(words), items)
    return Flow(None, (), run.piped.origins)


def _on_each(interpreter: Interpreter, run: Run, text: str, items: list[str]) -> None:
    marks = ("{}", "{.}", "{/}", "{//}", "{/.}", "{#}", "{1}", "{2}")
    for item in items[:8]:
        made = text if any(mark in text for mark in marks) else f"{text} {{}}"
        for mark in marks:
            made = made.replace(mark, item)
        interpreter.run_text(made, run.span, apart=True)


_FD_TAKES = frozenset(
    {
        "-e", "-t", "-d", "-E", "-S", "-c", "-j", "-o", "-C", "--extension", "--type", "--size",
        "--max-depth", "--exclude", "--changed-within", "--changed-before", "--owner",
        "--base-directory",
    }
)  # fmt: skip


def fd(interpreter: Interpreter, run: Run) -> Flow:
    """Follow fd: find files, and run a command on them."""
    words, inner = list(run.words), list[str]()
    for flag in ("-x", "--exec", "-X", "--exec-batch"):
        if flag in words:
            at = words.index(flag)
            words, inner = words[:at], words[at + 1 :]
            break
    operands, endings, skips = list[str](), list[str](), ""
    for word in words:
        if skips:
            if skips in ("-e", "--extension"):
                endings.append(word)
            skips = ""
        elif word.startswith("-"):
            skips = word if word in _FD_TAKES else ""
        else:
            operands.append(word)
    starts = operands[1:] or ["."]
    is_all = not operands or operands[0] in (".", "", ".*")
    name = f"*.{endings[0]}" if endings else ("" if is_all else f"*{operands[0]}*")
    patterns = [f"{start.rstrip('/')}/**" + (f"/{name}" if name else "") for start in starts]
    if inner:
        marked = any("{" in word for word in inner)
        return _each(
            interpreter, run, [w for w in inner if w != ";"], patterns, "{}" if marked else "\0"
        )
    return Flow(None, tuple(patterns))


SPECIALS = {"find": find, "gfind": find, "bfs": find,
            "xargs": xargs, "gxargs": xargs, "parallel": parallel,
            "fd": fd, "fdfind": fd}  # fmt: skip
