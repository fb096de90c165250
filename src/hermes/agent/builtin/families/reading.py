"""Files as text: read them whole or in part, by name or by what was found before."""

from __future__ import annotations

import re

from hermes.agent.builtin.answers import bullets, told
from hermes.agent.builtin.marks import number_of
from hermes.agent.builtin.names import KNOWN_FILES
from hermes.agent.builtin.references import earlier_path, known_files
from hermes.agent.builtin.said import Said
from hermes.agent.builtin.steps import Answer, Hands, Steps, Unsure, quote, shell, want

_NAMED = {
    "readme": "README*", "license": "LICEN[SC]E*", "licence": "LICEN[SC]E*",
    "changelog": "CHANGELOG*", "makefile": "Makefile", "dockerfile": "Dockerfile*",
    "gitignore": ".gitignore", "contributing": "CONTRIBUTING*", "package.json": "package.json",
}  # fmt: skip
_MANY = 5
_ROW = "(?:line|entry|row|record|message|event|item|entrie)"
_LINES = (
    r"\blines?\s+⟦(?P<a>\d+)⟧\s*(?:to|-|\u2013|until|through|and|\.\.)\s*⟦(?P<b>\d+)⟧",
    r"\blines?\s+(?P<x>\d+)\s*(?:-|\u2013|\.\.)\s*(?P<y>\d+)",
    r"\blines?\s+⟦(?P<a>\d+)⟧",
)

_SET = r"(?:\s+(?:is|are|was))?(?:\s+(?:set(?: to)?|defined|configured|used|listed|given))?"
_VALUES = (
    r"\b⟦\d+⟧\s+(?P<key>scripts|dependencies|version|settings|values?|section|keys?|name|options)\b",
    rf"^(?:what(?:'s| is| are)?|which|tell me|show(?: me)?|get|give me)\s+(?:the\s+|our\s+|my\s+)?"
    r"(?:value of\s+(?:the\s+)?|current\s+)?"
    rf"(?P<key>[\w.-]+(?:\s+(?!(?:is|are|was|set)\b)\w+)?){_SET}"
    r"\s+(?:in|inside|from)\s+(?:the\s+|file\s+)*⟦\d+⟧[.?!]*$",
    r"^(?:what|which)\s+(?P<key>[\w.-]+(?:\s+\w+)?)\s+(?:does|is)\s+⟦\d+⟧\s+(?:use|have|set|say|on)",
)


def read_file(said: Said, hands: Hands) -> Steps:
    """Read a file; one that is not there is looked for by its name."""
    path = said.one("path") or earlier_path(said)
    if path is None:
        path = yield from _find(said, hands)
    if path.endswith("/") or (_is_folder(path) and not said.has("line")):
        return told(
            (yield hands.pick(want("directory_list", path=path), shell(f"ls -l {quote(path)}")))
        )
    part = _part(said)
    if len(said.all("path")) > 1:
        return (yield from _each(said.all("path")[:_MANY], part, hands))
    answer = yield hands.pick(want("read_file", path=path, **part), shell(_by_shell(path, part)))
    if answer.value.get("code") == "not_found" and hands.has("search_files"):
        return (yield from _elsewhere(path, part, answer, hands))
    return told(answer, f"{path}:" if not answer.error else "")


def _each(paths: list[str], part: dict[str, int], hands: Hands) -> Steps:
    """Read several files, one after the other."""
    shown = []
    for path in paths:
        by_shell = shell(_by_shell(path, part))
        answer = yield hands.pick(want("read_file", path=path, **part), by_shell)
        if answer.value.get("code") == "not_found" and hands.has("search_files"):
            shown.append((yield from _elsewhere(path, part, answer, hands)))
            continue
        shown.append(told(answer, f"{path}:" if not answer.error else ""))
    return "\n\n".join(shown)


def look_up(said: Said, hands: Hands) -> Steps:
    """Tell the value that a setting has in a file; where it is not found, show the file."""
    found = said.find(*_VALUES)
    path = said.one("path")
    if not found or not path:
        return (yield from read_file(said, hands))
    key = re.sub(r"\s+", r"[\\s_-]?", found["key"].strip())
    answer = yield hands.pick(
        want("search_files", pattern=key, path=path, ignore_case=True),
        shell(f"grep -niE -e {quote(key)} {quote(path)}"),
    )
    is_there = answer.value.get("total") or answer.value.get("matches") or answer.output
    return told(answer) if is_there else (yield from read_file(said, hands))


def heads(said: Said, hands: Hands) -> Steps:
    """Show the beginning or the end of every file of a kind."""
    part = _part(said)
    glob = said.glob or said.kind or "*"
    tool = "tail" if part.get("offset", 1) < 0 else "head"
    count = abs(part.get("offset", 0)) if tool == "tail" else part.get("limit", 10)
    where = quote(said.folder or ".")
    found = f"find {where} -type f -name {quote(glob)} -not -path '*/.git/*'"
    return told((yield hands.pick(shell(f"{found} -exec {tool} -v -n {count} {{}} +"))))


def _is_folder(path: str) -> bool:
    last = path.rstrip("/").rsplit("/", 1)[-1]
    known = any(re.fullmatch(name, last) for name in KNOWN_FILES)
    return (
        "." not in last.lstrip(".")
        and not last.startswith(".")
        and not known
        and "/etc/" not in path
    )


def _find(said: Said, hands: Hands) -> Steps:
    """Return the path of a file that is named by a word."""
    words = [word for word in re.findall(r"[\w.]+", said.low) if word in _NAMED]
    pattern = _NAMED[words[0]] if words else _guess(said)
    if not pattern:
        raise Unsure("Which file should I read?", *known_files(said)[:4])
    answer = yield hands.pick(
        want(
            "search_files",
            pattern=pattern,
            target="files",
            path=said.folder if said.folder and said.folder not in pattern else None,
            hidden=True if pattern[0] == "." else None,
        ),
        shell(f"find . -iname {quote(pattern)} -not -path '*/.git/*' | head -n 20"),
    )
    found = answer.value.get("files") or answer.output.split()
    if not isinstance(found, list) or not found:
        raise Unsure(f"There is no file like {pattern} here. Which file should I read?")
    return str(min(found, key=lambda one: (str(one).count("/"), len(str(one)))))


def _guess(said: Said) -> str:
    match = re.search(
        r"\b(?:the|my|our)\s+([\w-]+)\s+(?:file|script|module|config|settings|docs?|page|notes)\b",
        said.low,
    )
    if match:
        return f"*{match[1]}*"
    match = re.match(
        r"(?:read|open|cat|view|show|print|display|see|what(?:'s| is) in)\s+(?:me\s+)?"
        r"(?:the\s+|my\s+|our\s+)?([\w-]{3,})"
        r"(?:\s+(?:in|inside|from|under)\s+(?:the\s+|my\s+)?[\w./-]+(?:\s+(?:folder|directory))?)?$",
        said.low.strip(" ?."),
    )
    return f"*{match[1]}*" if match and match[1] not in {"file", "this", "that", "files"} else ""


def _part(said: Said) -> dict[str, int]:
    lines = re.search(_LINES[0], said.shape, re.I) or re.search(_LINES[2], said.shape, re.I)
    if lines:
        first = number_of(said.marks[int(lines["a"])].value)
        if not lines.groupdict().get("b") and re.search(
            r"\b(?:from|starting (?:at|from|with)|after|beginning at) line", said.low
        ):
            return {"offset": first}
        last = lines.groupdict().get("b")
        end = number_of(said.marks[int(last)].value) if last else first
        return {"offset": first, "limit": max(1, end - first + 1)}
    span = re.search(_LINES[1], said.shape, re.I)
    if span:
        return {"offset": int(span["x"]), "limit": int(span["y"]) - int(span["x"]) + 1}
    count = said.number()
    if (
        count is None
        and said.has("end", "last")
        and re.search(rf"\b(?:end|tail|bottom|(?:last|latest|final) (?:few )?{_ROW}s?)\b", said.low)
    ):
        is_one = re.search(rf"\b(?:last|latest|final) {_ROW}\b", said.low)
        return {"offset": -1 if is_one else -20}
    if count is None:
        first_line = re.search(rf"\b(?:first (?:few )?{_ROW}s?|beginning|top|head)\b", said.low)
        is_one = re.search(rf"\bfirst {_ROW}\b", said.low)
        return {"limit": 1 if is_one else 20} if first_line else {}
    if re.search(r"\b(?:last|tail|bottom|end|final)\b", said.low):
        return {"offset": -count}
    return {"limit": count}


def _by_shell(path: str, part: dict[str, int]) -> str:
    offset, limit = part.get("offset", 1), part.get("limit")
    if offset < 0:
        return f"tail -n {-offset} {quote(path)}"
    if offset > 1 and limit:
        return f"sed -n '{offset},{offset + limit - 1}p' {quote(path)}"
    return f"head -n {limit} {quote(path)}" if limit else f"cat {quote(path)}"


def _elsewhere(path: str, part: dict[str, int], failed: Answer, hands: Hands) -> Steps:
    """Look for a file that is not where it was said to be."""
    name = path.rstrip("/").rsplit("/", 1)[-1]
    pattern = name if "." in name else f"{name}*"
    answer = yield want("search_files", pattern=pattern, target="files")
    found = answer.value.get("files") or []
    if len(found) == 1:
        again = yield hands.pick(want("read_file", path=found[0], **part))
        return told(again, f"There is no {path}, but there is {found[0]}:")
    if found:
        return f"There is no {path}; did you mean one of these?\n{bullets(found)}"
    return told(failed)
