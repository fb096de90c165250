"""Describe tar, whose options come in three styles and run programs in many ways."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program, told_apart
from hermes.policy.shell.models.files_copying import remote_host
from hermes.policy.shell.models.followed import led_out
from hermes.policy.shell.models.spelled import spelled
from hermes.policy.shell.models.words import words

_TAKING = "fCbTXIgKLNVHF"
_VALUES = (
    "-f -C -b -T -X -I -g -K -L -N -V -H -F --file --directory --blocking-factor --files-from"
    " --exclude-from --use-compress-program --listed-incremental --exclude --transform --xform"
    " --strip-components --owner --group --mode --mtime --format --to-command --checkpoint-action"
    " --rsh-command --info-script --new-volume-script --rmt-command --after-date --newer --label"
    " --starting-file --tape-length --record-size --index-file --suffix --add-file --warning"
    " --quoting-style --sort --volno-file --owner-map --group-map --options --passphrase"
)
_PLAIN = (
    "--create --extract --list --append --update --concatenate --delete --remove-files"
    " --absolute-names --recursive-unlink --unlink-first --to-stdout --checkpoint"
)
_COMPRESSORS = re.compile(
    r"(?:/usr/bin/)?(?:un)?(?:zstdm?t?|pigz|gzip|xz|pixz|bzip2|pbzip2|lbzip2|lz4|lzip|plzip|lzop"
    r"|lzma|brotli|zopfli|compress|zstdcat|cat)(?:\s+-[\w=-]+|\s+\d+)*"
)
_RUNS = words("--to-command --rsh-command --info-script --new-volume-script --rmt-command -F")


def _words(given: tuple[str, ...]) -> tuple[str, ...]:
    """Return tar's words with an old-style bundle such as ``xzf`` taken apart."""
    if not given or given[0].startswith("-") or not re.fullmatch(r"[A-Za-z]+", given[0]):
        return given
    letters, rest = given[0], list(given[1:])
    made = []
    for letter in letters:
        made.append(f"-{letter}")
        if letter in _TAKING and rest:
            made.append(rest.pop(0))
    return (*made, *rest)


def _tar(given: Call) -> Iterator[Effect]:
    call = spelled(told_apart("tar", _words(given.words), _OPTIONS), _OPTIONS, _PLAIN)
    yield from _programs(call)
    if call.has("--delete"):
        yield danger("delete", f"deletes from the archive {call.value('-f', '--file')}")
    archives = [path for path in call.values("-f", "--file") if path != "-"]
    folder = call.value("-C", "--directory", "--one-top-level")
    is_unpacking = call.has("-x", "--extract", "--get")
    for path in call.values("-T", "--files-from", "-X", "--exclude-from"):
        yield Effect("read", path)
    call = call._replace(cwd=given.cwd)
    if is_unpacking:
        yield from _unpacked(call, folder or ".")
    elif call.has("-c", "--create", "-r", "--append", "-u", "--update", "-A", "--concatenate"):
        yield from _packed(call, folder or "")
    changes = not is_unpacking and not call.has(
        "-t", "--list", "-d", "--diff", "--compare", "--test-label"
    )
    for path in archives:
        host = None if call.has("--force-local") else remote_host(path)
        if host:
            yield Effect("send" if changes else "net", host)
        else:
            yield Effect("write" if changes else "read", path)


def _unpacked(call: Call, folder: str) -> Iterator[Effect]:
    if call.has("-O", "--to-stdout"):
        return
    yield Effect("write", folder, is_recursive=call.is_root(folder))
    if call.has("-P", "--absolute-names", "--insecure"):
        yield danger("overwrite", "unpacks files to wherever the archive says")
    if call.has("--recursive-unlink", "--unlink-first", "-U"):
        yield danger("delete", "deletes what stands in the way before unpacking")


def _inside(folder: str, path: str) -> str:
    is_inside = folder and not path.startswith(("/", "~"))
    return f"{folder.rstrip('/')}/{path}" if is_inside else path


def _packed(call: Call, folder: str) -> Iterator[Effect]:
    for path in call.operands:
        yield Effect("read", _inside(folder, path), is_recursive=True)
        if call.has("-h", "--dereference"):
            yield from led_out(_inside(folder, path), call.cwd)
    if call.has("--remove-files"):
        for path in call.operands:
            yield Effect("delete", _inside(folder, path), is_recursive=True)
        yield danger("delete", f"deletes {' '.join(call.operands)[:60]} after packing it")


def _programs(call: Call) -> Iterator[Effect]:
    """Yield the programs that tar is told to run."""
    for action in call.values("--checkpoint-action"):
        if "exec=" in action:
            command = action.partition("exec=")[2]
            yield Effect("run", command)
            yield danger("obfuscation", f"has tar run {command[:60]}")
    for command in call.values("-I", "--use-compress-program"):
        if not _COMPRESSORS.fullmatch(command.strip()):
            yield Effect("run", command)
            yield danger("obfuscation", f"has tar run {command[:60]}")
    for command in call.values(*_RUNS):
        yield Effect("run", command)
        yield danger("obfuscation", f"has tar run {command[:60]}")


_OPTIONS = Program(values=_VALUES)
PROGRAM = Program(values=_VALUES, handler=_tar)
