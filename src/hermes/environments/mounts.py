"""Folders of this machine that a container sees, as people write them."""

from __future__ import annotations

from dataclasses import dataclass

from hermes.environments.contract import Refused

_ENDINGS = {"": False, "ro": False, "rw": True}
_FORM = "Write it as /source:/target, with :rw behind it if it may be changed."


@dataclass(frozen=True, slots=True)
class Mount:
    """A folder of this machine that the container sees."""

    source: str
    target: str
    writable: bool = False


def mount(text: str) -> Mount:
    """Return the mount that ``/source:/target[:rw]`` stands for; one path alone means both.

    Raises:
        Refused: it is written otherwise.
    """
    source, _, rest = text.partition(":")
    target, _, ending = rest.partition(":")
    made = Mount(source, target or source, writable=_ENDINGS.get(ending, False))
    if ending not in _ENDINGS or not (made.source.startswith("/") and made.target.startswith("/")):
        raise Refused(f"{text!r} names no folder of this machine and of the container", _FORM)
    return made
