"""Facts about the machine: processor, memory, disks, network, processes, system, graphics cards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from hermes.base.optional import load

Section = Literal["cpu", "memory", "disk", "network", "processes", "os", "gpu"]

OVERVIEW: tuple[Section, ...] = ("os", "cpu", "memory", "disk", "network", "gpu")


class Machine:
    """Look at the machine that hermes runs on; nothing is changed and nothing is kept."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = dict(environment)

    async def facts(self, sections: Iterable[Section] | None = None) -> dict[str, Any]:
        """Return the facts of some sections, or of all but the processes.

        A section that cannot be read here says why; the others are there all the same.
        """
        wanted = tuple(dict.fromkeys(sections or OVERVIEW))
        look = load("hermes.services.machine.look").look
        facts: dict[str, Any] = await look(wanted, self._environment)
        return facts
