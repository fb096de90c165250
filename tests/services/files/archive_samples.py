"""Archives made by hand, honest and hostile ones."""

import bz2
import gzip
import io
import lzma
import stat
import struct
import tarfile
import zipfile
import zlib

PLAIN = tarfile.REGTYPE


def header(name, data=b"", kind=PLAIN, target="", **more):
    """One tar entry with its data, exactly as asked for."""
    info = tarfile.TarInfo()
    info.name, info.size, info.type, info.linkname = name, len(data), kind, target
    info.mode = 0o644
    for key, value in more.items():
        setattr(info, key, value)
    packed = info.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape")
    return packed + data + bytes(-len(data) % 512)


def tar(*entries):
    return b"".join(entries) + bytes(1024)


def folder(name):
    return header(name, kind=tarfile.DIRTYPE, mode=0o755)


def link(name, target):
    return header(name, kind=tarfile.SYMTYPE, target=target)


def twin(name, target):
    return header(name, kind=tarfile.LNKTYPE, target=target)


def pax(**records):
    """A note before an entry."""
    data = b""
    for key, value in records.items():
        body = b" " + key.encode() + b"=" + value + b"\n"
        size = len(body) + 1
        while len(str(size)) + len(body) != size:
            size += 1
        data += str(size).encode() + body
    return header("note", data, kind=tarfile.XHDTYPE)


def zipped(*entries):
    """A zip of (name, data) or (name, data, mode) entries."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data, *mode in entries:
            info = zipfile.ZipInfo(name, (2020, 2, 2, 2, 2, 2))
            info.create_system = 3
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (mode[0] if mode else stat.S_IFREG | 0o644) << 16
            packed.writestr(info, data)
    return buffer.getvalue()


def raw_zip(names, data=b"data", *, local_names=None, flags=0, method=0, offsets=None, crc=None):
    """A zip whose every field is as asked for."""
    body, places = b"", []
    crc = zlib.crc32(data) if crc is None else crc
    for local in local_names or names:
        places.append(len(body))
        body += struct.pack(
            "<4sHHHHHIIIHH", b"PK\3\4", 20, flags, method, 0, 33, crc, len(data), len(data),
            len(local), 0,
        ) + local + data  # fmt: skip
    directory = b""
    for number, name in enumerate(names):
        at = (offsets or places)[number]
        directory += struct.pack(
            "<4sBBHHHHHIIIHHHHHII", b"PK\1\2", 20, 3, 20, flags, method, 0, 33, crc, len(data),
            len(data), len(name), 0, 0, 0, 0, (stat.S_IFREG | 0o644) << 16, at,
        ) + name  # fmt: skip
    end = struct.pack(
        "<4sHHHHIIH", b"PK\5\6", 0, 0, len(names), len(names), len(directory), len(body), 0
    )
    return body + directory + end


def zeros(size):
    return bytes(size)


SYMLINK = stat.S_IFLNK | 0o777
SECRET = "../../outside/secret"

REFUSED = {
    "tar-dotdot": tar(header("../evil", b"x")),
    "tar-dotdot-inside": tar(header("a/../../evil", b"x")),
    "tar-dotdot-harmless": tar(header("a/../b", b"x")),
    "tar-dotdot-last": tar(header("a/..", b"x")),
    "tar-absolute": tar(header("/tmp/evil", b"x")),
    "tar-absolute-twice": tar(header("//evil", b"x")),
    "tar-folder-dotdot": tar(folder("../evil")),
    "tar-link-named-dotdot": tar(link("../evil", "x")),
    "tar-pax-path-dotdot": tar(pax(path=b"../evil"), header("good", b"x")),
    "tar-pax-path-absolute": tar(pax(path=b"/evil"), header("good", b"x")),
    "tar-pax-path-nul": tar(pax(path=b"a\0b"), header("good", b"x")),
    "tar-gnu-long-dotdot": tar(header("../" * 60 + "evil", b"x")),
    "tar-write-through-link": tar(link("sub", "."), header("sub/x", b"x")),
    "tar-write-through-link-chain": tar(
        folder("a"), link("a/b", ".."), link("c", "a/b"), header("c/x", b"x")
    ),
    "tar-folder-through-link": tar(link("sub", "."), folder("sub/x")),
    "tar-link-through-link": tar(link("sub", "."), link("sub/x", "y")),
    "tar-twin-through-link": tar(header("f", b"x"), link("sub", "."), twin("sub/x", "f")),
    "tar-file-below-file": tar(header("a", b"x"), header("a/b", b"x")),
    "tar-file-over-folder": tar(folder("a"), header("a", b"x")),
    "tar-twin-dotdot": tar(twin("a", "../../outside/secret")),
    "tar-twin-absolute": tar(twin("a", "/etc/passwd")),
    "tar-deep": tar(pax(path=b"d/" * 100 + b"f"), header("x", b"x")),
    "tar-long-part": tar(pax(path=b"n" * 300), header("x", b"x")),
    "tar-long-name": tar(pax(path=b"/".join([b"n" * 200] * 30)), header("x", b"x")),
    "tar-empty-name": tar(header("", b"x")),
    "tar-file-named-dot": tar(header(".", b"x")),
    "tar-sparse": tar(header("s", b"x", kind=tarfile.GNUTYPE_SPARSE)),
    "tar-pax-sparse": tar(pax(**{"GNU.sparse.size": b"9999999"}), header("s", b"x")),
    "tar-size-negative": tar(pax(size=b"-5"), header("s", b"x")),
    "tar-size-huge": tar(pax(size=b"9" * 30), header("s", b"x")),
    "tar-size-past-end": tar(pax(size=b"99999999"), header("s", b"x")),
    "tar-note-torn": tar(header("note", b"99 path=x\n", kind=tarfile.XHDTYPE), header("s", b"x")),
    "tar-note-huge": tar(header("note", zeros(2 << 20), kind=tarfile.XHDTYPE)),
    "tar-long-name-huge": tar(header("note", zeros(2 << 20), kind=tarfile.GNUTYPE_LONGNAME)),
    "zip-dotdot": zipped(("../evil", b"x")),
    "zip-absolute": zipped(("/tmp/evil", b"x")),
    "zip-dotdot-folder": zipped(("../evil/", b"")),
    "zip-link-then-through": zipped(("sub", b".", SYMLINK), ("sub/x", b"x")),
    "zip-link-huge-target": zipped(("sub", b"x" * 9_000, SYMLINK)),
    "zip-nul-in-name": raw_zip([b"good\0../evil"]),
    "zip-two-names": raw_zip([b"good"], local_names=[b"evil"]),
    "zip-encrypted": raw_zip([b"a"], flags=1),
    "zip-strong-encryption": raw_zip([b"a"], flags=0x41),
    "zip-unknown-method": raw_zip([b"a"], method=9),
    "zip-overlap-whole": raw_zip([b"a", b"a"], offsets=[0, 0]),
    "zip-overlap-part": raw_zip([b"aaaa", b"bbbb"], offsets=[0, 3]),
    "zip-offset-past-end": raw_zip([b"a"], offsets=[1 << 20]),
    "zip-wrong-sum": raw_zip([b"a"], crc=1),
    "zip-name-not-utf8": raw_zip([b"\xff\xfe"], flags=0x800),
    "seven-zip": b"7z\xbc\xaf\x27\x1c" + bytes(600),
    "rar": b"Rar!\x1a\x07\0" + bytes(600),
    "text": b"this is no archive at all\n" * 50,
    "empty-file": b"",
    "gzip-cut": gzip.compress(tar(header("a", b"x" * 5_000)))[:-20],
    "xz-cut": lzma.compress(tar(header("a", b"x" * 5_000)))[:-20],
    "bz2-cut": bz2.compress(tar(header("a", b"x" * 5_000)))[:-5],
    "tar-cut": tar(header("a", b"x" * 5_000))[:2_000],
}
"""Archives that are refused as a whole."""

LEFT_OUT = {
    "tar-link-absolute": tar(header("ok", b"1"), link("l", "/etc/passwd")),
    "tar-link-out": tar(header("ok", b"1"), link("l", SECRET)),
    "tar-link-out-deep": tar(header("ok", b"1"), folder("a/b"), link("a/b/l", "../../../x")),
    "tar-link-round-about": tar(header("ok", b"1"), link("l", "a/../../x")),
    "tar-link-empty": tar(header("ok", b"1"), link("l", "")),
    "tar-link-then-file": tar(header("ok", b"1"), link("l", "/etc"), header("l/hosts", b"mine")),
    "tar-twin-missing": tar(header("ok", b"1"), twin("l", "nowhere")),
    "tar-twin-of-link": tar(header("ok", b"1"), link("k", "ok"), twin("l", "k")),
    "tar-twin-of-folder": tar(header("ok", b"1"), folder("k"), twin("l", "k")),
    "tar-fifo": tar(header("ok", b"1"), header("l", kind=tarfile.FIFOTYPE)),
    "tar-character-device": tar(header("ok", b"1"), header("l", kind=tarfile.CHRTYPE)),
    "tar-block-device": tar(header("ok", b"1"), header("l", kind=tarfile.BLKTYPE)),
    "tar-unknown-kind": tar(header("ok", b"1"), header("l", b"x", kind=b"Z")),
    "zip-link-out": zipped(("ok", b"1"), ("l", SECRET.encode(), SYMLINK)),
    "zip-link-absolute": zipped(("ok", b"1"), ("l", b"/etc/passwd", SYMLINK)),
    "zip-fifo": zipped(("ok", b"1"), ("l", b"", stat.S_IFIFO | 0o644)),
    "zip-device": zipped(("ok", b"1"), ("l", b"", stat.S_IFCHR | 0o644)),
}
"""Archives of which one entry, ``l``, is left out, and the rest unpacked."""
