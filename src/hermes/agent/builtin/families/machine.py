"""The machine: disk, memory, processor, processes, addresses, time."""

from __future__ import annotations

import re

from hermes.agent.builtin.answers import failed, told
from hermes.agent.builtin.names import HERE, NOT_FOLDERS
from hermes.agent.builtin.references import earlier_path
from hermes.agent.builtin.said import Said
from hermes.agent.builtin.steps import Answer, Hands, Steps, Unsure, quote, shell, want


def disk_use(said: Said, hands: Hands) -> Steps:
    """Tell which folders and files take most space."""
    of = said.find(r"\b(?:usage|space|size) (?:of|in|for|by) (?:the |my )?(?P<name>⟦\d+⟧|[\w.-]+)")
    name = of["name"] if of and of["name"].lower() not in HERE | NOT_FOLDERS else None
    path = said.one("path") or name or said.folder or "."
    count = said.number(15)
    answer = yield hands.pick(
        shell(f"du -ah --max-depth=1 {quote(path)} 2>/dev/null | sort -rh | head -n {count}")
    )
    return told(answer, f"The largest things in {path}:" if not answer.error else "")


def folder_size(said: Said, hands: Hands) -> Steps:
    """Tell how big a file or folder is."""
    word = said.find(
        r"\b(?:size of|(?:big|large|heavy) (?:is|are)|(?:space|much) do(?:es)?)\s+(?:(?:the|"
        r"my|our|this|whole|entire|current|complete) )*(?P<name>⟦\d+⟧|[\w.-]+)"
    )
    before = earlier_path(said) if re.search(r"\b(?:it|that file)\b", said.low) else None
    path = said.one("path") or before or (word or {}).get("name") or said.folder or "."
    path = (
        "."
        if path.lower()
        in {
            "this",
            "project",
            "repo",
            "folder",
            "directory",
            "here",
            "it",
            "everything",
            "the",
            "repository",
        }
        else path
    )
    answer = yield hands.pick(shell(f"du -sh {quote(path)}"))
    size = answer.output.split("\t")[0] if "\t" in answer.output else ""
    return f"{path} takes {size}." if size else told(answer)


def machine_facts(said: Said, hands: Hands) -> Steps:
    """Tell facts about the machine: only what was asked for."""
    wanted = [section for section, concepts in _SECTIONS.items() if said.has(*concepts)]
    if said.has("health") or not wanted:
        wanted = (
            ["cpu", "memory", "disk", "processes"]
            if said.has("health")
            else ["os", "cpu", "memory", "disk"]
        )
    if "disk" in wanted and "processes" in wanted and not said.has("health"):
        wanted.remove("processes")
    if "network" in wanted:
        wanted = ["network"]
    if ({"memory", "processes"} <= set(wanted) and not said.has("health")) or (
        said.has("eat") and not said.has("disk")
    ):
        wanted = ["processes"]
    answer = yield hands.pick(want("system_info", sections=wanted), shell(_by_shell(wanted[0])))
    return (
        told(answer)
        if answer.error or "exit_code" in answer.value
        else _facts(said, wanted, answer)
    )


_SECTIONS = {
    "gpu": ("gpu",), "disk": ("disk",), "memory": ("ram",), "processes": ("process", "eat"),
    "cpu": ("cpu",), "network": ("address",), "os": ("os", "uptime", "host"),
}  # fmt: skip


def _by_shell(section: str) -> str:
    return {
        "disk": "df -h", "memory": "free -h", "cpu": "nproc; uptime", "gpu": "nvidia-smi",
        "network": "ip -brief address", "os": "uname -a; uptime",
        "processes": "ps aux --sort=-%cpu | head -n 15",
    }[section]  # fmt: skip


def _facts(said: Said, wanted: list[str], answer: Answer) -> str:
    value = answer.value
    if wanted == ["memory"] and "available" in value.get("memory", {}):
        memory = value["memory"]
        return (
            f"{memory['available']} of {memory['total']} memory is free "
            f"({memory['used_percent']} % used; swap: {memory.get('swap')})."
        )
    if wanted == ["disk"] and isinstance(value.get("disk"), list):
        return "\n".join(
            f"- {d['mount']}: {d['free']} free of {d['total']} ({d['used_percent']} % used)"
            for d in value["disk"]
        )
    interfaces = value.get("network", {}).get("interfaces") if wanted == ["network"] else None
    if interfaces and "hostname" not in said.low:
        return "\n".join(f"- {one['name']}: {', '.join(one['addresses'])}" for one in interfaces)
    if wanted == ["os"] and said.has("uptime") and "uptime" in value.get("os", {}):
        return f"It has been up for {value['os']['uptime']}."
    return told(answer)


def public_ip(said: Said, hands: Hands) -> Steps:
    """Tell the address that the internet sees."""
    answer = yield hands.pick(
        shell("curl -sS --max-time 15 https://api.ipify.org", access="network")
    )
    return told(answer)


def port_user(said: Said, hands: Hands) -> Steps:
    """Tell which process uses a port, or all that listen; it looks outside of the sandbox."""
    port = said.number() or next((int(m) for m in re.findall(r"\b:?(\d{2,5})\b", said.text)), None)
    if port:
        command = f"ss -ltnup 'sport = :{port}' || lsof -nP -i :{port}"
    else:
        command = "ss -ltnup || lsof -nP -iTCP -sTCP:LISTEN"
    answer = yield hands.pick(shell(command, access="outside"))
    if answer.error:
        return (
            f"{failed(answer)}\nThe sandbox cannot see other programs, so this must run "
            f"outside of it: `{command}`"
        )
    if port and answer.output.count("\n") < 2:
        return f"Nothing uses port {port}."
    return told(answer)


def kill(said: Said, hands: Hands) -> Steps:
    """End a process by its number or its name, outside of the sandbox."""
    number = said.number()
    port = re.search(r"\bport\b", said.low)
    session = re.search(r"\bproc_\w+", said.text)
    if session and hands.has("process"):
        return told((yield want("process", action="kill", session_id=session[0])))
    if number and port:
        command = f"fuser -k {number}/tcp"
    elif number:
        command = f"kill {'-9 ' if re.search(r'force|-9|hard', said.low) else ''}{number}"
    else:
        named = said.find(
            r"\b(?:kill|stop|terminate|end|quit)\s+(?:all\s+)?(?:the\s+|my\s+)?"
            r"(?:process\s+|processes\s+|app\s+|program\s+)?(?:called |named )?"
            r"(?P<name>⟦\d+⟧|[\w.-]+)"
        )
        if not named or named["name"].lower() in {
            "it",
            "this",
            "that",
            "process",
            "everything",
            "them",
        }:
            raise Unsure("Which process should I end? Say its number or its name.")
        command = f"pkill -x {quote(named['name'])}"
    return told((yield hands.pick(shell(command, access="outside"))))


def find_process(said: Said, hands: Hands) -> Steps:
    """Tell whether a program is running."""
    named = said.find(
        (
            r"\b(?:is|are)\s+(?:there\s+)?(?:an?\s+|the\s+|any\s+|my\s+)?"
            r"(?P<name>[\w.-]+)\s+(?:process(?:es)?\s+|server\s+|service\s+)?(?:running|"
            r"active|alive|up)\b"
        ),
        r"\bpid (?:of|for)\s+(?:the\s+)?(?P<name>[\w.-]+)",
    )
    name = named["name"] if named else ""
    if not name or name in {"anything", "processes", "process", "what"}:
        return (yield from machine_facts(said, hands))
    return told((yield hands.pick(shell(f"pgrep -a {quote(name)}", access="outside"))))


def now(said: Said, hands: Hands) -> Steps:
    """Tell the date and the time."""
    answer = yield hands.pick(shell("date"), want("system_info", sections=["os"]))
    return f"It is {answer.output.strip()}." if answer.output.strip() else told(answer)


def who_am_i(said: Said, hands: Hands) -> Steps:
    """Tell the user, or all who are logged in."""
    if re.match(r"who(?:'s| is| else is| all is)?\s+(?:currently )?logged", said.low):
        return told((yield hands.pick(shell("who"))))
    return told((yield hands.pick(shell("whoami"), want("system_info", sections=["os"]))))


def where_am_i(said: Said, hands: Hands) -> Steps:
    """Tell the folder."""
    answer = yield hands.pick(shell("pwd"))
    return f"In {answer.output.strip()}." if answer.output.strip() else told(answer)


def change_folder(said: Said, hands: Hands) -> Steps:
    """Go to another folder."""
    found = said.find(
        r"^(?:cd|go|change|switch|move)\s+(?:in)?(?:to\s+)?(?:the\s+)?(?:folder\s+|"
        r"directory\s+)?(?P<path>⟦\d+⟧|[\w.~/-]+)"
    )
    path = said.place if said.place not in {None, "."} else (found or {}).get("path", "~")
    return told((yield hands.pick(shell(f"cd {quote(path or '~')} && pwd"))))


def checksum(said: Said, hands: Hands) -> Steps:
    """Tell the checksum of a file."""
    path = said.one("path")
    if path is None:
        raise Unsure("Of which file?")
    tool = "md5sum" if "md5" in said.low else "sha1sum" if "sha1" in said.low else "sha256sum"
    return told((yield hands.pick(shell(f"{tool} {quote(path)}"))))


def file_facts(said: Said, hands: Hands) -> Steps:
    """Tell the permissions, owner and age of a file."""
    path = said.place
    if path is None:
        raise Unsure("Of which file?")
    return told((yield hands.pick(shell(f"ls -ld {quote(path)} && file -b {quote(path)}"))))
