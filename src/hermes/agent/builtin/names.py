"""Names that people use for kinds of files, for folders and for numbers."""

from __future__ import annotations

_LANGUAGES = """
python py: *.py | javascript js: *.js | typescript ts: *.{ts,tsx} | jsx: *.jsx | tsx: *.tsx
rust: *.rs | golang go: *.go | java: *.java | kotlin: *.kt | swift: *.swift | ruby: *.rb
php: *.php | perl: *.pl | lua: *.lua | scala: *.scala | haskell: *.hs | elixir: *.ex
c++ cpp: *.{cpp,cc,hpp} | c# csharp: *.cs | c: *.{c,h} | header: *.h | zig: *.zig | dart: *.dart
shell bash sh: *.sh | powershell: *.ps1 | sql: *.sql | r: *.R
html: *.html | css: *.css | scss sass: *.scss | vue: *.vue | svelte: *.svelte
markdown md: *.md | restructuredtext rst: *.rst | text txt: *.txt | tex latex: *.tex
json: *.json | jsonl: *.jsonl | yaml yml: *.{yaml,yml} | toml: *.toml | xml: *.xml | ini: *.ini
config configuration: *.{toml,yaml,yml,json,ini,cfg,conf} | csv: *.csv | tsv: *.tsv
excel spreadsheet xlsx: *.xlsx | word docx: *.docx | pdf: *.pdf | parquet: *.parquet
notebook jupyter ipynb: *.ipynb | log: *.log | lock: *.lock | env: .env*
image picture photo: *.{png,jpg,jpeg,gif,webp,svg} | png: *.png | jpeg jpg: *.{jpg,jpeg}
gif: *.gif | svg: *.svg | video: *.{mp4,mov,mkv,webm} | mp4: *.mp4 | mp3: *.mp3
audio sound music: *.{mp3,wav,ogg,flac} | zip: *.zip | archive: *.{zip,tar,gz,tgz,xz,bz2}
sqlite: *.{db,sqlite,sqlite3} | proto protobuf: *.proto | terraform: *.tf | patch: *.patch
"""

LANGUAGES = {
    word: glob.strip()
    for line in _LANGUAGES.strip().splitlines()
    for part in line.split(" | ")
    for words, glob in [part.split(": ")]
    for word in words.split()
}
"""The glob that is meant by a word in front of *files*."""

FILE_ENDINGS = frozenset(
    """
    py pyi ipynb js mjs cjs jsx ts tsx rs go java kt swift rb php pl lua scala hs ex exs cpp cc
    hpp h cs c zig dart sh bash zsh fish ps1 sql r html htm css scss less vue svelte md markdown
    rst txt text tex json jsonl yaml yml toml xml ini cfg conf csv tsv xlsx xls docx doc pdf pptx
    parquet log lock env png jpg jpeg gif webp svg ico bmp mp4 mov mkv webm mp3 wav ogg flac zip tar
    gz tgz xz bz2 zst 7z rar db sqlite sqlite3 proto tf patch diff bak old orig tmp out err pem key
    crt pub service socket desktop properties gradle cmake mk bin dat exe dll deb rpm whl jar war
    tar.gz tar.bz2 tar.xz tar.zst example sample local rtf odt epub ics vcf srt plist map min.js
    d.ts rc lst dot j2 tmpl template snap
    """.split()
)

DOTTED_FILES = (".env", ".git", ".npmrc", ".bashrc", ".zshrc", ".vimrc")
"""Files whose whole name looks like an ending."""

VAGUE = frozenset(
    """
    c r go text log word archive image patch env config configuration lock header shell music sound
    video picture photo zip sh bash swift scala perl lock proto json html notebook sqlite
    """.split()
)
"""Words for kinds of files that mean other things where no *files* follows."""

FILE_NOUNS = frozenset(
    """
    file files script scripts source sources code module modules document documents docs one ones
    """.split()
)
"""Words that say that the word before them is a kind of file."""

KIND_PLURALS = frozenset(
    """
    images pictures photos notebooks pdfs spreadsheets videos csvs logs pngs zips archives scripts
    """.split()
)
"""Words that mean files of a kind by themselves."""

ARCHIVE_ENDINGS = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst")

KNOWN_FILES = (
    "Makefile",
    "Dockerfile",
    "Containerfile",
    "Jenkinsfile",
    "Vagrantfile",
    "Procfile",
    "Gemfile",
    "Rakefile",
    "Justfile",
    "justfile",
    "CODEOWNERS",
    "LICENSE",
    "README",
    "CHANGELOG",
    "CONTRIBUTING",
    "NOTICE",
    "TODO(?= file)",
)

TOP_DOMAINS = """
    com org net io dev app ai co uk de fr eu edu gov info biz me us ca ch at nl se es it xyz tech
    cloud site online test invalid internal
""".split()  # fmt: skip

NUMBER_WORDS = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
    if number
} | {"fifteen": 15, "twenty": 20, "thirty": 30, "fifty": 50, "hundred": 100, "dozen": 12}

ORDINALS = {
    "first": 0, "1st": 0, "top": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3,
    "4th": 3, "fifth": 4, "last": -1, "bottom": -1,
}  # fmt: skip

PLACES = {
    "home": "~", "downloads": "~/Downloads", "download": "~/Downloads", "desktop": "~/Desktop",
    "documents": "~/Documents", "pictures": "~/Pictures", "music": "~/Music", "videos": "~/Videos",
    "root": "/", "parent": "..", "tmp": "/tmp", "temp": "/tmp",
}  # fmt: skip
"""Folders that have a name of their own, said as *the X folder* or *my X*."""

HERE = frozenset(
    """
    here this project repo repository codebase workspace current working cwd folder directory dir
    there it code tree machine computer system laptop place everything everywhere these those all
    thing things stuff disk drive mine me
    """.split()
)
"""Words after *in* that mean the task's own folder."""

NOT_FOLDERS = frozenset(
    """
    a an the my our your its his her their each every any some one two three four five ten order
    total detail details full short general english background foreground parallel case python
    javascript rust bash shell color colour json yaml markdown bytes kb mb gb lines line words
    reverse git history past last next previous seconds second minutes minute hours hour days day
    week weeks month months year which what that files file folders python3 clipboard memory ram
    between addition common use production front back particular brief me you us them him size
    time text comments comment names name contents content and or then please pls thanks now into to
    in for with as from of on at by is are has have called named structure tree listing sorted over
    since about like without recursively only
    just verbose quiet mode everything folders directories hidden per by subfolder
    """.split()
)
"""Words after *in* that are no folder."""
