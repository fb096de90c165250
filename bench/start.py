"""How fast hermes starts: against an interpreter that does nothing, and against pydantic."""

from __future__ import annotations

import shutil
from pathlib import Path

from bench.figure import Effort, Family, Figure, Measured
from bench.harness import interleave, level, ratio
from bench.inside.made_up import module_source
from bench.processes import HERMES, NOTHING, PYTHON, ROOT, Place

LIST = [HERMES, "tool", "list", "--json"]
DEFINE = "from hermes.tools import get_tool_definitions; get_tool_definitions(['all'])"
FACTS = """
import sys
count = len(sys.modules)
try:
    with open("/proc/self/status") as file:
        peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
except OSError:
    import resource
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(count, peak)
"""
IMPORT = "import time; started = time.perf_counter()\n{}\nprint(time.perf_counter() - started)"
AUTHOR = "from hermes.tools import tool"
FLOOR = "from pydantic import BaseModel, TypeAdapter"


def version(effort: Effort) -> dict[str, Measured]:
    """Compare the smallest command with an empty program."""
    with Place() as place:
        works = [place.starter(NOTHING), place.starter([HERMES, "--version"])]
        nothing, hermes = interleave(effort.processes, works)
    return {"version": ratio(hermes, nothing)}


def tool_list(effort: Effort) -> dict[str, Measured]:
    """Compare listing the tools, as they are and with many more, with an empty program."""
    with Place() as place, full_catalogue(effort.extra_tools) as full:
        works = [place.starter(NOTHING), place.starter(LIST), full.starter(LIST)]
        nothing, own, more = interleave(effort.processes, works)
    return {"tool_list": ratio(own, nothing), "tool_list_full": ratio(more, nothing)}


def definitions(effort: Effort) -> dict[str, Measured]:
    """Compare all definitions in a fresh process with an empty program; count what it loaded."""
    command = [PYTHON, "-c", DEFINE]
    with Place() as place, full_catalogue(effort.extra_tools) as full:
        works = [place.starter(NOTHING), place.starter(command), full.starter(command)]
        nothing, own, more = interleave(effort.processes, works)
        modules, memory = facts(place, DEFINE)
        bare_modules, bare_memory = facts(place, "pass")
        _, full_memory = facts(full, DEFINE)
    return {
        "definitions": ratio(own, nothing),
        "definitions_modules": level([modules], detail=f"{bare_modules} in an empty program"),
        "definitions_memory": level(
            [memory / 1024], detail=f"{bare_memory / 1024:.1f} MB in an empty program"
        ),
        "definitions_full": ratio(more, nothing),
        "definitions_full_memory": level([full_memory / 1024]),
    }


def author_import(effort: Effort) -> dict[str, Measured]:
    """Compare what a tool's author imports with what most others import first."""
    with Place() as place:

        def taken(statement: str) -> float:
            return float(place.output([PYTHON, "-c", IMPORT.format(statement)]))

        taken(AUTHOR), taken(FLOOR)
        pairs = [(taken(FLOOR), taken(AUTHOR)) for _ in range(effort.processes)]
        (modules, memory), (bare, least) = facts(place, AUTHOR), facts(place, "pass")
    floor, own = map(list, zip(*pairs, strict=True))
    return {
        "import": ratio(own, floor),
        "import_modules": level([modules - bare]),
        "import_memory": level([(memory - least) / 1024]),
    }


def facts(place: Place, code: str) -> tuple[int, int]:
    """Return how many modules a program has loaded at its end, and its peak memory in KB."""
    place.output([PYTHON, "-c", code])
    modules, memory = place.output([PYTHON, "-c", f"{code}\n{FACTS}"]).split()
    return int(modules), int(memory)


def full_catalogue(count: int) -> Place:
    """Return a place where hermes has that many more built-in tools, five to a toolset."""
    place = Place()
    source = place.path / "src"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src" / "hermes", source / "hermes", ignore=ignored)
    for number in range(count):
        _write_tool(source / "hermes" / "tools", number)
    place.environment["PYTHONPATH"] = str(source)
    return place


def _write_tool(tools: Path, number: int) -> None:
    toolset = f"made_up_{number // 5}"
    folder = tools / toolset
    folder.mkdir(exist_ok=True)
    (folder / "__init__.py").write_text('"""Search collections."""\n', encoding="utf-8")
    text = module_source(number, toolset)
    (folder / f"search_{number}.py").write_text(text, encoding="utf-8")


FAMILIES = (
    Family(
        "version", (Figure("version", "`hermes --version` ÷ `python -c pass`", bar=2.5),), version
    ),
    Family(
        "tool_list",
        (
            Figure("tool_list", "`hermes tool list --json` ÷ `python -c pass`", bar=6),
            Figure("tool_list_full", "the same with 80 more tool modules"),
        ),
        tool_list,
    ),
    Family(
        "definitions",
        (
            Figure("definitions", "import and all definitions ÷ `python -c pass`", bar=5),
            Figure("definitions_modules", "modules loaded by that", "modules", bar=250),
            Figure("definitions_memory", "peak memory of that", "MB", bar=30),
            Figure("definitions_full", "the same with 80 more tool modules"),
            Figure("definitions_full_memory", "peak memory of that", "MB"),
        ),
        definitions,
    ),
    Family(
        "import",
        (
            Figure("import", f"`{AUTHOR}` ÷ `{FLOOR}`", bar=1.7),
            Figure("import_modules", "modules loaded by it", "modules"),
            Figure("import_memory", "memory taken by it", "MB"),
        ),
        author_import,
    ),
)
