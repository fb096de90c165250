"""The history and state of a git repository."""

from __future__ import annotations

import re

from hermes.agent.builtin.answers import told
from hermes.agent.builtin.names import HERE, NOT_FOLDERS
from hermes.agent.builtin.references import earlier_path
from hermes.agent.builtin.said import Said
from hermes.agent.builtin.steps import Hands, Steps, Unsure, quote, shell

_LOG = "git log --date=short --pretty=format:'%h %ad %an: %s'"
_EARLIER = re.compile(r"\b(?:previous|before|second|next[- ]to|last but one|penultimate)\b")
_SINCE = (
    r"\b(?:since|from|after|in the (?:last|past)|(?:last|past|this)|of)\s+(?:the "
    r")?(?P<when>yesterday|today|week|month|year|monday|tuesday|wednesday|"
    r"thursday|friday|saturday|sunday|⟦\d+⟧(?: ago)?)"
)


def log(said: Said, hands: Hands) -> Steps:
    """Show the latest commits, of all or of a file, a person or a time."""
    by = _author(said)
    if said.has("count") and said.one("number") is None:
        command = "git rev-list --count" + (f" --author={quote(by)}" if by else "")
        since = _since(said)
        command += f" --since={quote(since)}" if since else ""
        return told((yield hands.pick(shell(f"{command} HEAD"))), "Commits:")
    if re.search(r"\b(?:first|oldest|initial) commit\b", said.low):
        return told((yield hands.pick(shell(f"{_LOG} --max-parents=0"))))
    count = said.number(
        1 if re.search(r"\b(?:last|latest|most recent|previous|newest) commit\b", said.low) else 10
    )
    since = _since(said)
    if "graph" in said.low:
        return told((yield hands.pick(shell(f"git log --graph --oneline --all -n {count}"))))
    short = re.search(r"\b(?:one-?line|short)\b", said.low)
    line = "git log --oneline" if short else _LOG
    command = line if since and not said.one("number") else f"{line} -n {count}"
    command += f" --since={quote(since)}" if since else ""
    command += f" --author={quote(by)}" if by else ""
    command += (
        ' --author="$(git config user.name)"'
        if re.search(r"\b(?:my|by me|i made|did i|have i|was i)\b", said.low)
        and not said.one("path")
        and "repo" not in said.low
        else ""
    )
    grew = said.find(
        r"\b(?:introduc|add|remov|delet|creat|contain|chang)\w*\s+(?:the\s+)?(?:function\s+|class\s+|"
        r"word\s+|text\s+|line\s+|method\s+|variable\s+)*(?P<what>⟦\d+⟧|\w+)[.?!]*$"
    )
    if grew and re.search(r"\b(?:which|what|when|find)\b", said.low) and not said.one("path"):
        return told((yield hands.pick(shell(f"{_LOG} -S {quote(grew['what'])}"))))
    about = said.find(r"\b(?:mentioning|about|containing|with message)\s+(?P<what>⟦\d+⟧|\w+)")
    command += f" -i --grep={quote(about['what'])}" if about else ""
    path = said.one("path") or (
        earlier_path(said) if re.search(r"\b(?:this|that|the) file\b", said.low) else None
    )
    path = path or _touched(said)
    command += f" -- {quote(path)}" if path else ""
    return told((yield hands.pick(shell(command))))


def _touched(said: Said) -> str | None:
    """Return the folder whose commits are meant: *commits that touched tests*."""
    found = said.find(
        r"\b(?:touch|affect|modif|edit)\w*\s+(?:the\s+)?(?P<name>[\w-]+)"
        r"(?:\s+(?:folder|directory|dir))?[?.!]*$"
    )
    return found["name"] if found and found["name"].lower() not in HERE | NOT_FOLDERS else None


def _author(said: Said) -> str:
    """Return whose commits are meant, if it is said."""
    by = said.find(
        r"\bby\s+(?P<who>⟦\d+⟧|[A-Z][\w-]+|\w+)",
        r"\b(?P<who>(?-i:[A-Z])[\w-]+)'s\s+commits?",
        r"\b(?:did|has|have)\s+(?P<who>(?-i:[A-Z])[\w-]+)\s+(?:commit|change|work|make|made|do|push)",
    )
    return by["who"] if by and by["who"] not in {"me", "us", "I"} else ""


def _since(said: Said) -> str | None:
    span = said.one("time")
    if span:
        return f"{span} ago"
    found = re.search(
        r"\b(yesterday|today|this week|last week|this month|last month|monday|friday)\b", said.low
    )
    if not found:
        return None
    return {
        "today": "midnight",
        "this week": "1 week ago",
        "last week": "1 week ago",
        "this month": "1 month ago",
        "last month": "1 month ago",
    }.get(found[1], found[1])


def status(said: Said, hands: Hands) -> Steps:
    """Show what has changed since the last commit."""
    if said.one("path"):
        return (yield from diff(said, hands))
    answer = yield hands.pick(shell("git status --short --branch"))
    if (
        not answer.error
        and answer.value.get("exit_code") == 0
        and len(answer.output.splitlines()) < 2
    ):
        return f"Nothing has changed since the last commit ({answer.output.strip('# ' + chr(10))})."
    return told(answer)


def diff(said: Said, hands: Hands) -> Steps:
    """Show changes: those not committed, staged, or between two points."""
    ends = said.find(
        (
            r"\bbetween\s+(?:the )?(?:branch(?:es)? |tags? |commits? )?(?P<a>⟦\d+⟧|"
            r"[\w./-]+)\s+(?:and|to)\s+(?P<b>⟦\d+⟧|[\w./-]+)"
        ),
        r"\b(?:from)\s+(?P<a>⟦\d+⟧|[\w./-]+)\s+to\s+(?P<b>⟦\d+⟧|[\w./-]+)",
        (
            r"\b(?:diff|compare)\s+(?:branch(?:es)? )?(?P<a>(?!with\b|to\b|against\b|from\b|"
            r"since\b|vs\b)(?:⟦\d+⟧|[\w./-]+))\s+(?:and|to|with|against|vs\.?|versus)\s+"
            r"(?:the )?(?P<b>⟦\d+⟧|[\w./-]+)"
        ),
        (
            r"\b(?:diff|compare|changes)\s+(?:with|to|against|from|since|vs)\s+(?:the )?"
            r"(?P<a>⟦\d+⟧|main|master|develop|HEAD\S*|origin\S*)"
        ),
    )
    since = _since(said)
    if re.match(r"how (?:many|much)\b", said.low) and not ends:
        return told((yield hands.pick(shell("git diff --stat HEAD"))))
    if since and not ends:
        return told((yield hands.pick(shell(f"{_LOG} --stat --since={quote(since)}"))))
    back = re.search(r"\b(?:last|past|previous)\s+⟦\d+⟧\s+commits", said.shape)
    command = f"git diff HEAD~{said.number(1)}" if back else "git diff"
    if ends and "b" in ends:
        command += f" {quote(ends['a'])}..{quote(ends['b'])}"
    elif ends:
        command += f" {quote(ends['a'])}"
    elif "staged" in said.low or "cached" in said.low:
        command += " --staged"
    elif re.search(r"\bsince (?:the |my |our )?last commit\b", said.low):
        command += " HEAD"
    elif re.search(r"\blast commit\b", said.low):
        command += " HEAD~1"
    command += " --stat" if re.search(r"\b(?:stat|stats|summary|which files)\b", said.low) else ""
    paths = [one for one in said.all("path") if not ends or one not in ends.values()]
    command += f" -- {quote(paths[0])}" if paths else ""
    answer = yield hands.pick(shell(command))
    if not answer.error and answer.value.get("exit_code") == 0 and not answer.output.strip():
        return "There is no difference."
    return told(answer)


def who(said: Said, hands: Hands) -> Steps:
    """Tell who changed a file or a line."""
    path = said.one("path") or earlier_path(said)
    if path is None:
        word = said.find(
            r"\b(?:wrote|changed|touched|edited|broke|modified|made|created)\s+(?:the\s+)?"
            r"(?P<name>[\w-]+)\b(?:\s+(?:last|file|folder))"
        )
        path = (
            word["name"] if word and word["name"] not in {"this", "that", "the", "file"} else None
        )
    if path is None:
        raise Unsure("Which file do you mean?")
    text = said.find(r"\b(?:line|code|text|word)\s+(?P<what>⟦\d+⟧|\w+)\s+(?:in|to|of|into)\s")
    if text and not text["what"].isdigit():
        return told((yield hands.pick(shell(f"{_LOG} -S {quote(text['what'])} -- {quote(path)}"))))
    line = re.search(r"\blines?\b", said.low) and said.number()
    if line:
        return told((yield hands.pick(shell(f"git blame -L {line},{line} -- {quote(path)}"))))
    if "blame" in said.low:
        return told((yield hands.pick(shell(f"git blame -- {quote(path)}"))))
    is_first = re.search(r"\b(?:wrote|created|first|added|originally)\b", said.low)
    is_last = re.search(r"\b(?:last|latest|recently)\b", said.low)
    order = "--diff-filter=A --follow" if is_first and not is_last else "-n 1"
    return told((yield hands.pick(shell(f"{_LOG} {order} -- {quote(path)}"))))


def contributors(said: Said, hands: Hands) -> Steps:
    """Tell who has made most commits."""
    return told((yield hands.pick(shell("git shortlog -sn HEAD"))))


def branches(said: Said, hands: Hands) -> Steps:
    """Show, make, switch to or delete a branch."""
    merged = said.find(r"\bmerge\s+(?:in\s+)?(?:the\s+)?(?:branch\s+)?(?P<name>⟦\d+⟧|[\w./-]+)")
    if merged:
        return told((yield hands.pick(shell(f"git merge {quote(merged['name'])}"))))
    other = said.find(
        r"^rename\s+(?:(?:the|this|my|our|current)\s+)*(?:branch\s+)?"
        r"(?:(?P<old>⟦\d+⟧|(?!to\b)[\w./-]+)\s+)?(?:branch\s+)?(?:to|as|into)\s+"
        r"(?P<new>⟦\d+⟧|[\w./-]+)"
    )
    if other:
        old = f"{quote(other['old'])} " if other.get("old", "branch") != "branch" else ""
        return told((yield hands.pick(shell(f"git branch -m {old}{quote(other['new'])}"))))
    name = said.find(
        r"\b(?:called|named)\s+(?P<name>⟦\d+⟧|[\w./-]+)",
        (
            r"\b(?:branch|switch to|checkout|check out|change to|go to|go back to|move "
            r"to|over to|back to)\s+(?:-[bc]\s+)?(?:the |a )?(?:new )?(?:branch )?"
            r"(?P<name>⟦\d+⟧|(?!am\b|is\b|are\b|do\b|we\b|i\b|branch|from\b|off\b|to\b|"
            r"a\b|list\b)[\w./-]+)"
        ),
        (
            r"\b(?:new|the|a|delete|my)\s+(?P<name>⟦\d+⟧|(?!branch|new|current|git)"
            r"[\w./-]+)\s+branch\b"
        ),
    )
    if name and said.has("remove"):
        command = f"git branch -d {quote(name['name'])}"
    elif name and said.has("create") and "switch" not in said.low[:7]:
        command = f"git switch -c {quote(name['name'])}"
    elif name and said.has("switch", "move"):
        command = f"git switch {quote(name['name'])}"
    elif re.search(r"\b(?:which|what|current|on|am i)\b", said.low) and not re.search(
        r"\bbranches\b", said.low
    ):
        command = "git branch --show-current"
    else:
        command = "git branch --all" if said.has("everything", "remote") else "git branch"
    return told((yield hands.pick(shell(command))))


def stage(said: Said, hands: Hands) -> Steps:
    """Add files to what is committed next."""
    paths = " ".join(map(quote, said.all("path")))
    return told((yield hands.pick(shell(f"git add -- {paths}" if paths else "git add -A"))))


def commit(said: Said, hands: Hands) -> Steps:
    """Commit with the message that was said."""
    found = said.find(
        r"\b(?:message|msg|-m|saying|comment)\s*(?:is |of )?[:=]?\s*(?P<text>⟦\d+⟧|.+?)[.!]*$",
        r"\b(?:as|with|saying)\s+(?:the\s+)?(?P<text>⟦\d+⟧|[\w][^⟦]*?)[.!]*$",
        r"(?P<text>⟦\d+⟧)[.!]*$",
        r"\bcommit\s*:\s*(?P<text>.+)$",
    )
    if not found:
        raise Unsure("What should the commit message be?")
    paths = [one for one in said.all("path") if one != found["text"]]
    add = "git add -- " + " ".join(map(quote, paths)) if paths else "git add -A"
    command = f"git commit -m {quote(found['text'])}"
    is_staged = any(
        re.match(r"git add -- \S", str(args.get("command", ""))) for _, args in said.past.calls[-1:]
    )
    return told((yield hands.pick(shell(command if is_staged else f"{add} && {command}"))))


def show_commit(said: Said, hands: Hands) -> Steps:
    """Show one commit."""
    head = re.search(r"\bHEAD[~^@{}\d]*", said.text)
    quoted = said.one("quoted")
    name = (
        said.one("hash")
        or (f":/{quoted}" if quoted else "")
        or (head[0] if head else "")
        or ("HEAD~1" if _EARLIER.search(said.low) else "HEAD")
    )
    return told((yield hands.pick(shell(f"git show {quote(name)}"))))


def undo_commit(said: Said, hands: Hands) -> Steps:
    """Take the last commit back and keep its changes."""
    name = said.one("hash")
    command = f"git revert --no-edit {quote(name)}" if name else "git reset --soft HEAD~1"
    return told((yield hands.pick(shell(command))))


def discard(said: Said, hands: Hands) -> Steps:
    """Throw away changes that are not committed, of the files that are named."""
    path = said.one("path")
    is_all = said.has("everything") or re.search(r"\b(?:my|local|the|these)\b.*chang", said.low)
    if path is None and not is_all:
        raise Unsure('Throw away the changes of which file? Say a path, or "all changes".')
    return told((yield hands.pick(shell(f"git restore {quote(path or '.')}"))))


def simple(said: Said, hands: Hands) -> Steps:
    """Do what has a git command of its own: stash, pull, push, tags, remotes."""
    table = (
        (
            (
                r"\bstash(?:es|ed)?\b.*\b(?:list|pop|apply|drop)|\b(?:list|pop|apply|show|"
                r"restore|get back|bring back)\b.*\bstash"
            ),
            "",
        ),
        (r"\bun-?stage", "git restore --staged ."),
        (r"\btracked\b|\bin git\b", "git ls-files"),
        (r"\bignored?s?\b", "git status --short --ignored"),
        (r"\bstash|\bshelve", "git stash push --include-untracked"),
        (r"\bpull|\blatest changes|\bsync|\bup to date|\bupdate the repo", "git pull --ff-only"),
        (r"\bpush", "git push"),
        (r"\btags?\b|\breleases?\b", "git tag --sort=-creatordate"),
        (r"\bremotes?\b|\borigin\b|\bupstream\b", "git remote -v"),
        (r"\bfetch", "git fetch --all"),
    )
    name = said.find(
        r"\btag\b.*?(?:as|called|named|tag)\s+(?P<name>⟦\d+⟧|v[\w.-]+)",
        r"^(?:create|make|add|new)\b.*\btag\s+(?:called\s+|named\s+)?(?P<name>⟦\d+⟧|[\w.-]+)",
    )
    if name:
        return told((yield hands.pick(shell(f"git tag {quote(name['name'])}"))))
    command = next(
        (command for form, command in table if re.search(form, said.low)),
        "git status --short --branch",
    )
    if not command:
        verb = next((one for one in ("pop", "apply", "list") if one in said.low), "")
        command = f"git stash {verb or ('pop' if re.search('restore|back', said.low) else 'list')}"
    network = "network" if re.match(r"git (?:pull|push|fetch)", command) else None
    return told((yield hands.pick(shell(command, access=network))))
