"""Tell what PowerShell does by its cmdlets, and cmd by the commands that it shares with it."""

from __future__ import annotations

import re

from hermes.base.secret_names import is_secret_name
from hermes.policy.shell.code.decode import decoded
from hermes.policy.shell.effects import UNKNOWN, Category, Effect, catastrophe, danger

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
_WIPES = {
    "format-volume": "formats a volume",
    "clear-disk": "wipes a disk",
    "initialize-disk": "initialises a disk",
    "remove-partition": "removes a partition",
    "reset-physicaldisk": "wipes a disk",
    "remove-storagepool": "loses a storage pool",
    "remove-virtualdisk": "loses a volume",
}
_CMD_DELETES = frozenset({"rd", "rmdir", "del", "erase", "deltree"})
_SWITCH = re.compile(r"//?[A-Za-z?](?:[:-]\S*)?|(?:/[A-Za-z])+")
_DEEP = re.compile(r"(?i)^(?:/[a-z])*//?s(?:/[a-z])*$")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]?")
_PLACES = (
    (
        r"(?:\$HOME|(?:\$\{?env|\ufffc):(?:HOME|USERPROFILE|HOMEPATH)\}?|%(?:HOMEDRIVE%%)?HOMEPATH%|%USERPROFILE%)",
        "~",
    ),
    (r"(?:(?:\$\{?env|\ufffc):(?:SystemDrive|HOMEDRIVE)\}?|%(?:SystemDrive|HOMEDRIVE)%)", "C:"),
    (r"(?:(?:\$\{?env|\ufffc):(?:SystemRoot|windir)\}?|%(?:SystemRoot|windir)%)", "C:/Windows"),
)
"""Variables that stand for a whole home, a drive or the system."""
_GOES = frozenset({"cd", "chdir", "sl", "set-location", "push-location", "pushd"})
_RIGHTS = frozenset({"icacls", "cacls", "takeown", "attrib"})
_EACH = re.compile(r"\bfor\b.{0,20}?%+\w\s+in\s*\(([^)]*)\)\s*do\s+(?:rd|rmdir|del|erase)\b", re.I)
_LISTS = frozenset({"get-childitem", "get-item", "resolve-path", "gi"})
_DIRECTORY = re.compile(
    r"::(?:Delete|EnumerateFiles)\(\s*['\"]([^'\"]+)|get-item\s+([^)\s]+)\)\.delete", re.I
)
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
_OWN_SYNTAX = re.compile(
    r"\b[a-z]+-[a-z]+(?:item|content|object|expression|process|service|computer|file|request|path)\b"
    r"|\b(?:get|set|new|remove|write|out|start|stop|invoke|import|clear|test|select)-[a-z]"
    r"|\$\w+\s*=|\$env:|\$_|(?<!\$)@[({\"']|\[\w+(?:\.\w+)*\]|::|%\s*\{|\b(?:foreach|if|while|for)\s*\("
    r"|\s-(?:eq|ne|like|match|recurse|force|path|erroraction|whatif)\b|\b(?:iex|iwr|irm|gc|gci)\b"
    r"|(?-i:\b[A-Z][a-z]+-[A-Z])",
    re.IGNORECASE,
)
"""What only PowerShell writes: a text without it may be for any shell."""
_SHELL_SYNTAX = re.compile(
    r"(?!\s*(?:cmd|rd|rmdir|del|erase|deltree|dir|format|robocopy|copy|move|type|i?cacls|takeown)\b)"
    r"\s*(?:[a-z_~/.:][\w./:+-]*(?:\s|\(\)|$)|[A-Za-z_]\w*=|[!{:>])"
)
_INTO_SHELL = re.compile(
    r"\|\s*(?:sudo\s+)?(?:[\w/]*/)?"
    r"(?:(?:ba|z|da|k|fi)?sh|python[\d.]*|perl|ruby|node|php|xargs|parallel|crontab|at|tee|nc)\b"
)
_SYNTAX = re.compile(r"[$@\[\]]")


def effects(code: str) -> list[Effect]:
    """Return what PowerShell does besides computing and printing."""
    hidden = decoded("base64", code) if _ENCODED_ALONE.fullmatch(code) else None
    return _effects(code if hidden is None else hidden, 0)


def _effects(code: str, depth: int) -> list[Effect]:
    code = _COMMENT.sub(" ", code)
    found = _piped(code)
    commands = _commands(code)
    folder = ""
    for words in commands[:_MOST]:
        if words[0].lower() in _GOES:
            folder = next(iter(_operands(words[1:])), "")
        found += [_placed(effect, folder) for effect in _command(words, code, depth)]
    found += _found_ones(commands, found)
    for listed in _EACH.findall(code):
        found += [Effect("delete", _plain(path), is_recursive=True) for path in listed.split()]
    for given, got in _DIRECTORY.findall(code):
        found.append(Effect("delete", _plain(given or got), is_recursive=True))
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


def _piped(code: str) -> list[Effect]:
    """Hand to the shell what is no PowerShell, and pipelines that end in a shell."""
    if _SHELL_SYNTAX.match(code) and not _OWN_SYNTAX.search(code):
        return [Effect("run", code)]
    return [
        Effect("run", _SYNTAX.sub(UNKNOWN, line))
        for line in re.split(r"[;\n{}]|&&|\|\|", code)
        if _INTO_SHELL.search(line)
    ]


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
    own = words[0].strip("'\"").lower().removesuffix(".exe")
    name = _ALIASES.get(own, own)
    if any(word.lower() == "-whatif" for word in words):
        return []
    if own in {"cmd", "powershell", "pwsh"}:
        return _shell(words[1:], depth)
    lost = _lost(own, name, words[1:], code)
    if lost is not None:
        return lost
    if name in _DANGERS:
        return [danger(*_DANGERS[name])]
    if name == "invoke-expression" or ".invoke" in name or "scriptblock]::create" in name:
        return _expression(words[1:], code, depth)
    if name in {"invoke-webrequest", "invoke-restmethod"} or "webclient" in " ".join(words).lower():
        return _request(words)
    if name.startswith(("write-", "$env:")):
        return _shown(words)
    return _files(name, words[1:]) or _program(name, words)


def _lost(own: str, name: str, rest: list[str], code: str) -> list[Effect] | None:
    """Return what wipes disks, deletes as cmd does or ends hermes; None is something else."""
    if own in {"format", "format.com"} or name in _WIPES:
        return _wiped(name, rest)
    if own in _CMD_DELETES and any(_SWITCH.fullmatch(word) for word in rest):
        return _removed(own, rest)
    if own == "robocopy" and any(word.lower() in ("/mir", "/purge") for word in rest):
        paths = [_plain(word) for word in rest if not word.startswith("/")]
        return [Effect("delete", path, is_recursive=True) for path in paths[1:2]]
    if own in _RIGHTS and any(word.lower() in ("/t", "/r", "/s") for word in rest):
        paths = [_plain(word) for word in rest if not _SWITCH.fullmatch(word)]
        return [Effect("write", path, is_recursive=True) for path in paths if _DRIVE.match(path)]
    if name == "stop-process" and re.search(r"\bhermes\b", code, re.IGNORECASE):
        return [danger("process", "ends hermes wherever it runs")]
    return None


def _shell(rest: list[str], depth: int) -> list[Effect]:
    """Read what another shell is told to run."""
    starts = ("/c", "/k", "//c", "-c", "-command", "/r", "-com")
    at = next((at for at, word in enumerate(rest) if word.lower() in starts), None)
    if at is None or depth > 4:
        return []
    text = " ".join(rest[at + 1 :])
    is_quoted = text[:1] in {"'", '"'} and text[-1:] == text[:1]
    return _effects(text[1:-1] if is_quoted else text, depth + 1)


def _wiped(name: str, rest: list[str]) -> list[Effect]:
    """Return the loss of a volume; a word that formats something else loses nothing."""
    if name in _WIPES:
        return [catastrophe("disk", _WIPES[name])]
    drive = next((word for word in map(_plain, rest) if _DRIVE.fullmatch(word)), None)
    return [catastrophe("disk", f"formats the drive {drive}")] if drive else []


def _removed(name: str, rest: list[str]) -> list[Effect]:
    """Return what cmd deletes: its switches look like paths."""
    is_deep = name == "deltree" or any(_DEEP.search(word) for word in rest)
    paths = [_plain(word) for word in rest if not _SWITCH.fullmatch(word)]
    return [Effect("delete", path, is_recursive=is_deep) for path in paths]


def _placed(effect: Effect, folder: str) -> Effect:
    """Return what is done to a relative path in the folder that the code went to."""
    is_relative = (
        folder and not effect.target.startswith(("/", "~", "\\")) and ":" not in effect.target
    )
    if effect.kind not in ("delete", "write") or not is_relative or UNKNOWN in effect.target:
        return effect
    return effect._replace(target=f"{folder.rstrip('/')}/{effect.target}")


def _found_ones(commands: list[list[str]], found: list[Effect]) -> list[Effect]:
    """Return the folders whose listing is deleted one by one."""
    if not any(each.kind == "delete" and UNKNOWN in each.target for each in found):
        return []
    listed = [
        words for words in commands if _ALIASES.get(words[0].lower(), words[0].lower()) in _LISTS
    ]
    return [
        Effect("delete", path, is_recursive=True)
        for words in listed
        for path in _operands(words[1:])
        if path.startswith(("/", "~")) or _DRIVE.match(path)
    ]


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
            paths += [_plain(word.partition(":")[2])] if word.lower().startswith("-path:") else []
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
    for variable, place in _PLACES:
        text = re.sub(f"^{variable}", place, text, flags=re.IGNORECASE)
    if text.startswith("~\\"):
        text = text.replace("\\", "/")
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
    is_cmdlet = _OWN_SYNTAX.match(words[0].strip("'\"")) is not None
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
