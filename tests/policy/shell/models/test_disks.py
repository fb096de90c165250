"""What programs that work on disks are understood to do."""

from __future__ import annotations

import pytest

DANGEROUS = [
    ("diskutil eraseDisk JHFS+ X disk2", "disk"),
    ("mkfs.ext4 /dev/sdb1", "disk"),
    ("mkfs -t xfs /dev/sdb", "disk"),
    ('mkfs.ext4 "$DEV"', "disk"),
    ("mkswap /dev/sdb2", "disk"),
    ("fdisk /dev/sda", "disk"),
    ("echo -e 'o\\nw' | fdisk /dev/sda", "disk"),
    ("sfdisk /dev/sda < t", "disk"),
    ("sgdisk -Z /dev/sda", "disk"),
    ("sgdisk -o /dev/sdb", "disk"),
    ("parted /dev/sda mklabel gpt", "disk"),
    ("parted -s /dev/sda rm 1", "disk"),
    ("wipefs -a /dev/sdb", "disk"),
    ("blkdiscard /dev/sda", "disk"),
    ("hdparm --user-master u --security-erase p /dev/sda", "disk"),
    ("nvme format /dev/nvme0n1", "disk"),
    ("badblocks -w /dev/sda", "disk"),
    ("tune2fs -O ^has_journal /dev/sda1", "disk"),
    ("resize2fs /dev/sda1", "disk"),
    ("fsck -y /dev/sda1", "disk"),
    ("e2fsck -p /dev/sda1", "disk"),
    ("xfs_repair /dev/sda1", "disk"),
    ("btrfs subvolume delete /x", "disk"),
    ("zfs destroy tank/x", "disk"),
    ("zfs rollback tank@x", "disk"),
    ("zpool destroy tank", "disk"),
    ("lvremove -f vg/lv", "disk"),
    ("vgremove vg", "disk"),
    ("pvremove /dev/sdb", "disk"),
    ("mdadm --stop /dev/md0", "disk"),
    ("mdadm --zero-superblock /dev/sdb", "disk"),
    ("cryptsetup luksFormat /dev/sdb", "disk"),
    ("cryptsetup erase /dev/sdb", "disk"),
    ("dmsetup remove_all", "disk"),
    ("losetup -d /dev/loop0", "disk"),
]

HARMLESS = [
    "lsblk -f",
    "blkid",
    "findmnt",
    "losetup -a",
    "fdisk -l",
    "parted -l",
    "parted /dev/sda print",
    "sfdisk -d /dev/sda",
    "smartctl -a /dev/sda",
    "hdparm -I /dev/sda",
    "zfs list",
    "zpool status",
    "btrfs filesystem show",
    "pvs",
    "lvs",
    "vgdisplay",
    "mdadm --detail /dev/md0",
    "cryptsetup luksDump x.img",
    "nvme list",
    "tune2fs -l /dev/sda1",
    "mkfs.ext4 disk.img",
    "mkfs.ext4 -F /tmp/disk.img",
    "mkswap swap.img",
    "e2fsck -n /dev/sda1",
    "wipefs /dev/sda",
    "diskutil list",
]


@pytest.mark.parametrize(("command", "wanted"), DANGEROUS)
def test_a_dangerous_command_is_found_with_its_categories(categories, command, wanted):
    assert set(wanted.split()) <= categories(command)


@pytest.mark.parametrize("command", HARMLESS)
def test_a_harmless_command_is_left_alone(categories, command):
    assert categories(command) == set()
