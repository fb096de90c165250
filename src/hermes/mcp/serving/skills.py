"""Skills of a hermes home, as resources to read and as prompts to begin with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from hermes.mcp.serving.shelves import MARKDOWN, Content
from hermes.mcp.serving.wire import Wire

if TYPE_CHECKING:
    from hermes.mcp.serving.caller import Caller

SKILLS = "hermes://skills/"
_MOST_LISTED = 200
_MOST_BYTES = 1_000_000


class Skills:
    """Skills of the home folder, as resources to read and as prompts to begin with."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def listed(self) -> Sequence[Wire]:
        """Return the skills there are."""
        return [
            {
                "uri": f"{SKILLS}{quote(name)}",
                "name": name,
                "description": about,
                "mimeType": MARKDOWN,
            }
            for name, (_, about) in self._found().items()
        ]

    def templates(self) -> Sequence[Wire]:
        """Return nothing: all are listed."""
        return ()

    def read(self, uri: str) -> Sequence[Content] | None:
        """Return a skill's text."""
        if not uri.startswith(SKILLS):
            return None
        text = self.text(unquote(uri.removeprefix(SKILLS)))
        return None if text is None else [Content(uri, MARKDOWN, text)]

    def text(self, name: str) -> str | None:
        """Return a skill's text; None when there is none of this name."""
        found = self._found().get(name)
        return None if found is None else found[0].read_text(encoding="utf-8", errors="replace")

    def stamp(self, uri: str) -> object:
        """Return when a skill was last changed."""
        found = self._found().get(unquote(uri.removeprefix(SKILLS)))
        return None if found is None else found[0].stat().st_mtime_ns

    def complete(self, template: str, name: str, value: str) -> Sequence[str]:  # noqa: ARG002 - the shelf's form
        """Return nothing: there is no template."""
        return ()

    def _found(self) -> dict[str, tuple[Path, str]]:
        """Return each skill's file and its description."""
        found: dict[str, tuple[Path, str]] = {}
        if self._folder.is_dir():
            for file in sorted(self._folder.rglob("SKILL.md"))[:_MOST_LISTED]:
                if file.is_file() and file.stat().st_size <= _MOST_BYTES:
                    found.setdefault(file.parent.name, (file, _description(file)))
        return found


class SkillPrompts:
    """Skills as prompts: a person chooses one, and the model is told to follow it."""

    def __init__(self, skills: Skills) -> None:
        self._skills = skills

    def listed(self) -> Sequence[Wire]:
        """Return a prompt for each skill."""
        task = {"name": "task", "description": "What to do with the skill.", "required": False}
        return [
            {"name": skill["name"], "description": skill["description"], "arguments": [task]}
            for skill in self._skills.listed()
        ]

    def get(self, name: str, arguments: Mapping[str, str], caller: Caller) -> Wire | None:  # noqa: ARG002 - the shelf's form
        """Return a skill's text and what to do with it."""
        text = self._skills.text(name)
        if text is None:
            return None
        task = arguments.get("task") or "Follow this skill."
        said = f"{text}\n\n{task}"
        return {"messages": [{"role": "user", "content": {"type": "text", "text": said}}]}

    def complete(self, prompt: str, name: str, value: str) -> Sequence[str]:  # noqa: ARG002 - the shelf's form
        """Return nothing: the task is free text."""
        return ()


def _description(file: Path) -> str:
    """Return the description in a skill's front matter, or nothing."""
    with file.open(encoding="utf-8", errors="replace") as stream:
        head = [line.rstrip("\n") for _, line in zip(range(40), stream, strict=False)]
    for line in head:
        name, _, value = line.partition(":")
        if name.strip() == "description":
            return value.strip().strip("\"'")
    return ""
