"""What an agent keeps: todo lists, memory, earlier talks, work in the background."""

from __future__ import annotations

import re

from hermes.agent.builtin.answers import bullets, told
from hermes.agent.builtin.said import Said
from hermes.agent.builtin.steps import Answer, Hands, Steps, Unsure, want

_SPLIT = re.compile(r"\s*(?:\n|;|,(?:\s*and\s)?|\s+and\s+(?=\w+\s)|\s\d+[.)]\s|(?:^|\s)[-*•]\s)\s*")
_STATES = {"completed": "✓", "in_progress": "…", "cancelled": "✗"}


_CLEARS = re.compile(
    r"(?:clear|empty|reset|wipe|delete|remove|erase)(?: out)?(?: all| everything (?:on|from|in))*"
    r"(?: of)?(?: my| the| our)? (?:whole |entire )?(?:todos|to-?dos|tasks|"
    r"(?:todo|to-?do|task|check) ?-?list)[.!]*$"
)


def todo(said: Said, hands: Hands) -> Steps:
    """Read, make, add to or tick off the todo list."""
    if said.has("tick") and not re.match(r"(?:make|create|new|start|add)\b", said.low):
        return (yield from _tick(said, hands))
    if _CLEARS.match(said.low):
        return _listed((yield hands.pick(want("todo", todos=[]))))
    listed = said.find(
        r"\b(?:todos?|to-?dos?|to do|list|tasks?|checklist)\b[^:⟦]{0,40}:\s*(?P<items>.+)$",
        r"^todos?\s*[:-]\s*(?P<items>.+)$",
        (
            r"\b(?:todo|to-do|task|check)\s*list\s+(?:with|of|for|containing|including)"
            r"\s*:?\s*(?P<items>.+)$"
        ),
    )
    added = said.find(
        (
            r"\b(?:add|put|append|include|stick)\s+(?:a task\s+|an item\s+|the task\s+|"
            r"the item\s+|todo\s+)?(?:to\s+)?:?\s*(?P<items>.+?)\s+(?:to|on|onto|in|into)"
            r"\s+(?:the|my|our)?\s*(?:todos?|to-?dos?|to do|task|check)?"
            r"\s*-?\s*(?:lists?|todos?|tasks?)?[.!]*$"
        ),
        r"\b(?:add|put|note)\s+(?P<items>.+?)\s+as\s+an?\s+(?:new\s+)?(?:todo|to-do|task)\b",
        (
            r"\b(?:add|new|create)\s+(?:an?\s+)?(?:todo|to-do|task)(?:\s+item)?\s*(?:to|"
            r"for|:)?\s*(?P<items>.+)$"
        ),
    )
    if listed or added:
        is_added = re.match(r"(?:add|put|append|include)\b", said.low) is not None or listed is None
        items = _items((listed or added or {})["items"])
        answer = yield hands.pick(want("todo", todos=items, merge=True if is_added else None))
        return _listed(answer)
    if re.search(r"\b(?:make|create|start|new)\b", said.low) and not said.has("show"):
        raise Unsure("What should be on the list? Say the items with commas between them.")
    return _listed((yield hands.pick(want("todo"))))


def _items(text: str) -> list[dict[str, str]]:
    if "," in text:
        text = re.sub(r"\s+and\s+(?=\S+$)", ", ", text)
    parts = [part.strip(" .\"'") for part in _SPLIT.split(text)]
    return [
        {"id": str(number), "content": part, "status": "pending"}
        for number, part in enumerate(filter(None, parts), 1)
    ]


def _tick(said: Said, hands: Hands) -> Steps:
    """Read the list, find the item, and write it as completed."""
    read = yield hands.pick(want("todo"))
    items = read.value.get("todos") or []
    words = set(re.findall(r"\w{3,}", said.text.lower())) - {
        "mark",
        "done",
        "the",
        "todo",
        "item",
        "complete",
        "completed",
        "finished",
        "tick",
        "off",
        "list",
        "task",
        "check",
        "cross",
    }
    number = said.number()
    best = [one for one in items if str(one.get("id")) == str(number)] or sorted(
        (
            one
            for one in items
            if words & set(re.findall(r"\w{3,}", str(one.get("content")).lower()))
        ),
        key=lambda one: -len(words & set(re.findall(r"\w{3,}", str(one.get("content")).lower()))),
    )
    if not best:
        return "I do not find that on the todo list." if not read.error else told(read)
    done = {**best[0], "status": "completed"}
    return _listed((yield want("todo", todos=[done], merge=True)))


def _listed(answer: Answer) -> str:
    items = answer.value.get("todos")
    if answer.error or not isinstance(items, list):
        return told(answer)
    if not items:
        return "The todo list is empty."
    return "The todo list:\n" + bullets(
        f"[{_STATES.get(str(one.get('status')), ' ')}] {one.get('content')}" for one in items
    )


def remember(said: Said, hands: Hands) -> Steps:
    """Keep a fact for later sessions."""
    found = said.find(
        (
            r"^(?P<fact>.+?)[,.;]\s*(?:so |and )?(?:please )?(?:remember|note|keep|"
            r"don'?t forget)(?: (?:that|this|it))?(?: in mind| down)?[.!]*$"
        ),
        (
            r"\b(?:remember|memorize|memorise|note|keep in mind|bear in mind|make a note|"
            r"take a note|save to memory|add to memory|store in memory|don'?t forget|"
            r"know)(?:\s+(?:down|this|that|for later|for the future|the fact|of the fact)"
            r")*\s*(?:that\s+|of\s+)?[:,-]?\s*(?:that\s+)?(?P<fact>.+)$"
        ),
        r"\b(?:for future reference|from now on|in (?:the )?future|fyi)[,:]?\s*(?P<fact>.+)$",
        (
            r"^(?P<fact>.+?)[,.;]?\s+(?:please\s+)?(?:remember (?:that|this)|keep that "
            r"in mind|note that down)"
        ),
    )
    if not found:
        raise Unsure("What should I remember?")
    fact = found["fact"].strip(" .")
    about_person = re.match(r"(?:i|my|i'm|i've|we|our|me)\b", fact, re.I) is not None
    answer = yield hands.pick(
        want(
            "memory",
            action="add",
            target="user" if about_person else "memory",
            content=_third(fact),
        )
    )
    return told(answer) if answer.error else f"I will remember: {_third(fact)}"


def _third(fact: str) -> str:
    """Return a fact as one reads it later: *I prefer* becomes *The user prefers*."""
    match = re.match(
        (
            r"i\s+(?P<often>always\s+|usually\s+|never\s+|really\s+)?(?P<verb>prefer|"
            r"like|use|want|work|live|love|hate|need|speak|write|own|run)\b(?P<rest>.*)"
        ),
        fact,
        re.I | re.S,
    )
    if match:
        return f"The user {match['often'] or ''}{match['verb'].lower()}s{match['rest']}"
    fact = re.sub(r"^(?:i'm|i am)\b", "The user is", fact, flags=re.I)
    return re.sub(r"^my\b", "The user's", fact, flags=re.I)


def recall(said: Said, hands: Hands) -> Steps:
    """Tell what is remembered."""
    answer = yield hands.pick(
        want(
            "memory",
            action="read",
            target="memory" if not re.search(r"\b(?:about me|my|i)\b", said.low) else "user",
        )
    )
    if not answer.error and not any(
        answer.value.get(key) for key in ("entries", "content", "text", "result")
    ):
        return "Nothing is remembered yet."
    return told(answer)


def forget(said: Said, hands: Hands) -> Steps:
    """Take a fact out of memory."""
    found = said.find(
        r"\b(?:forget|unremember|remove|delete|erase)(?:\s+(?:from (?:your )?memory|"
        r"about|that|the fact|what i said about|the|it))*\s*(?:that\s+)?"
        r":?\s*(?P<fact>.+?)(?:\s+from (?:your |the )?memory)?[.!]*$"
    )
    fact = (found or {}).get("fact", "")
    if not fact or fact.lower() in {"everything", "it", "that", "all"}:
        raise Unsure("Which remembered fact should I forget?")
    about_person = re.search(r"\b(?:i|my|me)\b", said.low) is not None
    core = re.sub(r"^(?:i\s+(?:\w+ly\s+)?\w+|my|that|i'm|we)\s+", "", fact, flags=re.I)
    target = "user" if about_person else "memory"
    answer = yield hands.pick(want("memory", action="remove", target=target, old_text=core))
    return told(answer) if answer.error else f"Forgotten: {fact}."


def past_talks(said: Said, hands: Hands) -> Steps:
    """Search earlier conversations."""
    found = said.find(
        (
            r"\b(?:talk(?:ed|ing)?|discuss(?:ed)?|chat(?:ted)?|sa(?:y|id)|conversations?|"
            r"sessions?|mention(?:ed)?|decide[d]?|work(?:ed)? on)\s+(?:about|on|of|"
            r"regarding|with|where we|mentioning|for)?\s*(?P<what>⟦\d+⟧|.+?)"
            r"(?:\s+(?:before|earlier|last time|yesterday|last week|previously|already|"
            r"in the past))?[.?!]*$"
        ),
        r"\babout\s+(?P<what>.+?)[.?!]*$",
    )
    query = said.one("quoted") or re.sub(
        r"^(?:about|the|our|on)\s+", "", (found or {}).get("what", "")
    )
    if query.lower() in {"before", "earlier", "last time", "yesterday", "last", "about"}:
        query = ""
    return told(
        (yield hands.pick(want("session_search", query=query or None, limit=said.number())))
    )


def background(said: Said, hands: Hands) -> Steps:
    """List, follow or end the commands in the background."""
    session = re.search(r"\bproc_\w+", said.text)
    known = [str(r["session_id"]) for r in said.past.results if r.get("session_id")]
    name = session[0] if session else known[-1] if known else None
    action = (
        "kill"
        if said.has("kill")
        else "log"
        if re.search(r"\b(?:logs?|output)\b", said.low)
        else "list"
    )
    if action != "list" and name:
        return told((yield hands.pick(want("process", action=action, session_id=name))))
    answer = yield hands.pick(want("process", action="list"))
    return (
        "Nothing runs in the background." if answer.value.get("processes") == [] else told(answer)
    )


def watch(said: Said, hands: Hands) -> Steps:
    """Watch a folder or file for changes."""
    word = said.find(
        r"\b(?:watch|monitor|observe|keep an eye on)\s+(?:the\s+|my\s+)?(?P<name>⟦\d+⟧|[\w.-]+)"
    )
    path = said.place if said.place not in {None, "."} else (word or {}).get("name", ".")
    path = (
        "."
        if path in {"this", "folder", "for", "files", "file", "changes", "project", None}
        else path
    )
    glob = said.glob
    started = yield hands.pick(
        want("file_watch", action="start", path=path, patterns=[glob] if glob else None)
    )
    name = started.value.get("watch_id")
    return (
        told(started)
        if started.error
        else f'Watching {path} ({name}); ask me "what changed?" or "wait for a change".'
    )


def delegate(said: Said, hands: Hands) -> Steps:
    """Hand a task to a helper agent."""
    found = said.find(
        r"\b(?:delegate|hand off|spawn a subagent|start a subagent|use a subagent|"
        r"ask a subagent)(?:\s+(?:this|the task|a task|to a subagent|the following))*"
        r"\s*(?:to|for|:)?\s*(?P<goal>.+)$"
    )
    if not found:
        raise Unsure("What should the helper do?")
    return told((yield hands.pick(want("delegate_task", goal=found["goal"]))))
