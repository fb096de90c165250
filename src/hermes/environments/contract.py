"""What every environment can do, and the words for it: one Protocol, one file per backend."""

from __future__ import annotations

from builtins import list as list_  # the protocol has a method of that name
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from hermes.environments.inside.listing import Order, Tree
    from hermes.environments.inside.searching import Hit, Pick, Question, Tally
    from hermes.environments.inside.walking import Scope

How = Literal["exited", "signalled", "timed out", "cancelled", "moved", "lost"]
"""``moved``: goes on in the background. ``lost``: the machine or the connection went away."""


class Refused(Exception):
    """An environment cannot do what it was asked, or is not there; says why and what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class Power(NamedTuple):
    """What a command is given beyond the box of its task. Only the local machine knows it."""

    writable: tuple[str, ...] = ()
    network: bool = False
    is_outside: bool = False
    """It runs without a box: what was allowed cannot be done inside one."""


NORMAL = Power()


class Screen(NamedTuple):
    """The size of a terminal."""

    columns: int = 120
    rows: int = 40


@dataclass(frozen=True, slots=True)
class Command:
    """Shell text to be run, with all that is special about it."""

    text: str
    cwd: str | None = None
    """The folder it alone works in; without one, where the last command left off."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables of the task: set for this command and those after it."""
    unset: tuple[str, ...] = ()
    timeout_seconds: float | None = None
    moves_on: bool = False
    """When its time is up it goes on in the background instead of being stopped."""
    stdin: bytes = b""
    pty: Screen | None = None
    power: Power = NORMAL


class Watcher(Protocol):
    """Takes what a command prints, as it comes; ``stream`` is 0 for output and 1 for errors."""

    def take(self, stream: int, fd: int) -> int:
        """Read what a descriptor has now and return how many bytes; 0 at its end."""

    def feed(self, stream: int, data: bytes) -> None:
        """Take bytes that came another way."""

    def last(self, stream: int) -> bytes:
        """Return the end of what came, a few kilobytes."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended; what it printed is with its watcher."""

    exit_code: int | None
    how: How
    seconds: float
    cwd: str
    """The folder that the task is in now."""
    note: str = ""
    """What else a person or model must know, such as that the shell was started again."""
    denied_by: str = ""
    """Which rules of the box stopped what it tried."""
    process: Process | None = None
    """With ``moved``: what goes on in the background."""


class Process(Protocol):
    """A command in the background."""

    @property
    def pid(self) -> int | None:
        """Its number where it runs, if that is known."""

    async def write(self, data: bytes) -> None:
        """Write to its input."""

    async def close_input(self) -> None:
        """Tell it that nothing more comes."""

    async def resize(self, screen: Screen) -> None:
        """Tell it the size of its terminal."""

    async def signal(self, number: int) -> None:
        """Send a signal to it and all that it started."""

    async def wait(self) -> Outcome:
        """Wait for its end; may be asked for more than once."""

    def on_end(self, call: Callable[[Outcome], object]) -> None:
        """Have something called with how it ended, from any thread; at once if it has."""

    async def close(self) -> None:
        """Kill it with all that it started, if it still runs, and let go of it."""


Kind = Literal["file", "folder", "link", "other"]


class Stat(NamedTuple):
    """What is known of a file without reading it."""

    path: str
    kind: Kind
    size: int
    mode: int
    modified: float
    inode: int = 0
    target: str = ""
    """Where a link points."""


class Files(Protocol):
    """The files of an environment, reached by system calls there and never through a shell.

    Raises ``OSError`` with the usual numbers.
    """

    async def read(self, path: str, offset: int = 0, size: int | None = None) -> bytes:
        """Return bytes of a regular file, never more than ``size``."""

    async def write(self, path: str, data: bytes, *, append: bool = False, mode: int = 0) -> Stat:
        """Replace a file in one step, or add to its end; missing folders are made."""

    async def stat(self, path: str, *, follow: bool = True) -> Stat:
        """Return what is known of a path."""

    async def list(self, path: str) -> list[Stat]:
        """Return what is in a folder, sorted by name; links are not followed."""

    async def make_folder(self, path: str) -> None:
        """Make a folder and those above it."""

    async def rename(self, source: str, target: str) -> None:
        """Move a file or folder, replacing a file in its way."""

    async def remove(self, path: str, *, recursive: bool = False) -> None:
        """Remove a file, a link or a folder."""

    async def watch(
        self, path: str, report: Callable[[str, str], None], *, recursive: bool = True
    ) -> Callable[[], None]:
        """Report every change below a path as kind and path; returns what ends the watching."""

    async def tally(self, question: Question) -> Tally:
        """Count by file what is searched for; being cancelled stops it.

        Raises:
            BadPattern: the pattern cannot be read.
        """

    async def hits(self, question: Question, picks: Sequence[Pick], context: int) -> list_[Hit]:
        """Return some of the hits, as they are shown."""

    async def names(self, root: str, scope: Scope) -> list_[str]:
        """Return the relative paths of the files in scope, sorted."""

    async def tree(self, order: Order) -> Tree:
        """Return what is in a folder and below it, as much as is asked for."""


class Environment(Protocol):
    """A place where the commands of one task run. Whoever made it closes it."""

    name: str
    """The backend's name, such as ``local``."""
    root: str
    """The folder that the task starts in, as it is named there."""
    home: str
    """The home of the user there."""
    lacks: frozenset[str]
    """What it does not offer, in the words of ``conformance``: ``pty``, ``watch``, ``moving``…"""

    @property
    def files(self) -> Files:
        """The files there."""

    async def start(self) -> None:
        """Get it ready; further calls do nothing while it is.

        Raises:
            Refused: it cannot be had here; says why.
        """

    async def execute(self, command: Command, watcher: Watcher) -> Outcome:
        """Run a command to its end; being cancelled stops it. Nothing is ever run twice.

        Raises:
            Refused: it was not started.
        """

    async def spawn(self, command: Command, watcher: Watcher) -> Process:
        """Start a command in the background, on the state that the task has now."""

    async def upload(self, source: str, target: str) -> None:
        """Copy a file or folder of this machine there."""

    async def download(self, source: str, target: str) -> None:
        """Copy a file or folder from there to this machine."""

    async def snapshot(self) -> str:
        """Keep the files as they are now, and return the name to start from them again.

        Raises:
            Refused: this backend has no snapshots.
        """

    async def rest(self) -> str:
        """Let go of what costs while nothing runs; the next command finds the task's state.

        Returns what is lost by it, in words; nothing must run there.
        """

    async def close(self) -> None:
        """End all that runs there and let go of it; nothing is left."""
