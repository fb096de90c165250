"""Graphics cards, as the makers' own programs report them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hermes.base import programs
from hermes.base.errors import TimedOut, Unavailable
from hermes.base.json import NotJson, decode
from hermes.services.machine.units import size

Card = dict[str, Any]

NONE_FOUND = "none found"
SECONDS = 5.0
_HANDED_ON = ("PATH", "HOME", "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")
_NVIDIA = (
    "nvidia-smi",
    "--query-gpu=name,memory.total,memory.used,utilization.gpu,driver_version",
    "--format=csv,noheader,nounits",
)
_ROCM = ("rocm-smi", "--showproductname", "--showmeminfo", "vram", "--showuse", "--json")
_MACOS = ("system_profiler", "-json", "SPDisplaysDataType")


async def cards(environment: Mapping[str, str]) -> list[Card] | str:
    """Return every card a maker's program reports, or words when there is none."""
    handed = {name: environment[name] for name in _HANDED_ON if name in environment}
    found: list[Card] = []
    for argv, parse in _PROGRAMS:
        where = programs.find(argv[0], handed)
        if where is not None:
            found += await _ask((where, *argv[1:]), parse, handed)
    return found or NONE_FOUND


async def _ask(
    argv: tuple[str, ...], parse: Callable[[str], list[Card]], environment: Mapping[str, str]
) -> list[Card]:
    try:
        finished = await programs.run(argv, environment=environment, seconds=SECONDS)
    except (TimedOut, Unavailable) as error:
        return [{"error": error.message}]
    if finished.code:
        said = finished.errors or finished.output.decode("utf-8", "replace").strip()
        return [{"error": f"{argv[0]}: {said[:200] or f'exit code {finished.code}'}"}]
    return parse(finished.output.decode("utf-8", "replace"))


def parse_nvidia(text: str) -> list[Card]:
    """Read nvidia-smi's lines of name, memory in MiB, utilisation and driver."""
    found = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split(",")]
        if len(cells) != 5:
            continue
        name, total, used, busy, driver = cells
        found.append(
            {
                "name": name,
                "memory": _memory(total, used, 1024 * 1024),
                "busy_percent": int(busy) if busy.isdecimal() else None,
                "driver": driver,
            }
        )
    return found


def parse_rocm(text: str) -> list[Card]:
    """Read rocm-smi's object of cards; its keys differ in case between versions."""
    found = []
    for name, facts in _objects(text):
        if not name.startswith("card"):
            continue
        folded = {str(key).lower(): str(value) for key, value in facts.items()}
        busy = folded.get("gpu use (%)", "")
        total = folded.get("vram total memory (b)", "")
        used = folded.get("vram total used memory (b)", "")
        found.append(
            {
                "name": folded.get("card series") or folded.get("card model") or name,
                "memory": _memory(total, used, 1),
                "busy_percent": int(busy) if busy.isdecimal() else None,
            }
        )
    return found


def parse_macos(text: str) -> list[Card]:
    """Read system_profiler's list of displays and their chips."""
    found = []
    for _, chips in _objects(text, list):
        for chip in chips:
            if not isinstance(chip, dict) or "sppci_model" not in chip:
                continue
            cores = {"cores": chip["sppci_cores"]} if "sppci_cores" in chip else {}
            found.append({"name": chip["sppci_model"], **cores})
    return found


def _objects(text: str, kind: type = dict) -> list[tuple[str, Any]]:
    try:
        value = decode(text)
    except NotJson:
        return []
    pairs = value.items() if isinstance(value, dict) else ()
    return [(name, item) for name, item in pairs if isinstance(item, kind)]


def _memory(total: str, used: str, unit: int) -> str | None:
    if not (total.isdecimal() and used.isdecimal()):
        return None
    return f"{size(int(used) * unit)} of {size(int(total) * unit)} used"


_PROGRAMS: tuple[tuple[tuple[str, ...], Callable[[str], list[Card]]], ...] = (
    (_NVIDIA, parse_nvidia),
    (_ROCM, parse_rocm),
    (_MACOS, parse_macos),
)
