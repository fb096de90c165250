"""Describe programs that work on disks, partitions, volumes and file systems."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes.policy.shell.effects import UNKNOWN, Effect, catastrophe, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.looking import changes_unless

_BTRFS = """
    subvolume|sub list|show|find-new|get-default
    filesystem|fi show|df|usage|du
    scrub|balance|replace status
    device stats|usage|ready|scan
    property get|list
    inspect-internal|qgroup|version ...
    check --readonly
"""
_NVME = "list|list-*|id-*|*-log|show-regs|get-*|version|nvme-mi-recv"
_ZFS = "list|get|diff|holds|version|userspace|groupspace|help"
_ZPOOL = "list|status|get|history|iostat|events|version|help"
_CRYPT = "status|isLuks|luksDump|luksUUID|benchmark|tcryptDump"
_DM = "ls|info|status|deps|version|targets|splitname"

_DEVICE = re.compile(r"/dev/|r?disk\d")
_LOSING = re.compile(r"(?i)erase|zero|random|secure|partition|reformat|delete|split")


def _format(call: Call) -> Iterator[Effect]:
    """Yield a danger for a file system that is made on a device; an image file is only written."""
    # which options take values differs between file systems: a device is one wherever it stands
    devices = [word for word in call.words if _DEVICE.match(word) or word.startswith(UNKNOWN)]
    if devices:
        shown = " ".join(devices)[:80]
        yield danger("disk", f"makes a new file system on {shown} and loses what is there")
    for word in call.operands:
        if word not in devices and not word.isdigit():
            yield Effect("write", word)


def _diskutil(call: Call) -> Iterator[Effect]:
    """Yield a danger for what macOS does to disks, unless it only shows them."""
    looks = (
        "list",
        "info",
        "activity",
        "listFilesystems",
        "apfs",
        "cs",
        "coreStorage",
        "appleRAID",
    )
    verb = next((word for word in call.operands if not word.startswith("-")), "")
    shows = ("list", "listUsers", "listSnapshots", "listVolumeGroups", "info")
    if verb in looks[:4] or (verb in looks and call.operands[1:2] and call.operands[1] in shows):
        return
    if verb:
        disk = call.operands[-1] if len(call.operands) > 1 else "a disk"
        told = " ".join(call.operands)
        if _LOSING.match(verb) or re.match(r"apfs (?:delete|erase)|cs delete", told):
            disk = next((word for word in call.operands if _DEVICE.match(word)), disk)
            yield catastrophe("disk", f"{verb}: loses what is on {disk}")
        else:
            yield danger("disk", f"{verb}: changes a disk")


def _parted(call: Call) -> Iterator[Effect]:
    looks = {"print", "p", "unit", "free", "all", "list", "help", "align-check", "version", "quit"}
    changes = [word for word in call.operands[1:] if word.lower() not in looks]
    units = {"s", "b", "mib", "gib", "mb", "gb", "kib", "%", "opt", "min", "optimal", "minimal"}
    changes = [word for word in changes if word.lower() not in units and not word.isdigit()]
    if changes:
        where = call.operands[0]
        yield danger("disk", f"changes the partitions of {where}: {' '.join(changes)[:40]}")
    elif len(call.operands) == 1 and not call.has("-l", "--list") and call.piped.text != "":
        yield danger("disk", f"changes the partitions of {call.operands[0]}")


def _partitions(call: Call) -> Iterator[Effect]:
    """Yield a danger unless a partition table is only shown."""
    shows = ("-l", "--list", "-d", "--dump", "-J", "--json", "-s", "-V", "--verify", "-F", "-x")
    if call.operands and not call.has(*shows, "--show-size", "--list-free", "-T", "--list-types"):
        where = next((word for word in call.operands if _DEVICE.match(word)), call.operands[0])
        yield danger("disk", f"changes the partitions of {where}")


def _sgdisk(call: Call) -> Iterator[Effect]:
    looks = {"-p", "--print", "-i", "--info", "-v", "--verify", "-L", "--list-types", "-F", "-E"}
    looks |= {"-b", "--backup", "-f", "-V", "--version", "-D", "--display-alignment", "-P"}
    if any(flag not in looks for flag in call.flags) and not call.has("-P", "--pretend"):
        yield danger("disk", f"changes the partitions of {' '.join(call.operands)[:40]}")


def _wipefs(call: Call) -> Iterator[Effect]:
    if call.has("-a", "--all", "-o", "--offset") and not call.has("-n", "--no-act"):
        yield danger("disk", f"wipes the signatures of {' '.join(call.operands)[:40]}")


PROGRAMS = {
    "mkfs.*": Program(values="-L -U -b -I -i -N -m -T -t -F -S -n -d -l -s -c -q", handler=_format),
    "mkfs|mke2fs|mkswap|mkdosfs|mkntfs|mkexfatfs|newfs|newfs_apfs|newfs_hfs|mkreiserfs": Program(
        values="-t -L -U -b -I -i -N -m -T -O -E -J --type --label --uuid -p",
        dry="-n",
        handler=_format,
    ),
    "fdisk|sfdisk|cfdisk|gdisk|cgdisk|fixparts": Program(
        values="-b -C -H -S -o -t -w -W -N -X -Y --part-label", handler=_partitions
    ),
    "sgdisk": Program(
        values="-i -b -l -n -t -c -d -u -U -A -a -r -R -N --info --backup", handler=_sgdisk
    ),
    "diskutil": Program(handler=_diskutil),
    "parted": Program(values="-a --align", handler=_parted),
    "wipefs": Program(values="-o -t --offset --types -O --output", handler=_wipefs),
    "btrfs": Program(handler=changes_unless(_BTRFS, "disk", "a file system")),
    "zfs": Program(
        values="-o -t -s -S -d",
        dry="-n",
        handler=changes_unless(_ZFS, "disk", "a file system"),
    ),
    "zpool": Program(
        values="-o -T -c", dry="-n", handler=changes_unless(_ZPOOL, "disk", "a storage pool")
    ),
    "nvme": Program(handler=changes_unless(_NVME, "disk", "a disk")),
    "cryptsetup": Program(
        values="-c -s -h -i -d --cipher --key-size --hash --key-file --type --key-slot",
        handler=changes_unless(_CRYPT, "disk", "an encrypted volume"),
    ),
    "dmsetup": Program(values="-c -o", handler=changes_unless(_DM, "disk", "a volume")),
    "lsblk|blkid|findmnt|pvs|vgs|lvs|pvdisplay|vgdisplay|lvdisplay|pvscan|vgscan|lvscan|pvck|vgck"
    "|lvmdiskscan|dumpe2fs|xfs_info|lsscsi|lsiscsi|mountpoint|filefrag|isosize": Program(),
    "pvcreate|pvremove|pvmove|pvresize|pvchange|vgcreate|vgremove|vgextend|vgreduce|vgrename|vgmerge"
    "|vgsplit|vgexport|vgimport|vgchange|vgcfgrestore|lvcreate|lvremove|lvextend|lvreduce|lvresize"
    "|lvrename|lvconvert|lvchange": Program(dry="-t --test"),
    "btrfs subvolume|sub": Program(),
    "btrfs subvolume|sub delete": Program("delete-tree*", values="-i --subvolid"),
    "debugfs": Program(values="-R -f -b -s"),
    "udisksctl": Program(handler=changes_unless("status|info|dump|monitor", "disk", "a disk")),
}

RULES = """
    pvcreate|pvremove                              => disk: loses what is on {}
    pvmove|pvresize|pvchange                       => disk: changes a physical volume
    vgremove                                       => disk!: loses the volume group {}
    vgcreate|vgextend|vgreduce|vgrename            => disk: changes a volume group
    vgmerge|vgsplit|vgexport|vgimport|vgchange|vgcfgrestore => disk: changes a volume group
    lvremove                                       => disk!: loses the volume {}
    lvreduce                                       => disk: cuts the volume {}
    lvcreate|lvextend|lvresize                     => disk: changes a volume
    lvrename|lvconvert|lvchange                    => disk: changes a volume
    lvm pvremove|vgremove|lvremove => disk!: loses the volume {}
    lvm pvcreate => disk: changes the volume {}
    lvm lvreduce|vgreduce|lvcreate => disk: changes the volume {}
    mdadm !-D|--detail|-E|--examine|-Q|--query|-V|--monitor => disk: changes a disk array: {}
    zpool destroy|labelclear => disk!: destroys the storage pool {}
    zpool create -f ... /dev/* => disk: makes a storage pool of {}
    zfs destroy -r|-R|-f !*@* => disk!: destroys the file system {} with all below it
    dmsetup remove_all|wipe_table => disk!: takes volumes away from the machine: {}
    gpart destroy|bootcode|restore => disk!: loses the partitions of {}
    mtd erase|write|-e => disk!: overwrites the flash of the machine: {}
    asr restore --erase => disk!: erases a volume to restore another
    mdadm --zero-superblock|--stop|-S|--fail|-f => disk: changes a disk array: {}
    mdadm --remove|-r|--create|-C => disk: changes a disk array: {}
    partclone.* -r|--restore|-b|--dev-to-dev => disk: overwrites {}
    blkdiscard|fstrim|growpart|zerofree|fsfreeze => disk: changes {}
    hdparm --security-erase|--security-*|--trim-sector-ranges => disk: erases {}
    hdparm --make-bad-sector|--write-sector => disk: erases {}
    hdparm -W|-S|-B|-y|-Y|-Z|-M|-r|-p|-X|--dco-* => disk: changes a disk
    smartctl -s|-o|-S|-X|--set|--smart           => disk: changes a disk
    badblocks -w|-n                              => disk: overwrites {} to test it
    tune2fs !-l                                  => disk: changes a file system
    resize2fs|resize4fs !-P|-i|--info|-n => disk: changes the size of a file system
    ntfsresize !-P|-i|--info|-n => disk: changes the size of a file system
    e2fsck|fsck|fsck.ext4 !-n|-N|-V => disk: repairs a file system
    fsck.ext3|fsck.ext2|fsck.xfs !-n|-N|-V => disk: repairs a file system
    fsck.vfat|fsck.btrfs|reiserfsck|ntfsfix|dosfsck !-n|-N|-V => disk: repairs a file system
    e2label|fatlabel|exfatlabel|swaplabel|xfs_admin|mlabel   => disk: changes the label of a disk
    e2image|e2undo|e4crypt|e2freefrag -r|-I      => disk: changes a file system: {}
    debugfs -w                                   => disk: changes a file system: {}
    flash_erase|flash_eraseall|flashcp|nandwrite|ubiformat => disk: overwrites {}
    ntfsclone -O|--overwrite|-r|--restore-image => disk: overwrites {}
    mkudffs|jfs_mkfs|mkfs_msdos|newfs_msdos|newfs_exfat => disk: makes a new file system on {}
    xfs_repair|xfs_growfs !-n                    => disk: changes a file system
    xfs_db -x                                    => disk: changes a file system
    xfs_mdrestore|xfs_copy|xfsrestore            => disk: overwrites {}
    partprobe|partx|kpartx -a|-d|-u|--add|--delete|--update => disk: changes partitions
    losetup -d|-D|-c|--detach|--detach-all       => disk: changes a loop device
    losetup * !-a|-l|-j|--list|--all             => disk: changes a loop device
    multipath -F|-f|-r                           => disk: changes the paths to disks
    iscsiadm -o|-u|-l|--logout|--login|--op      => disk: changes the connections to disks
    blockdev --setro|--setrw|--flushbufs|--rereadpt|--setra => disk: changes a disk
    sedutil-cli|sg_format|sg_sanitize|sg_write_same => disk: changes the disk {}
    sg_format --format|-F                        => disk!: erases the disk {}
    sg_sanitize --block|-B|--crypto|-C|--overwrite|-O => disk!: erases the disk {}
    storcli|megacli|MegaCli|perccli|ssacli|hpssacli|hpacucli => disk: changes a disk
    testdisk|photorec|gpart|gparted              => disk: works on partitions
    bcachefs format|device|unlock                => disk: makes a new file system on {}
    stratis pool|filesystem create|destroy|add-*|init-cache => disk: changes a storage pool
    drbdadm|drbdsetup ... primary|secondary|create-md|wipe-md|down => disk: changes a mirrored disk
    drbdadm|drbdsetup ... up|detach|invalidate|resize => disk: changes a mirrored disk
    fastboot flash|erase|oem|flashing|format|update|flashall|boot => disk: changes a device
    adb shell rm|reboot|su|dd|settings|svc|wipe|content => infrastructure: changes a device
    adb root|disable-verity|reboot|uninstall|remount => infrastructure: changes a device
    avrdude|esptool.py|esptool|openocd|st-flash !--help => infrastructure: changes a device
    dfu-util|stm32flash|nrfjprog|pyocd !--help => infrastructure: changes a device
    hdiutil detach                               => disk: takes a disk out of the file tree
    eject                                        => disk: ejects a disk
    dc3dd ... wipe=*|hwipe=*|of=/dev/*           => disk: overwrites {}
    mformat|mdeltree|mdel|mlabel                 => disk: changes a floppy or an image
    cdrecord|wodim|growisofs ... blank=*|dev=*|/dev/* => disk: overwrites a disc
    cdrecord|wodim|growisofs -blank|-Z|-M        => disk: overwrites a disc
    xorriso ... /dev/sd*|/dev/nvme*|/dev/vd*|/dev/hd*|/dev/mmcblk* => disk!: overwrites the disk {}
    xorriso ... cdrecord|/dev/*                  => disk: overwrites a disc
"""
