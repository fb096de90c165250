"""A root file system for containers, made of this machine's own programs: nothing is downloaded."""

import io
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

PROGRAMS = (  # noqa: SIM905 - a list of words reads better
    "/usr/bin/python3 /bin/bash /bin/sh /usr/bin/env /bin/cat /bin/ls /bin/cp /bin/mv /bin/rm"
    " /bin/ln /bin/mkdir /bin/rmdir /bin/mkfifo /bin/mknod /bin/chmod /bin/chown /bin/sleep"
    " /bin/true /bin/false /bin/echo /bin/pwd /bin/date /bin/touch /bin/stty /bin/dd /bin/df"
    " /bin/sync /bin/uname /bin/readlink /bin/ps /bin/kill /bin/grep /bin/sed /usr/bin/head"
    " /usr/bin/tail /usr/bin/wc /usr/bin/tr /usr/bin/cut /usr/bin/sort /usr/bin/uniq /usr/bin/seq"
    " /usr/bin/yes /usr/bin/tty /usr/bin/nohup /usr/bin/setsid /usr/bin/flock /usr/bin/find"
    " /usr/bin/xargs /usr/bin/stat /usr/bin/basename /usr/bin/dirname /usr/bin/mktemp /usr/bin/id"
    " /usr/bin/diff /usr/bin/cmp /usr/bin/tee /usr/bin/printf /usr/bin/test /usr/bin/timeout"
    " /usr/bin/realpath /usr/bin/truncate /usr/bin/od /usr/bin/sha256sum /usr/bin/md5sum"
    " /usr/bin/base64 /usr/bin/awk /usr/bin/tar /usr/bin/expr /usr/bin/nproc /usr/bin/printenv"
    " /usr/bin/pgrep /usr/bin/pkill /usr/bin/env /usr/bin/fallocate"
).split()
LEFT_OUT = re.compile(r"/(test|tests|idlelib|ensurepip|lib2to3|config-3[^/]*|dist-packages)(/|$)")
LOCALE = Path("/usr/lib/locale/C.utf8")
FOLDERS = ("tmp", "proc", "sys", "dev", "root", "etc", "var", "run", "home", "opt", "mnt")


def missing():
    """Return what this machine lacks to make one."""
    needed = ("/usr/bin/python3", "/bin/bash")
    lacking = [path for path in needed if not Path(path).exists()]
    return f"{', '.join(lacking)} is missing on this machine" if lacking else ""


def make_tree(folder):
    """Put a root file system into a folder."""
    root = Path(folder)
    for name in (*FOLDERS, "usr/bin", "usr/lib", "usr/sbin"):
        (root / name).mkdir(parents=True, exist_ok=True)
    for name in ("bin", "sbin", "lib"):
        (root / name).symlink_to(f"usr/{name}")
    (root / "lib64").symlink_to("usr/lib64")
    (root / "tmp").chmod(0o1777)
    (root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/bash\n")
    (root / "etc/group").write_text("root:x:0:\n")
    programs = [Path(name) for name in PROGRAMS if Path(name).exists()]
    library = Path("/usr/bin/python3").resolve().name
    standard = Path("/usr/lib") / library
    for path in {*programs, *libraries([*programs, *standard.glob("lib-dynload/*.so")])}:
        put(root, path)
    if LOCALE.is_dir():
        shutil.copytree(LOCALE, root / str(LOCALE).lstrip("/"))
    shutil.copytree(standard, root / f"usr/lib/{library}", symlinks=False, ignore=left_out)
    return root


def left_out(folder, names):
    return [name for name in names if LEFT_OUT.search(f"{folder}/{name}")]


def put(root, path):
    """Copy a program or library, under the name it is asked by, to where /usr has it."""
    name = str(path).lstrip("/")
    target = root / (name if name.startswith("usr/") else f"usr/{name}")
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        shutil.copy2(path.resolve(), target)


def libraries(paths):
    """Return the libraries that programs are linked to."""
    words = ["ldd", *(str(path.resolve()) for path in paths)]
    listed = subprocess.run(words, capture_output=True, text=True, timeout=30).stdout
    return {Path(found) for found in re.findall(r"(?:=> |^\t)(/\S+)", listed, re.MULTILINE)}


def make_tar(folder, target):
    """Make a root file system and pack it; returns the file."""
    tree = make_tree(Path(folder) / "tree")
    with tarfile.open(target, "w") as archive:
        archive.add(tree, arcname=".")
    shutil.rmtree(tree)
    return target


def make_small_tar(target):
    """Pack a root file system that has a shell and nothing else: no bash, no Python."""
    with tarfile.open(target, "w") as archive:
        busybox = Path(shutil.which("busybox")).read_bytes()
        for name in ("bin/sh", "bin/sleep"):
            entry = tarfile.TarInfo(name)
            entry.mode, entry.size = 0o755, len(busybox)
            archive.addfile(entry, io.BytesIO(busybox))
        for name in ("tmp", "proc", "sys", "dev", "etc"):
            entry = tarfile.TarInfo(name)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            archive.addfile(entry)
    return target
