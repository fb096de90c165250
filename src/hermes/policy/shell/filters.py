"""What filters make of a text that is known: cut, sed, awk, head, tail and their kin.

Only the plain uses are followed; for all others the answer is that nobody knows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from hermes.policy.shell.grammar.escapes import unescaped
from hermes.policy.shell.run import Run

_LONGEST = 20_000
_LONGEST_LINE = 500
_REPEATS = re.compile(r"(?<!\\)[*+{?]|\\[+{?]")
_SED = re.compile(
    r"\s*(\d+|\$)?(?:,(\d+|\$))?\s*"
    r"(?:([dpq])|([sy])([^\w\s\\])((?:\\.|(?!\5).)*)\5((?:\\.|(?!\5).)*)\5(g?)p?)\s*(?:;|\n|$)",
    re.DOTALL,
)
_PRINT = re.compile(r"(?:BEGIN\s*)?\{\s*printf?\b\s*([^{}|>]*?);?\s*\}")
_PIECE = re.compile(r"\s*(?:\$(\d+|NF)|\"((?:[^\"\\]|\\.)*)\"|(,))")
_COUNT = re.compile(r"-(?:n|c)?([+]?\d+)$")


def filtered(run: Run) -> str | None:
    """Return what a filter prints of a text that is known, or None when that is not certain."""
    text = run.piped.text
    work = _FILTERS.get(run.name.rpartition("/")[2])
    if work is None or text is None or len(text) > _LONGEST:
        return None
    try:
        return work(run.words, text)
    except (ValueError, IndexError, re.error):
        return None


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def _joined(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _count(words: Sequence[str]) -> tuple[str, str]:
    """Return what head and tail count, ``n`` or ``c``, and how many."""
    given = "".join(words) or "-n10"
    match = _COUNT.match(given)
    if match is None:
        raise ValueError(given)
    return ("c" if given.startswith("-c") else "n"), match[1]


def _head(words: Sequence[str], text: str) -> str:
    kind, number = _count(words)
    size = int(number)
    return text[:size] if kind == "c" else _joined(_lines(text)[:size])


def _tail(words: Sequence[str], text: str) -> str:
    kind, number = _count(words)
    size = int(number)
    if kind == "c":
        return text[size - 1 :] if number[0] == "+" else text[-size:]
    return _joined(_lines(text)[size - 1 :] if number[0] == "+" else _lines(text)[-size:])


def _sort(words: Sequence[str], text: str) -> str | None:
    if words not in ((), ("-r",), ("-u",)):
        return None
    lines = sorted(_lines(text), reverse="-r" in words)
    return _joined(list(dict.fromkeys(lines)) if "-u" in words else lines)


def _uniq(words: Sequence[str], text: str) -> str | None:
    return _joined(list(dict.fromkeys(_lines(text)))) if not words else None


def _paste(words: Sequence[str], text: str) -> str | None:
    match = re.fullmatch(r"-s(?:-?d(.?))?(-)?", "".join(words), re.DOTALL)
    return (match[1] or "\t").join(_lines(text)) + "\n" if match else None


def _cut(words: Sequence[str], text: str) -> str | None:
    options = re.match(r"-(?:d(.))?-?([bcf])([\d,-]+)(?:-d(.))?$", "".join(words))
    if options is None:
        return None
    sign = options[1] or options[4] or "\t"
    is_field = options[2] == "f"
    made = []
    for line in _lines(text):
        parts = line.split(sign) if is_field else list(line)
        kept = [part for at, part in enumerate(parts, 1) if _is_chosen(at, options[3])]
        made.append((sign if is_field else "").join(kept))
    return _joined(made)


def _is_chosen(at: int, ranges: str) -> bool:
    for one in ranges.split(","):
        first, dash, last = one.partition("-")
        low, high = int(first or 1), int(last) if last else (10**9 if dash else int(first))
        if low <= at <= high:
            return True
    return False


def _sed(words: Sequence[str], text: str) -> str | None:
    """Return what sed prints for scripts of ``s``, ``y``, ``d``, ``p`` and ``q``."""
    is_quiet = "-n" in words
    is_extended = "-E" in words or "-r" in words
    rest = [word for word in words if word not in ("-n", "-E", "-r", "-e", "--")]
    if len(rest) != 1 or rest[0].startswith("-"):
        return None
    steps, at = [], 0
    while at < len(rest[0]):
        step = _SED.match(rest[0], at)
        if step is None:
            return None
        steps.append(step)
        at = step.end()
    lines = _lines(text)
    if any(map(_is_costly, steps)) or max(map(len, lines)) > _LONGEST_LINE:
        return None
    made: list[str] = []
    for number, line in enumerate(lines, 1):
        made += _edited(steps, line, (number, len(lines)), is_extended, is_quiet=is_quiet)
    return _joined(made)


def _is_costly(step: re.Match[str]) -> bool:
    """Say whether matching may take long: one part that repeats is quick, several may not be."""
    return step[4] == "s" and len(_REPEATS.findall(step[6])) > 1


def _edited(
    steps: list[re.Match[str]], line: str, place: tuple[int, int], extended: bool, *, is_quiet: bool
) -> list[str]:
    printed: list[str] = []
    for step in steps:
        if not _is_addressed(step, place):
            continue
        if step[3] == "d":
            return printed
        if step[3] == "p":
            printed.append(line)
        elif step[4] == "y":
            line = line.translate(str.maketrans(unescaped(step[6]), unescaped(step[7])))
        elif step[4] == "s":
            pattern = re.compile(step[6] if extended else _extended(step[6]))
            new = re.sub(r"(?<!\\)&", r"\\g<0>", step[7]).replace("\\/", "/")
            line = pattern.sub(new, line, count=0 if step[8] else 1)
    return printed if is_quiet else [*printed, line]


def _is_addressed(step: re.Match[str], place: tuple[int, int]) -> bool:
    number, last = place
    if step[1] is None:
        return True
    first = last if step[1] == "$" else int(step[1])
    end = first if step[2] is None else (last if step[2] == "$" else int(step[2]))
    return first <= number <= end


def _extended(pattern: str) -> str:
    """Return a basic regular expression as an extended one."""
    swapped = re.sub(r"\\?[(){}+?|]", lambda m: m[0][1:] if len(m[0]) > 1 else f"\\{m[0]}", pattern)
    return swapped.replace("\\/", "/")


def picked(text: str, pattern: str) -> str | None:
    """Return what the brackets of a basic regular expression pick from the start of a text."""
    if len(text) > _LONGEST_LINE or len(_REPEATS.findall(pattern)) > 1:
        return None
    try:
        match = re.match(_extended(pattern), text)
    except re.error:
        return None
    return match[1] if match and match.re.groups else None


def _awk(words: Sequence[str], text: str) -> str | None:
    """Return what awk prints for one ``{print …}`` of fields and texts."""
    match = re.fullmatch(r"(?:-F(.))?", "".join(words[:-1]))
    script = _PRINT.fullmatch(words[-1].strip()) if words and match else None
    if script is None or match is None:
        return None
    lines = [""] if words[-1].strip().startswith("BEGIN") else _lines(text)
    made = []
    for line in lines:
        fields = line.split(match[1])
        made.append(_pieces(script[1], line, fields))
    return _joined(made)


def _pieces(written: str, line: str, fields: list[str]) -> str:
    if not written:
        return line
    made, at = "", 0
    while at < len(written):
        piece = _PIECE.match(written, at)
        if piece is None:
            raise ValueError(written)
        at = piece.end()
        if piece[3]:
            made += " "
        elif piece[2] is not None:
            made += unescaped(piece[2])
        else:
            number = len(fields) if piece[1] == "NF" else int(piece[1])
            made += line if number == 0 else "".join(fields[number - 1 : number])
    return made


_FILTERS: dict[str, Callable[[Sequence[str], str], str | None]] = {
    "head": _head, "tail": _tail, "sort": _sort, "uniq": _uniq, "paste": _paste, "cut": _cut,
    "sed": _sed, "gsed": _sed, "awk": _awk, "gawk": _awk, "mawk": _awk,
}  # fmt: skip
