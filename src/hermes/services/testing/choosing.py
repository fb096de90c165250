"""Choose the runner of a project."""

from __future__ import annotations

import os
import posixpath
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING

from hermes.base.errors import Unavailable
from hermes.environments.programs import Site
from hermes.environments.projects import Project, Search, look, python_with
from hermes.services.testing.contract import Runner, Work
from hermes.services.testing.runners.cargo import Cargo
from hermes.services.testing.runners.go import Go
from hermes.services.testing.runners.node import Node
from hermes.services.testing.runners.pytest import Pytest
from hermes.services.testing.runners.scripts import Jest, Vitest
from hermes.services.testing.runners.unittest import Unittest

if TYPE_CHECKING:
    from hermes.services.testing import Wanted

RUNNERS: dict[str, type[Runner]] = {
    "pytest": Pytest,
    "unittest": Unittest,
    "vitest": Vitest,
    "jest": Jest,
    "node": Node,
    "go": Go,
    "cargo": Cargo,
}
"""In the order in which they are tried."""
_PYTHON = "python"
_MARKERS = ("package.json", "go.mod", "Cargo.toml", "pytest.ini", "pyproject.toml", "setup.cfg")
SEARCH = Search(
    settings=(*_MARKERS, "tox.ini", "conftest.py", *Jest.configs, *Vitest.configs),
    texts=("package.json", "pyproject.toml"),
    programs=("python", "python3", "jest", "vitest", "node", "go", "cargo"),
)


async def pick(
    site: Site, target: str, names: Sequence[str], wanted: Wanted
) -> AsyncIterator[tuple[Runner, Work]]:
    """Yield the runner of a project with its work, and whoever can take its place.

    Raises:
        Unavailable: nothing here can run these tests; says what would.
    """
    project = await look(site, (target,), SEARCH)
    runners = _fitting(project, target, wanted.runner)
    if not runners:
        raise Unavailable(
            f"no test runner is known for what is in {site.shown(target)}",
            hint=f"Name a folder with tests, or one of these runners: {', '.join(RUNNERS)}.",
        )
    first = runners[0]
    for runner in runners:
        if runner.program != first.program:  # whoever uses jest is not helped by node
            break
        program = await _program(site, project, runner)
        if program is None:
            continue
        word = os.urandom(6).hex()
        yield runner, Work(
            site, project, program, (target,), tuple(names), wanted.filter, wanted.coverage,
            wanted.seconds, word,
        )  # fmt: skip
        return
    raise Unavailable(
        f"{first.name} is not installed where this task runs",
        hint=f"To install it: {first.install}",
    )


def _fitting(project: Project, target: str, name: str) -> list[Runner]:
    """Return the runners that fit, best first."""
    if name != "auto":
        return [RUNNERS[name]()]
    known = [make() for make in RUNNERS.values()]
    if ending := posixpath.splitext(target)[1]:
        by_file = [each for each in known if ending in each.suffixes]
        if by_file:
            return [each for each in by_file if each.reason(project)] or by_file[-1:]
    fitting = [each for each in known if each.reason(project)]
    return sorted(fitting, key=lambda each: _distance(project, each))


def _distance(project: Project, runner: Runner) -> tuple[int, int]:
    """Return how much speaks against a runner: few files of its kind, and its place in the list."""
    mine = len(project.with_suffix(runner.suffixes))
    return -mine, list(RUNNERS).index(runner.name)


async def _program(site: Site, project: Project, runner: Runner) -> str | None:
    if runner.program != _PYTHON:
        return project.programs.get(runner.program)
    return await python_with(site, project, runner.name)
