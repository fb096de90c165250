"""How shells and interpreters take code."""

from __future__ import annotations

from typing import NamedTuple

SHELLS = (
    "bash", "sh", "dash", "zsh", "ksh", "ash", "fish", "mksh", "rbash", "csh", "tcsh",
    "yash", "oksh", "xonsh", "nu", "elvish",
)  # fmt: skip


class Language(NamedTuple):
    """How an interpreter takes code."""

    language: str
    inline: str
    """Options whose value is code."""
    values: str = ""
    """Other options that take a value."""
    first_is_code: bool = False
    """Whether the first operand is code, as for awk."""
    plain: str | None = None
    """The letters of options without a value, where code may stick to its option: ``-lne'…'``."""


LANGUAGES = {
    "python": Language("python", "-c", "-W -X -m -Q", plain="bBdEhiIOPqsSuvx"),
    "pypy": Language("python", "-c", "-W -X -m", plain="bBdEhiIOPqsSuvx"),
    "node": Language("node", "-e --eval -p --print -pe", "-r --require --import --loader"),
    "nodejs": Language("node", "-e --eval -p --print -pe", "-r --require"),
    "tsx": Language("node", "-e --eval", ""),
    "ts-node": Language("node", "-e --eval -p", "-P --project"),
    "ruby": Language("ruby", "-e", "-r -I -C -E", plain="aclnpsSvwW0123456789"),
    "perl": Language(
        "perl",
        "-e -E -ne -pe -nE -lne -lpe -pie -ane -lane",
        "-I -M -m",
        plain="aclnpsStTuUvwWX0123456789",
    ),
    "php": Language("php", "-r -B -R -E", "-d -c -f -S -t", plain="nqC"),
    "lua": Language("lua", "-e", "-l", plain="iEv"),
    "luajit": Language("lua", "-e", "-l", plain="iEv"),
    "Rscript": Language("r", "-e", ""),
    "R": Language("r", "-e", "-f --file"),
    "osascript": Language("osascript", "-e", "-l", plain=""),
    "pwsh": Language("powershell", "", "-f -File"),
    "powershell": Language("powershell", "", "-f -File"),
    "tclsh": Language("tcl", "", ""),
    "expect": Language("tcl", "-c", "-f"),
    "awk": Language("awk", "-e --source", "-F -v -f -i --assign --field-separator", True, plain=""),
    "gawk": Language("awk", "-e --source", "-F -v -f -i -l", True, plain=""),
    "mawk": Language("awk", "", "-F -v -f -W", True),
    "nawk": Language("awk", "", "-F -v -f", True),
    "jshell": Language("java", "", "-R --class-path"),
    "julia": Language("julia", "-e --eval -E", "-p -t", plain="iq"),
    "elixir": Language("elixir", "-e --eval", "-r -S"),
    "groovy": Language("groovy", "-e", ""),
    "scala": Language("scala", "-e", ""),
    "ocaml": Language("ocaml", "-e", "-I"),
    "swift": Language("swift", "-e", ""),
    "ghc": Language("haskell", "-e", ""),
    "erl": Language("erlang", "-eval", "-s -sname -name -pa -setcookie"),
    "kotlinc": Language("kotlin", "-e", "-cp -classpath -script"),
    "raku": Language("raku", "-e", "-I -M", plain="np"),
    "clojure": Language("clojure", "-e --eval", "-m --main -A -M -X -T"),
    "bb": Language("clojure", "-e --eval", "-m --main -cp"),
    "janet": Language("janet", "-e", "", plain=""),
    "crystal": Language("crystal", "eval", ""),
    "hy": Language("hy", "-c", "-m", plain="i"),
}


def language_of(name: str) -> str:
    """Return the language that an interpreter runs."""
    return LANGUAGES[name].language if name in LANGUAGES else "bash"
