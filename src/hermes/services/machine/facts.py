"""Facts that stand still long enough to be read once."""

from __future__ import annotations

import datetime
import ipaddress
import os
import platform
import pwd
import socket
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil

from hermes.services.machine import limits
from hermes.services.machine.units import duration, size

Facts = dict[str, Any]

_NOT_DISKS = frozenset({"squashfs", "iso9660", "udf", "devfs", "autofs", "nullfs"})


def cpu() -> Facts:
    """Return the processor's model, cores and load, and the container's share when smaller."""
    logical = psutil.cpu_count() or 1
    facts: Facts = {
        "model": _cpu_model(),
        "physical_cores": psutil.cpu_count(logical=False),
        "logical_cores": logical,
        "load_1_5_15_min": [round(load, 2) for load in psutil.getloadavg()],
    }
    if hasattr(os, "sched_getaffinity"):
        usable = len(os.sched_getaffinity(0))
        if usable < logical:
            facts["usable_cores"] = usable
    share = limits.read().cpus
    if share is not None and share < logical:
        facts["container_limit_cores"] = share
    return facts


def _cpu_model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            if key.strip() in ("model name", "Model", "Hardware") and value.strip():
                return " ".join(value.split())
    except OSError:
        pass
    return platform.processor() or platform.machine()


def memory() -> Facts:
    """Return memory and swap, and the container's limit when it is lower."""
    now = psutil.virtual_memory()
    swap = psutil.swap_memory()
    facts: Facts = {
        "total": size(now.total),
        "available": size(now.available),
        "used_percent": now.percent,
        "total_bytes": now.total,
        "available_bytes": now.available,
        "swap": f"{size(swap.used)} of {size(swap.total)} used" if swap.total else "none",
    }
    limit = limits.read()
    if limit.memory_bytes is not None and limit.memory_bytes < now.total:
        facts["container_limit"] = size(limit.memory_bytes)
        facts["container_limit_bytes"] = limit.memory_bytes
        if limit.memory_used_bytes is not None:
            facts["container_used"] = size(limit.memory_used_bytes)
    return facts


def disks() -> list[Facts]:
    """Return the real filesystems, each device once, with what is used and free."""
    places = {"/": ("", "")}
    for part in sorted(psutil.disk_partitions(all=False), key=lambda part: len(part.mountpoint)):
        seen = part.device in (device for device, _ in places.values())
        if part.fstype in _NOT_DISKS or _is_hidden(part.mountpoint) or seen:
            continue
        places[part.mountpoint] = (part.device, part.fstype)
    return [disk for mount, kind in places.items() if (disk := _disk(mount, *kind)) is not None]


def _is_hidden(mount: str) -> bool:
    inside_macos = mount.startswith("/System/Volumes/") and mount != "/System/Volumes/Data"
    return inside_macos or not Path(mount).is_dir()


def _disk(mount: str, device: str, kind: str) -> Facts | None:
    try:
        usage = psutil.disk_usage(mount)
    except OSError:  # a drive without a medium, or a mount that this user may not enter
        return None
    named = {"device": device, "type": kind} if device else {}
    return {
        "mount": mount,
        **named,
        "total": size(usage.total),
        "used": size(usage.used),
        "free": size(usage.free),
        "free_bytes": usage.free,
        "used_percent": usage.percent,
    }


def network() -> Facts:
    """Return the interfaces that are up and have an address, and the traffic so far."""
    states = psutil.net_if_stats()
    interfaces = []
    for name, entries in sorted(psutil.net_if_addrs().items()):
        addresses = [_address(entry.address, entry.netmask) for entry in entries if _is_ip(entry)]
        state = states.get(name)
        if state is None or not state.isup or not addresses or _is_loopback(addresses):
            continue
        speed = {"mbit_per_s": state.speed} if state.speed > 0 else {}
        interfaces.append({"name": name, "addresses": addresses, **speed})
    facts: Facts = {"hostname": socket.gethostname(), "interfaces": interfaces}
    traffic = psutil.net_io_counters()
    if traffic is not None:
        facts["sent"], facts["received"] = size(traffic.bytes_sent), size(traffic.bytes_recv)
    return facts


def _is_ip(entry: Any) -> bool:
    return entry.family in (socket.AF_INET, socket.AF_INET6)


def _address(address: str, mask: str | None) -> str:
    bare = address.partition("%")[0]
    if not mask:
        return bare
    bits = bin(int(ipaddress.ip_address(mask))).count("1")
    return f"{bare}/{bits}"


def _is_loopback(addresses: list[str]) -> bool:
    return all(ipaddress.ip_interface(address).is_loopback for address in addresses)


def system(environment: Mapping[str, str]) -> Facts:
    """Return the operating system and who runs on it since when."""
    now = datetime.datetime.now().astimezone()
    up = time.time() - psutil.boot_time()
    return {
        "name": _system_name(),
        "kernel": f"{platform.system()} {platform.release()}",
        "arch": platform.machine(),
        "hostname": socket.gethostname(),
        "user": _user("pw_name") or str(os.getuid()),
        "shell": environment.get("SHELL") or _user("pw_shell") or "unknown",
        "python": platform.python_version(),
        "time": now.isoformat(timespec="seconds"),
        "timezone": _timezone(environment) or now.tzname(),
        "uptime": duration(up),
        "uptime_seconds": int(up),
    }


def _system_name() -> str:
    if platform.system() == "Darwin":
        return f"macOS {platform.mac_ver()[0]}"
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.system()


def _user(field: str) -> str | None:
    try:
        value: str = getattr(pwd.getpwuid(os.getuid()), field)
    except KeyError:  # a container may run under a number without a name
        return None
    return value


def _timezone(environment: Mapping[str, str]) -> str | None:
    if environment.get("TZ"):
        return environment["TZ"].lstrip(":")
    _, found, zone = str(Path("/etc/localtime").resolve()).partition("zoneinfo/")
    return zone if found else None
