"""Look for what no profile allows in texts that a command may come to run.

What cannot be known is opaque, and a profile may let it pass. The floor may not be passed that way,
so every text that such a command could be made of is tried on the side, and only what lies beneath
the floor is kept.
"""

from __future__ import annotations

import codecs
import re
import shlex
from collections.abc import Iterable, Sequence
from itertools import islice

from hermes.base.optional import load
from hermes.policy.shell.effects import UNKNOWN, UNSET, catastrophe
from hermes.policy.shell.ending import end
from hermes.policy.shell.interpret import Interpreter
from hermes.policy.shell.judging import findings
from hermes.policy.shell.languages import LANGUAGES
from hermes.policy.shell.run import Run, Span

_SAYS = "says:"
_MOST = 8
_LONGEST = 500
_QUOTED = re.compile(
    r"\"((?:[^\"\\\n]|\\.){1,200})\"|'((?:[^'\\\n]|\\.){1,200})'|`([^`\n]{1,200})`"
)
_RUNS = re.compile(r"(?i)system|exec|popen|spawn|shell|command|cmd|process|\brun\b|\bscripts\b|\.!")
_INTO_SHELL = re.compile(r"[\"']\s*\|?\s*(?:/bin/)?(?:ba|da|z)?sh\s*[\"']")
_DELETES = re.compile(
    r"(?:\w*rmtree|remove_?tree|rm_rf?|[rR]emove_?[aA]ll|remove_?[dD]ir\w*|removeSync|rmSync"
    r"|rmdirSync|removeItem|REMOVE_RECURSE|delete_?[dD]ir\w*|deleteRecursively|force_?[dD]elete\w*"
    r"|cleanDirectory|deltree|delete-directory|promises.{0,3}\.(?:rm|unlink)\w*|Files(?:\.|::)delete\w*|(?<![\w.$])(?:rm|unlink|remove|delete)"
    r"|\b(?:os|fs|fse|File|FileUtils|Dir|Deno|sh|shutil|Path)\.(?:rm|remove|unlink|delete)\w*)\b"
)
_LISTS = re.compile(
    r"(?:walk\w*|listdir|scandir|glob|readdir\w*|children|each_child|\bfind|Pathname\.new|\bPath|\bFile"
    r"|Path\.of|Paths\.get|\w*Iterator|opendir|fromFile)\s*\("
)
_CALLS = re.compile(
    r"\b(?:system|exec\w*|popen\w*|Popen|spawn\w*|cmd|command|run|call|shell\w*|check_\w+)"
    r"[\s(\[]{1,4}(?=[\"'`bru])"
)
_HOME = re.compile(
    r"\$ENV\{HOME\}|ENV\[.HOME.\]|process\.env\.HOME|os\.environ\[.HOME.\]|\(getenv \"HOME\"\)"
    r"|\bhomedir\(\)|\bDir\.home\b|\bget_?env\(.HOME.\)|System\.getProperty\(.user\.home.\)"
    r"|require\(.os.\)\.homedir\(\)|System\.user_home!?(?:\(\))?"
)
_NUMBER = re.compile(r"[\d.]+$")
_OWN = re.compile(r"\.hermes\b|hermes_permissions\.yaml|HERMES_HOME")
_WRITES = re.compile(
    r"(?i)write|append|dump|unlink|remove|delete|rename|truncate|copy|symlink|[\"'][wa]b?\+?[\"']|>\s*[\"'E$]"
)
_PRINTS = {"lsblk": "/dev/sda", "findmnt": "/dev/sda", "blkid": "/dev/sda", "getent": "~",
           "df": "/dev/sda", "mount": "/dev/sda", "swapon": "/dev/sda"}  # fmt: skip
"""What programs print that name disks or homes."""
_SIXTH = re.compile(r"-f ?6\b|\$6\b|NF-1")
_LISTERS = frozenset({"du", "tree", "locate", "plocate", "mlocate", "rg", "ncdu", "dust", "lsattr"})
_CODED = re.compile(r"[A-Za-z0-9+/=\s]{8,}")
_PROSE = (".md", ".txt", ".rst", ".adoc", ".html")
_SIGNS = ("/", "~", "$", ":", "fork")
"""A command beneath the floor names a place or starts itself."""
_REMOVERS = frozenset({"rm", "grm", "/bin/rm", "/usr/bin/rm"})
_BARE = re.compile(f"{UNKNOWN}+/[/.*]*")
"""What is left of it when a variable is empty: the root."""
_GIVEN = re.compile(r"argv|ARGV|\$_\b|process\.argv|commandArgs")
_ARGUMENTS = 120


def spoken(run: Run) -> list[str]:
    """Return, as origins, the texts that what a program prints may be made of."""
    said = [name for name in run.piped.origins if name.startswith(_SAYS)]
    if run.piped.text and run.piped.text.strip():
        said.append(_SAYS + run.piped.text.strip()[:_LONGEST])
    said += [_SAYS + path for path in run.piped.paths[:_MOST]]
    name = _NUMBER.sub("", run.name.rpartition("/")[2])
    said += _told(name, run.words)
    if name in _PRINTS and not any(word.startswith("--output") for word in run.words):
        said.append(_SAYS + _PRINTS[name])
    if name in LANGUAGES:
        said += [_SAYS + text for word in run.words for text in _literals(word)]
    return said[:_MOST]


def _told(name: str, words: Sequence[str]) -> list[str]:
    """Return what a program may print by its words: hermes's processes, homes, a whole tree."""
    said = []
    if any("ermes" in word for word in words):
        said.append("pid-of-hermes")
    if name == "ps" and any("ppid" in word for word in words):
        said.append("hermes-pid")
    if "/etc/passwd" in words and _SIXTH.search(" ".join(words)):
        said.append("~")
    if name in _LISTERS:
        said += [word for word in words if word in ("/", "~", "/home", "/root")]
    return [_SAYS + one for one in said]


def heard(origins: Iterable[str]) -> list[str]:
    """Return the texts among origins."""
    return sorted(name[len(_SAYS) :] for name in origins if name.startswith(_SAYS))


def suspect(interpreter: Interpreter, texts: Sequence[str], span: Span) -> None:
    """Try texts as commands on the side, however they are written, and keep what none allows."""
    for text in texts[: 2 * _MOST]:
        for reading in _readings(text):
            other = interpreter.aside()
            other.run_text(reading, span)
            _keep(interpreter, other)


def suspect_words(interpreter: Interpreter, run: Run) -> None:
    """Try a command whose words are not all known with the texts that they may be made of."""
    words = (run.name, *run.words)
    if not any(UNKNOWN in word for word in words):
        return
    if UNKNOWN in run.name and _is_forced(run.words):
        try_words(interpreter, ("rm", *run.words), run)
    if UNSET in run.origins and run.name in _REMOVERS:
        _suspect_unset(interpreter, run)
    for text in heard(run.origins)[:_MOST]:
        text = interpreter.state.places.home if text == "~" else text
        filled = [part for word in words for part in _filled(word, text)]
        try_words(interpreter, filled, run)


def _suspect_unset(interpreter: Interpreter, run: Run) -> None:
    """Notice a tree that is the root when a variable that nobody set here is empty."""
    is_deep = any(re.match(r"-\w*[rR]|--recursive", word) for word in run.words)
    if not is_deep or not any(map(_BARE.fullmatch, run.words)):
        return
    if any(words[0] in ("source", ".") or words == ("eval", UNKNOWN) for words in interpreter.ran):
        return
    what = "deletes everything on the machine if a variable is empty; ${NAME:?} stops that"
    interpreter.note(catastrophe("delete", what), run.span)


def suspect_code(interpreter: Interpreter, run: Run, code: str, *, is_read: bool) -> None:
    """Try what code of a language may run or delete; ``is_read`` when its calls were followed."""
    code = _HOME.sub("'~'", code)
    texts = [f"rm -rf {_path(path)}" for path in _deleted(code, run.words)]
    texts += [" ".join(_literals(part)) for part in _calls(code, _CALLS)]
    if _INTO_SHELL.search(code) or (not is_read and _RUNS.search(code)):
        texts += [text for text in _literals(code) if " " in text or "(" in text]
    suspect(interpreter, list(dict.fromkeys(texts)), run.span)
    if _OWN.search(code) and _WRITES.search(code):
        interpreter.warn("privilege", "may change hermes's own policy", run.span)


def _path(path: str) -> str:
    return path if path == "~" else shlex.quote(path)


def suspect_files(interpreter: Interpreter, run: Run) -> None:
    """Try the code that this very command wrote before it has a program build or run it."""
    for path, flow in list(interpreter.state.files.items()):
        if flow.text and not path.endswith(_PROSE):
            suspect_code(interpreter, run, flow.text, is_read=path.endswith(".py"))


def _readings(text: str) -> list[str]:
    """Return a text, and what it says when read backwards, turned round or decoded."""
    found = [text, text[::-1], codecs.encode(text, "rot13")]
    if _CODED.fullmatch(text):
        kinds = ("base64", "hex")
        decoded = load("hermes.policy.shell.code.decode").decoded
        found += [made for made in (decoded(kind, text) for kind in kinds) if made]
    return [one for one in found if any(sign in one for sign in _SIGNS)]


def try_words(interpreter: Interpreter, words: Sequence[str], run: Run) -> None:
    """Try a command on the side, and keep what none allows."""
    other = interpreter.aside()
    other.run_words(words, run.span, piped=run.piped)
    _keep(interpreter, other)


def _keep(interpreter: Interpreter, other: Interpreter) -> None:
    end(other)
    for note in other.noted:
        if note.effect.category != "opaque" and any(
            one.severity == "floor" for one in findings([note], other.state)
        ):
            interpreter.noted.append(note)


def _filled(word: str, text: str) -> list[str]:
    """Return a word with its unknown part filled in; a whole word may become several."""
    if word == UNKNOWN:
        return text.split()
    return [word.replace(UNKNOWN, text.strip())]


def _is_forced(words: Sequence[str]) -> bool:
    """Say whether options ask for everything below to be taken, without a question."""
    flags = "".join(word for word in words if word.startswith("-") and word[:2] != "--")
    return "r" in flags.lower() and "f" in flags


def _literals(code: str) -> list[str]:
    found = [a or b or c for a, b, c in _QUOTED.findall(code[:20_000])]
    return [text.replace("\\n", "\n") for text in found]


def _deleted(code: str, words: Sequence[str]) -> list[str]:
    """Return the paths that code names where it deletes, or lists what it deletes."""
    if not _DELETES.search(code):
        return []
    found: list[str] = []
    for part in (*_calls(code, _DELETES), *_calls(code, _LISTS)):
        found += _literals(part)
    if _GIVEN.search(code):
        found += words
    return [text for text in found if text.startswith(("/", "~"))]


def _calls(code: str, names: re.Pattern[str]) -> list[str]:
    """Return what stands behind each of these names, up to the end of the call."""
    ends = (match.end() for match in islice(names.finditer(code), _MOST))
    return [code[end : end + _ARGUMENTS].partition(")")[0] for end in ends]
