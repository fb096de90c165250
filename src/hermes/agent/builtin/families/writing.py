"""New files and folders, and text added to files."""

from __future__ import annotations

import json
import re

from hermes.agent.builtin.answers import told
from hermes.agent.builtin.references import earlier_path
from hermes.agent.builtin.said import Said
from hermes.agent.builtin.steps import Hands, Steps, Unsure, quote, shell, want

_FILE = r"(?P<path>⟦\d+⟧|[\w-]+)"
_WITH = (
    r"(?:with|containing|that (?:contains?|says?|reads?|has|holds)|which "
    r"(?:contains?|says?)|saying|holding|and (?:put|write))"
    r"(?:\s+(?:the|this|some|a|following|just|only))*(?:\s+(?:text|contents?|"
    r"words?|line|string|message))?(?:\s+(?:of|in it|into it))?\s*:?\s+"
)
_WRITES = (
    (
        rf"\b(?:write|save|put|store|dump|jot)\s+(?:down\s+)?(?:the |this |following "
        rf")*(?:text |string |line |note )?(?:to|into|in)\s+(?:the |a )?(?:new )?"
        rf"(?:file )?(?:called |named )?{_FILE}\s*[:,-]\s*(?P<content>.+)$"
    ),
    (
        rf"\b(?:write|save|put|store|dump|jot)\s+(?:down\s+)?(?:the |this |following "
        rf")*(?:text |string |line |words |note )*:?\s*(?P<content>.+?)\s+(?:to|into|"
        rf"in|inside)\s+(?:the |a |my )?(?:new )?(?:file )?(?:called |named )?"
        rf"{_FILE}(?:\s+file)?[.!?]*$"
    ),
    rf"{_FILE}[,]?\s+{_WITH}(?P<content>.+?)(?:\s+(?:in|inside) it)?$",
    rf"{_WITH}(?P<content>.+?)\s+(?:called|named|as|in|to)\s+{_FILE}$",
    rf"{_FILE}\s*:\s+(?P<content>.+)$",
)
_PRINTS = re.compile(
    (
        r"\b(?:that|which|to)\s+(?:just |simply )?(?:prints?|says?|outputs?|"
        r"echo(?:es)?)\s+(?P<what>.+?)[.!?]*$"
    ),
    re.I,
)
_APPENDS = (
    (
        rf"\b(?:append|add|put|write|tack)\s+(?:on\s+)?(?:a |the |this |another )*"
        rf"(?:new )?(?:text |line |string |entry |words )*(?:saying |with |that "
        rf"says |reading )?:?\s*(?P<content>.+?)\s+(?:on)?(?:to|in|into|at)\s+(?:the "
        rf")?(?:end |bottom )?(?:of )?(?:the |my )?(?:file )?{_FILE}(?:\s+file)?"
        rf"[.!?]*$"
    ),
    (
        rf"\b(?:append|add)\s+(?:this |the following )?(?:line |text )?to\s+(?:the |"
        rf"my )?(?:end of |file )*{_FILE}\s*:\s*(?P<content>.+)$"
    ),
    (
        rf"\b(?:to|in)\s+(?:the )?(?:end of )?{_FILE},?\s+(?:append|add)\s+(?:the |a "
        rf")?(?:line |text )?:?\s*(?P<content>.+)$"
    ),
)
_PRINT_FORMS = {
    "py": "print({})\n",
    "js": "console.log({});\n",
    "sh": "#!/bin/sh\necho {}\n",
    "rb": "puts {}\n",
}


def write_file(said: Said, hands: Hands) -> Steps:
    """Write a new file with the content that was said."""
    found = said.find(*_WRITES) or {}
    path = said.one("path") or found.get("path") or earlier_path(said) or _name(said)
    prints = _PRINTS.search(said.shape)
    content = found.get("content")
    if prints and path:
        what = re.sub(r"\s+(?:in|into|to|called|named|as)\s+⟦\d+⟧$", "", prints["what"])
        content = _program(path, said.fill(what))
    elif content is None or content == path:
        content = said.one("quoted", "code")
    if not path:
        raise Unsure("What should the file be called?")
    if content is None:
        if said.has("empty", "create"):
            content = ""
        else:
            raise Unsure(f"What should {path} contain?")
    text = content if not content or content.endswith("\n") else f"{content}\n"
    return told(
        (
            yield hands.pick(
                want("write_file", path=path, content=text),
                shell(f"printf %s {quote(text)} > {quote(path)}"),
            )
        )
    )


def _program(path: str, what: str) -> str:
    """Return a program that prints a text, in the language of its file's ending."""
    form = _PRINT_FORMS.get(path.rsplit(".", 1)[-1])
    text = what.strip("\"'")
    return form.format(json.dumps(text)) if form else f"{text}\n"


def _name(said: Said) -> str | None:
    named = said.find(
        r"\b(?:called|named)\s+(?P<name>⟦\d+⟧|[\w.-]+)",
        r"\bfile\s+(?P<name>[\w-]+\b(?<!with)(?<!that))",
    )
    return named["name"] if named else None


def append_file(said: Said, hands: Hands) -> Steps:
    """Add text to the end of a file."""
    found = said.find(*_APPENDS) or {}
    paths = said.all("path")
    path = (
        found.get("path")
        if found.get("path") in paths
        else (paths[-1] if paths else earlier_path(said))
    )
    content = found.get("content") or said.one("quoted", "code")
    if not path:
        raise Unsure("Which file should I add it to?")
    if not content:
        raise Unsure(f"What should I add to {path}?")
    if re.fullmatch(
        r"(?:the\s+)?(?:today's\s+|current\s+)*(?:date|time|timestamp).*", content, re.I
    ):
        return told((yield hands.pick(shell(f"date >> {quote(path)}"))))
    text = f"{content.strip()}\n"
    return told(
        (
            yield hands.pick(
                want("write_file", path=path, content=text, mode="append"),
                shell(f"printf %s {quote(text)} >> {quote(path)}"),
            )
        )
    )


def prepend_file(said: Said, hands: Hands) -> Steps:
    """Put a line at the top of a file."""
    found = said.find(
        r"^\w+\s+(?:a |the |this )*(?:new )?(?:line |text |comment )*:?\s*(?P<content>.+?)\s+"
        r"(?:to|at|in|into|on)\s+(?:the\s+)?(?:top\b|beginning\b|start\b|head\b|front\b|⟦|file\b)"
    )
    paths = said.all("path")
    path = paths[-1] if paths else None
    if not found or path is None:
        raise Unsure("What should stand at the top of which file?")
    line = found["content"].replace("\\", "\\\\")
    answer = yield hands.pick(shell(f"sed -i {quote(f'1i {line}')} {quote(path)}"))
    is_bad = answer.error or answer.value.get("exit_code")
    return told(answer) if is_bad else f"{path} begins with it now."


def empty_file(said: Said, hands: Hands) -> Steps:
    """Take all text out of a file, and keep the file."""
    path = said.one("path")
    if path is None:
        raise Unsure("Which file should I empty?")
    return told(
        (
            yield hands.pick(
                want("write_file", path=path, content=""), shell(f"truncate -s 0 {quote(path)}")
            )
        )
    )


def make_folder(said: Said, hands: Hands) -> Steps:
    """Make a folder."""
    found = said.find(
        r"\b(?:called|named|name)\s+(?P<name>⟦\d+⟧|[\w.-]+)",
        r"\bmkdir\s+(?:-p\s+)?(?P<name>⟦\d+⟧|[\w.-]+)",
        r"\b(?:folder|directory|dir)\s+(?:for\s+)?(?P<name>⟦\d+⟧|[\w.-]+)",
        r"\b(?:new|a|an|the)\s+(?P<name>⟦\d+⟧|[\w.-]+)\s+(?:folder|directory|dir)",
        r"(?P<name>⟦\d+⟧)",
    )
    if not found or found["name"].lower() in {"new", "empty", "in", "here"}:
        raise Unsure("What should the folder be called?")
    name = found["name"].rstrip("/")
    inside = (
        said.folder
        if said.folder not in {None, ".", name} and re.search(r"\b(?:in|inside|under)\b", said.low)
        else None
    )
    path = f"{inside}/{name}" if inside and "/" not in name and inside != "called" else name
    answer = yield hands.pick(shell(f"mkdir -p {quote(path)}"))
    return (
        told(answer)
        if answer.error or answer.value.get("exit_code")
        else f"The folder {path} is there."
    )
