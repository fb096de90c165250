"""Judge what a container is given of the machine: folders, devices, rights."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from posixpath import basename, normpath

from hermes.base.mounts import is_below
from hermes.base.secret_names import is_secret_name
from hermes.policy.shell.effects import UNKNOWN, Effect, danger
from hermes.policy.shell.model import Call
from hermes.policy.shell.models.images import stranger
from hermes.policy.shell.models.inside import SHELLS, command, destroys, in_container, in_service
from hermes.policy.shell.models.looking import behind

VALUES = """
-a --attach --add-host --annotation --blkio-weight --cap-add --cap-drop --cgroup-parent --cgroupns
--cidfile -c --cpu-period --cpu-quota --cpu-shares --cpus --cpuset-cpus --cpuset-mems --device
--device-cgroup-rule --dns --dns-option --dns-search --domainname --entrypoint -e --env --env-file
--expose --gpus --group-add --health-cmd --health-interval --health-retries --health-timeout -h
--hostname --index --ip --ip6 --ipc --isolation -l --label --label-file --link --log-driver
--log-opt --mac-address -m --memory --memory-reservation --memory-swap --mount --name --net
--network --network-alias --oom-score-adj --pid --pids-limit --platform -p --publish --pull
--restart --runtime --secret --security-opt --shm-size --stop-signal --stop-timeout --storage-opt
--sysctl --tmpfs --ulimit -u --user --userns --uts -v --volume --volume-driver --volumes-from -w
--workdir --pod --authfile --arch --os --detach-keys
"""
_MIGHTY = re.compile(
    r"(?:CAP_)?(?:ALL|SYS_(?:ADMIN|MODULE|RAWIO|BOOT|TIME)|DAC_READ_SEARCH|NET_ADMIN|BPF)", re.I
)
_PLAIN_DEVICES = ("/dev/dri", "/dev/kvm", "/dev/snd", "/dev/nvidia", "/dev/video", "/dev/fuse")
_PLAIN_FILES = ("/etc/localtime", "/etc/timezone", "/etc/ssl", "/etc/ca-certificates", "/etc/pki")
_SYSTEM = re.compile(r"/(?:etc|root|home|var|proc|sys|dev|boot|run|usr|lib\w*|s?bin|opt|srv|mnt)?$")
_GUARDED = re.compile(
    r"^/(?:etc|root|proc|sys|dev|boot|usr|lib|s?bin|run)/|(?:docker|containerd|podman)\.sock$"
    r"|^/var/(?:run|lib|log|spool)\b"
)
_ABSOLUTE = re.compile(r"(?<![\w./:~*-])/[^\s'\";|&<>)]*")
_CACHES = re.compile(
    r"/(?:\.cache|\.npm|\.m2|\.gradle|\.cargo/(?:registry|git)|go/pkg|\.yarn|\.pnpm-store|\.composer)(?:/|$)"
)
_HARD = re.compile(
    r"/dev/(?:[shv]d[a-z]|xvd|nvme|mmcblk|dm-|mapper/|disk)|\bnsenter\b|/proc/1/root"
)
_ENTRY = {"aws-cli": "aws", "kubectl": "kubectl", "terraform": "terraform", "helm": "helm"}
_ENTRY |= {"rclone": "rclone", "restic": "restic", "azure-cli": "", "opentofu": "tofu"}


def started(call: Call) -> Iterator[Effect]:
    """Yield what a new container may do to the machine, and what its command reaches."""
    yield from rights(call)
    operands = behind(call, "compose", "container", "run", "create")
    if not operands:
        return
    is_image = not call.name.endswith("compose") and call.operands[0] != "compose"
    if is_image and (image := stranger(call, operands[0])):
        yield danger("network-exec", f"runs the image {image}, whose maker is not known")
    words = _entered(call, operands)
    if list(words[:1]) in (["env"], ["printenv"]):
        yield from _told(call)
    kept = [*call.values("--volumes-from"), *_volumes(call)]
    if kept and destroys(words):
        yield danger("infrastructure", f"deletes or replaces data of the volume {kept[0]}")
    mounts = dict(_bound(call))
    words = _piped_in(call, words)
    if call.has("--rootfs") and call.is_root(operands[0]):
        yield command(words)
    if _is_mighty(call) and any(_HARD.search(word) for word in words):
        yield command(words)
    if mounts:
        words = [_seen_from_outside(word, mounts) for word in words]
        yield from in_service(words)
        folder = _seen_from_outside(call.value("-w", "--workdir") or "", mounts)
        if folder and (call.is_root(folder) or is_below(call.home, folder)):
            yield Effect("run", f"cd {shlex.quote(folder)} && {shlex.join(words)}")
    else:
        yield from in_container(words)


def _told(call: Call) -> Iterator[Effect]:
    """Yield the secrets among the variables that a container prints."""
    for file in call.values("--env-file"):
        yield danger("exfiltration", f"prints the variables in {file}")
    for name in call.values("-e", "--env"):
        if is_secret_name(name.partition("=")[0]):
            yield danger("exfiltration", f"prints the secret {name.partition('=')[0]}")


def _piped_in(call: Call, words: list[str]) -> list[str]:
    """Return the words of a shell with the text that is piped into it, if that is known."""
    is_waiting = words and basename(words[0]) in SHELLS and all(w[:1] == "-" for w in words[1:])
    return ["sh", "-c", call.piped.text] if is_waiting and call.piped.text else words


def _is_mighty(call: Call) -> bool:
    """Say whether a container may reach the disks and processes of the machine."""
    return call.has("--privileged", "--device", "--cap-add") or call.value("--pid") == "host"


def entered(call: Call) -> Iterator[Effect]:
    """Yield what a command does that runs in a container that is up."""
    if call.has("--privileged"):
        yield danger("privilege", "runs a command with all rights over the machine")
    yield from in_service(behind(call, "compose", "container", "exec")[1:])


def rights(call: Call) -> Iterator[Effect]:
    """Yield the dangers in the options that widen what a container may do."""
    if any(value not in ("false", "0") for value in call.flags.get("--privileged", ())):
        yield danger("privilege", "starts a container with all rights over the machine")
    for flag in ("--pid", "--userns", "--uts"):
        if call.value(flag) == "host":
            yield danger("privilege", f"starts a container in the machine's own {flag[2:]} space")
    yield from _capabilities(call)
    if call.value("--restart") in ("always", "unless-stopped"):
        yield danger("persistence", "starts a container that comes back with the machine")
    for host, inner, is_read_only in _mounts(call):
        yield from _mounted(call, host, inner, is_read_only=is_read_only)


def _capabilities(call: Call) -> Iterator[Effect]:
    for name in call.values("--cap-add"):
        if _MIGHTY.fullmatch(name) or UNKNOWN in name:
            yield danger("privilege", f"gives a container the capability {name}")
    for device in call.values("--device"):
        if not device.startswith(_PLAIN_DEVICES) and device.startswith("/"):
            yield danger("privilege", f"gives a container the device {device}")
    for option in call.values("--security-opt"):
        if re.search(r"unconfined|disable", option):
            yield danger("privilege", f"takes away a container's confinement: {option}")


def _mounted(call: Call, host: str, inner: str, *, is_read_only: bool) -> Iterator[Effect]:
    path = normpath(host)
    if (path.startswith(_PLAIN_FILES) and is_read_only) or _CACHES.search(path):
        return
    home = call.home or "~"
    if _SYSTEM.fullmatch(path) or _GUARDED.search(path) or path in (home, "~"):
        yield danger("privilege", f"gives a container the machine's {path}", path)
        if "/.hermes" in path and not is_read_only:
            yield Effect("write", path)
    elif is_read_only:
        yield Effect("read", path)
    elif path != normpath(call.cwd or ".") and path != ".":
        yield Effect("write", f"{path}/{basename(inner)}" if path == "/tmp" else path)


def _mounts(call: Call) -> Iterator[tuple[str, str, bool]]:
    """Yield every folder of the machine that is mounted, where, and whether only for reading."""
    for value in call.values("-v", "--volume"):
        host, _, rest = value.removeprefix("=").partition(":")
        inner, _, mode = rest.partition(":")
        if host.startswith(("/", "~", ".", "$")) and inner:
            host = f"{call.home}{host[1:]}" if host[0] == "~" and call.home else host
            yield host, inner, "ro" in mode.split(",")
    for value in call.values("--mount"):
        parts = dict(part.partition("=")[::2] for part in value.split(","))
        host = parts.get("source") or parts.get("src") or ""
        if parts.get("type") == "bind" or host.startswith(("/", "~", ".")):
            inner = parts.get("target") or parts.get("destination") or parts.get("dst") or ""
            yield host, inner, "readonly" in parts or "ro" in parts


def _volumes(call: Call) -> Iterator[str]:
    """Yield the volumes of the engine that are mounted; they outlive the container."""
    for value in call.values("-v", "--volume"):
        name, colon, _ = value.removeprefix("=").partition(":")
        if colon and not name.startswith(("/", "~", ".", "$")):
            yield name
    for value in call.values("--mount"):
        parts = dict(part.partition("=")[::2] for part in value.split(","))
        name = parts.get("source") or parts.get("src") or ""
        if name and parts.get("type", "volume") == "volume":
            yield name


def _bound(call: Call) -> Iterator[tuple[str, str]]:
    """Yield where folders of the machine are seen in the container, and which."""
    for host, inner, is_read_only in _mounts(call):
        if not is_read_only:
            yield inner, host


def _seen_from_outside(text: str, mounts: dict[str, str]) -> str:
    """Return a text with the container's paths put back to those of the machine.

    What lies in the container alone becomes scratch: it is gone with the container.
    """

    def outside(found: re.Match[str]) -> str:
        path = found[0]
        for inner, host in mounts.items():
            root = inner.rstrip("/")
            if root and (path == root or path.startswith(f"{root}/")):
                return f"{host.rstrip('/')}{path[len(root) :]}" or "/"
        return path if "/" in mounts.values() else f"/tmp/container{path}"

    return _ABSOLUTE.sub(outside, text)


def _entered(call: Call, operands: tuple[str, ...]) -> list[str]:
    """Return the words of the command that an image runs."""
    image, *words = operands
    entry = call.value("--entrypoint")
    if entry:
        return [*entry.split(), *words]
    name = basename(image).partition(":")[0].partition("@")[0]
    known = _ENTRY.get(name)
    return [known, *words] if known and words[:1] != [known] else words
