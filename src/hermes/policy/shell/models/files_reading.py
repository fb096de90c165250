"""Describe programs that look at files: printing, searching, comparing, counting."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program, told_apart
from hermes.policy.shell.models.throwaway import is_throwaway
from hermes.policy.shell.models.words import words

_LOOK = Program()
"""Names, sizes and sums of files say nothing about what is in them."""


_JQ = Program(values="--indent -L -f --from-file")
_PRE_PROGRAMS = words("pdftotext zcat gunzip xzcat bzcat zstdcat jq cat strings")


def _sorted(call: Call) -> Iterator[Effect]:
    """Yield a danger where a file is replaced by nothing, sorted."""
    target = call.value("-o", "--output")
    if target and call.operands == ("/dev/null",) and not is_throwaway(target):
        yield danger("delete", f"empties {target}")


def _filter_words(given: tuple[str, ...]) -> Iterator[str]:
    """Yield jq's words without the options that are followed by two values."""
    at = 0
    while at < len(given):
        word = given[at]
        if word in ("--slurpfile", "--rawfile") and at + 2 < len(given):
            yield f"--file={given[at + 2]}"
            at += 3
        elif word in ("--arg", "--argjson"):
            at += 3
        elif word in ("--args", "--jsonargs"):
            yield from given[at + 1 : at + 2]
            return
        else:
            yield word
            at += 1


_KEYS = re.compile(r"\.\W{0,3}(?:private_?key|client_?secret|secret_?access_?key)\b(?!_id)", re.I)


def _filter(call: Call) -> Iterator[Effect]:
    """Yield what jq reads."""
    call = told_apart(call.name, tuple(_filter_words(call.words)), _JQ)
    operands = call.operands
    if operands and not call.has("-f", "--from-file"):
        if re.fullmatch(
            r"[\s.|]*(?:env|\$ENV)(?:\s*\|.*)?\s*|.*(?:\benv|\$ENV)\.\w*(?:SECRET|TOKEN|PASS|KEY)\w*.*",
            operands[0],
        ):
            yield danger("exfiltration", "prints the environment with all that is secret in it")
        if operands[1:] and _KEYS.search(operands[0]):
            yield danger("exfiltration", f"prints a secret that {operands[1]} holds")
        operands = operands[1:]
    for path in (*operands, *call.values("-f", "--from-file", "--file")):
        yield Effect("read", path)


def _deep(call: Call) -> Iterator[Effect]:
    """Yield the folders that are searched with all below them."""
    is_deep = call.has("-r", "-R", "--recursive", "--dereference-recursive")
    if is_deep or "recurse" in call.values("-d", "--directories"):
        yield from _below(call)


def _below(call: Call) -> Iterator[Effect]:
    has_pattern = call.has("-e", "--regexp", "-f", "--file", "--files")
    for path in call.operands[0 if has_pattern else 1 :]:
        yield Effect("read", path, is_recursive=True)


def _search(call: Call) -> Iterator[Effect]:
    """Yield the folders that are searched, and the programs that are run over every file."""
    yield from _below(call)
    for program in call.values("--pre", "--hostname-bin"):
        if program.rpartition("/")[2] not in _PRE_PROGRAMS:
            yield danger("obfuscation", f"runs {program} on every file that is searched")
            yield Effect("run", program)


_SEARCH = Program(
    "text read*",
    values="-A -B -C -m -e -d -D --regexp --after-context --before-context --context --max-count"
    " --include --exclude --exclude-dir --label --binary-files --directories --devices",
    options={"-f|--file|--exclude-from": "read"},
    when={"-e|--regexp|-f|--file": "read*"},
    handler=_deep,
)

PROGRAMS = {
    "ls|dir|vdir|exa|eza|lsd|tree|stat|du|df|dust|ncdu|duf|wc|file|basename|dirname|pwd"
    "|lsattr|getfacl|getfattr|namei|pathchk": _LOOK,
    "readlink|realpath": _LOOK,
    "md5sum|sha1sum|sha224sum|sha256sum|sha384sum|sha512sum|b2sum|b3sum|cksum|sum|shasum|md5"
    "|sha256|xxhsum|xxh64sum|crc32|rhash": _LOOK,
    "cat|tac|rev|nl|fold|fmt|expand|unexpand|pr|colrm|bat|batcat|zcat|bzcat|xzcat|zstdcat"
    "|lz4cat|gzcat|zless|zmore|bzless|xzless|mdcat|glow|csvlook|most|hexyl|shuf|tsort|ptx"
    "|highlight|pygmentize|catdoc|antiword|pdftotext|vipe": Program(
        "read*",
        values="-w --width --wrap --language --theme --style --tabs",
    ),
    "column": Program(
        "read*", values="-s --separator -o --output-separator -N --table-columns -c -R -H -W -T"
    ),
    "head|tail": Program("read*", values="-n -c --lines --bytes --pid -s --sleep-interval"),
    "strings|od|hexdump|hd": Program(
        "read*", values="-n -t -e -A -j -N -w -S -s -v --bytes --radix --target -f -F"
    ),
    "xxd": Program("read write", values="-c -g -l -s -o -n -R", when={"-r": "read write"}),
    "base64|base32|basenc|base58": Program(
        "read*", values="-w --wrap -b", options={"-i|--input": "read", "-o|--output": "write"}
    ),
    "uuencode|uudecode": Program("read*", options={"-o": "write"}),
    "cut|paste|join|comm|look|numfmt": Program(
        "read*",
        values="-d -f -c -b -t -1 -2 -j -a -v -o -e -s --delimiter --fields --characters --bytes"
        " --output-delimiter --delimiters --check-order",
    ),
    "uniq": Program("read write", values="-f -s -w --skip-fields --skip-chars --check-chars"),
    "tr|printf": _LOOK,
    "diff|sdiff|colordiff|icdiff|delta|diff3|wdiff|vimdiff|dyff|difft|jd": Program(
        "read*",
        values="-x -I -U -C -W -F -S --exclude --ignore-matching-lines --unified --context --width"
        " --label -L --color --tabsize",
        options={"-X|--exclude-from": "read", "-o|--output": "write"},
    ),
    "cmp": Program("read read text*", values="-i -n --ignore-initial --bytes"),
    "sort": Program(
        "read*",
        values="-k -t -S -T --key --field-separator --buffer-size --temporary-directory --parallel"
        " --batch-size --sort --random-source",
        options={"-o|--output": "write", "--files0-from": "read"},
        handler=_sorted,
    ),
    "grep|egrep|fgrep|zgrep|zegrep|zfgrep|bzgrep|xzgrep|zstdgrep|ggrep|pcregrep|pcre2grep|ugrep"
    "|agrep": _SEARCH,
    "rg|ripgrep|rga": Program(
        "text read*",
        values="-A -B -C -m -e -g -t -T -j -r -M -E -d --regexp --glob --iglob --type --type-not"
        " --after-context --before-context --context --max-count --max-depth --replace --sort"
        " --sortr --encoding --engine --max-columns --threads --type-add --colors --color"
        " --max-filesize --pre --pre-glob --hostname-bin --context-separator",
        options={"-f|--file|--ignore-file": "read"},
        when={"-e|--regexp|-f|--file|--files": "read*", "--type-list": "text*"},
        handler=_search,
    ),
    "ag|ack|ack-grep|pt|sift|ugrep-indexed": Program(
        "text read*",
        values="-A -B -C -m -G -g --ignore --ignore-dir --type --depth --file-search-regex --match"
        " --output",
        options={"--pager": "run", "-p|--path-to-ignore": "read"},
        when={"-f|-g": "read*"},
    ),
    "jq|gojq|jaq": Program(values=_JQ.values, handler=_filter),
    "xmllint|xsltproc|xmlstarlet|xml": Program(
        "read*",
        values="--xpath --schema --relaxng --encode --pattern --stringparam --param",
        options={"-o|--output": "write"},
    ),
    "csvcut|csvgrep|csvsort|csvstat|csvjson|in2csv|mlr|xsv|qsv|q|dasel|htmlq|pup|tomlq|xq|fx"
    "|hq|gron|jless|jid|vd": Program("read*"),
    "envsubst|mktemp|sync|ncal": _LOOK,
    "pv": Program(
        "read*",
        values="-s -L -N -i -w -H -B -D -F",
        options={"-P": "write", "-o|--output": "write"},
    ),
    "test|[": _LOOK,
}

RULES = """
    head -c=*T|-c=???G|-c=????G          => service: fills the disk or the screen
    sort --compress-program              => obfuscation: has sort run a program of its choosing
"""
