"""Read what a task of ansible, salt, puppet or chef does to files and disks of a machine."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping

from hermes.policy.shell.effects import Effect, catastrophe, danger
from hermes.policy.shell.model import Call

_SETTING = re.compile(r"([a-z_]+)=(.*)", re.DOTALL)
_FREE = re.compile(r"\s*(?:(chdir|creates|removes|executable|stdin)=(\S+)\s+)")
_YES = frozenset({"yes", "true", "1", "on"})
_GONE = re.compile(
    r"(?:file|directory|tidy|remote_directory)\s*\{?\s*\[?\s*['\"]([^'\"]+)['\"](?=.{0,200}?(?:absent|:delete))",
    re.DOTALL,
)
_EXECUTED = re.compile(
    r"(?:exec|execute|bash|script|command)\b\s*(?:\{\s*|\w+\s*=>\s*|\(?)\s*['\"]([^'\"]+)['\"]"
)
_DEVICE = re.compile(r"/dev/\w")


def settings(arguments: str) -> Mapping[str, str]:
    """Return the settings of a task, written as ``key=value`` words or as JSON."""
    if arguments.lstrip().startswith("{"):
        try:
            found = json.loads(arguments)
        except ValueError:
            return {}
        return {key: str(value) for key, value in found.items()} if isinstance(found, dict) else {}
    try:
        words = shlex.split(arguments.replace("\\", "/"))
    except ValueError:
        words = arguments.split()
    return {match[1]: match[2] for word in words if (match := _SETTING.fullmatch(word))}


def command_text(arguments: str) -> str:
    """Return the shell text of a task that runs a command, in the folder that it names."""
    given = settings(arguments)
    if "cmd" in given:
        text = given["cmd"]
        folder = given.get("chdir", "")
    else:
        text, folder = arguments, ""
        while match := _FREE.match(text):
            folder = match[2] if match[1] == "chdir" else folder
            text = text[match.end() :]
    return f"cd {shlex.quote(folder)}; {text}" if folder else text


def changed(module: str, arguments: str) -> Iterator[Effect]:
    """Yield the files that a task deletes, and the disks that it overwrites."""
    given = settings(arguments)
    path = given.get("path") or given.get("dest") or given.get("name") or ""
    device = given.get("dev") or given.get("device") or given.get("pvs") or ""
    is_gone = module in ("file", "win_file") and given.get("state") == "absent"
    is_mirror = module in ("synchronize", "win_robocopy") and given.get("delete", "") in _YES
    if path and (is_gone or is_mirror):
        yield Effect("delete", path, is_recursive=True)
    elif module == "file" and given.get("recurse", "").lower() in _YES and path:
        yield Effect("write", path, is_recursive=True)
    elif module == "unarchive" and path.strip("/") == "" and path:
        yield Effect("write", "/", is_recursive=True)
    elif device and module not in ("mount", "parted_info") and given.get("state") != "info":
        yield danger("disk", f"overwrites {device}")
    elif re.match(r"win_(?:format|partition|initialize_disk)", module):
        yield catastrophe("disk", f"overwrites a disk with {module}")
    elif module == "cron" and given.get("job"):
        yield Effect("run", given["job"])
    elif module in ("lvol", "lvg", "zfs", "zpool") and given.get("state") == "absent":
        yield catastrophe("disk", f"loses a volume with {module}")


def minion(function: str, rest: tuple[str, ...]) -> Iterator[Effect]:
    """Yield what a function of salt deletes or overwrites."""
    target = next((word for word in rest if word.startswith(("/", "~"))), "")
    if re.fullmatch(r"file\.(?:remove|rmdir|directory_absent)", function) and target:
        yield Effect("delete", target, is_recursive=True)
    elif function == "state.single" and "file.absent" in rest:
        for word in rest:
            if word.startswith("name="):
                yield Effect("delete", word[5:], is_recursive=True)
    elif _DEVICE.match(target) and re.search(r"wipe|mk|rm|remove|format|create", function):
        yield danger("disk", f"overwrites {target}")


def declared(call: Call) -> Iterator[Effect]:
    """Yield what resources that are declared on the command line delete or run."""
    text = "\n".join((*call.values("-e", "--execute"), call.piped.text or ""))
    for path in _GONE.findall(text):
        yield Effect("delete", path, is_recursive=True)
    for command in _EXECUTED.findall(text):
        yield Effect("run", command)
    if call.operands[:2] == ("resource", "file") and "ensure=absent" in call.operands:
        for path in call.operands[2:3]:
            yield Effect("delete", path, is_recursive=True)
