"""The folder that code runs in: filled before, looked through after, and removed."""

from __future__ import annotations

import base64
import binascii
import secrets
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field

from hermes.services.running.languages import Start

MOST_MEGABYTES = 1_024
MOST_FILES = 200
_LARGEST_IMAGE = 4 << 20
_OPEN = """\
__r=$PWD
__d="${{TMPDIR:-/tmp}}/{name}"
command mkdir -m 700 -- "$__d" && command mkdir -- "$__d/.hermes" || exit 125
__missing() {{ : > "$__d/.hermes/missing"; exit 127; }}
"""
_GUARD = """\
ulimit -f {blocks}
__left() {{ command df -Pk -- "$__d" "$__w" | while read -r _ _ _ __k _; do
  case $__k in *[!0-9]*|'') ;; *) printf '%s ' "$__k" ;; esac; done; }}
__full() {{
  __s=$(command du -sk -- "$__d"); __s=${{__s%%[!0-9]*}}
  [ "${{__s:-0}}" -gt {kilobytes} ] && {{ echo folder; return; }}
  set -- $__b
  for __k in $(__left); do
    [ $((${{1:-0}} - __k)) -gt {kilobytes} ] && {{ echo disk; return; }}
    shift
  done
}}
( exec </dev/null >/dev/null 2>&1; trap '' HUP INT TERM; __b=$(__left)
  while command sleep 1 && kill -0 $$; do
    __f=$(__full) && [ -n "$__f" ] && {{ echo "$__f" > "$__d/.hermes/full"; kill -KILL $$; }}
  done ) &
"""
_COLLECT = """\
( __d="${{TMPDIR:-/tmp}}/{name}"; builtin cd -- "$__d" 2>/dev/null || exit 0
[ -e .hermes/missing ] && echo missing
[ -e .hermes/full ] && command cat .hermes/full
[ -f .hermes/value ] && {{ printf 'value '; command base64 < .hermes/value | command tr -d '\\n'; \
printf '\\n'; }}
for __n in .hermes/figure-*.png; do
  [ -f "$__n" ] && [ "$(command wc -c < "$__n")" -le {largest} ] || continue
  printf 'figure '; command base64 < "$__n" | command tr -d '\\n'; printf '\\n'
done
command find . \\( -path ./.hermes -o -name node_modules -o -name __pycache__ \\) -prune -o \
-type f ! -path './main.*' -print | command sort | command head -n {most} |
while IFS= read -r __n; do
  printf 'file %s %s\\n' "$(command wc -c < "$__n")" "${{__n#./}}"; {keep}
done
builtin cd /; command chmod -R u+rwx -- "$__d"; command rm -rf -- "$__d" ) 2>/dev/null </dev/null
"""
_KEEP = (
    'command mkdir -p -- {0}/"$(command dirname -- "$__n")" && '
    'command cp -p -- "$__n" {0}/"$__n" && printf "kept\\n"'
)


@dataclass(frozen=True, slots=True)
class Found:
    """What code left behind."""

    value: str = ""
    figures: tuple[bytes, ...] = ()
    files: tuple[tuple[str, int], ...] = ()
    kept: int = 0
    marks: frozenset[str] = field(default_factory=frozenset)
    """``missing``: nothing runs the language. ``folder``, ``disk``: too much was written there."""


def name() -> str:
    """Return a name for the folder of one run."""
    return f"hermes-code-{secrets.token_hex(8)}"


def opening(folder: str, start: Start, use: str, cwd: str | None) -> str:
    """Return the shell text that fills a folder and becomes the code's program."""
    parts = [_OPEN.format(name=folder)]
    for path, text in start.files.items():
        end = f"END_{secrets.token_hex(8)}"
        parts.append(f"command cat > \"$__d/{path}\" <<'{end}' || exit 125\n{text}\n{end}\n")
    kilobytes = MOST_MEGABYTES << 10
    where = shlex.quote(cwd) if cwd else '"$__d"'
    parts.append(f"__w={where}\n{_GUARD.format(blocks=kilobytes, kilobytes=kilobytes)}{use}\n")
    parts.append(f'builtin cd -- "$__w" || exit 125\n{start.text}')
    return "".join(parts)


def collecting(folder: str, keep_in: str | None) -> str:
    """Return the shell text that tells what is in a folder, and removes it."""
    keep = _KEEP.format(shlex.quote(keep_in)) if keep_in else ":"
    return _COLLECT.format(name=folder, largest=_LARGEST_IMAGE, most=MOST_FILES, keep=keep)


def found(told: bytes) -> Found:
    """Read what was told of a folder."""
    value, figures, files, kept, marks = "", [], [], 0, set()
    for kind, rest in _lines(told):
        if kind == "value":
            value = _decoded(rest).decode("utf-8", "replace")
        elif kind == "figure":
            figures.append(_decoded(rest))
        elif kind == "file":
            size, _, path = rest.strip().partition(" ")
            files.append((path, int(size) if size.isdigit() else 0))
        elif kind == "kept":
            kept += 1
        elif kind in ("missing", "folder", "disk"):
            marks.add(kind)
    return Found(value, tuple(figures), tuple(files), kept, frozenset(marks))


def _lines(told: bytes) -> Iterator[tuple[str, str]]:
    for line in told.decode("utf-8", "replace").splitlines():
        kind, _, rest = line.partition(" ")
        yield kind, rest


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text)
    except (ValueError, binascii.Error):
        return b""
