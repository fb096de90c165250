"""What is around a person: variables, the clipboard, waiting, notes on the desktop."""

from __future__ import annotations

import re

from hermes.agent.builtin.answers import told
from hermes.agent.builtin.marks import seconds_of
from hermes.agent.builtin.said import Said
from hermes.agent.builtin.steps import Hands, Steps, Unsure, quote, shell, want

_NAME = r"(?P<name>⟦\d+⟧|[A-Za-z_]\w*)"
_VARIABLE = (
    r"(?:the\s+)?(?:environment\s+|env\s+)?(?:variables?\s+|vars?\s+)?(?:called\s+|named\s+)?"
)


def variables(said: Said, hands: Hands) -> Steps:
    """Read or change the environment variables of the task."""
    change = said.find(
        (
            rf"\b(?:set|export|assign|change|define|put|make)\s+{_VARIABLE}(?:for\s+)?"
            rf"{_NAME}\s*(?:=|to|as|equal to|with value)\s*(?P<value>⟦\d+⟧|\S.*?)"
            rf"(?:\s+(?:in|for|as)\s+(?:the\s+|my\s+|an?\s+)?env\w*.*)?[.!]*$"
        ),
    )
    if change and not said.has("unset"):
        return told(
            (
                yield hands.pick(
                    want(
                        "env_manager",
                        action="set",
                        name=change["name"].lstrip("$"),
                        value=change["value"],
                    ),
                    shell(f"export {quote(change['name'])}={quote(change['value'])}"),
                )
            )
        )
    home = "HOME" if re.search(r"\bhome (?:dir|folder|path)", said.low) else None
    name = said.one("variable") or _spelled(said) or home
    if name and (said.has("unset", "remove") or "clear" in said.low):
        return told(
            (
                yield hands.pick(
                    want("env_manager", action="unset", name=name), shell(f"unset {quote(name)}")
                )
            )
        )
    if name:
        answer = yield hands.pick(
            want("env_manager", action="get", name=name), shell(f"printenv {quote(name)}")
        )
        if answer.value.get("set") is False:
            return f"{name} is not set."
        return f"{name}={answer.value['value']}" if answer.value.get("value") else told(answer)
    return told((yield hands.pick(want("env_manager", action="list"), shell("env | sort"))))


def _spelled(said: Said) -> str | None:
    upper = re.findall(r"\$?\b([A-Z][A-Z\d_]+)\b", said.text)
    named = said.find(
        rf"\b(?:env(?:ironment)?\s+)?(?:variable|var)\s+(?:called\s+|named\s+)?{_NAME}",
        rf"{_NAME}\s+(?:env(?:ironment)?\s+)?(?:variable|var)\b",
    )
    names = [one for one in upper if one not in {"I", "OS", "CPU", "IP", "A"}]
    if names:
        return str(names[0])
    common = {"path", "home", "shell", "editor", "lang", "user"}
    low = [word for word in re.findall(r"\w+", said.low) if word in common]
    if named and named["name"].lower() not in {
        "env",
        "environment",
        "is",
        "the",
        "my",
        "all",
        "an",
        "this",
        "which",
        "called",
    }:
        return named["name"]
    return low[0].upper() if low else None


def clipboard(said: Said, hands: Hands) -> Steps:
    """Read the clipboard, or copy to it what was said or found."""
    is_read = re.match(r"(?:paste|what|show|read|see|get|print)\b", said.low) is not None
    if is_read or (
        not said.has("copy", "write", "create", "set", "replace")
        and not re.search(
            r"\b(?:to|onto|on|in|into) (?:the|my) clipboard\b.*:|\bpaste .+ (?:to|into)", said.low
        )
    ):
        if said.has("remove", "empty"):
            return told((yield hands.pick(want("clipboard", action="write", text=""))))
        answer = yield hands.pick(want("clipboard", action="read"))
        text = answer.value.get("text")
        return (
            told(answer)
            if answer.error
            else f"The clipboard holds: {text}"
            if text
            else "The clipboard is empty."
        )
    text = yield from _copied(said, hands)
    answer = yield hands.pick(want("clipboard", action="write", text=text))
    return told(answer) if answer.error else f"Copied {len(text)} characters to the clipboard."


def _copied(said: Said, hands: Hands) -> Steps:
    found = said.find(
        r"\bclipboard\s*:\s*(?P<text>.+)$",
        (
            r"\b(?:copy|put|place|write|save|add|send|set|stick)\s+(?:the\s+)?(?:text\s+|"
            r"string\s+|word\s+|words\s+)?:?\s*(?P<text>.+?)\s+(?:to|on|onto|in|into)"
            r"\s+(?:the\s+|my\s+)?clipboard"
        ),
        r"\bclipboard\s+(?:to|with)\s+(?P<text>.+)$",
    )
    text = said.one("quoted", "code") or (found or {}).get("text", "")
    path = said.one("path")
    if path and (not text or text == path or re.search(r"\bcontents?\b", said.low)):
        answer = yield hands.pick(want("read_file", path=path))
        return re.sub(r"^\s*\d+\|", "", str(answer.value.get("content", "")), flags=re.MULTILINE)
    if text.lower() in {
        "this",
        "that",
        "it",
        "the result",
        "the output",
        "the last result",
        "the answer",
    }:
        text = _latest(said)
    if not text:
        raise Unsure("What should I copy to the clipboard?")
    return text


def _latest(said: Said) -> str:
    """Return what the latest answer held, as text."""
    if not said.past.results:
        return ""
    value = said.past.results[-1]
    for key in ("stdout", "content", "diff", "tree", "text"):
        if value.get(key):
            return re.sub(r"^\s*\d+\|", "", str(value[key]), flags=re.MULTILINE)
    return "\n".join(map(str, value.get("files") or ()))


def wait(said: Said, hands: Hands) -> Steps:
    """Wait for a while."""
    span = said.one("time")
    number = said.number()
    if span is None and number is None:
        raise Unsure("How long should I wait?")
    seconds = seconds_of(span) if span else number or 1
    answer = yield hands.pick(want("sleep", seconds=seconds), shell(f"sleep {seconds}"))
    return told(answer) if answer.error else f"Waited {span or f'{number} seconds'}."


def remind(said: Said, hands: Hands) -> Steps:
    """Wait, then show a note; without a time it goes onto the todo list."""
    span = said.one("time")
    about = said.find(
        (
            r"\b(?:remind|reminder|alert|notify|tell|ping)\b.*?\b(?:to|that|about|of)"
            r"\s+(?P<what>.+?)(?:\s+in\s+(?:⟦\d+⟧))?[.!?]*$"
        ),
        r"\btimer\b.*\bfor\s+(?P<what>(?!⟦)\w.*)$",
    )
    what = re.sub(r"\s+in\s+\S+ \w+$", "", (about or {}).get("what", "Time is up"))
    if span is None:
        if about is None:
            raise Unsure("What should I remind you of, and when?")
        item = {"id": _slug(what), "content": what, "status": "pending"}
        return told(
            (
                yield hands.pick(
                    want("todo", todos=[item], merge=True), want("notification", title=what)
                )
            )
        )
    waited = yield hands.pick(
        want("sleep", seconds=seconds_of(span)), shell(f"sleep {seconds_of(span)}")
    )
    if waited.error:
        return told(waited)
    if hands.has("notification"):
        yield want("notification", title=what[:1].upper() + what[1:])
    return f"{span} have passed: {what}."


def _slug(text: str) -> str:
    return "-".join(re.findall(r"[a-z\d]+", text.lower())[:4]) or "item"


def notify(said: Said, hands: Hands) -> Steps:
    """Show a note on the desktop."""
    found = said.find(
        (
            r"\b(?:notify|alert|ping|tell)\s+(?:me|us|the user)?\s*(?:that|with|about|"
            r"saying|when|:)?\s*(?P<text>.+?)[.!?]*$"
        ),
        (
            r"\b(?:notification|notif|alert|popup|pop up)\b\s*(?:that says|saying|"
            r"with(?: the)?(?: text| title| message)?|that|titled|:|about)?"
            r"\s*(?P<text>.+?)[.!?]*$"
        ),
    )
    text = said.one("quoted") or (found or {}).get("text", "")
    if not text:
        raise Unsure("What should the notification say?")
    answer = yield hands.pick(want("notification", title=text[:1].upper() + text[1:]))
    if answer.value.get("delivered") is False:
        return f"No desktop is here to show it on, so I say it here: {text}."
    return told(answer) if answer.error else "The notification was shown."
