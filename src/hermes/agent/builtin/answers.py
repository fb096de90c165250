"""Say in plain words what a tool answered."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from hermes.agent.builtin.steps import Answer
from hermes.base.messages import Json
from hermes.base.text import plural

_MOST_LINES = 40
_MOST_CHARACTERS = 4000


def told(answer: Answer, lead: str = "") -> str:
    """Return what a call answered as a short text: its error, its output, or its facts."""
    if answer.error:
        return failed(answer)
    value = answer.value
    for key, say in _BY_KEY.items():
        if key in value:
            return _with_lead(lead, say(value))
    return _with_lead(lead, facts(value))


def failed(answer: Answer) -> str:
    """Return why a call failed, and what to do."""
    hint = str(answer.value.get("hint") or "")
    if answer.value.get("code") == "denied":
        return f"That was not allowed: {answer.error}. {hint}".strip()
    return (
        f"{answer.tool} failed: {answer.error}{'' if answer.error.endswith('.') else '.'} {hint}"
    ).strip()


def short(text: str) -> str:
    """Return a text cut to what a person reads at once."""
    lines = text.rstrip().splitlines()
    kept = lines[:_MOST_LINES]
    cut = "\n".join(kept)[:_MOST_CHARACTERS]
    left = len(lines) - len(cut.splitlines())
    return cut + (f"\n… {plural(left, 'more line')}" if left > 0 else "")


def bullets(items: Iterable[object], most: int = 30) -> str:
    """Return a list, one item a line."""
    every = [str(item) for item in items]
    text = "\n".join(f"- {item}" for item in every[:most])
    return text + (f"\n… and {len(every) - most} more" if len(every) > most else "")


def block(text: str) -> str:
    """Return a text to be shown as it is."""
    return f"```\n{short(text)}\n```"


def unnumbered(content: str) -> str:
    """Return what read_file shows without the numbers of lines."""
    return re.sub(r"^\s*\d+\|", "", content, flags=re.MULTILINE)


def _with_lead(lead: str, text: str) -> str:
    return f"{lead}\n{text}" if lead and text else lead or text


def _ran(value: Mapping[str, Json]) -> str:
    out, err = str(value.get("stdout") or ""), str(value.get("stderr") or "")
    code = value.get("exit_code")
    if code not in {0, None}:
        said = err.strip() or out.strip()
        return f"The command ended with exit code {code}." + (f"\n{block(said)}" if said else "")
    if out.strip():
        return block(out)
    return block(err) if err.strip() else "Done; the command printed nothing."


def _files(value: Mapping[str, Json]) -> str:
    files = value["files"]
    if not isinstance(files, list):
        return facts(value)
    if not files:
        return "No files like that were found."
    return f"{plural(value.get('total', len(files)), 'file')}:\n{bullets(files)}"


def _matches(value: Mapping[str, Json]) -> str:
    matches = value["matches"]
    if not matches:
        return "Nothing was found."
    lines = [
        f"{m.get('path')}:{m.get('line')}: {str(m.get('text', '')).strip()}"
        if isinstance(m, dict)
        else str(m)
        for m in matches
    ]
    total, files = value.get("total", len(lines)), value.get("files")
    where = f" in {plural(files, 'file')}" if isinstance(files, int) else ""
    return f"{total} {'match' if total == 1 else 'matches'}{where}:\n{block(chr(10).join(lines))}"


def _content(value: Mapping[str, Json]) -> str:
    content = unnumbered(str(value["content"]))
    more = ""
    if value.get("truncated"):
        more = f"\n(the file has {value.get('total_lines', 'more')} lines)"
    return (block(content) if content.strip() else "The file is empty.") + more


def _tree(value: Mapping[str, Json]) -> str:
    tree = str(value["tree"])
    if not tree.strip():
        return "There is nothing there."
    count = f"{plural(value.get('files', 0), 'file')}, {plural(value.get('folders', 0), 'folder')}:"
    return f"{count}\n{block(tree)}"


def _diff(value: Mapping[str, Json]) -> str:
    if value.get("identical"):
        return "They are the same."
    return f"```diff\n{short(str(value['diff']))}\n```"


def _written(value: Mapping[str, Json]) -> str:
    verb = "Created" if value.get("created") else "Wrote"
    return f"{verb} {value.get('path')} ({plural(value.get('bytes', 0), 'byte')})."


def _sessions(value: Mapping[str, Json]) -> str:
    return facts(value) if value["results"] else "Nothing was found."


def facts(value: Json, depth: int = 0) -> str:
    """Return any JSON value as indented lines that a person can read."""
    pad = "  " * depth
    if isinstance(value, Mapping):
        lines = []
        for key, item in value.items():
            if str(key).endswith("_bytes") or item in (None, [], {}):
                continue
            name = str(key).replace("_", " ")
            if isinstance(item, (Mapping, list)) and not _is_flat(item):
                lines.append(f"{pad}- {name}:\n{facts(item, depth + 1)}")
            else:
                lines.append(f"{pad}- {name}: {_flat(item)}")
        return "\n".join(lines)
    if isinstance(value, list):
        return "\n".join(
            facts(item, depth)
            if isinstance(item, Mapping) and not _is_flat(item)
            else f"{pad}- {_flat(item)}"
            for item in value[:30]
        )
    return f"{pad}{value}"


def _is_flat(item: Json) -> bool:
    inside: Sequence[Json] = list(item.values()) if isinstance(item, Mapping) else item
    return len(inside) < 12 and not any(isinstance(one, (Mapping, list)) for one in inside)


def _flat(item: Json) -> str:
    if isinstance(item, Mapping):
        return ", ".join(
            f"{k.replace('_', ' ')} {v}" for k, v in item.items() if not k.endswith("_bytes")
        )
    if isinstance(item, list):
        return ", ".join(map(str, item))
    return str(item).strip()


_BY_KEY = {
    "exit_code": _ran,
    "matches": _matches,
    "tree": _tree,
    "diff": _diff,
    "identical": _diff,
    "content": _content,
    "created": _written,
    "files": _files,
    "results": _sessions,
}
