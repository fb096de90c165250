"""What of a task's state a command with more power may be given: values, and nothing that runs."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hermes.base.code_names import runs_code
from hermes.environments.inside.driver import State, quoted

_VALUE = re.compile(
    r"declare -([-ilrux]+) ([A-Za-z_][A-Za-z0-9_]*)="
    r"(?:\"((?:[^\"\\$`]|\\.)*)\"|\$'((?:[^'\\]|\\.)*)')",
    re.DOTALL,
)
_UMASK = re.compile(r"umask [0-7]{1,4}")


def bare(state: State, variables: Mapping[str, str]) -> State:
    """Return the folder, the mask and the plain variables of a state.

    Everything in a box can change what its shell wrote down, so only what bash itself could have
    written of a value is taken: no function, alias or option, nothing that programs run, and the
    search path that the task was given.
    """
    kept = [(name, words) for name, words in state.variables if _is_value(name, words)]
    kept = [each for each in kept if each[0] != "PATH"]
    if "PATH" in variables:
        kept.append(("PATH", f"declare -x PATH={quoted(variables['PATH'])}"))
    return State(
        state.cwd, state.umask if _UMASK.fullmatch(state.umask) else "", variables=tuple(kept)
    )


def _is_value(name: str, words: str) -> bool:
    found = _VALUE.fullmatch(words)
    if found is None or found[2] != name:
        return False
    return not runs_code(name, found[3] or found[4] or "")
