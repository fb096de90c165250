"""Tell what JavaScript and TypeScript do, for node, deno and bun."""

from __future__ import annotations

import re

from hermes.policy.shell.code import folds
from hermes.policy.shell.code.calls import Code
from hermes.policy.shell.code.findings import Language
from hermes.policy.shell.code.risky import risky_effects
from hermes.policy.shell.code.scanning import Token, syntax
from hermes.policy.shell.effects import UNKNOWN, Effect

_STRING = r"(?:[^{0}\\]|\\.)*(?:{0}|\Z)"
SYNTAX = syntax(
    comments=r"//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)",
    raw=r"(?!)",
    texts="|".join(quote + _STRING.format(quote) for quote in ("'", '"', "`")),
    word=r"[A-Za-z_$][\w$]*",
    hole=r"\$\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}",
    has_slash_patterns=True,
)
_MODULES = {
    "child_process": "child_process", "fs": "fs", "fs/promises": "fs", "fs-extra": "fs",
    "os": "os", "path": "path", "http": "http", "https": "http", "net": "net", "tls": "net",
    "vm": "vm", "axios": "axios", "got": "got", "rimraf": "rimraf", "node-fetch": "fetch",
    "shelljs": "shelljs", "execa": "execa", "graceful-fs": "fs", "del": "del", "undici": "undici",
    "zx": "zx", "node-pty": "node-pty", "cross-spawn": "child_process.spawn", "cluster": "cluster",
}  # fmt: skip
_FS = {
    "rm": "delete:0", "unlink": "delete:0", "rmdir": "delete:0", "remove": "tree:0",
    "emptyDir": "tree:0", "writeFile": "write:0", "outputFile": "write:0", "writeJson": "write:0",
    "appendFile": "write:0", "truncate": "write:0", "chmod": "write:0", "chown": "write:0",
    "mkdir": "write:0", "symlink": "write:1", "rename": "move", "move": "move", "copyFile": "copy",
    "cp": "copy", "copy": "copy", "readFile": "read:0", "readdir": "listing:0", "open": "open:0",
    "utimes": "write:0", "link": "copy",
}  # fmt: skip
_RULES = {
    **{f"fs.{name}": rule for name, rule in _FS.items()},
    **{f"fs.{name}Sync": rule for name, rule in _FS.items()},
    **{f"fs.promises.{name}": rule for name, rule in _FS.items()},
    "fs.createWriteStream": "write:0",
    "fs.createReadStream": "read:0",
    "rimraf": "trees", "rimraf.sync": "trees", "rimraf.rimraf": "trees", "del": "trees",
    "child_process.exec": "run_first", "child_process.execSync": "run_first",
    "child_process.spawn": "run_list", "child_process.spawnSync": "run_list",
    "child_process.execFile": "run_list", "child_process.execFileSync": "run_list",
    "child_process.fork": "script fork", "cluster.fork": "fork", "execa": "run_list",
    "execa.execa": "run_list",
    "execa.execaCommand": "run_first", "execa.execaSync": "run_list", "shelljs.exec": "run_first",
    "shelljs.rm": "trees", "node-pty.spawn": "run_list", "Bun.spawn": "run_first",
    "Bun.spawnSync": "run_first", "Bun.write": "write:0", "Bun.file": "read:0",
    "Deno.run": "run_first", "Deno.remove": "tree:0", "Deno.removeSync": "tree:0",
    "Deno.Command": "run_with",
    "Deno.writeTextFile": "write:0", "Deno.writeTextFileSync": "write:0",
    "Deno.writeFile": "write:0",
    "Deno.writeFileSync": "write:0",
    "Deno.readTextFile": "read:0", "Deno.readTextFileSync": "read:0", "Deno.rename": "move",
    "*.execSync": "run_first", "*.spawnSync": "run_list", "*.unlinkSync": "delete:0",
    "*.rmSync": "delete:0", "*.rmdirSync": "delete:0", "*.writeFileSync": "write:0",
    "*.appendFileSync": "write:0", "*.readdirSync": "listing:0",
    "*.readFileSync": "read:0", "*.execFileSync": "run_list",
    "fetch": "fetch:0", "http.get": "fetch:0", "http.request": "fetch:0", "axios": "fetch:0",
    "axios.get": "fetch:0", "axios.post": "send:0", "axios.put": "send:0", "axios.delete": "send:0",
    "axios.patch": "send:0", "axios.request": "fetch:0", "got": "fetch:0", "got.post": "send:0",
    "got.get": "fetch:0", "undici.request": "fetch:0", "undici.fetch": "fetch:0",
    "net.connect": "connect", "net.createConnection": "connect", "net.Socket().connect": "connect",
    "Socket().connect": "connect", "WebSocket": "fetch:0", "*.connect": "maybe_connect",
    "console.log": "show", "console.error": "show", "console.info": "show", "console.dir": "show",
    "console.table": "show", "Object.entries": "show", "Object.values": "show",
    "console.debug": "show", "process.stdout.write": "show",
    "process.kill": "kill", "process.setuid": "rights", "process.dlopen": "native",
    "eval": "eval:0", "Function": "eval:0", "vm.runInThisContext": "eval:0",
    "vm.runInNewContext": "eval:0", "vm.Script": "eval:0", "require": "script:0",
    "*.then": "handed", "*.on": "handed",
}  # fmt: skip
_SHOWN_ALONE = re.compile(r"\s*(?:JSON\.stringify\()?process\.env[\w.\[\]'\"]*[^;]{0,20};?\s*")
_TAG = Token("word", "$")
"""What makes the text after it a command, in the shells of bun, zx and execa."""
_FROM = re.compile(r"^[\w$]+$")


def effects(code: str) -> list[Effect]:
    """Return what JavaScript does besides computing and printing."""
    if _SHOWN_ALONE.fullmatch(code):  # node -p prints the value of the code
        code = f"console.log({code.strip().rstrip(';')})"
    return risky_effects(code, _LANGUAGE)


def _learn_modules(code: Code) -> None:
    """Learn under which names the code knows the modules it loads."""
    for module in _MODULES.values():
        code.aliases.setdefault(module, module)
    code.aliases |= {"cp": "child_process", "https": "http", "fsp": "fs", "fse": "fs"}
    tokens = code.tokens
    for at, token in enumerate(tokens):
        if token.kind == "text" and at and tokens[at - 1] == _TAG:
            tokens[at] = token._replace(kind="shell")
        if token.kind == "word" and token.text in {"require", "from", "import"}:
            text = next((inner for inner in tokens[at + 1 : at + 3] if inner.kind == "text"), None)
            known = _MODULES.get(text.text.removeprefix("node:")) if text else None
            if known is not None:
                _learn_names(code, at, known)
                _learn_callback(code, at, known)


def _learn_callback(code: Code, at: int, module: str) -> None:
    """Learn the name that ``import(…).then(name => …)`` gives a module."""
    ahead = [token.text for token in code.tokens[at + 4 : at + 9]]
    if ahead[:3] == [".", "then", "("]:
        name = next((word for word in ahead[3:] if word != "("), "")
        code.aliases[name] = module


def _learn_names(code: Code, at: int, module: str) -> None:
    tokens = code.tokens
    while at > 0 and tokens[at - 1].text in {"await", "=", "("}:
        at -= 1
    if at == 0:
        return
    last = tokens[at - 1]
    member = ""
    following = next((n for n in range(at, min(at + 8, len(tokens))) if tokens[n].text == ")"), 0)
    if following and following + 2 < len(tokens) and tokens[following + 1].text == ".":
        member = f".{tokens[following + 2].text}"
    if last.kind == "word" and _FROM.match(last.text):
        code.aliases[last.text] = module + ("" if member in {".promises", ".default"} else member)
    elif last.text == "}":
        start = code.partners.get(at - 1, at)
        names = [token.text for token in tokens[start + 1 : at - 1] if token.text not in {"\n"}]
        for part in ",".join(names).split(",,,"):
            words = [word for word in re.split(r",(?::|as),|,", part) if word]
            if words:
                code.aliases[words[-1]] = f"{module}.{words[0]}".replace("fs.promises", "fs")


def _buffer(parts: list[str]) -> str | None:
    if parts[1:2] == ["base64"]:
        return folds.from_base64(parts)
    return folds.from_hex(parts) if parts[1:2] == ["hex"] else folds.first(parts)


_FOLDS = {
    "path.join": folds.joined,
    "path.resolve": folds.joined,
    "os.homedir": lambda _: "~",
    "os.tmpdir": lambda _: "/tmp",
    "process.cwd": lambda _: ".",
    "process.env.HOME": lambda _: "~",
    "__dirname": lambda _: ".",
    "__filename": lambda _: f"./{UNKNOWN}",
    "process.execPath": lambda _: "node",
    "Buffer.from": _buffer,
    "atob": folds.from_base64,
    "String": folds.first,
    "decodeURIComponent": folds.first,
}
_LANGUAGE = Language(
    SYNTAX,
    _RULES,
    _FOLDS,
    re.compile(
        r"\bprocess \. env\b(?! (?:\.|\[|\?\.))|\bDeno \. env \. toObject|\bprocess\.env\b(?!\.|\[)"
    ),
    re.compile(r"\bprocess ?\. ?env ?(?:\?\.|\.|\[ ?\"?) ?\"?(\w+)"),
    prepare=_learn_modules,
)
