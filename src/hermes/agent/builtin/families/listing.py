"""Folders and the files in them: list, find by name or kind, count, by size or age."""

from __future__ import annotations

import re

from hermes.agent.builtin.answers import bullets, told
from hermes.agent.builtin.marks import find_size, seconds_of
from hermes.agent.builtin.names import HERE, NOT_FOLDERS
from hermes.agent.builtin.ranking import Ranked, command
from hermes.agent.builtin.references import earlier_folder
from hermes.agent.builtin.said import Said
from hermes.agent.builtin.steps import Hands, Steps, Unsure, quote, shell, want
from hermes.base.text import plural

_SIZED = "du -h --apparent-size"
_SKIP = "-not -path '*/.git/*'"


def list_folder(said: Said, hands: Hands) -> Steps:
    """List what is in a folder."""
    of = said.find(
        r"\b(?:tree|contents?|listing|structure|files) of (?:the |my )?(?P<name>⟦\d+⟧|[\w.-]+)"
    )
    bare = said.find(
        r"^(?:ls|dir|ll|tree|list)\s+(?:the\s+|my\s+)?(?P<name>[\w.-]+)(?:\s+\w+)?[?.!]*$"
    )
    made = earlier_folder(said) if re.search(r"\b(?:it|there)\b", said.low) else None
    path = (
        said.one("path") or made or _named_folder(of) or said.folder or _named_folder(bare) or "."
    )
    if re.search(
        r"\b(?:only|just)\b.*\b(?:folders|directories)\b|\b(?:folders|directories) only\b", said.low
    ):
        found = f"find {quote(path)} -mindepth 1 -maxdepth 1 -type d {_SKIP} -not -name .git"
        return told((yield hands.pick(shell(found))))
    is_deep = said.has("deep")
    depth = (said.number(3 if is_deep else None)) if is_deep else None
    sort = "size" if said.has("size", "big") else "modified" if said.has("newest") else None
    hidden = True if said.has("hidden") else None
    flags = "-lA" if hidden else "-l"
    return told(
        (
            yield hands.pick(
                want("directory_list", path=path, depth=depth, hidden=hidden, sort=sort),
                shell(f"ls {flags} {quote(path)}"),
            )
        )
    )


def _named_folder(found: dict[str, str] | None) -> str | None:
    name = found["name"] if found else ""
    return name if name and name.lower() not in HERE | NOT_FOLDERS else None


def list_kind(said: Said, hands: Hands) -> Steps:
    """List the files of a kind."""
    glob = said.glob or said.kind or "*"
    path = said.one("path") or said.folder or "."
    hidden = True if said.has("hidden") or glob.startswith(".") else None
    answer = yield hands.pick(
        want("search_files", pattern=glob, target="files", path=path, hidden=hidden),
        want("directory_list", pattern=glob, path=path, depth=20),
        shell(f"find {quote(path)} -type f -name {quote(glob)} {_SKIP}"),
    )
    if said.has("count") and "total" in answer.value and not answer.error:
        return f"{plural(int(answer.value['total']), 'file')} like {glob}."
    return told(answer)


def find_folder(said: Said, hands: Hands) -> Steps:
    """Find a folder by its name."""
    found = said.find(
        r"\b(?:called|named)\s+(?P<name>⟦\d+⟧|[\w.-]+)",
        r"\b(?:an?|the|my)\s+(?P<name>⟦\d+⟧|[\w.-]+)\s+(?:folder|directory|dir)\b",
    )
    if not found:
        raise Unsure("Which folder should I look for?")
    name = found["name"].rstrip("/").rsplit("/", 1)[-1]
    answer = yield hands.pick(shell(f"find . -type d -name {quote(name)} {_SKIP}"))
    if not answer.error and not answer.output.strip():
        return f"There is no folder named {name} here."
    return told(answer)


def count_files(said: Said, hands: Hands) -> Steps:
    """Count the files in a folder."""
    path = said.place or _inside(said) or "."
    if said.has("folder") and re.search(r"\b(?:folders|directories|dirs|subfolders)\b", said.low):
        found = f"find {quote(path)} -mindepth 1 -type d {_SKIP} -not -name .git"
        answer = yield hands.pick(shell(f"{found} | wc -l"))
        count = answer.output.strip()
        return f"{plural(int(count), 'folder')} in {path}." if count.isdigit() else told(answer)
    answer = yield hands.pick(
        want("search_files", pattern=said.glob or "*", target="files", path=path),
        shell(f"find {quote(path)} -type f {_SKIP} | wc -l"),
    )
    if "total" in answer.value:
        return f"{plural(int(answer.value['total']), 'file')} in {path}."
    return told(answer)


def _inside(said: Said) -> str | None:
    """Return the folder of which it is asked what it contains: *how many files does src have*."""
    found = said.find(
        r"\b(?:does|do)\s+(?:the\s+|my\s+)?(?P<name>⟦\d+⟧|[\w.-]+)\s+(?:contain|have|hold|include)"
    )
    return _named_folder(found)


def find_named(said: Said, hands: Hands) -> Steps:
    """Find a file by its name."""
    name = _wanted_name(said)
    if not name:
        raise Unsure("Which file should I look for?")
    pattern = name.rsplit("/", 1)[-1] if "*" not in name else name
    if "." not in pattern and "*" not in pattern and not pattern[:1].isupper():
        pattern = _USUAL.get(pattern.lower(), f"*{pattern}*")
    path = said.folder or "."
    hidden = True if pattern.startswith(".") else None
    answer = yield hands.pick(
        want("search_files", pattern=pattern, target="files", path=path, hidden=hidden),
        shell(f"find {quote(path)} -name {quote(pattern)} {_SKIP}"),
    )
    if not answer.error and answer.value.get("files") == []:
        return f"There is no file named {name} here."
    return told(answer)


_USUAL = {
    "readme": "README*", "license": "LICENSE*", "dockerfile": "Dockerfile*", "makefile": "Makefile",
    "changelog": "CHANGELOG*", "gitignore": ".gitignore",
}  # fmt: skip


def _wanted_name(said: Said) -> str:
    named = said.find(
        r"\bnames?\s+(?:contain|includ|ha[sv]|match|with|like)\w*\s+(?:the word\s+)?"
        r"(?P<name>⟦\d+⟧|[\w.*-]+)",
        r"\b(?:named|called|name is|with the name)\s+(?P<name>⟦\d+⟧|[\w.*-]+)",
        r"\bwith\s+(?P<name>⟦\d+⟧|[\w*-]+)\s+in (?:the|their|its) names?",
        (
            r"\bfiles?\s+(?:whose names? |that |which )?(?:starts?|begins?|starting|beginning) "
            r"with\s+(?P<start>⟦\d+⟧|[\w.-]+)"
        ),
        r"\b(?:ends?|ending) (?:with|in)\s+(?P<end>⟦\d+⟧|[\w.-]+)",
    )
    if named:
        if "start" in named:
            return f"{named['start']}*"
        return f"*{named['end']}" if "end" in named else named["name"]
    if said.glob and said.glob == f"*{said.one('path')}":
        return said.glob
    found = said.one("glob", "path", "quoted", "code", "host")
    if found:
        return found
    word = said.find(
        (
            r"(?:find(?: me)?|locate|where(?:'s| is| are)|is there|do we have|got|any|have we(?: "
            r"got)?)\s+(?:an?|the|my|our|any)?\s*(?P<name>[\w-]+)(?:\s+files?)?"
            r"\s*(?:here|in\b.*)?[?.]*$"
        ),
        r"(?:the|my|our|an?)\s+(?P<name>[\w-]+)\s+(?:file|doc|document|page|script|guide|module|spec|sheet|image|config)\b",
    )
    return word["name"] if word else ""


def big_files(said: Said, hands: Hands) -> Steps:
    """Find large files, above a size or the largest ones."""
    path = quote(said.place or ".")
    size = said.one("size")
    name = f" -name {quote(said.glob)}" if said.glob else ""
    if size:
        sign = "-" if said.has("smaller") else "+"
        above = f"-size {sign}{find_size(size)}"
        found = f"find {path} -type f{name} {above} {_SKIP} -exec {_SIZED} {{}} +"
        return told((yield hands.pick(shell(f"{found} | sort -rh | head -n 50"))))
    count = said.number(10)
    order = "sort -h" if said.has("smaller") or "smallest" in said.low else "sort -rh"
    found = f"find {path} -type f{name} {_SKIP} -exec {_SIZED} {{}} +"
    return told((yield hands.pick(shell(f"{found} | {order} | head -n {count}"))))


def recent_files(said: Said, hands: Hands) -> Steps:
    """List the files that changed lately."""
    path = said.place or "."
    span = said.one("time")
    days = re.search(
        (
            r"\b(today|yesterday|this week|last week|(?:last|past) hour|this month|"
            r"(?:last|past) (?:day|week))\b"
        ),
        said.low,
    )
    if span or days:
        seconds = seconds_of(span) if span else _DAYS[days[1] if days else "today"] * 86400
        is_old = re.search(r"\b(?:older|not|haven't|hasn't|never|untouched|unmodified)\b", said.low)
        sign = "+" if is_old else "-"
        age = (
            f"-mtime {sign}{int(seconds // 86400)}"
            if seconds >= 86400
            else f"-mmin {sign}{int(seconds // 60) or 1}"
        )
        name = f" -name {quote(said.glob)}" if said.glob else ""
        return told((yield hands.pick(shell(f"find {quote(path)} -type f{name} {age} {_SKIP}"))))
    order = Ranked("time", said.has("oldest"), said.glob, path)
    return told(
        (
            yield hands.pick(
                *([] if said.has("sort") else [shell(command(order, said.number(10) or 10))]),
                want(
                    "directory_list",
                    path=path,
                    sort="modified",
                    pattern=said.glob,
                    limit=said.number(),
                ),
            )
        )
    )


_DAYS = {
    "today": 1, "yesterday": 2, "last day": 1, "past day": 1, "last hour": 1 / 24,
    "past hour": 1 / 24, "this week": 7, "last week": 7, "past week": 7, "this month": 31,
}  # fmt: skip


def empty_files(said: Said, hands: Hands) -> Steps:
    """Find files or folders that are empty."""
    kind = "d" if said.has("folder") and not said.has("file") else "f"
    command = f"find {quote(said.place or '.')} -type {kind} -empty {_SKIP}"
    answer = yield hands.pick(shell(command))
    if not answer.error and not answer.output.strip():
        return "There are none."
    return told(answer)


def list_tests(said: Said, hands: Hands) -> Steps:
    """List the files with tests."""
    answer = yield hands.pick(
        want("search_files", pattern="**/*test*.*", target="files", path=said.place or "."),
        shell(f"find {quote(said.place or '.')} -type f -name '*test*' {_SKIP}"),
    )
    return told(answer)


def same_files(said: Said, hands: Hands) -> Steps:
    """Find files with the same content."""
    path = quote(said.place or ".")
    answer = yield hands.pick(
        shell(
            f"find {path} -type f {_SKIP} -size +0 -exec md5sum {{}} + | sort | uniq "
            f"-w32 -D | head -n 100"
        )
    )
    if not answer.error and not answer.output.strip():
        return "No two files are the same."
    if answer.error:
        return told(answer)
    return (
        f"These have the same content:\n{bullets(line[34:] for line in answer.output.splitlines())}"
    )
