"""What the shell would know while a command runs: variables, functions, folder, files it made."""

from __future__ import annotations

import os.path
from typing import NamedTuple

from hermes.policy.paths import Places
from hermes.policy.shell.effects import UNKNOWN
from hermes.policy.shell.flow import Flow, known
from hermes.policy.shell.grammar.nodes import Script

OWN_PROCESS = "own-pid"
"""What ``$!`` and ``$$`` expand to: a process that this very command started."""

HERMES_PROCESS = "hermes-pid"
"""What ``$PPID`` expands to: whoever started the shell."""

_USUAL = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "SHELL": "/bin/bash", "EDITOR": "vi", "VISUAL": "vi", "PAGER": "less", "PYTHON": "python3",
    "CC": "cc", "CXX": "c++", "MAKE": "make", "NODE": "node", "TMPDIR": "/tmp", "TMP": "/tmp",
    "TEMP": "/tmp", "IFS": " \t\n", "RANDOM": "0", "SECONDS": "0", "LINENO": "0", "UID": "1000",
    "EUID": "1000", "HOSTNAME": "localhost", "OSTYPE": "linux-gnu",
    "BASH": "/bin/bash", "XDG_RUNTIME_DIR": "/run/user/1000", "NPROC": "4", "GREP": "grep",
    "SED": "sed", "AWK": "awk", "PYTHON3": "python3", "PIP": "pip", "GO": "go", "CARGO": "cargo",
    "DOCKER": "docker", "KUBECTL": "kubectl", "BASHPID": OWN_PROCESS, "EPOCHSECONDS": "0",
}  # fmt: skip

_SERVICE_PIDS = ("/var/run/", "/run/", "/var/lib/", "/usr/local/var/")
"""Where services of the machine keep the numbers of their processes."""

Value = str | list[str]


class Place(NamedTuple):
    """Where a command would run."""

    cwd: str
    places: Places


class State:
    """The shell's memory; a subshell works on a copy of it."""

    def __init__(self, place: Place) -> None:
        self.places = place.places
        self.cwd = place.cwd
        home = place.places.home
        self.variables: dict[str, Value] = {
            "HOME": home,
            "USER": home.rpartition("/")[2],
            "LOGNAME": home.rpartition("/")[2],
            "OLDPWD": place.cwd,
            "HERMES_HOME": place.places.state,
        }
        self.origins: dict[str, frozenset[str]] = {}
        """Where the values of variables came from."""
        self.references: dict[str, str] = {}
        """Variables that stand for another (``declare -n``)."""
        self.copies: dict[str, str] = {}
        """Programs that this command gave another name, by absolute path."""
        self.functions: dict[str, Script] = {}
        self.aliases: dict[str, str] = {}
        self.arguments: list[str] = []
        self.files: dict[str, Flow] = {}
        """What this command itself wrote, by absolute path."""
        self.made: dict[str, int] = {}
        """Files and folders that were not there before, with the number of effects before them."""
        self.links: dict[str, str] = {}
        """Symbolic links that this command made, and where they lead."""
        self.renamed: dict[str, str] = {}
        """What this command gave another name, by its new one."""
        self.moved: set[str] = set()
        """Where this command put things out of the workspace."""
        self.placed: set[str] = set()
        """Where this command put things of the workspace that were there before."""
        self.fetched: set[str] = set()
        """Folders whose content came from the network."""
        self.poured: set[str] = set()
        """Folders of the workspace where files came to from the network, nobody knows which."""
        self.started: set[str] = set()
        """Scripts of this command's own that are running."""
        self.missed: set[str] = set()
        """Variables that were asked for before anybody set them."""
        self.unset: set[str] = set()
        """Variables that this command took away."""

    def copy(self) -> State:
        """Return a state for a subshell: it sees everything and changes only its own."""
        other = object.__new__(State)
        other.places, other.cwd = self.places, self.cwd
        other.variables, other.origins = dict(self.variables), dict(self.origins)
        other.functions, other.aliases = dict(self.functions), dict(self.aliases)
        other.arguments = list(self.arguments)
        other.references, other.copies = self.references, self.copies
        other.moved, other.links, other.placed = self.moved, self.links, self.placed
        other.files, other.made, other.fetched = self.files, self.made, self.fetched
        other.poured, other.renamed = self.poured, self.renamed
        other.unset, other.started, other.missed = set(self.unset), self.started, self.missed
        return other

    def aside(self) -> State:
        """Return a state to try something out on: not even the files it makes are remembered."""
        other = self.copy()
        other.files, other.made, other.fetched = (
            dict(self.files),
            dict(self.made),
            set(self.fetched),
        )
        other.links, other.moved = dict(self.links), set(self.moved)
        other.renamed = dict(self.renamed)
        other.placed, other.missed = set(self.placed), set(self.missed)
        other.references, other.copies = dict(self.references), dict(self.copies)
        return other

    def value(self, name: str) -> Value:
        """Return a variable's value, or ``UNKNOWN`` for one that nobody here set."""
        found = self.variables.get(self.references.get(name, name))
        if found is not None:
            return found
        if name in self.unset:
            return ""
        if name == "PWD":
            return self.cwd
        if name.isdecimal():
            return self._argument(int(name))
        if name in "@*" and name:
            return list(self.arguments)
        if name in ("!", "$"):
            return OWN_PROCESS
        if name == "#":
            return str(len(self.arguments))
        if name in "?-" and name:
            return "0" if name == "?" else ""
        if name.endswith("PID"):  # an earlier command of this shell started it
            return HERMES_PROCESS if name == "PPID" else OWN_PROCESS
        self.missed |= {name} - {"IFS"}  # every word that is split asks for that
        return _USUAL.get(name, UNKNOWN)

    def _argument(self, number: int) -> str:
        if number == 0:
            return "bash"
        if number <= len(self.arguments):
            return self.arguments[number - 1]
        return "" if self.arguments else UNKNOWN

    def is_set(self, name: str) -> bool:
        """Say whether a value was set here, or is known of every machine."""
        return name in self.variables or name in ("PWD", "@", "*", "#", "?")

    def content(self, path: str) -> Flow | None:
        """Return what a file holds, where this command wrote it or its name says it: a process."""
        own = self.files.get(self.absolute(path))
        if own is not None or not path.endswith(".pid"):
            return own
        if "hermes" in path:
            return known("pid-of-hermes\n")
        return None if path.startswith(_SERVICE_PIDS) else known(f"{OWN_PROCESS}\n")

    def absolute(self, path: str) -> str:
        """Return a path as an absolute one, by its text alone."""
        if path == "~" or path.startswith("~/"):
            path = self.places.home + path[1:]
        found = os.path.normpath(path if path.startswith("/") else f"{self.cwd}/{path}")
        for link, target in self.links.items():
            if found.startswith(f"{link}/"):
                return target + found[len(link) :]
        return found
