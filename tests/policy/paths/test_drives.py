"""What a path of Windows takes with it when it goes."""

import pytest

from hermes.policy.paths import Places, concern

PLACES = Places(("/w/app",), "/home/dev", "/srv/hermes")
WIPED = [
    "C:\\", "c:", "C:/", "C:\\*", "D:\\*.*", "C:\\Users", "C:\\Users\\bob", "C:\\Windows",
    "C:\\Windows\\System32", "C:/Program Files", "/mnt/c", "/mnt/c/*", "/mnt/c/Users/bob",
    "/cygdrive/c/Windows", "/c/Users/bob",
]  # fmt: skip
KEPT = [
    "C:\\Users\\bob\\app\\build", "C:\\Users\\Public", "/mnt/data", "/mnt/c/Users/bob/app/build",
    "/c/app", "C:\\build",
]  # fmt: skip


def decision(verb, path, *, is_recursive=True):
    found = concern(verb, path, PLACES, "/w/app", is_recursive=is_recursive)
    return found and found.decision


@pytest.mark.parametrize("path", WIPED)
def test_a_drive_its_system_and_its_homes_are_never_wiped(path):
    assert decision("delete", path) == "deny"


@pytest.mark.parametrize("path", KEPT)
def test_what_lies_deeper_may_be_asked_about(path):
    assert decision("delete", path) != "deny"


def test_a_raw_disk_of_windows_is_never_written():
    assert decision("write", "\\\\.\\PhysicalDrive0", is_recursive=False) == "deny"


@pytest.mark.parametrize("home", ["/home/dev", "/home/other", "/root", "/Users/other"])
def test_hermes_in_any_home_is_its_own_wherever_this_one_lives(home):
    assert decision("write", f"{home}/.hermes/config.yaml", is_recursive=False) == "deny"
    assert decision("read", f"{home}/.hermes/config.yaml", is_recursive=False) != "deny"


@pytest.mark.parametrize("path", ["/proc/1/root", "/proc/self/root/home", "/proc/self/cwd/../.."])
def test_a_way_through_a_process_wipes_as_well(path):
    assert decision("delete", path) == "deny"


@pytest.mark.parametrize("path", ["/usr/bin", "/lib/x86_64-linux-gnu", "/etc/*", "/boot/efi"])
def test_folders_that_a_machine_starts_from_are_never_wiped(path):
    assert decision("delete", path) == "deny"


@pytest.mark.parametrize(("pattern", "wanted"), [("[A-Z]*", "deny"), ("*.tmp", "ask")])
def test_a_pattern_that_matches_most_of_a_home_wipes_it(pattern, wanted):
    assert decision("delete", f"/home/dev/{pattern}") == wanted
