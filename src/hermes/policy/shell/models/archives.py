"""Describe programs that pack and unpack files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.followed import led_out
from hermes.policy.shell.models.tar import PROGRAM as TAR

_SQUEEZE = Program(
    "write*",
    values="-S -T -M -b --suffix --threads --memory --block-size --format -F -o -D --ultra",
    options={"-o|--output": "write"},
    when={"-c|--stdout|--to-stdout|-t|--test|-l|--list": "read*"},
)


def _unzip(call: Call) -> Iterator[Effect]:
    """Yield the folder that is unpacked into, unless nothing is unpacked."""
    if not call.has("-l", "-t", "-p", "-v", "-z", "-Z", "-c"):
        folder = call.value("-d") or "."
        yield Effect("write", folder, is_recursive=call.is_root(folder))


def _seven(call: Call) -> Iterator[Effect]:
    """Yield what 7z or rar reads and writes, by its first letter."""
    verb, *operands = call.operands or ("",)
    archive = operands[0] if operands else ""
    if verb in ("x", "e"):
        yield Effect("read", archive)
        folder = next((word[2:] for word in call.words if re.match(r"-o.", word)), "")
        last = operands[-1] if len(operands) > 1 and operands[-1].endswith("/") else "."
        yield Effect("write", folder or last, is_recursive=call.is_root(folder or last))
    elif verb in ("a", "u", "d", "rn", "m", "mf", "s", "c", "rr", "k"):
        yield Effect("write", archive)
        for path in operands[1:]:
            yield Effect("read", path)
    if verb == "d":
        yield danger("delete", f"deletes from the archive {archive}")
    if "-sdel" in call.words or "-df" in call.words or verb in ("m", "mf"):
        yield danger("delete", "deletes the files after packing them")
        for path in operands[1:]:
            yield Effect("delete", path, is_recursive=True)


def _cpio(call: Call) -> Iterator[Effect]:
    """Yield the folder that cpio unpacks into or copies to."""
    if call.has("-i", "--extract") and not call.has("-t", "--list"):
        folder = call.value("-D", "--directory") or "."
        yield Effect("write", folder, is_recursive=call.is_root(folder))
        if not call.has("--no-absolute-filenames") and call.has("--absolute-filenames"):
            yield danger("overwrite", "unpacks files to wherever the archive says")
    elif call.has("-p", "--pass-through") and call.operands:
        yield Effect("write", call.operands[-1])


def _ar(call: Call) -> Iterator[Effect]:
    """Yield what ar reads and writes: its first operand says what it does."""
    verb, *operands = call.words or ("",)
    if operands and re.search("[rqdms]", verb):
        yield Effect("write", next((word for word in operands if "." in word), operands[0]))
    elif operands and "x" in verb:
        yield Effect("read", operands[0])
        yield Effect("write", call.value("--output") or ".")


def _deb(call: Call) -> Iterator[Effect]:
    """Yield the folder that a package is unpacked into."""
    verbs = ("-x", "-X", "--extract", "--vextract", "-R", "--raw-extract", "-e", "--control")
    if call.has(*verbs) and call.operands:
        folder = call.operands[1] if len(call.operands) > 1 else "."
        yield Effect("write", folder)
    elif call.has("-b", "--build") and len(call.operands) > 1:
        yield Effect("write", call.operands[1])


def _zipped(call: Call) -> Iterator[Effect]:
    """Yield what links lead to: zip packs what is behind them, unless it is told otherwise."""
    if call.has("-r", "--recurse-paths") and not call.has("-y", "--symlinks"):
        for path in call.operands[1:]:
            yield from led_out(path, call.cwd)


PROGRAMS = {
    "tar|gtar|bsdtar|star": TAR,
    "zip": Program(
        "write read*",
        values="-b -n -t -tt -P -s -x -i -Z -O --password --suffixes --temp-path --exclude"
        " --include --compression-method --split-size --out",
        options={"-TT|--unzip-command": "run"},
        when={"-m|--move": "write delete-tree*"},
        dry="-sf --show-files",
        handler=_zipped,
    ),
    "unzip": Program("read text*", values="-d -P -x -O -I", handler=_unzip),
    "zipinfo|zipgrep|lsar|unzipsfx|zipcloak|zipnote|zipsplit": Program("text*"),
    "unar": Program("read text*", options={"-o|-output-directory": "write"}),
    "gzip|gunzip|bzip2|bunzip2|xz|unxz|lzma|unlzma|zstd|unzstd|lz4|unlz4|lzip|lzop|brotli|compress"
    "|uncompress|pigz|unpigz|pbzip2|lbzip2|pixz|plzip|lrzip|snzip|zopfli": _SQUEEZE,
    "7z|7za|7zr|7zz|p7zip|rar|unrar": Program(dashes="single", handler=_seven),
    "cpio|gcpio": Program(
        values="-D --directory -H --format -R --owner -C -E --pattern-file",
        options={"-F|-O|--file": "write", "-I": "read", "--rsh-command|--to-command": "run"},
        handler=_cpio,
    ),
    "pax": Program(values="-f -s -x -b -o", when={"-r": "text*", "-w": "read*"}),
    "ar|gar|llvm-ar": Program(values="--output", handler=_ar),
    "unsquashfs": Program(
        "read text*", options={"-d|-dest": "write", "-f": "text"}, dashes="single"
    ),
    "mksquashfs|genisoimage|mkisofs|xorrisofs": Program(
        "text*", dashes="single", options={"-o": "write"}
    ),
    "dpkg-deb": Program("text*", handler=_deb),
    "rpm2cpio|zipcmp": Program("read*"),
    "cabextract|lha|unace|unarj|arj": Program("read text*", options={"-d": "write"}),
    "makeself": Program("read write text*"),
}

RULES = """
    zip -m|--move                    => delete: deletes the files after packing them
    zip -TT|--unzip-command          => obfuscation: has zip run a program of its choosing
    zip -d|--delete                  => delete: deletes from the archive {}
    unzip -:                         => overwrite: unpacks files outside of the folder
    cpio --to-command|--rsh-command  => obfuscation: has cpio run a program of its choosing
"""
