"""A place has further names where a mount shows it a second time."""

from __future__ import annotations

import os

from hermes.base.mounts import Mount, mount_of, other_names, parse_mounts, read_mounts

TEXT = """\
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 27 254:0 /home/dev/.ssh /work/my\\040keys rw,relatime - ext4 /dev/vda rw
31 27 0:25 / /tmp rw - tmpfs tmpfs rw
32 31 254:0 /home/dev/.netrc /tmp/file rw - ext4 /dev/vda rw
not a mount
"""


MOUNTS = [
    Mount("254:0", "/", "/"),
    Mount("254:0", "/home/dev/.ssh", "/work/my keys"),
    Mount("0:25", "/", "/tmp"),
    Mount("254:0", "/home/dev/.netrc", "/tmp/file"),
]


def test_the_text_of_the_kernel_is_read():
    assert parse_mounts(TEXT) == MOUNTS


def test_a_place_below_a_bound_folder_has_the_name_of_the_original():
    assert other_names("/work/my keys/id_rsa", MOUNTS) == ["/home/dev/.ssh/id_rsa"]
    assert other_names("/work/my keys", MOUNTS) == ["/home/dev/.ssh"]
    assert other_names("/tmp/file", MOUNTS) == ["/home/dev/.netrc"]


def test_the_original_has_the_name_of_the_bound_folder():
    assert other_names("/home/dev/.ssh/id_rsa", MOUNTS) == ["/work/my keys/id_rsa"]


def test_other_places_have_one_name():
    for path in ("/etc/passwd", "/work/my", "/work/my keys2", "/tmp/x", "/home/dev/.sshd"):
        assert other_names(path, MOUNTS) == []
    assert other_names("/x", []) == []


def test_two_files_of_one_mount_share_its_number(tmp_path):
    one, other = (os.open(path, os.O_RDONLY) for path in (tmp_path, tmp_path.parent))
    proc = os.open("/proc", os.O_RDONLY)
    try:
        assert mount_of(one) == mount_of(other)
        assert mount_of(one) != mount_of(proc)
        assert mount_of(-1) is None
    finally:
        for descriptor in (one, other, proc):
            os.close(descriptor)


def test_this_machine_has_a_root():
    assert "/" in {mount.point for mount in read_mounts()}
