"""Describe rsync and its like: copying here, to other machines and from them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes.policy.shell.effects import UNKNOWN, Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.files_changing import poured
from hermes.policy.shell.models.followed import led_out
from hermes.policy.shell.models.spelled import spelled

_REMOTE = re.compile(
    r"(?:[^/:@\s]+@)?(\[[^\]]+\]|[^/:\s]+)::?.*|(?:rsync|sftp|ssh|scp)://(?:[^@/]*@)?([^/:]+).*",
    re.DOTALL,
)
_SHELLS = re.compile(r"(?:/usr/bin/)?(?:ssh|rsh)(?:\s|$)")


def remote_host(operand: str) -> str | None:
    """Return the machine that ``user@host:path`` lies on, or None for a path of this machine."""
    found = _REMOTE.fullmatch(operand)
    if not found or re.match(r"[A-Za-z]:[\\/]", operand):
        return None
    return found[1] or found[2]


def fetched(source: str, host: str, target: str) -> Iterator[Effect]:
    """Yield what a copy from another machine does there, and the file it may make here."""
    yield Effect("net", host)
    name = source.rstrip("/").rpartition("/")[2].rpartition(":")[2]
    if name and target.endswith(("/", ".")) and remote_host(target) is None:
        yield Effect("write", f"{target.rstrip('/')}/{name}", is_recursive=True)


def _rsync(call: Call) -> Iterator[Effect]:
    call = spelled(call, Program(values=_VALUES), "--remove-source-files --daemon")
    yield from _programs(call)
    if call.has("--daemon"):
        yield danger("service", "serves files to the network")
    for path in call.values("--files-from", "--exclude-from", "--include-from", "--filter-from"):
        yield Effect("read", path)
    for path in call.values("--log-file", "--backup-dir", "--write-batch", "--partial-dir"):
        yield Effect("write", path)
    if len(call.operands) < 2:
        return
    *sources, target = call.operands
    if target in (".", "./"):
        yield from poured(sources, call.has("--ignore-existing", "-u", "--update"))
    yield from _copied(call, sources, target)


def _copied(call: Call, sources: list[str], target: str) -> Iterator[Effect]:
    host = remote_host(target)
    for source in sources:
        if other := remote_host(source):
            yield from fetched(source, other, target)
        elif call.has("--remove-source-files", "--remove-sent-files"):
            yield Effect("delete", source, is_recursive=True)
        else:
            yield Effect("read", source)
            if call.has("-L", "--copy-links", "--copy-unsafe-links", "-k", "--copy-dirlinks"):
                yield from led_out(source, call.cwd)
    deletes = any(flag.startswith(("--del", "--ignore-missing-args=del")) for flag in call.flags)
    if host:
        yield Effect("send", host)
        if deletes:
            yield danger("infrastructure", f"deletes files on {host}")
    elif deletes:
        yield Effect("delete", target, is_recursive=True)
    else:
        yield Effect("write", target)


def _programs(call: Call) -> Iterator[Effect]:
    """Yield the programs that rsync runs to reach the other side."""
    for command in call.values("-e", "--rsh"):
        if not _SHELLS.match(command) or re.search(r"ProxyCommand|LocalCommand|[;|&`$]", command):
            yield Effect("run", command)
            if UNKNOWN not in command:
                yield danger("obfuscation", f"has rsync run {command[:60]}")


_VALUES = (
    "-B -T -M -f --block-size --exclude --include --filter --bwlimit --timeout --port --chmod"
    " --chown --max-size --min-size --max-delete --compare-dest --copy-dest --link-dest --temp-dir"
    " --rsync-path --password-file --out-format --info --debug --suffix --compress-level"
    " --skip-compress --modify-window --iconv --usermap --groupmap --address --sockopts"
    " --contimeout --stop-after --remote-option"
    " -e --rsh --files-from --exclude-from --include-from --log-file --backup-dir --write-batch"
    " --partial-dir --read-batch"
)

PROGRAMS = {
    "rsync|prsync": Program(values=_VALUES, dry="-n --list-only", handler=_rsync),
    "unison": Program("write*", values="-sshargs -path -ignore -force -prefer", dashes="single"),
    "fpsync|fpart": Program("read* write", values="-n -s -f -o"),
    "sshfs": Program("net write", values="-o -p -F"),
    "robocopy|xcopy": Program("read write text*"),
}

RULES = """
    rsync ... --rsync-path=*sudo* => privilege: raises rights on the other machine
    robocopy ... /MIR|/mir|/PURGE|/MOVE => delete: deletes files while copying
"""
