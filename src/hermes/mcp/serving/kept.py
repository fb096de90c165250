"""Resources of a hermes home: conversations and whole results; and a prompt to go on with one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from hermes.base.errors import HermesError
from hermes.mcp.serving.answers import RESULTS
from hermes.mcp.serving.shelves import MARKDOWN, Content
from hermes.mcp.serving.wire import Wire, invalid

if TYPE_CHECKING:
    from hermes.mcp.serving.caller import Caller
    from hermes.services.sessions import Sessions

SESSIONS = "hermes://sessions/"
_MOST_LISTED = 200
_MOST_BYTES = 20_000_000
_TYPES = {".txt": "text/plain", ".json": "application/json", ".png": "image/png"}
_TYPES |= {".jpg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp"}


class Conversations:
    """Earlier conversations, each as Markdown."""

    def __init__(self, sessions: Callable[[], Sessions]) -> None:
        self._sessions = sessions

    def listed(self) -> Sequence[Wire]:
        """Return the conversations that were used last."""
        found = self._sessions().list(limit=_MOST_LISTED)
        return [
            {
                "uri": f"{SESSIONS}{session.id}",
                "name": session.id,
                "title": session.title or f"Conversation {session.id}",
                "mimeType": MARKDOWN,
                "annotations": {"lastModified": _moment(session.updated)},
            }
            for session in found
        ]

    def templates(self) -> Sequence[Wire]:
        """Return how any conversation is addressed."""
        about = "An earlier conversation, by its id, the beginning of one, or its title."
        template = f"{SESSIONS}{{session}}"
        return [
            {
                "uriTemplate": template,
                "name": "session",
                "title": "Conversation",
                "description": about,
                "mimeType": MARKDOWN,
            }
        ]

    def read(self, uri: str) -> Sequence[Content] | None:
        """Return a conversation as Markdown."""
        if not uri.startswith(SESSIONS):
            return None
        text = self.text(unquote(uri.removeprefix(SESSIONS)))
        return None if text is None else [Content(uri, MARKDOWN, text)]

    def text(self, name: str) -> str | None:
        """Return all that was said in a conversation; None when there is none of this name."""
        try:
            return "".join(self._sessions().export(name, "markdown"))
        except HermesError:
            return None

    def stamp(self, uri: str) -> object:
        """Return when a conversation was last used."""
        if not uri.startswith(SESSIONS):
            return None
        try:
            return self._sessions().facts(unquote(uri.removeprefix(SESSIONS))).updated
        except HermesError:
            return None

    def complete(self, template: str, name: str, value: str) -> Sequence[str]:
        """Return the ids that begin so, and those of titles that hold it."""
        if template != f"{SESSIONS}{{session}}" or name != "session":
            return ()
        found = self._sessions().list(limit=_MOST_LISTED)
        wanted = value.casefold()
        return [
            session.id
            for session in found
            if session.id.startswith(wanted) or (wanted and wanted in session.title.casefold())
        ]


class Resuming:
    """A prompt to go on with an earlier conversation in any client."""

    _name = "resume"

    def __init__(self, conversations: Conversations) -> None:
        self._conversations = conversations

    def listed(self) -> Sequence[Wire]:
        """Return the one prompt."""
        argument = {
            "name": "session",
            "title": "Conversation",
            "description": "Its id, the beginning of one, or its title.",
            "required": True,
        }
        about = "Go on with an earlier conversation of hermes."
        return [
            {
                "name": self._name,
                "title": "Resume a conversation",
                "description": about,
                "arguments": [argument],
            }
        ]

    def get(self, name: str, arguments: Mapping[str, str], caller: Caller) -> Wire | None:  # noqa: ARG002 - the shelf's form
        """Return the conversation, and the request to go on with it."""
        if name != self._name:
            return None
        wanted = arguments.get("session")
        if not wanted:
            raise invalid("the prompt 'resume' needs the argument 'session'")
        text = self._conversations.text(wanted)
        if text is None:
            raise invalid(f"no conversation is called {wanted!r}")
        uri = f"{SESSIONS}{quote(wanted)}"
        held = {"uri": uri, "mimeType": MARKDOWN, "text": text}
        said = "This is an earlier conversation between us. Go on where it ended."
        return {
            "description": "Go on with an earlier conversation.",
            "messages": [
                {"role": "user", "content": {"type": "resource", "resource": held}},
                {"role": "user", "content": {"type": "text", "text": said}},
            ],
        }

    def complete(self, prompt: str, name: str, value: str) -> Sequence[str]:
        """Return the conversations that begin so."""
        if prompt != self._name:
            return ()
        return self._conversations.complete(f"{SESSIONS}{{session}}", name, value)


class Results:
    """The whole of answers of this server that were too long to be given at once."""

    def __init__(self, folder: Path, prefix: str) -> None:
        self._folder = folder
        self._prefix = prefix

    def listed(self) -> Sequence[Wire]:
        """Return those that calls of this server left."""
        return [
            {
                "uri": f"{RESULTS}{file.name}",
                "name": file.name,
                "title": f"Whole result {file.name}",
                "mimeType": _type(file),
                "size": file.stat().st_size,
            }
            for file in self._files()
        ]

    def templates(self) -> Sequence[Wire]:
        """Return nothing: an answer that was cut names its address."""
        return ()

    def read(self, uri: str) -> Sequence[Content] | None:
        """Return a whole result."""
        file = self._file(uri)
        if file is None or file.stat().st_size > _MOST_BYTES:
            return None
        media_type, data = _type(file), file.read_bytes()
        is_text = media_type.startswith("text/") or media_type == "application/json"
        return [Content(uri, media_type, data.decode("utf-8", "replace") if is_text else data)]

    def stamp(self, uri: str) -> object:
        """Return whether it is there; it never changes."""
        return None if self._file(uri) is None else True

    def complete(self, template: str, name: str, value: str) -> Sequence[str]:  # noqa: ARG002 - the shelf's form
        """Return nothing: there is no template."""
        return ()

    def _files(self) -> Iterator[Path]:
        if self._folder.is_dir():
            found = sorted(self._folder.glob(f"{self._prefix}*"))
            yield from (file for file in found if file.is_file() and not file.is_symlink())

    def _file(self, uri: str) -> Path | None:
        if not uri.startswith(RESULTS):
            return None
        name = unquote(uri.removeprefix(RESULTS))
        return next((file for file in self._files() if file.name == name), None)


def _type(file: Path) -> str:
    return _TYPES.get(file.suffix, "application/octet-stream")


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
