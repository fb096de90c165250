"""Describe programs that make, change, move and delete files."""

from __future__ import annotations

import os.path
import posixpath
import re
from collections.abc import Iterator, Sequence

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.followed import led_out
from hermes.policy.shell.models.throwaway import is_scratch, is_throwaway, is_work

_TARGET = "-t|--target-directory"
_ENDLESS = ("/dev/zero", "/dev/urandom", "/dev/random")
_COPY = "-S --suffix --backup --sparse --reflink --context -Z"
_WIPE = "-n -s --iterations --size --random-source"


def _copy(call: Call) -> Iterator[Effect]:
    """Yield a danger where a file is emptied by copying nothing over it."""
    *sources, target = call.operands or ("",)
    if call.has("-L", "--dereference") and call.has("-r", "-R", "-a", "--recursive", "--archive"):
        for source in sources:
            yield from led_out(source, call.cwd)
    if sources == ["/dev/null"]:
        yield from _emptied(target)
    if target in (".", "./") and call.has("-r", "-R", "-a", "--recursive", "--archive"):
        yield from poured(sources, call.has("-n", "-i", "--no-clobber", "--interactive"))
    if call.operands[:1] and call.operands[0] in _ENDLESS and call.operands[1:] != ("/dev/null",):
        yield danger("service", f"fills the disk with {call.operands[0]}")


def _installed(call: Call) -> Iterator[Effect]:
    """Yield a danger where a file is emptied by installing nothing in its place."""
    if call.operands[:-1] == ("/dev/null",):
        yield from _emptied(call.operands[-1])


def poured(sources: Sequence[str], is_kept: bool) -> Iterator[Effect]:
    """Yield a danger where all of another folder is laid over the files that are here."""
    for source in sources:
        is_whole = source.endswith(("/.", "/*", "/"))
        if is_whole and not is_kept and source.startswith(("../", "/", "~")):
            yield danger("delete", f"puts all of {source} over the files that are here")


def _move(call: Call) -> Iterator[Effect]:
    """Yield a danger where files are moved to where they are lost."""
    target = call.value("-t", "--target-directory") or (call.operands or ("",))[-1]
    if call.operands[:-1] == ("/dev/null",):
        yield from _emptied(target)
    if target.startswith("/dev/") and not target.startswith("/dev/shm"):
        yield danger("delete", f"moves files to {target}, where they are lost")


def seen_from(link: str, target: str, cwd: str) -> str:
    """Return where a symbolic link leads: a relative target starts at the link's own folder."""
    if target.startswith(("/", "~")):
        return target
    is_folder = link.endswith(("/", "/.", "..")) or link in (".", "..")
    is_folder = is_folder or os.path.isdir(f"{cwd}/{link}" if link[:1] != "/" else link)  # noqa: PTH112 - a text
    folder = link if is_folder else posixpath.dirname(link)
    return posixpath.normpath(posixpath.join(folder, target))


def _link(call: Call) -> Iterator[Effect]:
    """Yield the link's name as written and what it points at as read."""
    *targets, name = call.operands or ("",)
    if folder := call.value("-t", "--target-directory"):
        targets, name = list(call.operands), folder
    elif not targets and name:
        targets, name = [name], name.rstrip("/").rpartition("/")[2]
    is_soft = call.has("-s", "--symbolic") and not call.has("-r", "--relative")
    for target in targets:
        yield Effect("read", seen_from(name, target, call.cwd) if is_soft else target)
    if targets == ["/dev/null"] and call.has("-f", "--force"):
        yield from _emptied(name)
    if name:
        yield Effect("write", name)


def _truncate(call: Call) -> Iterator[Effect]:
    """Yield dangers for files that are cut down to nothing."""
    size = call.value("-s", "--size") or ""
    if re.fullmatch(r"[<%/=]?0+[kKMGTB]*", size):
        for path in call.operands:
            yield from _emptied(path)


def _emptied(path: str) -> Iterator[Effect]:
    if path and not is_throwaway(path):
        yield danger("delete", f"empties {path}")


def _wipe(call: Call) -> Iterator[Effect]:
    """Yield dangers for files that are overwritten so that nobody can bring them back."""
    for path in call.operands:
        yield Effect("delete", path, is_recursive=call.has("-r", "-R", "--recursive"))
        if not is_scratch(path):
            yield danger("delete", f"destroys {path} beyond recovery")


def _dd(call: Call) -> Iterator[Effect]:
    """Yield what dd reads and writes: its operands are settings."""
    given = dict(operand.partition("=")[::2] for operand in call.operands)
    target = given.get("of", "")
    if given.get("if") == "/dev/null":
        yield from _emptied(target)
    if given.get("if") in _ENDLESS and "count" not in given and target and target != "/dev/null":
        yield danger("service", f"fills the disk through {target}")
    elif given.get("if") in _ENDLESS and is_work(target) and not is_throwaway(target):
        yield danger("delete", f"overwrites {target} with noise")
    for operand in call.operands:
        key, equals, value = operand.partition("=")
        if equals and value and key == "if":
            yield Effect("read", value)
        elif equals and value and key in ("of", "hof", "wipe", "hofs", "ofs"):
            yield Effect("write", value)


def _filled(call: Call) -> Iterator[Effect]:
    """Yield a danger for a file that takes up the disk."""
    size = call.value("-l", "--length") or ""
    if re.fullmatch(r"\d{3,}Gi?B?|\d+[TPE]i?B?|\d{12,}", size):
        yield danger("service", f"takes up {size} of the disk")


def _split(call: Call) -> Iterator[Effect]:
    """Yield the command that split feeds its pieces to."""
    if command := call.value("--filter"):
        yield Effect("run", command)
        if command.split()[-1:] in (["sh"], ["bash"], ["zsh"], ["dash"]):
            yield danger("opaque", "runs pieces of a file that cannot be known beforehand")


def _onto_itself(call: Call) -> Iterator[Effect]:
    """Yield a danger where a file is emptied before it is read."""
    target = call.value("-o", "--output")
    if target and call.operands == ("/dev/null",):
        yield from _emptied(target)
    if target in call.operands:
        yield danger("delete", f"empties {target} before reading it")


def _rename(call: Call) -> Iterator[Effect]:
    """Yield the Perl code that one of the programs called rename takes."""
    code = call.operands[0] if call.operands else ""
    if re.search(r"[({;`]|^(?:s|tr|y)\W", code):
        yield Effect("code", code, what="perl")


def _patch(call: Call) -> Iterator[Effect]:
    """Yield the folder that a patch is applied in."""
    yield Effect("write", call.value("-d", "--directory") or ".")


PROGRAMS = {
    "cp|gcp|copy|ditto": Program(
        "read* write",
        values=_COPY,
        options={_TARGET: "write"},
        when={_TARGET: "read*"},
        handler=_copy,
    ),
    "mv|gmv": Program(
        "write*",
        values=_COPY,
        options={_TARGET: "write"},
        handler=_move,
    ),
    "rm|grm": Program("delete*", when={"-r|-R|--recursive": "delete-tree*"}),
    "del|erase|rd|rmtrash": Program("delete*"),
    "unlink": Program("delete*"),
    "rmdir|touch|mkdir|tee|sponge|mkfifo|pee": Program(
        "write*",
        values="-m --mode -d --date -t -A --context",
        options={"-r|--reference": "read"},
    ),
    "ln|link|symlink": Program(values="-S --suffix --backup -t --target-directory", handler=_link),
    "install|ginstall": Program(
        "read* write",
        values="-m --mode -o --owner -g --group -S --suffix --backup -Z --context",
        options={_TARGET: "write", "--strip-program": "run"},
        when={_TARGET: "read*", "-d|--directory": "write*"},
        handler=_installed,
    ),
    "truncate": Program("write*", values="-s --size -r --reference", handler=_truncate),
    "fallocate": Program("write", values="-l -o --length --offset", handler=_filled),
    "shred|srm|wipe|gshred|bcwipe|sfill": Program(values=_WIPE, handler=_wipe),
    "dd|dcfldd|gdd|dc3dd": Program(handler=_dd),
    "ddrescue": Program("read write write", values="-b -c -s -i -o -r -a"),
    "split|gsplit": Program(
        "read write",
        values="-a -b -C -l -n -t --additional-suffix --bytes --lines --number --filter"
        " --suffix-length --separator --line-bytes",
        handler=_split,
    ),
    "csplit": Program(
        "read text*", values="-b -n --suffix-format", options={"-f|--prefix": "write"}
    ),
    "patch|gpatch": Program(
        "write read",
        values="-p --strip -F --fuzz -B -V -z -D -Y -g --suffix --prefix --directory -d",
        options={"-i|--input": "read", "-o|--output|-r|--reject-file": "write"},
        handler=_patch,
    ),
    "rename|prename|file-rename|perl-rename": Program(
        "text write*",
        values="-e -E",
        options={"-e|-E": "code:perl"},
        dry="-n --nono --no-act",
        handler=_rename,
    ),
    "rename.ul": Program("text text write*", dry="-n"),
    "mmv|qmv|imv|vidir|detox|convmv|krename|zmv": Program("write*", dry="-n"),
    "trash|trash-put|gtrash|rip": Program("write*"),
    "gvfs-rm|gvfs-trash": Program("delete*"),
    "kioclient|kioclient5": Program("text*"),
    "kioclient|kioclient5 remove|del": Program("delete-tree*"),
    "strip|patchelf|chrpath": Program(
        "write*",
        values="-R -K -N -F -O --set-rpath --set-interpreter --add-needed --remove-section -r",
        options={"-o|--output": "write"},
        when={"--print-rpath|--print-needed|--print-interpreter|-l": "read*"},
    ),
    "objcopy": Program("write write", values="-I -O -j -R -N -B -F --add-section"),
    "stow|xstow": Program(
        options={"-t|--target": "write", "-d|--dir": "read"}, dry="-n --no --simulate"
    ),
    "plutil": Program(
        dashes="single",
        when={"-p|-lint|-help": "read*", "-replace|-insert|-remove|-convert|-extract": "write*"},
    ),
    "gio trash|rename|mkdir|set": Program("write*"),
    "gio remove": Program("delete*"),
    "gio copy|save": Program("read* write"),
    "gio move": Program("write*"),
    "gio cat": Program("read*"),
    "xattr": Program(when={"-w|-d|-c|-r": "text write*"}),
    "setfattr": Program("write*", values="-n -v -x --name --value --remove"),
    "mknod": Program("write text*", values="-m --mode"),
    "dos2unix|unix2dos|mac2unix|fromdos|todos|d2u|flip": Program(
        "write*", when={"-n|--newfile": "read write"}
    ),
    "iconv|recode|uconv": Program(
        "read*",
        values="-f -t --from-code --to-code -x",
        options={"-o|--output": "write"},
        handler=_onto_itself,
    ),
    "fdupes|jdupes|rdfind|rmlint|fclones": Program("text*", dry="-n"),
    "tmpwatch|tmpreaper": Program("delete*", dry="-t --test"),
}

RULES = """
    rm|grm --no-preserve-root         => delete: deletes without protecting the root folder
    mknod ... b|c|u                   => disk: makes a device file {}
    fallocate -p|--punch-hole         => delete: cuts pieces out of {}
    fallocate -c|--collapse-range     => delete: cuts pieces out of {}
    fallocate -z|--zero-range         => delete: overwrites pieces of {}
    scrub|nwipe|dban|sdmem|sswap      => delete: destroys {} beyond recovery
    fdupes|jdupes -d|--delete         => delete: deletes files that look alike in {}
    jdupes -L|--linkhard              => overwrite: replaces files that look alike by links
    rdfind -d*|-makesymlinks          => delete: deletes or replaces files that look alike in {}
    rdfind -m*                        => delete: replaces files that look alike in {}
    fclones remove|link|dedupe        => delete: deletes files that look alike
    ktrash|ktrash5|ktrash6 --empty    => delete: empties the trash for good
    mmv -d|-o                         => delete: moves files over each other
    rename|prename -f|--force         => delete: moves files over each other
    chezmoi apply|init|update|destroy => overwrite: changes files of the home
    chezmoi purge|edit|forget|remove => overwrite: changes files of the home
    yadm|homeshick|rcup|rcdn * !status|list|diff|log|show => overwrite: changes files of the home
    bleachbit --clean|-c|--shred|-s   => delete: deletes files all over the machine
    trash-empty|trash-rm              => delete: empties the trash for good
    gio trash --empty                 => delete: empties the trash for good
    trash|rip --empty|-s|-e|-d        => delete: empties the trash for good
    gtrash prune                      => delete: deletes from the trash for good
    install|ginstall -m=[2467]???     => privilege: lets {} run with its owner's rights
    install|ginstall -m=0[2467]???    => privilege: lets {} run with its owner's rights
    install|ginstall -m=*s*           => privilege: lets {} run with its owner's rights
    install|ginstall --mode=[2467]??? => privilege: lets {} run with its owner's rights
    install|ginstall --mode=*s*       => privilege: lets {} run with its owner's rights
"""
