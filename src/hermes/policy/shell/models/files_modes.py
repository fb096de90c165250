"""Describe programs that change who may do what with a file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, catastrophe, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.throwaway import is_scratch

_OPTION = re.compile(r"-[RvcfhHLP]+|--[a-z-]+(?:=.*)?", re.DOTALL)
_OCTAL = re.compile(r"[+=-]?0*([0-7]{1,4})")
_SETS_ID = re.compile(r"(?:^|,)[ugoa]*[+=][rwxX]*s")
_OPENS = re.compile(r"(?:^|,)(?:[ug]*[oa]+[ugoa]*)[+=][rxXst]*w|(?:^|,)[+=][rxX]*w[rxX]*x")
_SHUTS = re.compile(r"(?:^|,)(?:|a|u|ugo|ug|uo)(?:-[wxXst]*r|=(?:,|$))")


def _modes(call: Call) -> Iterator[Effect]:
    """Yield the files whose mode changes, and a danger for modes that open them to anyone."""
    options = [word for word in call.words if _OPTION.fullmatch(word)]
    operands = [word for word in call.words if not _OPTION.fullmatch(word)]
    is_recursive = any("R" in word if word[1] != "-" else word == "--recursive" for word in options)
    mode = ""
    if not any(word.startswith("--ref") for word in options) and operands:
        mode, *operands = operands
    for path in operands:
        yield Effect("write", path, is_recursive=is_recursive)
    shown = " ".join(operands)[:80]
    if _shuts(mode) and any(call.is_root(path) for path in operands):
        yield catastrophe("overwrite", "locks everyone out of the machine")
    if _sets_id(mode):
        yield danger("privilege", f"lets everyone run {shown} with its owner's rights")
    elif all(is_scratch(path) for path in operands):
        return
    elif _opens(mode):
        yield danger("privilege", f"lets everyone on this machine change {shown}")
    elif is_recursive and _shuts(mode):
        yield danger("overwrite", f"locks everyone out of {shown}")


def _sets_id(mode: str) -> bool:
    octal = _OCTAL.fullmatch(mode)
    if octal:
        return len(octal[1]) == 4 and octal[1][0] in "24367" and octal[1][0] != "0"
    return bool(_SETS_ID.search(mode))


def _opens(mode: str) -> bool:
    octal = _OCTAL.fullmatch(mode)
    if octal:
        digits = octal[1]
        # a sticky folder such as /tmp may be open to all
        return (
            len(digits) >= 3
            and digits[-1] in "2367"
            and not (len(digits) == 4 and digits[0] == "1")
        )
    return bool(_OPENS.search(mode))


def _shuts(mode: str) -> bool:
    octal = _OCTAL.fullmatch(mode)
    if octal and mode[:1] != "+":
        digits = octal[1].zfill(3)
        return digits[-3] in "0123"
    return bool(_SHUTS.search(mode))


def _attributes(call: Call) -> Iterator[Effect]:
    """Yield the files that chattr changes: its modes look like options."""
    paths = [word for word in call.words if word[:1] not in ("-", "+", "=")]
    is_deep = any(re.fullmatch(r"-\w*R\w*", word) for word in call.words)
    for path in paths:
        yield Effect("write", path, is_recursive=is_deep)
    if any(
        re.match(r"[+=-][a-zA-Z]*[iaAu]", word) and not re.fullmatch(r"-[RVf]+", word)
        for word in call.words
    ):
        yield danger("privilege", f"changes what even root may do with {' '.join(paths)[:80]}")


PROGRAMS = {
    "chmod|gchmod": Program(handler=_modes),
    "chown|gchown|chgrp|chcon": Program(
        "text write*",
        values="--from -u -r -t --user --role --type",
        options={"--reference": "read"},
        when={"--reference": "write*"},
    ),
    "chattr|chflags": Program(handler=_attributes),
    "setfacl": Program(
        "write*",
        values="-m -x --modify --remove --set",
        options={"-M|-X|--modify-file|--restore|--set-file": "read"},
        dry="--test",
    ),
}

RULES = """
    setfacl -m=o*|-m=*rwx*|-m=*,o*|-M|--set-file => privilege: gives others rights to {}
    setfacl -R|--recursive => privilege: changes the access lists of {}
    setfacl --restore => privilege: replaces access lists
    chown|gchown 0|0:*|root|root:* => privilege: gives {} to root
"""
