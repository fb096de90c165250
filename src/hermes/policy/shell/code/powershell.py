"""Tell what PowerShell does by its cmdlets."""

from __future__ import annotations

import re

from hermes.base.secret_names import is_secret_name
from hermes.policy.shell.code.decode import decoded
from hermes.policy.shell.effects import UNKNOWN, Category, Effect, danger

_COMMENT = re.compile(r"<#.*?(?:#>|\Z)|(?<![\w`])#[^\n]*", re.DOTALL)
_WORD = re.compile(
    r"(?P<text>'(?:[^']|'')*(?:'|\Z)|\"(?:[^\"`]|`.|\"\")*(?:\"|\Z))|(?P<end>[;\n|{}()]|&&|\|\|)"
    r"|(?P<word>[^\s;|{}()'\"]+)|(?P<space>\s+)",
    re.DOTALL,
)
_ALIASES = {
    "rm": "remove-item", "del": "remove-item", "erase": "remove-item", "rd": "remove-item",
    "ri": "remove-item", "rmdir": "remove-item", "mv": "move-item", "move": "move-item",
    "mi": "move-item", "ren": "rename-item", "cp": "copy-item", "copy": "copy-item",
    "cat": "get-content", "gc": "get-content", "type": "get-content", "sc": "set-content",
    "ni": "new-item", "iex": "invoke-expression", "iwr": "invoke-webrequest",
    "irm": "invoke-restmethod", "curl": "invoke-webrequest", "wget": "invoke-webrequest",
    "kill": "stop-process", "spps": "stop-process", "saps": "start-process",
    "start": "start-process", "gci": "get-childitem", "dir": "get-childitem",
    "ls": "get-childitem", "echo": "write-output", "tee": "tee-object",
}  # fmt: skip
_WRITES = frozenset(
    (
        "set-content",
        "add-content",
        "out-file",
        "new-item",
        "tee-object",
        "export-csv",
        "clear-content",
    )
)
_DANGERS: dict[str, tuple[Category, str]] = {
    "stop-process": ("process", "ends processes"),
    "restart-computer": ("service", "restarts the computer"),
    "stop-computer": ("service", "shuts the computer down"),
    "stop-service": ("service", "stops a service"),
    "restart-service": ("service", "restarts a service"),
    "set-service": ("service", "changes a service"),
    "new-service": ("persistence", "adds a service"),
    "set-executionpolicy": ("privilege", "weakens the execution policy"),
    "set-mppreference": ("privilege", "changes the virus scanner"),
    "add-mppreference": ("privilege", "changes the virus scanner"),
    "disable-netfirewallrule": ("privilege", "weakens the firewall"),
    "set-netfirewallprofile": ("privilege", "changes the firewall"),
    "new-netfirewallrule": ("privilege", "changes the firewall"),
    "format-volume": ("disk", "formats a volume"),
    "clear-disk": ("disk", "wipes a disk"),
    "initialize-disk": ("disk", "initialises a disk"),
    "remove-partition": ("disk", "removes a partition"),
    "clear-recyclebin": ("delete", "empties the recycle bin"),
    "clear-eventlog": ("delete", "clears the event log"),
    "new-localuser": ("privilege", "makes a user of the machine"),
    "set-localuser": ("privilege", "changes a user of the machine"),
    "remove-localuser": ("privilege", "removes a user of the machine"),
    "add-localgroupmember": ("privilege", "adds a user to a group"),
    "register-scheduledtask": ("persistence", "adds a scheduled task"),
    "set-itemproperty": ("overwrite", "changes the registry or an item's property"),
    "remove-itemproperty": ("delete", "removes from the registry or an item's property"),
    "set-acl": ("privilege", "changes access rights"),
    "send-mailmessage": ("exfiltration", "sends a mail"),
    "add-type": ("opaque", "compiles and loads code"),
}
_DOWNLOAD = re.compile(
    r"\b(?:iwr|irm|curl|wget|invoke-webrequest|invoke-restmethod|downloadstring|downloaddata|downloadfile|webclient)\b",
    re.IGNORECASE,
)
_URL = re.compile(r"\bhttps?://([^/\s'\":?)]+)", re.IGNORECASE)
_SOCKET = re.compile(r"\bsockets\.tcpclient\W+([\w.-]+)", re.IGNORECASE)
_ENCODED = re.compile(r"-e(?:nc?|ncod\w*)?\s+['\"]?([A-Za-z0-9+/=]{12,})", re.IGNORECASE)
_MOST = 3000
_ENCODED_ALONE = re.compile(r"\s*[A-Za-z0-9+/]{16,}={0,2}\s*")
_ENVIRONMENT = re.compile(
    r"\b(?:gci|dir|ls|get-childitem|get-item)\s+env:(?:\\?\*?)?(?=[\s;|)]|$)|getenvironmentvariables\(\)",
    re.IGNORECASE,
)
_VARIABLE = re.compile(r"\$\{?env:(\w+)", re.IGNORECASE)
_SYNTAX = re.compile(r"[$@\[\]]")


def effects(code: str) -> list[Effect]:
    """Return what PowerShell does besides computing and printing."""
    hidden = decoded("base64", code) if _ENCODED_ALONE.fullmatch(code) else None
    return _effects(code if hidden is None else hidden, 0)


def _effects(code: str, depth: int) -> list[Effect]:
    code = _COMMENT.sub(" ", code)
    found: list[Effect] = []
    commands = _commands(code)
    for words in commands[:_MOST]:
        found += _command(words, code, depth)
    if len(commands) > _MOST:
        found.append(danger("opaque", "is too long to be read to its end"))
    encoded = _ENCODED.search(code)
    if encoded and depth < 4:
        found += _effects(decoded("base64", encoded[1]) or "", depth + 1)
    if _ENVIRONMENT.search(code):
        found.append(danger("exfiltration", "prints the whole environment"))
    socket = _SOCKET.search(code)
    if socket:
        found.append(danger("network-exec", f"opens a reverse shell to {socket[1]}"))
    return found


def _commands(code: str) -> list[list[str]]:
    commands: list[list[str]] = [[]]
    for token in _WORD.finditer(code):
        if token.lastgroup == "end":
            commands.append([])
        elif token.lastgroup != "space":
            commands[-1].append(token[0])
    return [words for words in commands if words]


def _command(words: list[str], code: str, depth: int) -> list[Effect]:
    while len(words) > 2 and words[0].startswith("$") and words[1] == "=":
        words = words[2:]
    words = words[1:] if words[0] in {"&", "."} else words
    if not words:
        return []
    name = words[0].lower()
    name = _ALIASES.get(name, name)
    if name in _DANGERS:
        return [danger(*_DANGERS[name])]
    if name == "invoke-expression" or ".invoke" in name or "scriptblock]::create" in name:
        return _expression(words[1:], code, depth)
    if name in {"invoke-webrequest", "invoke-restmethod"} or "webclient" in " ".join(words).lower():
        return _request(words)
    if name.startswith(("write-", "$env:")):
        return _shown(words)
    return _files(name, words[1:]) or _program(name, words)


def _files(name: str, rest: list[str]) -> list[Effect]:
    paths = _operands(rest)
    flags = [word.lower() for word in rest if word.startswith("-")]
    if name == "remove-item":
        is_recursive = any(flag.startswith("-r") for flag in flags)
        return [Effect("delete", path, is_recursive=is_recursive) for path in paths or [UNKNOWN]]
    if name in _WRITES:
        return [Effect("write", path) for path in paths[:1]]
    if name in {"move-item", "rename-item"} and len(paths) > 1:
        return [Effect("write", paths[0]), Effect("write", paths[1])]
    if name == "copy-item" and len(paths) > 1:
        return [Effect("read", paths[0]), Effect("write", paths[1])]
    if name == "get-content":
        return [Effect("read", path) for path in paths]
    if name == "start-process":
        return [Effect("run", " ".join(paths))]
    return []


def _operands(words: list[str]) -> list[str]:
    paths: list[str] = []
    is_value = False
    for word in words:
        if word.startswith("-"):
            is_value = word.lower() in {
                "-value",
                "-encoding",
                "-itemtype",
                "-filter",
                "-include",
                "-exclude",
                "-verb",
            }
        elif is_value:
            is_value = False
        else:
            paths += [_plain(part) for part in word.split(",") if part]
    return paths


def _plain(word: str) -> str:
    text = word.strip("'\"")
    text = re.sub(r"^(?:\$HOME|\$\{?env:(?:HOME|USERPROFILE)\}?)", "~", text, flags=re.IGNORECASE)
    return text if word.startswith("'") else re.sub(r"\$\{?[\w:]+\}?", UNKNOWN, text)


def _expression(rest: list[str], code: str, depth: int) -> list[Effect]:
    text = " ".join(rest)
    if _DOWNLOAD.search(code):
        return [danger("network-exec", "runs code that it fetched from the network")]
    if rest and text[:1] in "'\"" and "$" not in text and depth < 4:
        return _effects(text.strip("'\""), depth + 1)
    return [danger("opaque", "runs code that is only known when it runs")]


def _request(words: list[str]) -> list[Effect]:
    text = " ".join(words)
    host = _URL.search(text)
    is_sending = re.search(
        r"-(?:body|infile|form)\b|-method\s+'?\"?(?:post|put|patch|delete)|upload",
        text,
        re.IGNORECASE,
    )
    found = [Effect("send" if is_sending else "net", host[1] if host else UNKNOWN)]
    saved = re.search(r"-outfile\s+(\S+)", text, re.IGNORECASE)
    return [*found, Effect("write", _plain(saved[1]))] if saved else found


def _shown(words: list[str]) -> list[Effect]:
    names = [name for word in words if not word.startswith("'") for name in _VARIABLE.findall(word)]
    secrets = [name for name in names if is_secret_name(name)]
    return [danger("exfiltration", f"prints the secret variable {name}") for name in secrets]


def _program(name: str, words: list[str]) -> list[Effect]:
    """Hand a command that is no cmdlet to the shell."""
    is_cmdlet = re.fullmatch(r"[a-z]+-[a-z]+", name) is not None
    is_plain = re.fullmatch(r"[a-z~./][\w./\\-]*", name) is not None and not name.isdigit()
    if (
        is_cmdlet
        or not is_plain
        or name in _KEYWORDS
        or (len(words) > 1 and words[1] in {"=", "+="})
    ):
        return []
    return [Effect("run", _SYNTAX.sub(UNKNOWN, " ".join(words)))]


_KEYWORDS = frozenset((
    "if", "else", "elseif", "foreach", "for", "while", "do", "switch", "try", "catch", "finally",
    "function", "param", "return", "throw", "where", "select", "sort", "measure", "group", "%", "?",
    "get-childitem", "in", "break", "continue", "exit", "begin", "process", "end", "using", "ft",
    "fl",
))  # fmt: skip
