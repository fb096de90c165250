"""Describe programs that edit text by a script of their own: sed, yq."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program, told_apart

_SED = Program(
    values="-e -f -l -I --expression --file --line-length",
)
_EVERY_LINE = re.compile(r"\s*(?:[01]\s*,\s*\$)?\s*d\s*|/(?:\^|\$|\^?\.[*+]?\$?|\^\.\*)/\s*d\s*")
_IN_PLACE = re.compile(r"(-[nErsuz]*)i(.*)", re.DOTALL)


def _sed_words(words: tuple[str, ...]) -> Iterator[str]:
    """Yield sed's words with the suffix of -i taken off: it would read as more options."""
    after_in_place = False
    for word in words:
        found = _IN_PLACE.fullmatch(word)
        if after_in_place and not word:
            after_in_place = False
            continue
        after_in_place = word in ("-i", "-I") or bool(found and not found[2])
        if found:
            if len(found[1]) > 1:
                yield found[1]
            yield "-i"
            # GNU reads -ie as a suffix, people mean -i -e: both edit the files in place
        elif word.startswith(("-I", "--in")):
            yield "-i"
        else:
            yield word


def _sed(call: Call) -> Iterator[Effect]:
    call = told_apart("sed", tuple(_sed_words(call.words)), _SED)
    operands = list(call.operands)
    scripts = list(call.values("-e", "--expression"))
    files = call.values("-f", "--file")
    if not scripts and not files and operands:
        scripts, operands = operands[:1], operands[1:]
    for path in files:
        yield Effect("read", path)
    if scripts:
        yield Effect("code", "\n".join(scripts), what="sed")
    is_written = call.has("-i")
    for path in operands:
        if is_written and any(map(_EVERY_LINE.fullmatch, scripts)):
            yield danger("delete", f"empties {path}")
        yield Effect("write" if is_written else "read", path)


def _yq(call: Call) -> Iterator[Effect]:
    operands = list(call.operands)
    if operands and operands[0] in ("e", "eval", "ea", "eval-all", "r", "read", "w", "write"):
        is_old_write = operands[0] in ("w", "write")
        operands = operands[1:]
        if is_old_write:
            operands = ["", *operands[:1]]
    is_written = call.has("-i", "--inplace", "--in-place")
    if not call.has("--from-file", "--expression"):
        operands = operands[1:]
    for path in operands:
        yield Effect("write" if is_written else "read", path)


PROGRAMS = {
    "sed|gsed|ssed": Program(values=_SED.values, handler=_sed),
    "yq": Program(
        values="-o -p -I --output-format --input-format --indent --arg --argjson",
        options={"--from-file|-f": "read"},
        handler=_yq,
    ),
    "sd": Program("text text write*", values="-f -n --flags", dry="-p --preview -s"),
    "sad|fastmod|codemod|comby|ast-grep|jscodeshift|gritql": Program("text*"),
    "perltidy|indent|astyle|clang-format|uncrustify": Program(
        "read*", when={"-i|-b|--in-place": "write*"}, options={"-o": "write"}
    ),
}
