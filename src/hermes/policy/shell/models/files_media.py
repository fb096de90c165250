"""Describe converters of pictures, sound, video and documents."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program

_URL = re.compile(r"(?:rtmps?|srt|rtsp|udp|tcp|icecast|https?|ftp|sftp|tee)://?(.*)")

_SCREENS = ("x11grab", "kmsgrab", "avfoundation", "gdigrab", "dshow", "v4l2", "pulse", "alsa")


def _ffmpeg(call: Call) -> Iterator[Effect]:
    """Yield what ffmpeg reads behind -i and writes at the end."""
    words = call.words
    for at, word in enumerate(words[:-1]):
        if word == "-f" and words[at + 1] in _SCREENS:
            yield danger("exfiltration", "records the screen, the camera or sound")
        if word == "-i":
            yield Effect("net" if "://" in words[at + 1] else "read", words[at + 1])
    if not words or words[-1].startswith("-") or (len(words) > 1 and words[-2] == "-i"):
        return
    if found := _URL.match(words[-1]):
        yield danger("publish", f"streams to {found[1][:60]}")
    else:
        yield Effect("write", words[-1])


def _magick(call: Call) -> Iterator[Effect]:
    """Yield what ImageMagick reads, and the last operand as written."""
    operands = call.operands
    if operands and operands[0] in ("convert", "mogrify", "identify", "composite", "montage"):
        operands = operands[1:]
    for path in operands[:-1]:
        if "/" in path or "." in path:
            yield Effect("read", path)
    if operands and not call.has("-identify"):
        yield Effect("write", operands[-1].rpartition(":")[2])
    for path in operands:
        if path.startswith(("ephemeral:", "msl:", "mvg:")):
            yield danger("obfuscation", f"has the picture converter act on {path}")


PROGRAMS = {
    "ffmpeg|avconv": Program(dashes="single", handler=_ffmpeg),
    "ffprobe|mediainfo|identify|exiv2|soxi|pdfinfo|pdffonts": Program("text*"),
    "convert|magick|gm|composite|montage": Program(dashes="single", handler=_magick),
    "mogrify": Program("write*", dashes="single", values="-resize -quality -format -path -crop"),
    "sox|rec": Program("text*"),
    "optipng|jpegoptim|oxipng|advpng|mp3gain|id3v2|eyeD3|mid3v2|metaflac": Program(
        "write*", values="-o -m -d --dest --max --size", options={"-out|--out|--dir": "write"}
    ),
    "pngquant|zopflipng|jpegtran|gifsicle|pngcrush|svgo|svgcleaner"
    "|qpdf|ocrmypdf|img2pdf|woff2_compress|rsvg-convert|inkscape|cwebp|dwebp|lame|flac"
    "|oggenc|opusenc|HandBrakeCLI|mkvmerge|pdftk|pdfunite|ps2pdf|wkhtmltopdf|weasyprint": Program(
        "text*", options={"-o|--output|--out": "write"}
    ),
    "exiftool": Program("write*", dashes="single", values="-o -d -if -p", handler=None),
    "pandoc": Program(
        "read*",
        values="-f -t -r -w -V -M --from --to --variable --metadata --toc-depth --columns --wrap"
        " --highlight-style --css -c --template --bibliography --csl --pdf-engine --shift-heading",
        options={
            "-o|--output|--extract-media": "write",
            "-F|--filter|-L|--lua-filter": "script",
            "-H|-A|-B|--metadata-file|--reference-doc": "read",
        },
    ),
    "gs|ghostscript": Program("read*", dashes="single", options={"-o": "write"}),
    "asciidoctor|rst2html|markdown|sphinx-build|mdbook|typst|pdflatex|xelatex|lualatex|latexmk"
    "|groff|nroff|troff|tbl|mandoc": Program("read*"),
    "dot|neato|fdp|circo|plantuml|mmdc": Program(
        "read*", values="-T -G -N -E -K", options={"-o": "write"}
    ),
}
