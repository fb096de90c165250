"""How code of each language is run, as text for a shell."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from importlib import resources
from typing import Literal

Name = Literal["python", "javascript", "typescript", "bash"]
_MODULE = re.compile(r"^\s*(?:import\s*[\w{*'\"]|export\s|await\s)", re.MULTILINE)
_STRIPS = (
    'const [a, b] = process.versions.node.split(".").map(Number); '
    'console.log(process.features.typescript ? "--no-warnings" : '
    'a > 22 || (a === 22 && b >= 6) ? "--experimental-strip-types --no-warnings" : "")'
)
_PYTHON = """\
__p="$__v/bin/python"; [ -x "$__p" ] || __p=$(command -v python3 || command -v python)
[ -n "$__p" ] || __missing
MPLBACKEND=Agg PYTHONDONTWRITEBYTECODE=1 exec "$__p" -u "$__d/.hermes/prelude.py" \
"$__d/main.py" "$__d/.hermes"
"""
_NODE = '__p=$(command -v node) || __missing\nexec "$__p" "$__d/{file}"\n'
_TYPESCRIPT = """\
__tsx() {{  # its own command wants a named socket, which no sandbox has
  [ -x "$1" ] || return 0
  __l=$(command readlink -f -- "$1"); __l=${{__l%/*}}/loader.mjs
  [ -f "$__l" ] && exec node --import "file://$__l" "$__d/main.ts"
  exec "$1" "$__d/main.ts"
}}
__tsx "$__v/node_modules/.bin/tsx"
if __p=$(command -v node) && __s=$("$__p" -e {strips}) && [ -n "$__s" ]; then
  exec "$__p" $__s "$__d/main.ts"
fi
__tsx "$__r/node_modules/.bin/tsx"
__tsx "$(command -v tsx)"
__p=$(command -v bun) && exec "$__p" run "$__d/main.ts"
__p=$(command -v deno) && exec "$__p" run -A "$__d/main.ts"
__p=$(command -v ts-node) && exec "$__p" "$__d/main.ts"
__missing
"""
_BASH = '__p=$(command -v bash) || __missing\nexec "$__p" "$__d/main.sh"\n'

MISSING = {
    "python": ("there is no `python3` here", "Install Python 3.8 or newer."),
    "javascript": ("there is no `node` here", "Install Node.js 18 or newer."),
    "typescript": (
        "nothing here runs TypeScript",
        'Call again with packages=["tsx"] (needs node and the network), or a person installs '
        "Node.js 22.6 or newer, tsx (npm install -g tsx), bun or deno.",
    ),
    "bash": ("there is no `bash` here", "Install bash."),
}
"""What is said when nothing runs a language, and what to do about it."""


@dataclass(frozen=True, slots=True)
class Start:
    """What is needed to run code: the files beside it, and what the shell does."""

    files: dict[str, str]
    text: str


def start(language: Name, code: str) -> Start:
    """Return how code is started.

    ``$__d`` is its folder, ``$__v`` that of its packages and ``$__r`` that of its task.
    """
    if language == "python":
        return Start({"main.py": code, ".hermes/prelude.py": _prelude()}, _PYTHON)
    if language == "javascript":
        file = "main.mjs" if _MODULE.search(code) else "main.cjs"
        return Start({file: code}, _NODE.format(file=file))
    if language == "typescript":
        return Start({"main.ts": code}, _TYPESCRIPT.format(strips=f"'{_STRIPS}'"))
    return Start({"main.sh": code}, _BASH)


@functools.cache
def _prelude() -> str:
    place = resources.files("hermes.services.running.inside") / "prelude.py"
    return place.read_text(encoding="utf-8")
