"""Describe editors and pagers, which run commands of their own when told to."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.throwaway import is_throwaway

_RANGE = r"(?:%|[\d.$'/,;+-]*|g/[^/]*/)"
_BANG = re.compile(
    rf"(?:^|[|\n])\s*:?\s*(?:sil(?:ent)?!?\s+)?{_RANGE}\s*(?:(?:r|re|read|w|write)\s*)?!(.+)"
)
_SYSTEM = re.compile(
    r"\b(?:system|systemlist|libcall|job_start|jobstart|termopen)\s*\(\s*(['\"])(.+?)\1"
)
_SHELL = re.compile(r"(?:^|[|\n])\s*:?\s*(?:term(?:inal)?|mak?e?)\b!?\s+(.+)")
_WRITE = re.compile(
    rf"(?:^|[|\n])\s*:?\s*{_RANGE}\s*(?:w|wq|x|up|update|xit|write|sav|saveas|W|wa|wqa|xa|wall)!?"
    r"(?:[ \t]+(?:>>[ \t]*)?([^!|\s][^!|\n]*))?(?:[ \t]*(?=[|\n])|\s*$)"
)
_DELETE = re.compile(r"\bdelete\s*\(\s*(?:(?:vim\.fn\.)?expand\s*\(\s*)?(['\"])(.+?)\1")
_EACH = re.compile(r"\b(?:arg|buf|win|tab)do!?\s+")
_HOME = re.compile(r"\$HOME\s*\.{1,2}\s*(['\"])")
_WRITEFILE = re.compile(r"\bwritefile\s*\([^)]*,\s*(['\"])(.+?)\1")
_CODE = re.compile(r"(?:^|[|\n])\s*:?\s*(py(?:thon)?3?x?|lua|perl|ruby)\s+(.+)")
_LANGUAGES = {"p": "python", "l": "lua", "r": "ruby"}
_SOURCE = re.compile(r"(?:^|[|\n])\s*:?\s*(?:so|source|ru|runtime|luafile|pyfile)!?\s+([^|\n]+)")
_EDIT = re.compile(
    r"(?:^|[|\n])\s*:?\s*(?:e|edit|tabe|sp|vs|tabedit|split|vsplit|args)!?\s+([^|\n+]+)"
)
_INTO_SHELL = re.compile(r"(?:w|write)\s*!\s*(?:\S*/)?(?:ba|z|da|k)?sh\b")
_EMPTIES = re.compile(
    r"(?:^|[|\n])\s*:?\s*(?:%|1?,\$?|g/[\^.$]?\*?/)\s*d(?:el(?:ete)?)?\s*(?=[|\n]|$)"
)
_FILLS = re.compile(
    r"(?:^|[|\n])\s*:?\s*(?:[\d.$]*[aic]|0?r\s.*|.*\b(?:append|setline|put)\b.*)(?=[|\n]|$)"
)
_STRING = r'"((?:[^"\\]|\\.)*)"'


def _commanded(text: str, files: list[str]) -> Iterator[Effect]:
    """Yield what commands of vi, ex or ed do."""
    for found in (*_BANG.finditer(text), *_SHELL.finditer(text)):
        yield Effect("run", found[1])
    if _INTO_SHELL.search(text):
        yield danger("obfuscation", "runs the edited text as a command")
    for found in _SYSTEM.finditer(text):
        yield Effect("run", found[2])
    for found in _WRITE.finditer(text):
        for path in [found[1].strip()] if found[1] else files:
            yield Effect("write", path)
    for found in _DELETE.finditer(text):
        yield Effect("delete", found[2], is_recursive=True)
    for found in _WRITEFILE.finditer(text):
        yield Effect("write", found[2])
    for found in _CODE.finditer(text):
        language = "perl" if found[1] == "perl" else _LANGUAGES[found[1][0]]
        yield Effect("code", found[2], what=language)
    for found in _SOURCE.finditer(text):
        yield Effect("script", found[1].strip())


def _vi(call: Call) -> Iterator[Effect]:
    files = [word for word in call.operands if not word.startswith("+") and word != "-"]
    texts = [*call.values("-c", "--cmd"), *(w[1:] for w in call.operands if w.startswith("+"))]
    is_scripted = call.name in ("ex", "ed", "red") or call.has("-e", "-E")
    if is_scripted and call.piped.text:
        texts.append(call.piped.text)
    texts = [_HOME.sub(r"\1~", _EACH.sub("", text)) for text in texts]
    for text in texts:
        files += [found[1].strip() for found in _EDIT.finditer(text)]
    for text in texts:
        yield from _commanded(text, files)
    yield from _emptied("\n".join(texts), files)
    for path in (*call.values("-S"), *(value for value in call.values("-u") if value != "NONE")):
        yield Effect("script", path)
    for path in call.values("-w", "-W"):
        yield Effect("write", path)
    is_unknown = is_scripted and call.piped.text is None
    if is_unknown and call.piped.origins & {"network", "decoder"}:
        yield danger("network-exec", "is driven by commands from the network")
    only_looks = call.name == "view" or call.has("-R", "-M", "-d") or bool(texts)
    for path in files:
        yield Effect("read" if only_looks else "write", path)


def _emptied(text: str, files: list[str]) -> Iterator[Effect]:
    """Yield a danger where every line is deleted, none is added and that is written."""
    if _EMPTIES.search(text) and _WRITE.search(text) and not _FILLS.search(text):
        for path in files:
            if not is_throwaway(path):
                yield danger("delete", f"empties {path}")


def _lisp(text: str) -> Iterator[Effect]:
    """Yield what a piece of Emacs Lisp does, by its risky calls."""
    text = text.replace('(getenv "HOME")', '"~"')
    for found in re.finditer(rf"\((?:async-)?shell-command\S*\s+{_STRING}", text):
        yield Effect("run", found[1].replace('\\"', '"'))
    for found in re.finditer(r"\((?:call|start)-process\S*((?:[^()]|\([^()]*\))*)\)", text):
        words = re.findall(_STRING, found[1])
        yield Effect("run", "\0" + "\0".join(words))
    for found in re.finditer(rf"\(delete-(file|directory)\s+{_STRING}", text):
        yield Effect("delete", found[2], is_recursive=found[1] == "directory")
    for found in re.finditer(
        rf"\((?:write-file|write-region|append-to-file)\b.*?{_STRING}\s*[)n]", text
    ):
        yield Effect("write", found[1])
    for found in re.finditer(rf"\((?:rename|copy)-file\s+{_STRING}\s+{_STRING}", text):
        yield Effect("read", found[1])
        yield Effect("write", found[2])
    for found in re.finditer(rf"\((?:load|load-file)\s+{_STRING}", text):
        yield Effect("script", found[1])
    for found in re.finditer(rf"\((?:find-file|insert-file-contents)\S*\s+{_STRING}", text):
        yield Effect("read", found[1])
    if re.search(r"\((?:url-retrieve|package-install|package-refresh|url-copy-file)", text):
        yield danger("network-exec", "fetches code or data inside of Emacs")


def _emacs(call: Call) -> Iterator[Effect]:
    for text in call.values("--eval", "-eval", "--execute", "-execute"):
        yield from _lisp(text)
    functions = call.values("-f", "--funcall", "-funcall")
    saves = any(name in ("save-buffer", "indent-region-and-save") for name in functions)
    is_batch = call.has("--batch", "-batch", "--script")
    for path in call.operands:
        if not re.fullmatch(r"\+\d+(?::\d+)?", path):
            yield Effect("read" if is_batch and not saves else "write", path)


def _pager(call: Call) -> Iterator[Effect]:
    for word in call.operands:
        if word.startswith("+"):
            for found in re.finditer(r"!\s*(.+)", word):
                yield Effect("run", found[1])
        else:
            yield Effect("read", word)


PROGRAMS = {
    "vi|vim|nvim|view|gvim|rvim|vimx|neovim|lvim|hx|helix|kak|mvim|elvis|nvi": Program(
        values="-c --cmd -S -u -U -w -W -i -T -t -r --servername --remote-send --listen",
        handler=_vi,
    ),
    "ex": Program(values="-c --cmd -S -u -w", handler=_vi),
    "ed|red": Program(values="-p --prompt", handler=_vi),
    "emacs|emacsclient|xemacs|zile|mg|jove": Program(
        values="--eval -eval --execute -execute -f --funcall -funcall --chdir -s --socket-name -a",
        options={"-l|--load|-load|--script|-script|-scriptload": "script"},
        handler=_emacs,
    ),
    "nano|pico|micro|joe|jed|mcedit|ne|tilde|gedit|kate|kwrite|mousepad|pluma|xed"
    "|leafpad|geany|notepadqq|featherpad": Program("write*", values="-T -o -r"),
    "code|code-insiders|codium|vscodium|cursor|windsurf|subl|sublime_text|idea|pycharm|webstorm"
    "|goland|clion|rubymine|phpstorm|atom|zed|mate|bbedit|fleet|studio": Program(
        values="--goto -g --user-data-dir --extensions-dir --profile"
    ),
    "less|more|pg": Program(
        values="-j -x -P -p -b -h -y -z -T -t",
        options={"-o|-O|--log-file": "write", "-k|--lesskey-file": "script"},
        handler=_pager,
    ),
}

RULES = """
    man ... -P|--pager                         => obfuscation: has man run a program of its choosing
    man -H|--html                              => obfuscation: has man run a program of its choosing
    code|code-insiders|codium --install-extension => network-exec: installs code into the editor
    cursor|windsurf --install-extension => network-exec: installs code into the editor
    code|code-insiders|codium|cursor|windsurf --uninstall-extension => overwrite: changes the editor
    code|code-insiders|cursor tunnel|serve-web => exfiltration: opens this machine to the internet
    vim|vi|nvim --remote-send|--remote-expr    => obfuscation: types into another editor
    vim|vi|nvim ... +Plug*|+PackerSync|+Lazy* => network-exec: installs code into the editor
    emacsclient --eval|-e                      => obfuscation: runs code in another editor
"""
