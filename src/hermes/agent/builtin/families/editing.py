"""Changes: text in files, and files that are moved, copied, deleted."""

from __future__ import annotations

import re
from collections.abc import Generator

from hermes.agent.builtin.answers import bullets, told, unnumbered
from hermes.agent.builtin.marks import find_size, seconds_of
from hermes.agent.builtin.names import HERE, NOT_FOLDERS
from hermes.agent.builtin.ranking import names
from hermes.agent.builtin.references import earlier_folder, earlier_path, packed
from hermes.agent.builtin.said import Said
from hermes.agent.builtin.steps import Answer, Hands, Steps, Unsure, Wanted, quote, shell, want

_PATH = r"(?P<path>⟦\d+⟧)"
_IN = r"\s+(?:in|inside|within|from|of|throughout|across)\s+(?:the |my |file )*"
_NOISE = (
    r"(?:(?:all|every|each|any|the|of|text|string|word|words|occurrences?|"
    r"instances?|variable|function|method|class|name|typo|line|value|everywhere)"
    r"\s+)*"
)
_TO = r"\s+(?:with|by|to|for|into|->|=>|→|as)\s+"
_VERB = (
    r"\b(?:replace|substitute|swap|change|rename|update|fix|correct|turn|edit|"
    r"modify|switch|refactor|set|bump)\s+"
)
_REPLACES = (
    (rf"{_VERB}.*?{_IN}{_PATH}\s+from\s+(?P<old>.+?)\s+to\s+(?P<new>.+?)[.!?]*$"),
    rf"{_VERB}.*?\s+from\s+(?P<old>.+?)\s+to\s+(?P<new>.+?){_IN}{_PATH}",
    rf"{_VERB}{_NOISE}(?P<old>.+?){_TO}{_NOISE}(?P<new>.+?){_IN}{_PATH}",
    (
        rf"\bin\s+(?:the |file )*{_PATH},?\s+(?:please\s+)?"
        rf"{_VERB}{_NOISE}(?P<old>.+?){_TO}{_NOISE}(?P<new>.+?)[.!?]*$"
    ),
    (
        rf"{_VERB}{_PATH}[:,]?\s+(?:so (?:that )?)?{_NOISE}(?P<old>.+?)"
        rf"{_TO}{_NOISE}(?P<new>.+?)[.!?]*$"
    ),
    rf"{_VERB}{_NOISE}(?P<old>.+?){_IN}{_PATH}{_TO}{_NOISE}(?P<new>.+?)[.!?]*$",
    rf"\buse\s+(?P<new>.+?)\s+instead of\s+(?P<old>.+?){_IN}{_PATH}",
    rf"\bs/(?P<old>[^/]+)/(?P<new>[^/]*)/g?\s+(?:in|on)\s+{_PATH}",
    rf"{_VERB}{_NOISE}(?P<old>.+?){_TO}{_NOISE}(?P<new>.+?)"
    r"\s+(?:in|inside) (?:it|there|(?:this|that|the) file)[.!?]*$",
    rf"{_VERB}{_NOISE}(?P<old>.+?){_TO}{_NOISE}(?P<new>.+?)[.!?]*$",
)
_REMOVES = (
    (
        rf"\b(?:remove|delete|drop|strip|erase|cut)\s+{_NOISE}(?:that says\s+|"
        rf"containing\s+|with\s+)?(?P<old>.+?){_IN}{_PATH}"
    ),
    rf"\bin\s+{_PATH},?\s+(?:remove|delete|drop|strip)\s+{_NOISE}(?P<old>.+?)[.!?]*$",
)
_TWO = (
    r"(?P<a>⟦\d+⟧|[\w.-]+)\s+(?:folder\s+|file\s+)?(?:to|into|as|in|inside|under|called|named)"
    r"\s+(?:the\s+|a\s+|my\s+)?(?:new\s+)?(?:folder\s+|file\s+|directory\s+)?(?:called\s+|"
    r"named\s+)?(?P<b>⟦\d+⟧|[\w.-]+)"
)
_AFTER = r"\s+(?:of\s+)?(?:the\s+|my\s+|this\s+)?(?:files?\s+|folder\s+|directory\s+)?"
_DELETES = (
    r"\b(?:delete|remove|erase|rm|trash|nuke|purge|wipe|get rid of|drop)"
    rf"(?:\s+-\w+)*{_AFTER}(?P<name>[\w.-]+)(?:\s+(?:folder|directory|dir|file))?[.!?]*$"
)
_ROOTS = {
    "root": ".", "top": ".", "here": ".", "project": ".", "parent": "..", "home": "~", "up": "..",
    "repo": ".",
}  # fmt: skip
"""Where things are moved to by a word of its own."""
_POINTING = frozenset({"it", "that", "this", "them", "one"})
_EVERYTHING = frozenset({"everything", "all", "files", "file", "stuff", "folder", "things", ""})
_GLOB = re.compile(r"[\w./~-]*\*[\w./*~{},-]*")


def replace_text(said: Said, hands: Hands) -> Steps:
    """Replace one text by another in a file; everywhere when that is asked or needed."""
    found = said.find(*_REPLACES)
    path = (found or {}).get("path") or said.one("path") or earlier_path(said)
    if not found:
        raise Unsure("What should I replace, and by what?")
    if path is None:
        raise Unsure(f"In which file should I replace {found['old']!r}?")
    old, new = found["old"], found["new"]
    everywhere = said.has("occurrence") or said.has("rename") or None
    return (yield from _patched(path, old, new, everywhere, hands))


def set_value(said: Said, hands: Hands) -> Steps:
    """Give a setting in a file another value; where there is no such setting, replace the text."""
    found = said.find(
        r"\b(?:set|bump|change|update|make|switch|turn)\s+(?:the\s+)?(?P<key>⟦\d+⟧|[\w.-]+)"
        r"(?:\s+(?:version|value|setting))?(?:\s+from\s+⟦\d+⟧)?\s+(?:to|=)\s+(?P<value>⟦\d+⟧|\S+?)"
        r"(?:\s+(?:in|inside)\s.*|[.!]*)$",
        r"^\w+\s+(?:the\s+)?(?P<key>[\w.-]+)(?:\s+(?:number|version|value|setting))?\s+(?:in|inside|of)"
        r"\s+(?:the\s+|file\s+)*⟦\d+⟧\s+to\s+(?P<value>⟦\d+⟧|\S+?)[.!]*$",
    )
    path = said.one("path")
    if not found or path is None or not hands.has("read_file"):
        return (yield from replace_text(said, hands))
    answer = yield want("read_file", path=path)
    lines = unnumbered(str(answer.value.get("content", ""))).splitlines()
    form = re.compile(
        rf"""(\s*["']?{re.escape(found["key"])}["']?\s*[:=]\s*)(["']?)([^"',#]*)(.*)""", re.I
    )
    line, match = next(((one, m) for one in lines if (m := form.fullmatch(one))), ("", None))
    if match is None:
        return told(answer) if answer.error else (yield from replace_text(said, hands))
    rest = match[3][len(match[3].rstrip()) :] + match[4]
    new = f"{match[1]}{match[2]}{found['value']}{rest}"
    return (yield from _patched(path, line, new, None, hands))


def _patched(path: str, old: str, new: str, everywhere: bool | None, hands: Hands) -> Steps:
    wanted = want("patch", path=path, old_string=old, new_string=new, replace_all=everywhere)
    answer = yield hands.pick(wanted, shell(f"sed -i {quote(_sed(old, new))} {quote(path)}"))
    if answer.tool == "patch" and _is_ambiguous(answer) and not everywhere:
        answer = yield want("patch", path=path, old_string=old, new_string=new, replace_all=True)
    return told(answer)


def _sed(old: str, new: str) -> str:
    plain = re.sub(r"([\\/.*\[\]^$])", r"\\\1", old)
    instead = re.sub(r"([\\/&])", r"\\\1", new)
    return f"s/{plain}/{instead}/g"


def _is_ambiguous(answer: Answer) -> bool:
    return bool(answer.error) and ("replace_all" in str(answer.value) or "times" in answer.error)


def remove_text(said: Said, hands: Hands) -> Steps:
    """Remove a line or a text from a file."""
    found = said.find(*_REMOVES)
    if not found:
        raise Unsure("What should I remove, and from which file?")
    number = re.search(r"\bline\s+⟦\d+⟧", said.shape)
    if number and said.one("number"):
        return told((yield hands.pick(shell(f"sed -i '{said.number()}d' {quote(found['path'])}"))))
    old = found["old"] + ("\n" if said.has("line") else "")
    answer = yield hands.pick(
        want("patch", path=found["path"], old_string=old, new_string=""),
        shell(f"sed -i {quote(_sed(old.strip(), ''))} {quote(found['path'])}"),
    )
    return told(answer)


def move_file(said: Said, hands: Hands) -> Steps:
    """Move or rename a file or folder."""
    a, b = _pair(said, r"\b(?:move|rename|mv|relocate|put|place|stick)", "move")
    if _is_by_kind(said, [a]) and not (yield from _are_here(a, hands)):
        return _done((yield hands.pick(shell(_gathered(said, a, b, "mv -n")))), f"{a} is in {b}.")
    make = f"mkdir -p {_word(b)} && " if re.search(r"\bnew (?:folder|dir)", said.low) else ""
    command = f"{make}mv -n {_word(a)} {_word(b)}"
    return _done((yield hands.pick(shell(command))), f"{a} is now {b}.")


def copy_file(said: Said, hands: Hands) -> Steps:
    """Copy a file or folder."""
    paths = said.all("path")
    if (
        said.find(r"\b(?P<x>back ?up|duplicate)")
        and len(paths) == 1
        and not re.search(r"\b(?:to|into|as)\b", said.low)
    ):
        a, b = paths[0], f"{paths[0].rstrip('/')}.bak"
    else:
        a, b = _pair(said, r"\b(?:copy|cp|duplicate|back ?up|clone|make a copy of)", "copy")
    if _is_by_kind(said, [a]) and not (yield from _are_here(a, hands)):
        return _done((yield hands.pick(shell(_gathered(said, a, b, "cp -n")))), f"{a} is in {b}.")
    return _done(
        (yield hands.pick(shell(f"cp -rn {_word(a)} {_word(b)}"))), f"{a} was copied to {b}."
    )


def _are_here(glob: str, hands: Hands) -> Generator[Wanted, Answer, bool]:
    """Return whether files of a kind are in this very folder; those below it are then not meant."""
    if not hands.has("directory_list"):
        return True
    answer = yield want("directory_list", path=".", pattern=glob)
    return int(answer.value.get("files") or 0) > 0


def _gathered(said: Said, glob: str, to: str, how: str) -> str:
    """Return the command that moves or copies the files of a kind below a folder into another."""
    source = said.find(r"\b(?:from|in|inside|under)\s+(?:the\s+|my\s+)?(?P<from>⟦\d+⟧|[\w.-]+)")
    word = source["from"] if source else "."
    folder = "." if word == to or word.lower() in HERE | NOT_FOLDERS else word
    target = to.rstrip("/") or "/"
    skip = f"-not -path '*/.git/*' -not -path {quote(f'*{target}/*')}"
    found = f"find {quote(folder)} -type f {names(glob)} {skip}"
    return f"mkdir -p {quote(target)} && {found} -exec {how} -t {quote(target)} {{}} +"


def _pair(said: Said, verb: str, word: str) -> tuple[str, str]:
    found = said.find(
        rf"{verb}(?:\s+-\w+)*{_AFTER}{_TWO}",
        rf"{verb}(?:\s+-\w+)*{_AFTER}(?P<a>⟦\d+⟧)\s+(?P<b>⟦\d+⟧|[\w.-]+)",
    )
    many = said.glob and said.find(
        rf"{verb}\b.*?\s(?:to|into|in|under|inside)\s+(?:the\s+)?(?P<b>⟦\d+⟧|[\w.-]+)"
    )
    if many and said.glob and not said.one("quoted"):
        return said.glob, many["b"]
    first = earlier_path(said)
    if found and found["a"].lower() in {"it", "that", "this", "them"} and first:
        return first, found["b"]
    made = earlier_folder(said)
    if found and found["b"].lower() in {"it", "there", "that"} and made:
        return found["a"], made
    if not found:
        raise Unsure(f"What should I {word}, and where to?")
    return found["a"], _ROOTS.get(found["b"].lower(), found["b"])


def _word(text: str) -> str:
    """Return a word for the shell; a glob stays one."""
    return text if _GLOB.fullmatch(text) else quote(text)


def delete_file(said: Said, hands: Hands) -> Steps:
    """Delete the files or folders that are named, and nothing else."""
    named = said.all("path", "glob", "quoted") or ([said.glob] if said.glob else [])
    inside = re.search(r"⟦\d+⟧\s+(?:from|in|inside)\s+(?:the\s+)?(?:⟦\d+⟧|[\w-]+)", said.shape)
    if inside and named and "/" not in named[0]:
        folder = named[1] if len(named) > 1 else said.folder or "."
        named = [f"{folder.rstrip('/')}/{named[0]}"]
    if re.search(r"\b(?:everything|all|contents?)\b.* (?:in|inside|from|of) ", said.low):
        folder = (said.folder or "").rstrip("/")
        named = (
            named
            if said.all("path", "glob")
            else [f"{folder}/*"]
            if folder not in {"", "."}
            else []
        )
    if not named:
        named = yield from _named_by_word(said, hands)
    if not named:
        raise Unsure("What exactly should I delete? Please name the files or folders.")
    if _is_by_kind(said, named):
        return (yield from _deleted_below(said, named[0], hands))
    is_folder = said.has("folder") or any(one.endswith("/") for one in named)
    targets = " ".join(map(_word, named))
    command = f"rm {'-r ' if is_folder else ''}{targets}"
    return _done((yield hands.pick(shell(command))), f"Deleted: {targets}.")


def _is_by_kind(said: Said, named: list[str]) -> bool:
    """Whether files are meant by their kind, wherever they are below a folder."""
    is_kind = len(named) == 1 and "*" in named[0] and "/" not in named[0]
    says_so = re.search(r"\b(?:all|every|any|each|everywhere|recursively|files?|the)\b", said.low)
    return is_kind and (said.one("glob") is None or says_so is not None)


def _deleted_below(said: Said, glob: str, hands: Hands) -> Steps:
    """Delete the files of a kind below a folder, and tell which they were."""
    folder = said.folder or "."
    found = f"find {quote(folder)} -type f {names(glob)}{_aged(said)} -not -path '*/.git/*'"
    answer = yield hands.pick(shell(f"{found} -print -delete"))
    if answer.error or answer.value.get("exit_code"):
        return told(answer)
    gone = answer.output.split("\n")[:-1]
    return f"Deleted:\n{bullets(gone)}" if gone else f"There is no {glob} below {folder}."


def _aged(said: Said) -> str:
    """Return what ``find`` must test for *older than 3 days* and *larger than 10 MB*."""
    span, size = said.one("time"), said.one("size")
    age = "+" if re.search(r"\b(?:older|before|not \w+ (?:in|for))\b", said.low) else "-"
    days = f" -mtime {age}{max(int(seconds_of(span) // 86400), 0)}" if span else ""
    sign = "-" if said.has("smaller") else "+"
    return days + (f" -size {sign}{find_size(size)}" if size else "")


def _named_by_word(said: Said, hands: Hands) -> Generator[Wanted, Answer, list[str]]:
    """Return what a bare word names: what came before, a folder, or what is really there."""
    word = said.find(_DELETES)
    name = word["name"] if word else ""
    if name.lower() in _POINTING:
        sources = packed(said)
        if sources:
            return (yield from _that_are_there(sources, hands)) or sources
        earlier = earlier_path(said)
        return [earlier] if earlier else []
    if name.lower() in _EVERYTHING:
        folder = said.folder
        return [folder] if folder and folder != "." and said.has("folder") else []
    if said.has("folder", "file"):
        return [name]
    return (yield from _that_are_there([name], hands))


def _that_are_there(names: list[str], hands: Hands) -> Generator[Wanted, Answer, list[str]]:
    """Return those of some bare words that are files or folders here, folders with a slash."""
    answer = yield hands.pick(want("directory_list", path=".", hidden=True), shell("ls -1Ap"))
    here = re.findall(r"^(\S+)", str(answer.value.get("tree") or answer.output), re.MULTILINE)
    return [one for one in here if one.rstrip("/") in names or one in names]


def make_executable(said: Said, hands: Hands) -> Steps:
    """Make a file executable."""
    path = said.one("path") or said.glob or earlier_path(said)
    if path is None:
        raise Unsure("Which file should become executable?")
    return _done((yield hands.pick(shell(f"chmod +x {_word(path)}"))), f"{path} can be run now.")


def _done(answer: Answer, text: str) -> str:
    return told(answer) if answer.error or answer.value.get("exit_code") else text
