"""System calls by name: their numbers on each processor, and which of them are refused."""

from __future__ import annotations

from typing import NamedTuple


class Architecture(NamedTuple):
    """How one processor counts its system calls."""

    audit: int
    numbers: dict[str, int]
    has_x32: bool = False


DENIED = (
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd",
    "kcmp", "io_uring_setup", "io_uring_enter", "io_uring_register", "bpf", "perf_event_open",
    "userfaultfd", "keyctl", "add_key", "request_key", "mount", "umount2", "pivot_root",
    "chroot", "move_mount", "open_tree", "fsopen", "fsconfig", "fsmount", "fspick",
    "mount_setattr", "open_tree_attr", "setns", "open_by_handle_at", "name_to_handle_at",
    "fanotify_init",
    "quotactl", "quotactl_fd", "swapon", "swapoff", "acct", "syslog", "reboot", "kexec_load",
    "kexec_file_load", "init_module", "finit_module", "delete_module", "iopl", "ioperm",
    "modify_ldt", "sethostname", "setdomainname", "settimeofday", "clock_settime",
    "clock_adjtime", "adjtimex", "migrate_pages", "move_pages", "lookup_dcookie",
    "nfsservctl", "vhangup", "uselib", "_sysctl", "ustat", "sysfs",
)  # fmt: skip
"""Refused outright: other processes, kernel objects, mounts, clocks, modules."""

SHARED_MEMORY = (
    "shmget", "shmat", "shmctl", "shmdt", "semget", "semop", "semctl", "semtimedop", "msgget",
    "msgsnd", "msgrcv", "msgctl", "mq_open", "mq_unlink",
)  # fmt: skip
"""Refused where the box has no such objects of its own."""

FILE_FACTS = (
    "chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat",
    "utime", "utimes", "futimesat", "utimensat", "setxattr", "lsetxattr", "fsetxattr",
    "removexattr", "lremovexattr", "fremovexattr", "setxattrat", "removexattrat",
    "file_setattr",
)  # fmt: skip
"""Refused where only Landlock guards files: it does not guard their modes, owners and times."""

OWN_FIRST = (
    "prlimit64", "sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr",
)  # fmt: skip
"""Refused for any process but the caller, which the first argument names."""

OWN_SECOND = {
    "setpriority": (0, 1),
    "ioprio_set": (1, 2),
}
"""Refused for anything but the caller and its group, which the arguments name: not for a user."""

LASTING_REQUESTS = (
    0x40086602, 0x40046602, 0x401C5820, 0x40087602, 0x40806685, 0x800C6613, 0x5000940E,
    0x50009418, 0x50009401, 0x50009417, 0x5000940F, 0x5000943F, 0x4008941A,
)  # fmt: skip
"""Requests that change a file or folder that is only open for reading: its flags, project, seal
and encryption, and btrfs's subvolumes. Refused where only Landlock guards files."""

_X86_64 = {
    "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "process_madvise": 440,
    "pidfd_getfd": 438, "kcmp": 312, "io_uring_setup": 425, "io_uring_enter": 426,
    "io_uring_register": 427, "bpf": 321, "perf_event_open": 298, "userfaultfd": 323,
    "keyctl": 250, "add_key": 248, "request_key": 249, "mount": 165, "umount2": 166,
    "pivot_root": 155, "chroot": 161, "move_mount": 429, "open_tree": 428, "fsopen": 430,
    "fsconfig": 431, "fsmount": 432, "fspick": 433, "mount_setattr": 442, "setns": 308,
    "open_by_handle_at": 304, "name_to_handle_at": 303, "fanotify_init": 300, "quotactl": 179,
    "quotactl_fd": 443, "swapon": 167, "swapoff": 168, "acct": 163, "syslog": 103,
    "reboot": 169, "kexec_load": 246, "kexec_file_load": 320, "init_module": 175,
    "finit_module": 313, "delete_module": 176, "iopl": 172, "ioperm": 173, "modify_ldt": 154,
    "sethostname": 170, "setdomainname": 171, "settimeofday": 164, "clock_settime": 227,
    "clock_adjtime": 305, "adjtimex": 159, "migrate_pages": 256, "move_pages": 279,
    "lookup_dcookie": 212, "nfsservctl": 180, "vhangup": 153, "uselib": 134, "_sysctl": 156,
    "ustat": 136, "sysfs": 139, "shmget": 29, "shmat": 30, "shmctl": 31, "shmdt": 67,
    "semget": 64, "semop": 65, "semctl": 66, "semtimedop": 220, "msgget": 68, "msgsnd": 69,
    "msgrcv": 70, "msgctl": 71, "mq_open": 240, "mq_unlink": 241, "clone": 56, "clone3": 435,
    "unshare": 272, "mknod": 133, "mknodat": 259, "ioctl": 16, "personality": 135, "socket": 41,
    "socketpair": 53, "open_tree_attr": 467,
    "chmod": 90, "fchmod": 91, "fchmodat": 268, "fchmodat2": 452, "chown": 92, "fchown": 93,
    "lchown": 94, "fchownat": 260, "utime": 132, "utimes": 235, "futimesat": 261,
    "utimensat": 280, "setxattr": 188, "lsetxattr": 189, "fsetxattr": 190, "removexattr": 197,
    "lremovexattr": 198, "fremovexattr": 199, "setxattrat": 463, "removexattrat": 466,
    "file_setattr": 469, "prlimit64": 302, "sched_setaffinity": 203, "sched_setscheduler": 144,
    "sched_setparam": 142, "sched_setattr": 314, "setpriority": 141, "ioprio_set": 251,
}  # fmt: skip

_GENERIC = {
    "ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271, "process_madvise": 440,
    "pidfd_getfd": 438, "kcmp": 272, "io_uring_setup": 425, "io_uring_enter": 426,
    "io_uring_register": 427, "bpf": 280, "perf_event_open": 241, "userfaultfd": 282,
    "keyctl": 219, "add_key": 217, "request_key": 218, "mount": 40, "umount2": 39,
    "pivot_root": 41, "chroot": 51, "move_mount": 429, "open_tree": 428, "fsopen": 430,
    "fsconfig": 431, "fsmount": 432, "fspick": 433, "mount_setattr": 442, "setns": 268,
    "open_by_handle_at": 265, "name_to_handle_at": 264, "fanotify_init": 262, "quotactl": 60,
    "quotactl_fd": 443, "swapon": 224, "swapoff": 225, "acct": 89, "syslog": 116, "reboot": 142,
    "kexec_load": 104, "kexec_file_load": 294, "init_module": 105, "finit_module": 273,
    "delete_module": 106, "sethostname": 161, "setdomainname": 162, "settimeofday": 170,
    "clock_settime": 112, "clock_adjtime": 266, "adjtimex": 171, "migrate_pages": 238,
    "move_pages": 239, "lookup_dcookie": 18, "nfsservctl": 42, "vhangup": 58, "shmget": 194,
    "shmat": 196, "shmctl": 195, "shmdt": 197, "semget": 190, "semop": 193, "semctl": 191,
    "semtimedop": 192, "msgget": 186, "msgsnd": 189, "msgrcv": 188, "msgctl": 187,
    "mq_open": 180, "mq_unlink": 181, "clone": 220, "clone3": 435, "unshare": 97, "mknodat": 33,
    "ioctl": 29, "personality": 92, "socket": 198, "socketpair": 199, "open_tree_attr": 467,
    "fchmod": 52, "fchmodat": 53, "fchmodat2": 452, "fchown": 55, "fchownat": 54,
    "utimensat": 88, "setxattr": 5, "lsetxattr": 6, "fsetxattr": 7, "removexattr": 14,
    "lremovexattr": 15, "fremovexattr": 16, "setxattrat": 463, "removexattrat": 466,
    "file_setattr": 469, "prlimit64": 261, "sched_setaffinity": 122, "sched_setscheduler": 119,
    "sched_setparam": 118, "sched_setattr": 274, "setpriority": 140, "ioprio_set": 30,
}  # fmt: skip

ARCHITECTURES = {
    "x86_64": Architecture(0xC000003E, _X86_64, has_x32=True),
    "aarch64": Architecture(0xC00000B7, _GENERIC),
    "riscv64": Architecture(0xC00000F3, _GENERIC),
}
