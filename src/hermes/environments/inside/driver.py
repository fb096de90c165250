"""The program of a persistent shell: take a command, run it in the shell itself, tell its state.

Its descriptor 0 is a socket that no command ever sees. An order on it has the lengths of three
texts (the command, the folder it alone works in, what to set beforehand), how the names of its
three files end (input, output, errors), and then the texts. The answer is the exit code and the
folder, each ended by a NUL; after it the shell writes its state down, into two files by turns,
while nobody waits for it. What a command does to the shell (``exit``, ``exec``, ``set -e``) costs
at most the shell, which is started again with its last state.
"""

from __future__ import annotations

import os
import re
import stat
from typing import Dict, List, NamedTuple, Optional, Tuple

_SAVE = (
    "__h_save() { { builtin declare -p; builtin printf '\\0'; builtin declare -F; "
    "builtin printf '\\0'; builtin declare -f; builtin printf '\\0'; builtin alias -p; "
    "builtin printf '\\0'; builtin umask -p; builtin printf '\\0%s\\0%s\\0' \"$PWD\" \"$1\"; } "
    '>|"$2"; }'
)
_PARTS = 7
_LARGEST_STATE = 64 * 1024 * 1024
KEEPER = (
    "d=$1; shift; exec 9<&0 </dev/null; while :; do "
    '/bin/bash --norc --noprofile -c "$1" bash "$d" 0<&9 9<&-; '
    "printf 'gone\\0%d\\0' \"$?\" >&9; read -r again <&9 || exit; done"
)
"""Starts the shell, and starts it again when told to: what its commands left behind goes on."""

HEAD = 31
"""An order begins with three lengths of nine digits and the four letters its files end with."""

# One line, so that a command's own lines are counted from 1 in what bash says of them.
LOOP = (
    "__h_d=$1; shift; exec 198<&0 0</dev/null; shopt -s expand_aliases; "
    f'{_SAVE}; __h_code() {{ builtin return "$1"; }}; '
    "__h_p=1 __h_s=0 __h_k=1 __h_b= __h_l=0 __h_g=0; "
    'trap \'__h_save "$?" "$__h_d/left"\' EXIT; '
    "while :; do while :; do if [[ -n $__h_p ]]; then "
    '[[ -z $__h_b ]] || { builtin cd -- "$__h_b"; OLDPWD=$__h_q; __h_b=; }; '
    "[[ -n $__h_k ]] || __h_s=lost; __h_l=$__h_s __h_p=; "
    'builtin printf \'%s\\0%s\\0\' "$__h_s" "$PWD" >&198; '
    '__h_g=$((__h_g+1)); __h_save "$__h_g" "$__h_d/state.$((__h_g%2))"; fi; '
    f"LC_ALL=C IFS= builtin read -r -N {HEAD} -u 198 __h_x || builtin exit 0; "
    "__h_i=${__h_x:27:4}; "
    "__h_t= __h_w= __h_a=; "
    'LC_ALL=C IFS= builtin read -r -N "$((10#${__h_x:0:9}))" -u 198 __h_t; '
    "[[ ${__h_x:9:18} == 000000000000000000 ]] || { "
    'LC_ALL=C IFS= builtin read -r -N "$((10#${__h_x:9:9}))" -u 198 __h_w; '
    'LC_ALL=C IFS= builtin read -r -N "$((10#${__h_x:18:9}))" -u 198 __h_a; }; '
    "__h_p=1 __h_k= __h_s=0; "
    "[[ $- != *x* ]] || { builtin set +x; __h_t='builtin set -x; '$__h_t; }; "
    '[[ -z $__h_a ]] || builtin eval "$__h_a"; '
    '[[ -z $__h_w ]] || { __h_b=$PWD __h_q=${OLDPWD-}; builtin cd -- "$__h_w" || __h_t='
    "'builtin echo \"there is no folder $__h_w\" >&2; __h_code 126'; }; "
    '{ __h_k=1; __h_code "${__h_l/lost/1}" && :; builtin eval "$__h_t"; } '
    '<"$__h_d/i$__h_i" >"$__h_d/o$__h_i" 2>"$__h_d/e$__h_i" 198<&-; __h_s=$?; '
    "done; done"
)

ONCE = (
    "__h_d=$1; shift; shopt -s expand_aliases; "
    f'{_SAVE}; source "$__h_d.state" 2>/dev/null; __h_save 0 "$__h_d.before"; '
    'trap \'__h_save "$?" "$__h_d.left"\' EXIT; '
    "[[ ! -t 0 ]] || { exec 0<>/proc/self/fd/0; } 2>/dev/null; "
    'if [[ -e $__h_d.folder ]]; then IFS= read -r -d "" __h_w <"$__h_d.folder"; '
    'builtin cd -- "$__h_w" || exit 126; fi; '
    'IFS= builtin read -r -d "" __h_t <"$__h_d.text"; builtin eval "$__h_t"'
)
"""Run one command on a state that lies in a file, and leave the state in another."""

_RECORD = re.compile(r"declare -([-a-zA-Z]+) ([A-Za-z_][A-Za-z0-9_]*)")
_FUNCTION = re.compile(r"declare -(\w+) (.+)")
_ALIAS = re.compile(r"alias (?:-- )?(\S+?)=(?:'[^']*'|\\.)*\n")
_KEPT_BY_BASH = frozenset(
    "BASH BASHOPTS BASHPID BASH_ALIASES BASH_ARGC BASH_ARGV BASH_ARGV0 BASH_CMDS BASH_COMMAND"
    " BASH_EXECUTION_STRING BASH_LINENO BASH_LOADABLES_PATH BASH_REMATCH BASH_SOURCE BASH_SUBSHELL"
    " BASH_VERSINFO BASH_VERSION COMP_WORDBREAKS DIRSTACK EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME"
    " GROUPS HISTCMD HOSTNAME HOSTTYPE LINENO MACHTYPE OPTERR OPTIND OSTYPE PIPESTATUS PPID PWD"
    " RANDOM SECONDS SHELLOPTS SHLVL SRANDOM UID _".split()
)


_SWITCHES = {"BASHOPTS": ("shopt -s", "shopt -u"), "SHELLOPTS": ("set -o", "set +o")}
_FIXED = ("", "restricted_shell", "login_shell")


class State(NamedTuple):
    """What a shell keeps from one command to the next."""

    cwd: str = ""
    umask: str = ""
    aliases: str = ""
    variables: Tuple[Tuple[str, str], ...] = ()
    """Names, and the words that declare them."""
    functions: Tuple[Tuple[str, str], ...] = ()
    options: Tuple[Tuple[str, str], ...] = ()
    """The lists BASHOPTS and SHELLOPTS of what is switched on."""


class Told(NamedTuple):
    """What a shell has written down about itself."""

    state: State
    code: int


def read_state(data: bytes) -> Optional[Told]:
    """Read what a shell has written down; None if it was stopped while it wrote."""
    parts = data.decode("utf-8", "surrogateescape").split("\0")
    if len(parts) != _PARTS + 1:
        return None
    declared, names, bodies, aliases, umask, cwd, code = parts[:_PARTS]
    variables = _variables(declared)
    state = State(
        cwd,
        umask.strip(),
        aliases,
        tuple((name, words) for name, words in variables.items() if _is_users(name)),
        _functions(names, bodies),
        tuple((name, _switched_on(variables.get(name, ""))) for name in _SWITCHES),
    )
    return Told(state, int(code) if code.isdigit() else 1)


def read_told(path: str) -> Optional[Told]:
    """Read what a shell wrote down; what a command put in its place is not followed."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(fd, "rb") as file:
        facts = os.fstat(fd)
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > _LARGEST_STATE:
            return None
        return read_state(file.read())


def _switched_on(declaration: str) -> str:
    return declaration.partition('="')[2].rstrip('"')


def _variables(text: str) -> Dict[str, str]:
    found: Dict[str, List[str]] = {}
    name = ""
    for line in text.split("\n"):
        record = _RECORD.match(line)
        if record:
            name = record[2]
            found[name] = [line]
        elif name and line:
            found[name].append(line)  # older shells write a value's line breaks as they are
    return {name: "\n".join(lines) for name, lines in found.items()}


def _is_users(name: str) -> bool:
    return name not in _KEPT_BY_BASH and not name.startswith("__h_")


def _functions(names: str, bodies: str) -> Tuple[Tuple[str, str], ...]:
    """Cut the bodies apart: they come in the order of their names."""
    listed = [found.groups() for found in map(_FUNCTION.fullmatch, names.splitlines()) if found]
    starts, at = [], 0
    for _, name in listed:
        found = bodies.find(f"{name} () \n", at)
        if found < 0:
            return ()
        starts.append(found)
        at = found + 1
    ends = [*starts[1:], len(bodies)]
    cut = []
    for (flags, name), start, end in zip(listed, starts, ends):
        body = bodies[start:end].rstrip("\n")
        if not name.startswith("__h_"):
            cut.append((name, f"{body}\nexport -f {name}" if "x" in flags else body))
    return tuple(cut)


def quoted(text: str) -> str:
    """Return a text as one word of a shell."""
    return "'" + text.replace("'", "'\\''") + "'"


def restoring(state: State) -> str:
    """Return what a new shell runs to be in a state."""
    return "\n".join(
        (
            *(words for _, words in state.variables),
            *(body for _, body in state.functions),
            "builtin unalias -a",
            state.aliases,
            state.umask,
            *_going(state),
            *_switching(state.options),
        )
    )


def _going(state: State) -> List[str]:
    """Return what goes to the folder of a state, and knows the one before it."""
    if not state.cwd:
        return []
    before = dict(state.variables).get("OLDPWD", "builtin unset -v OLDPWD")
    return [f"builtin cd -- {quoted(state.cwd)}", before]


def _switching(options: Tuple[Tuple[str, str], ...]) -> List[str]:
    """Return what switches on exactly these options."""
    lines = []
    for name, listed in options:
        command = _SWITCHES[name]
        wanted = [word for word in listed.split(":") if word not in _FIXED]
        off = f"for __h_x in ${{{name}//:/ }}; do {command[1]} $__h_x 2>/dev/null; done"
        lines += [off, *(f"{command[0]} {word} 2>/dev/null" for word in wanted)]
    return lines


def changes(before: State, after: State) -> str:
    """Return what brings another shell's changes into a shell: only what differs."""
    lines = _changed(before.variables, after.variables, "builtin unset -v")
    lines += _changed(before.functions, after.functions, "builtin unset -f")
    aliases = _aliases(before.aliases), _aliases(after.aliases)
    lines += _changed(*aliases, "builtin unalias --")
    if after.umask != before.umask:
        lines.append(after.umask)
    if after.cwd != before.cwd:
        lines += _going(after)
    return "\n".join(lines + _switched(dict(before.options), dict(after.options)))


def _aliases(text: str) -> Tuple[Tuple[str, str], ...]:
    return tuple((found[1], found[0].rstrip("\n")) for found in _ALIAS.finditer(text))


def _switched(before: Dict[str, str], after: Dict[str, str]) -> List[str]:
    """Return what switches the options on and off that differ, and leaves the others."""
    lines = []
    for name, (on, off) in _SWITCHES.items():
        old, new = (set(listed.get(name, "").split(":")) for listed in (before, after))
        lines += [f"{on} {word} 2>/dev/null" for word in sorted(new.difference(old, _FIXED))]
        lines += [f"{off} {word} 2>/dev/null" for word in sorted(old.difference(new, _FIXED))]
    return lines


def _changed(
    before: Tuple[Tuple[str, str], ...], after: Tuple[Tuple[str, str], ...], unset: str
) -> List[str]:
    old, new = dict(before), dict(after)
    lines = [words for name, words in after if old.get(name) != words]
    return lines + [f"{unset} {name}" for name in old if name not in new]
