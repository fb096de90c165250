"""Judge devices, the paths of processes, and other objects that are not files."""

from __future__ import annotations

import re
import stat

from hermes.policy.paths.groups import Category
from hermes.policy.paths.objects import Seen
from hermes.policy.paths.places import Concern, Verb
from hermes.policy.paths.spelling import shown

_PLAIN = re.compile(
    r"/dev/(?:null|zero|full|u?random|tty|console|ptmx|std(?:in|out|err)|fd(?:/[^/]*)?|pts/\d+)"
    r"|/proc/(?:self|thread-self)/fd(?:/\d+)?|/proc/\d+/fd"
)
_ROOT = re.compile(r"/proc/(?:self|thread-self|\d+)/root(?=/|$)")
_SLASHES = re.compile(r"/(?:\.?/)+")
_SOCKET = re.compile(r"/dev/(?:tcp|udp)/")
_DISK = re.compile(
    r"/dev/(?:(?:sd|hd|vd|xvd)[a-z*?]|nvme|mmcblk|dm-|md[\d/]|mapper/|disk/|r?disk\d|nbd|rbd|bcache"
    r"|zd\d|vg|block/|pmem|root$|loop|sg\d|sr\d|mtd|ram\d|ubi\d|dasd[a-z]|cciss/"
    r"|drbd\d|zvol/|a?da\d|n[dv][ad]\d)",
    re.IGNORECASE,
)
_THROUGH = re.compile(
    r"/proc/(?:self|thread-self|[\d*?]+)(?:/task/[\d*?]+)?/(?:root|cwd|fd/[^/]+)(?:/|$)"
)


def behind_process(flat: str) -> str | None:
    """Return the path that ``/proc/1/root/etc`` and its kin lead to, as that process sees it."""
    if not flat.startswith("/proc/"):
        return None
    match = _ROOT.match(flat)
    return None if match is None else flat[match.end() :] or "/"


def way_concern(verb: Verb, path: str) -> Concern | None:
    """Judge a path that steps up again after it went through a process, which its text hides."""
    if ".." not in path or ("/proc/" not in path and "/dev/fd" not in path):
        return None
    plain = _SLASHES.sub("/", path).replace("/dev/fd/", "/proc/self/fd/")
    if verb == "delete" and _THROUGH.search(plain) and plain.rstrip("/*").endswith("/.."):
        return Concern("deny", "delete", f"deletes what a process stands in: {shown(plain)}")
    return _through(verb, plain) if _THROUGH.search(plain) else None


def _through(verb: Verb, path: str) -> Concern:
    category: Category = "exfiltration" if verb == "read" else "overwrite"
    return Concern("ask", category, f"goes through a process to another place: {shown(path)}")


def is_stream(flat: str) -> bool:
    """Say whether a path is a device or descriptor that programs use freely, but is no file."""
    return flat != "/dev/null" and _PLAIN.fullmatch(flat) is not None


def device_concern(verb: Verb, flat: str) -> tuple[bool, Concern | None]:
    """Judge a path below /dev or /proc by its name; say first whether that settles it."""
    if _PLAIN.fullmatch(flat) and not (verb == "write" and flat.endswith("/fd")):
        is_gone = verb == "delete" and flat.startswith("/dev/")
        return True, Concern("ask", "disk", f"removes the device {flat}") if is_gone else None
    if _SOCKET.match(flat):
        return True, Concern("ask", "exfiltration", f"opens a network connection: {shown(flat)}")
    if _THROUGH.match(flat):
        return True, _through(verb, flat)
    if not flat.startswith("/dev/") or flat.startswith(("/dev/shm/", "/dev/mqueue/")):
        return False, None
    return True, _named_device(verb, flat)


def _named_device(verb: Verb, flat: str) -> Concern:
    if _DISK.match(flat):
        return _disk(verb, flat)
    done = {"read": "reads from", "write": "writes to", "delete": "removes"}[verb]
    category: Category = "exfiltration" if verb == "read" else "disk"
    return Concern("ask", category, f"{done} the device {shown(flat)}")


def _disk(verb: Verb, path: str) -> Concern:
    if verb == "read":
        return Concern("ask", "exfiltration", f"reads the raw disk {shown(path)}")
    what = f"overwrites the disk {shown(path)}"
    return Concern("ask" if path.startswith("/dev/loop") else "deny", "disk", what)


def object_concern(verb: Verb, seen: Seen) -> Concern | None:
    """Judge an object that is neither a file nor a folder nor a link that leads somewhere."""
    if seen.is_endless and verb != "delete":
        return Concern("ask", "opaque", f"follows links without end: {shown(seen.real)}")
    kind = seen.kind
    if not kind or stat.S_ISREG(kind) or stat.S_ISDIR(kind) or stat.S_ISLNK(kind):
        return None
    if verb == "delete":
        return None  # the name goes, the device stays
    if _PLAIN.fullmatch(seen.real) or seen.real.startswith("/memfd:"):
        return None
    if stat.S_ISBLK(kind):
        return _disk(verb, seen.real)
    if stat.S_ISCHR(kind):
        return Concern("ask", "disk", f"uses the device {shown(seen.real)}")
    if stat.S_ISSOCK(kind):
        return Concern("ask", "privilege", f"talks to the program behind {shown(seen.real)}")
    return Concern("ask", "opaque", f"uses the pipe {shown(seen.real)}, whose other end is unknown")
