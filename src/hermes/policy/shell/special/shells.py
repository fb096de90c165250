"""Shells and interpreters: text and code that runs as given, from a file, or from a pipe."""

from __future__ import annotations

import base64
import functools
import re

from hermes.policy.shell.effects import UNKNOWN, Effect
from hermes.policy.shell.flow import ANYTHING, Flow
from hermes.policy.shell.interpret import Interpreter
from hermes.policy.shell.languages import LANGUAGES, SHELLS, Language
from hermes.policy.shell.modelled import modelled
from hermes.policy.shell.models.packages_known import is_known_js
from hermes.policy.shell.models.throwaway import is_throwaway
from hermes.policy.shell.run import Run
from hermes.policy.shell.running import fed, run_code, run_script
from hermes.policy.shell.table import table


def shell(interpreter: Interpreter, run: Run) -> Flow:
    """Follow a shell: ``-c`` text, a script, or what is piped in."""
    words = list(run.words)
    at = 0
    while at < len(words) and words[at].startswith(("-", "+")):
        word = words[at]
        at += 1
        if word in ("--rcfile", "--init-file") and at < len(words):
            run_script(interpreter, run, words[at])
            at += 1
        elif word == "-n":
            return ANYTHING  # the text is checked, and not run
        elif word == "--":
            break
        elif word.startswith("--"):
            continue
        elif "c" in word:
            return _inline(interpreter, run, words[at + _named_options(word) :])
        elif word.startswith("-") and "s" in word:
            interpreter.state.arguments = [word for word in words[at:] if word != "--"]
            return fed(interpreter, run, "bash")
        at += _named_options(word)
    if at < len(words) and words[at] != "-":
        return run_script(interpreter, run, words[at], words[at + 1 :])
    return fed(interpreter, run, "bash")


def _named_options(word: str) -> int:
    """Return how many words behind a bundle such as ``-euo`` name an option of the shell."""
    return word.count("o") + word.count("O")


def _inline(interpreter: Interpreter, run: Run, rest: list[str]) -> Flow:
    while rest and rest[0].startswith("-") and len(rest) > 1 and " " not in rest[0]:
        rest = rest[1:]
    if not rest:
        return ANYTHING
    text = rest[0]
    if UNKNOWN in text and "network" in run.origins:
        interpreter.warn("network-exec", "runs text that comes from the network", run.span)
        return ANYTHING
    kept = interpreter.state
    interpreter.state = kept.copy()
    interpreter.state.arguments = rest[2:]
    if len(rest) > 1:
        interpreter.state.variables["0"] = rest[1]
    try:
        if re.search(r"\$0\s*[&|]", text):
            interpreter.warn("process", "is a fork bomb: a script that starts itself", run.span)
        return interpreter.run_text(text, run.span, piped=run.piped, is_exact=True)
    finally:
        interpreter.state = kept


def language(interpreter: Interpreter, run: Run) -> Flow:
    """Follow an interpreter: inline code, a script, a module, or what is piped in."""
    kind = LANGUAGES[run.name]
    words = run.words
    if words[:1] in (("--version",), ("-V",), ("--help",), ("-h",), ("-v",), ("-VV",)):
        return ANYTHING
    dangers = table().rules_of(run.name)
    if dangers is not None and words and words[0] in dangers.by_word:
        return modelled(interpreter, run)  # a namesake: swift, R CMD
    special = _MODES.get(run.name)
    if special is not None:
        flow = special(interpreter, run)
        if flow is not None:
            return flow
    return _generic(interpreter, run, kind)


def _generic(interpreter: Interpreter, run: Run, kind: Language) -> Flow:
    codes, rest = _given(run.words, kind)
    if any(word.startswith(("http://", "https://")) for word in _before(run.words, rest)):
        interpreter.warn("network-exec", "loads code from the network", run.span)
    for code in codes:
        if code == "-":
            return fed(interpreter, run, kind.language)
        if "network" in run.origins and UNKNOWN in code:
            interpreter.warn("network-exec", "runs code from the network", run.span)
        else:
            run_code(interpreter, run, kind.language, code)
    passed = Flow(None, (), run.piped.origins)
    if codes:
        _files(interpreter, run, rest, "\n".join(codes))
        return passed
    if kind.first_is_code:
        _program_of(interpreter, run, kind, rest)
        return passed
    if rest and rest[0] != "-":
        _run_file(interpreter, run, kind, rest)
        return passed
    if run.piped.text == "" and not rest:
        return ANYTHING  # an interactive prompt: nothing is said to it
    return fed(interpreter, run, kind.language)


def _run_file(interpreter: Interpreter, run: Run, kind: Language, rest: list[str]) -> None:
    """Follow the script that an interpreter is given, and what its name is known for."""
    if "--check" in _before(run.words, rest):
        return  # the text is checked, and not run
    if run.name == "powershell" and not rest[0].endswith(".ps1"):
        run_code(interpreter, run, kind.language, " ".join(rest))
        return
    run_script(interpreter, run, rest[0], rest[1:])
    name = rest[0].rpartition("/")[2]
    if table().knows(name):  # manage.py, artisan and their kin
        interpreter.rerun(run, [name, *rest[1:]])


def _before(words: tuple[str, ...], rest: list[str]) -> tuple[str, ...]:
    """Return the options of an interpreter and their values."""
    return words[: len(words) - len(rest)]


def _program_of(interpreter: Interpreter, run: Run, kind: Language, rest: list[str]) -> None:
    """Follow awk, whose first operand is its program unless ``-f`` names one."""
    words = run.words
    if "-f" in words[:-1]:
        if words[words.index("-f") + 1] in ("-", "/dev/stdin"):
            fed(interpreter, run, kind.language)
    elif {"-f-", "-f/dev/stdin", "--file=-", "--file=/dev/stdin"} & set(words):
        fed(interpreter, run, kind.language)
    elif rest:
        run_code(interpreter, run, kind.language, rest[0])
        _files(interpreter, run, rest[1:], rest[0])


_BLANKS = re.compile(r"^\s*(?:\$_\s*=\s*(?:\"\"|''|undef)|undef\s*\(?\$_\)?)\s*;?\s*$")
_BLANKS_ALL = re.compile(r"^\s*s(\W)(?:\^|\\A)?(?:\.|\[\\s\\S\])[*+](?:\$|\\z)?\1\1[a-z]*s?")


def _given(words: tuple[str, ...], kind: Language) -> tuple[list[str], list[str]]:
    """Return the inline code that options give, and the operands."""
    inline, values = kind.inline.split(), kind.values.split()
    at, codes = 0, list[str]()
    while at < len(words):
        word = words[at]
        if not word.startswith("-") or word == "-":
            break
        flag, equals, value = word.partition("=")
        at += 1
        if flag in inline and equals:
            codes.append(value)
        elif word in inline or _bundled(word, inline):
            codes.append("".join(words[at : at + 1]))
            at += 1
        elif word in values:
            at += 1
        elif (code := _glued(word, kind)) is not None:
            codes.append(code)
    return codes, list(words[at:])


@functools.cache
def _sticking(kind: Language) -> re.Pattern[str]:
    letters = "".join(flag[1] for flag in kind.inline.split() if len(flag) == 2)
    return re.compile(
        rf"-[{kind.plain}]*[{letters}](.+)" if kind.plain else rf"-[{letters}](.+)", re.S
    )


def _glued(word: str, kind: Language) -> str | None:
    """Return code that sticks to its option, as in ``-e'print 1'``."""
    if kind.plain is None or word.startswith("--"):
        return None
    found = _sticking(kind).fullmatch(word)
    return found[1] if found else None


def _utf16(code: str) -> str:
    """Return what ``-EncodedCommand`` stands for."""
    try:
        return base64.b64decode(code + "==").decode("utf-16-le")
    except ValueError:
        return UNKNOWN


def _bundled(word: str, inline: list[str]) -> bool:
    """Say whether ``-lne`` ends in an option that takes code."""
    return (
        not word.startswith("--")
        and len(word) > 2
        and f"-{word[-1]}" in inline
        and word.isascii()
        and word[1:].replace(".", "").isalnum()
        and "-e" in inline
    )


def _files(interpreter: Interpreter, run: Run, paths: list[str], code: str) -> None:
    """Write down the files that inline code works on; ``-i`` writes them."""
    in_place = any(re.match(r"-[a-df-zA-DF-Z0-9]*i", word) for word in run.words if word[:1] == "-")
    is_writing = in_place and run.name in ("perl", "ruby", "gawk", "awk")
    if re.fullmatch(r"rm_r?f;?", code.strip()):  # ExtUtils::Command
        for path in paths:
            interpreter.note(Effect("delete", path, is_recursive=True), run.span)
    for path in paths:
        if "=" not in path:
            interpreter.note(Effect("write" if is_writing else "read", path), run.span)
            if is_writing and _leaves_nothing(run, code) and not is_throwaway(path):
                interpreter.warn("delete", f"empties {path}", run.span)


def _leaves_nothing(run: Run, code: str) -> bool:
    """Say whether code that changes files in place prints none of their lines."""
    if run.name in ("awk", "gawk"):
        return code.strip() in ("", "0", "{}", "{ }", "BEGIN{}")
    flags = "".join(word[1:] for word in run.words if re.fullmatch(r"-[a-zA-Z0-9.]+", word))
    if "n" in flags and "p" not in flags:
        return not re.search(r"print|say|puts|write|system|p\b", code)
    return bool(_BLANKS.search(code)) or ("0" in flags and bool(_BLANKS_ALL.search(code)))


def _php(interpreter: Interpreter, run: Run) -> Flow | None:
    """Follow PHP's own web server, which shows a folder to whoever asks."""
    words = run.words
    if "-S" in words and "-t" in words[:-1]:
        path = words[words.index("-t") + 1]
        interpreter.note(Effect("read", path, is_recursive=True), run.span)
    return None


def _python(interpreter: Interpreter, run: Run) -> Flow | None:
    words = run.words
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] not in ("-c", "-", "-m"):
        at += 2 if words[at] in ("-W", "-X") else 1
    if at < len(words) - 1 and words[at] == "-m":
        return _module(interpreter, run, words[at + 1], words[at + 2 :])
    return None


def _module(interpreter: Interpreter, run: Run, module: str, rest: tuple[str, ...]) -> Flow:
    """Follow ``python -m``: modules that are programs, and a few that run code."""
    if module in ("venv", "virtualenv"):
        for path in (word for word in rest if not word.startswith("-")):
            interpreter.note(Effect("write", path), run.span)
    elif module in ("timeit", "pdb", "cProfile", "trace"):
        for code in (word for word in rest if " " in word or "(" in word):
            run_code(interpreter, run, "python", code.lstrip("!"))
    elif module == "http.server":
        for flag in {"-d", "--directory"} & set(rest[:-1]):
            path = rest[rest.index(flag) + 1]
            interpreter.note(Effect("read", path, is_recursive=True), run.span)
    elif module in ("json.tool", "zipfile", "tarfile", "base64", "gzip", "tokenize", "ast"):
        for path in (word for word in rest if not word.startswith("-")):
            interpreter.note(Effect("read", path), run.span)
    elif module not in ("site", "this"):
        name = module.split(".")[0]
        return interpreter.run_words([name, *rest], run.span, piped=run.piped)
    return Flow(None, (), run.piped.origins)


_LAX = re.compile(r"(?i)bypass|unrestricted")


def _powershell(interpreter: Interpreter, run: Run) -> Flow | None:
    """Follow PowerShell: its options have any case and length, and all behind one is code."""
    for at, word in enumerate(run.words):
        flag = word.lower().replace("/", "-", 1)
        rest = " ".join(run.words[at + 1 :])
        if flag in ("-executionpolicy", "-ep", "-exec", "-ex") and _LAX.match(rest):
            interpreter.warn("privilege", "weakens the execution policy", run.span)
        if flag == "-" or (flag.startswith("-c") and "-command".startswith(flag)):
            if flag == "-" or rest == "-":
                return fed(interpreter, run, "powershell")
            run_code(interpreter, run, "powershell", rest)
            return ANYTHING
        if flag in ("-ec", "-enc") or (len(flag) > 1 and "-encodedcommand".startswith(flag)):
            run_code(interpreter, run, "powershell", _utf16(rest))
            return ANYTHING
        if not flag.startswith("-") and " " in word:
            run_code(interpreter, run, "powershell", " ".join(run.words[at:]))
            return ANYTHING
    return None


def _ruby(interpreter: Interpreter, run: Run) -> Flow | None:
    """Follow ``ruby -run -e rm -- -r x``: the library un has commands for code."""
    if "-run" not in run.words or "-e" not in run.words[:-1]:
        return None
    at = run.words.index("-e") + 1
    if run.words[at] == "httpd":  # a web server in one line
        path = run.words[at + 1] if len(run.words) > at + 1 else "."
        interpreter.note(Effect("read", path, is_recursive=True), run.span)
        return None
    return interpreter.rerun(run, [word for word in run.words[at:] if word != "--"])


def _deno(interpreter: Interpreter, run: Run) -> Flow:
    words = [word for word in run.words if not word.startswith("-") or word == "-"]
    if not words:
        return ANYTHING
    verb = words[0]
    if verb in ("run", "x", "serve") and words[1:2] and words[1].startswith(("npm:", "jsr:")):
        if not is_known_js(words[1].partition(":")[2]):
            interpreter.warn("network-exec", f"fetches and runs {words[1]}", run.span)
        return ANYTHING
    if verb == "eval" and len(words) > 1:
        run_code(interpreter, run, "node", words[1])
    elif verb in ("run", "x") and len(words) > 1:
        run_script(interpreter, run, words[1])
    elif verb in ("install", "publish", "deploy", "upgrade"):
        category = "publish" if verb in ("publish", "deploy") else "overwrite"
        interpreter.warn(category, f"has deno {verb}", run.span)  # type: ignore[arg-type]
    return ANYTHING


def _bun(interpreter: Interpreter, run: Run) -> Flow:
    if run.words[:1] in (("-e",), ("--eval",), ("-p",)) and len(run.words) > 1:
        run_code(interpreter, run, "node", run.words[1])
        return ANYTHING
    return modelled(interpreter, run)


def _java(interpreter: Interpreter, run: Run) -> Flow:
    """Follow java: a jar is a program of its own."""
    if "-jar" in run.words[:-1]:
        at = run.words.index("-jar") + 1
        name = run.words[at].rpartition("/")[2].removesuffix(".jar")
        interpreter.rerun(run, [name, *run.words[at + 1 :]])
    return modelled(interpreter, run)


_MODES = {
    "python": _python,
    "pypy": _python,
    "php": _php,
    "ruby": _ruby,
    "pwsh": _powershell,
    "powershell": _powershell,
}

SPECIALS = {
    **dict.fromkeys(SHELLS, shell),
    **dict.fromkeys(LANGUAGES, language),
    "deno": _deno,
    "bun": _bun,
    "java": _java,
}
