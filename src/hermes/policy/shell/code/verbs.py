"""The verbs of the rules for risky calls: what each does with the arguments of a call."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable

from hermes.base.secret_names import is_secret_name
from hermes.policy.shell.code import sql
from hermes.policy.shell.code.calls import Call
from hermes.policy.shell.code.findings import Findings, Language, host_of, shown
from hermes.policy.shell.effects import UNKNOWN, Category, Kind

_SENDING = re.compile(
    r"\b(?:method|type|verb)\b[\"'\s:=>]*\"?(?:POST|PUT|PATCH|DELETE)\b|\b(?:body|data|form|json)\b\s*(?::|=>)"
    r"|CURLOPT_POST|\"(?:POST|PUT|PATCH|DELETE)\"",
    re.IGNORECASE,
)


Verb = Callable[[Call, int, Findings, Language], None]


def _run(call: Call, _at: int, seen: Findings, _language: Language) -> None:
    words = [word for argument in call.arguments for word in argument]
    if words:
        seen.run(words[0] if len(words) == 1 else shlex.join(words))


def _run_first(call: Call, at: int, seen: Findings, _language: Language) -> None:
    if at < len(call.arguments):
        words = call.arguments[at]
        seen.run(words[0] if len(words) == 1 else shlex.join(words))


def _run_list(call: Call, _at: int, seen: Findings, _language: Language) -> None:
    """Run a program with the list of its arguments."""
    if not call.arguments:
        return
    rest = call.arguments[1] if len(call.arguments) > 1 else []
    is_list = len(rest) != 1 or UNKNOWN not in rest[0]
    words = [call.text(0), *(rest if is_list else [])]
    is_shell = re.search(r"\bshell : true", call.source)
    seen.run(" ".join(words) if is_shell or len(words) == 1 else shlex.join(words))


def _run_with(call: Call, _at: int, seen: Findings, _language: Language) -> None:
    """Run a program with the arguments that an object names: ``{args: [...]}``."""
    seen.run(shlex.join(token.text for token in call.tokens if token.kind == "text"))


def _path_verb(kind: Kind, *, is_recursive: bool = False) -> Verb:
    def verb(call: Call, at: int, seen: Findings, _language: Language) -> None:
        seen.add(
            kind, call.text(at), is_recursive=is_recursive or "recursive : true" in call.source
        )

    return verb


def _listing(call: Call, at: int, seen: Findings, _language: Language) -> None:
    """Read the names in a folder, which later deeds are done to."""
    seen.is_listing = True
    seen.add("read", call.text(at))


def _every(kind: Kind, *, is_recursive: bool = False) -> Verb:
    def verb(call: Call, _at: int, seen: Findings, _language: Language) -> None:
        for word in call.words() or [UNKNOWN]:
            seen.add(kind, word, is_recursive=is_recursive)

    return verb


def _move(call: Call, _at: int, seen: Findings, _language: Language) -> None:
    for word in call.arguments[0] if call.arguments else []:
        seen.add("write", word, is_recursive=True)
    seen.add("write", call.text(1))


def _copy(call: Call, _at: int, seen: Findings, _language: Language) -> None:
    if host_of(call.text(0)) != UNKNOWN:
        seen.is_fetching = True
        seen.add("net", host_of(call.text(0)))
    else:
        for word in call.arguments[0] if call.arguments else []:
            seen.add("read", word)
    seen.add("write", call.text(1))


def _open(call: Call, at: int, seen: Findings, _language: Language) -> None:
    """Open a file in the mode that the next argument says."""
    mode, path = call.text(at + 1), call.text(at)
    if path.startswith("|"):
        seen.run(path[1:].strip())
    elif host_of(path) != UNKNOWN:
        seen.is_fetching = True
        seen.add("net", host_of(path))
    elif path and not path.startswith("php://"):
        seen.add("write" if re.match(r"[^,]*[wax+]", mode) else "read", path)


def _fetch(call: Call, at: int, seen: Findings, language: Language) -> None:
    seen.is_fetching = True
    address = call.text(at)
    is_sending = (
        _SENDING.search(call.source) or _SENDING.search(call.text(0)) or _leaks(call, language)
    )
    host = host_of(address)
    if host == UNKNOWN:
        named = re.search(r"\bhost(?:name)? : \"?([\w.-]+)", call.source)
        text = next((word for word in call.words() if re.fullmatch(r"[\w-]+(\.[\w-]+)+", word)), "")
        host = text or (named[1] if named else UNKNOWN)
    seen.add("send" if is_sending else "net", host)


def _send(call: Call, at: int, seen: Findings, language: Language) -> None:
    seen.is_fetching = True
    host = host_of(call.text(at))
    seen.add("send", host)
    if _leaks(call, language):
        seen.warn("exfiltration", f"sends secrets of the environment to {shown(host)}")


def _leaks(call: Call, language: Language) -> bool:
    return bool(language.whole_environment.search(call.source)) or bool(_secret(call, language))


def _secret(call: Call, language: Language) -> str:
    names = (found[1] for found in language.one_variable.finditer(call.source))
    return next((name for name in names if is_secret_name(name)), "")


def _show(call: Call, _at: int, seen: Findings, language: Language) -> None:
    if language.whole_environment.search(call.source):
        seen.warn("exfiltration", "prints the whole environment")
    elif name := _secret(call, language):
        seen.warn("exfiltration", f"prints the secret variable {name}")


def _connect(call: Call, _at: int, seen: Findings, _language: Language) -> None:
    words = [word for word in call.words() if not word.isdigit() and word.strip(UNKNOWN)]
    hosts = [word for word in words if re.search(r"[\w-]\.[\w-]|^localhost$|::", word)]
    named = re.search(r"\bhost(?:name)? : \"?([\w.-]+)", call.source)
    host = hosts[0].removeprefix("tcp://") if hosts else named[1] if named else UNKNOWN
    host = re.sub(r":\d+$", "", host)
    seen.hosts.append(host)
    seen.add("net", host)


def _maybe_connect(call: Call, at: int, seen: Findings, language: Language) -> None:
    """Connect a socket that is known only by the port that comes first."""
    if call.text(0).isdigit():
        _connect(call, at, seen, language)


def _handed(call: Call, _at: int, seen: Findings, _language: Language) -> None:
    """Hand what arrives to a function, which may be the one that runs code."""
    if any(token.kind == "word" and token.text == "eval" for token in call.tokens):
        seen.is_running_unknown_code = True


def _duplicate(_call: Call, _at: int, seen: Findings, _language: Language) -> None:
    seen.is_duplicating = True


def _eval(call: Call, at: int, seen: Findings, _language: Language) -> None:
    text = call.text(at)
    if not call.arguments or (call.tokens and call.tokens[0].text == "{"):
        return
    if UNKNOWN in text or not text:
        seen.is_running_unknown_code = True
    else:
        seen.codes.append(text)


def _script(call: Call, at: int, seen: Findings, _language: Language) -> None:
    path = call.text(at)
    if path.startswith(("/", "~")):
        seen.add("script", path)


def _fork(_call: Call, _at: int, seen: Findings, _language: Language) -> None:
    seen.is_forking = True


def _kill(call: Call, _at: int, seen: Findings, _language: Language) -> None:
    words = call.words()
    if (
        words[1:2] == ["0"]
        or (words[:1] == ["0"] and len(words) == 2)
        or "process . pid" in call.source
    ):
        return
    seen.run("kill " + " ".join(word or UNKNOWN for word in words))


def _perl_open(call: Call, _at: int, seen: Findings, _language: Language) -> None:
    """Open as Perl does, with the mode before the path or in front of it."""
    mode, path = call.text(1).strip(), call.text(2)
    if not path:
        found = re.match(r"([+<>|&]*)\s*(.*)", mode, re.DOTALL)
        mode, path = (found[1], found[2]) if found else ("", mode)
        if path.endswith("|"):
            mode, path = "-|", path[:-1]
    if "&" in mode:
        seen.is_duplicating = True
    elif "|" in mode:
        if re.fullmatch(r"(?:/\S*/)?(?:ba|da|z|k)?sh\s*", path):
            seen.warn("opaque", "writes commands into a shell")
        seen.run(" ".join([path, *(word for argument in call.arguments[3:] for word in argument)]))
    elif path and "$" not in path:
        seen.add("write" if ">" in mode or "+" in mode else "read", path)


def _changed(call: Call, _at: int, seen: Findings, _language: Language) -> None:
    """Change the mode or the owner of the paths after the first argument."""
    for word in [
        word for argument in call.arguments[1:] for word in argument if not word.isdigit()
    ]:
        seen.add("write", word)


def _maybe_fetch(call: Call, at: int, seen: Findings, language: Language) -> None:
    if host_of(call.text(at)) != UNKNOWN:
        _fetch(call, at, seen, language)


def _maybe_send(call: Call, at: int, seen: Findings, language: Language) -> None:
    if host_of(call.text(at)) != UNKNOWN:
        _send(call, at, seen, language)


def _curl(call: Call, _at: int, seen: Findings, _language: Language) -> None:
    if re.search(r"CURLOPT_(?:POST|POSTFIELDS|UPLOAD|CUSTOMREQUEST|INFILE)\b", call.source):
        hosts = [effect.target for effect in seen.effects if effect.kind == "net"]
        seen.add("send", hosts[-1] if hosts else UNKNOWN)
    elif "CURLOPT_URL" in call.source:
        seen.add("net", host_of(call.text(2)))
        seen.is_fetching = True


def _sql(call: Call, at: int, seen: Findings, _language: Language) -> None:
    for effect in sql.effects(call.text(at)) if call.text(at).strip(UNKNOWN) else ():
        seen.effects[effect] = None


def _sourced(call: Call, at: int, seen: Findings, _language: Language) -> None:
    host = host_of(call.text(at))
    if host != UNKNOWN:
        seen.warn("network-exec", f"runs code that it fetched from {host}")
    else:
        seen.add("script", call.text(at))


def _r_eval(call: Call, _at: int, seen: Findings, _language: Language) -> None:
    if "parse" in call.source:
        texts = [token.text for token in call.tokens if token.kind == "text"]
        seen.is_running_unknown_code |= not texts


def _warning(category: Category, what: str) -> Verb:
    def verb(_call: Call, _at: int, seen: Findings, _language: Language) -> None:
        seen.warn(category, what)

    return verb


VERBS: dict[str, Verb] = {
    "run": _run,
    "run_first": _run_first,
    "run_list": _run_list,
    "run_with": _run_with,
    "delete": _path_verb("delete"),
    "tree": _path_verb("delete", is_recursive=True),
    "write": _path_verb("write"),
    "read": _path_verb("read"),
    "listing": _listing,
    "deletes": _every("delete"),
    "trees": _every("delete", is_recursive=True),
    "writes": _every("write"),
    "move": _move,
    "copy": _copy,
    "open": _open,
    "fetch": _fetch,
    "send": _send,
    "show": _show,
    "connect": _connect,
    "maybe_connect": _maybe_connect,
    "handed": _handed,
    "duplicate": _duplicate,
    "eval": _eval,
    "script": _script,
    "fork": _fork,
    "kill": _kill,
    "perl_open": _perl_open,
    "changed": _changed,
    "maybe_fetch": _maybe_fetch,
    "maybe_send": _maybe_send,
    "curl": _curl,
    "sql": _sql,
    "sourced": _sourced,
    "r_eval": _r_eval,
    "mail": _warning("exfiltration", "sends a mail"),
    "environment": _warning("exfiltration", "prints the whole environment"),
    "called": _warning("opaque", "calls a function whose name is only known when it runs"),
    "opaque_data": _warning("opaque", "loads data that can hold any code"),
    "delete_all": _warning("database", "deletes every record of a model"),
    "native": _warning("opaque", "calls native code, which can do anything"),
    "rights": _warning("privilege", "changes the user that it runs as"),
}
