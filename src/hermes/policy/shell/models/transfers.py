"""Judge copies between this machine and a store elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hermes.policy.shell.effects import UNKNOWN, Effect, danger
from hermes.policy.shell.model import Call
from hermes.policy.shell.models.looking import Handler

IsRemote = Callable[[str], bool]


def starting(*prefixes: str) -> IsRemote:
    """Return a test for names that begin as those of a store do, or that nobody can know."""
    return lambda name: name.startswith((*prefixes, UNKNOWN))


def with_colon(name: str) -> bool:
    """Say whether a name is one of ``remote:path``."""
    return name.startswith(UNKNOWN) or (":" in name and not name.startswith(("/", ".", "~")))


def copies(
    is_remote: IsRemote, *, skip: int, moves: str = "mv move moveto", mirrors: str = ""
) -> Handler:
    """Return a handler for ``copy SOURCES DESTINATION`` behind ``skip`` words of subcommands.

    ``moves`` are the subcommands that take the sources away; ``mirrors`` those that delete from
    the destination what the source lacks, without being told to.
    """

    def judge(call: Call) -> Iterator[Effect]:
        words = call.operands
        *sources, destination = words[skip:] or ("",)
        verb = words[skip - 1] if skip else ""
        if not sources:
            return
        if is_remote(destination):
            yield from _uploaded(sources, destination, is_remote)
        else:
            yield from (Effect("net", name) for name in sources if is_remote(name))
            yield from _downloaded(destination)
            if verb in mirrors.split() or call.has("--delete", "-d", "--delete-removed"):
                yield danger("delete", f"deletes from {destination} what {sources[0]} lacks")
                yield Effect("delete", destination, is_recursive=True)
        if verb in moves.split() and any(is_remote(name) for name in sources):
            yield danger("infrastructure", f"takes {sources[0]} away from its store")

    return judge


def _uploaded(sources: list[str], destination: str, is_remote: IsRemote) -> Iterator[Effect]:
    local = [name for name in sources if not is_remote(name)]
    yield from (Effect("read", name) for name in local if name != "-")
    if local:
        yield danger("exfiltration", f"uploads {local[0]} to {destination}")
    else:
        yield danger("infrastructure", f"changes {destination}")


def _downloaded(destination: str) -> Iterator[Effect]:
    if destination not in ("-", ".", "./"):
        yield Effect("write", destination)
