import asyncio
import os
import platform
import socket
import subprocess
from types import SimpleNamespace

import psutil
import pytest

from hermes.services.machine import OVERVIEW, Machine, facts, look, usage
from hermes.services.machine.limits import Limits

ENVIRONMENT = {"PATH": "/nowhere", "SHELL": "/bin/testsh", "TZ": ":Europe/Paris"}


def ask(*sections):
    return asyncio.run(Machine(ENVIRONMENT).facts(sections or None))


def test_the_overview_has_everything_but_processes():
    assert tuple(ask()) == OVERVIEW
    assert "processes" not in OVERVIEW


def test_sections_come_once_each_in_the_order_asked():
    assert list(ask("memory", "os", "memory")) == ["memory", "os"]


def test_memory_says_the_same_in_words_and_bytes():
    memory = ask("memory")["memory"]
    assert memory["total_bytes"] == psutil.virtual_memory().total
    assert memory["total"].endswith("iB")
    assert 0 <= memory["used_percent"] <= 100


def test_cpu_counts_cores_and_measures_use():
    cpu = ask("cpu")["cpu"]
    assert cpu["logical_cores"] == os.cpu_count()
    assert 0 <= cpu["percent"] <= 100
    assert len(cpu["load_1_5_15_min"]) == 3
    assert cpu["model"]


def test_a_containers_limits_are_told_only_when_lower(monkeypatch):
    monkeypatch.setattr(facts.limits, "read", lambda: Limits(64 * 1024**2, 1024**2, 0.5))
    limited = ask("cpu", "memory")
    assert limited["cpu"]["container_limit_cores"] == 0.5
    assert limited["memory"]["container_limit"] == "64.0 MiB"
    assert limited["memory"]["container_limit_bytes"] == 64 * 1024**2
    assert limited["memory"]["container_used"] == "1.0 MiB"
    monkeypatch.setattr(facts.limits, "read", lambda: Limits(1 << 59, 1, 4096.0))
    roomy = ask("cpu", "memory")
    assert not any("container" in key for section in roomy.values() for key in section)


def test_the_root_disk_is_always_there(monkeypatch):
    monkeypatch.setattr(psutil, "disk_partitions", lambda all: [])
    (root,) = ask("disk")["disk"]
    assert root["mount"] == "/"
    assert root["free_bytes"] == pytest.approx(psutil.disk_usage("/").free, rel=0.2)


def test_only_real_disks_are_listed_once_each(monkeypatch, tmp_path):
    def part(device, mountpoint, fstype):
        return SimpleNamespace(device=device, mountpoint=str(mountpoint), fstype=fstype)

    data, snap, file = tmp_path / "data", tmp_path / "snap", tmp_path / "hosts"
    data.mkdir()
    snap.mkdir()
    file.touch()
    parts = [
        part("/dev/b", data / "..", "xfs"),
        part("/dev/b", data, "xfs"),
        part("/dev/loop1", snap, "squashfs"),
        part("/dev/c", file, "ext4"),
        part("/dev/d", tmp_path / "missing", "ext4"),
        part("/dev/a", "/", "ext4"),
    ]
    monkeypatch.setattr(psutil, "disk_partitions", lambda all: parts)
    listed = [(disk["mount"], disk["device"]) for disk in ask("disk")["disk"]]
    assert listed == [("/", "/dev/a"), (str(data), "/dev/b")]


def test_network_lists_addresses_of_what_is_up_and_no_hardware_addresses(monkeypatch):
    def address(family, address, netmask=None):
        return SimpleNamespace(family=family, address=address, netmask=netmask)

    mac = address(psutil.AF_LINK, "02:42:ac:11:00:02")
    addresses = {
        "lo": [address(socket.AF_INET, "127.0.0.1", "255.0.0.0")],
        "eth0": [
            address(socket.AF_INET, "10.1.2.3", "255.255.255.0"),
            address(socket.AF_INET6, "fe80::1%eth0", "ffff:ffff:ffff:ffff::"),
            mac,
        ],
        "eth1": [address(socket.AF_INET, "10.9.9.9", "255.0.0.0")],
        "veth": [mac],
        "tun0": [address(socket.AF_INET, "10.8.0.1")],
    }
    up, down = SimpleNamespace(isup=True, speed=1000), SimpleNamespace(isup=False, speed=0)
    states = {"lo": up, "eth0": up, "eth1": down, "veth": up}
    states["tun0"] = SimpleNamespace(isup=True, speed=0)
    monkeypatch.setattr(psutil, "net_if_addrs", lambda: addresses)
    monkeypatch.setattr(psutil, "net_if_stats", lambda: states)
    monkeypatch.setattr(psutil, "net_io_counters", lambda: None)
    assert ask("network")["network"] == {
        "hostname": socket.gethostname(),
        "interfaces": [
            {"name": "eth0", "addresses": ["10.1.2.3/24", "fe80::1/64"], "mbit_per_s": 1000},
            {"name": "tun0", "addresses": ["10.8.0.1"]},
        ],
    }


def test_the_system_is_named_with_the_environment_handed_in():
    system = ask("os")["os"]
    assert (system["shell"], system["timezone"]) == ("/bin/testsh", "Europe/Paris")
    assert system["python"] == platform.python_version()
    assert system["arch"] == platform.machine()
    assert system["uptime_seconds"] > 0


def test_a_user_without_a_name_and_a_system_without_a_release_file_do_no_harm(monkeypatch):
    def missing(*_):
        raise KeyError

    monkeypatch.setattr(facts.pwd, "getpwuid", missing)
    monkeypatch.setattr(facts.platform, "freedesktop_os_release", missing)
    system = facts.system({})
    assert (system["user"], system["shell"]) == (str(os.getuid()), "unknown")
    assert system["name"]


def test_processes_are_at_most_ten_of_each_kind_sorted():
    processes = ask("processes")["processes"]
    assert 1 <= len(processes["by_cpu"]) <= 10
    assert set(processes["by_memory"][0]) == {"pid", "name", "user", "cpu_percent", "rss"}
    percents = [one["cpu_percent"] for one in processes["by_cpu"]]
    assert percents == sorted(percents, reverse=True)


def test_a_process_that_ends_between_the_looks_is_left_out():
    with subprocess.Popen(["sleep", "60"]) as child:
        reading = usage._Reading(psutil.Process(child.pid), 0.0, 0.0)
        (seen,) = usage._second([reading])
        child.kill()
    assert (seen.pid, seen.percent) == (child.pid, 0.0)
    assert usage._second([reading]) == []


def test_processor_use_is_the_share_of_time_not_idle():
    before = {"user": 10.0, "system": 5.0, "idle": 100.0, "iowait": 1.0, "guest": 2.0}
    after = {"user": 12.0, "system": 6.0, "idle": 106.0, "iowait": 2.0, "guest": 4.0}
    assert usage.busy_share(before, after) == 30.0
    assert usage.busy_share(after, after) == 0.0


def test_a_section_that_cannot_be_read_does_not_lose_the_others(monkeypatch):
    def denied():
        raise psutil.AccessDenied(msg="not here")

    monkeypatch.setattr(look.facts, "network", denied)
    both = ask("network", "memory")
    assert both["network"] == {"error": "cannot be read here: not here"}
    assert both["memory"]["total"]
