"""Put calls together from the fragments in which they are streamed."""

from __future__ import annotations

from hermes.base.json import NotJson, decode, encode
from hermes.base.messages import Json, ToolCall
from hermes.llm import values
from hermes.llm.contract import CallPiece
from hermes.llm.conversation import new_id


class _Draft:
    """A call that is being written."""

    def __init__(self, place: Json) -> None:
        self.place = place
        self.id = ""
        self.name = ""
        self.written: list[str] = []

    @property
    def arguments(self) -> str:
        """What has come of its arguments."""
        return "".join(self.written)


class Drafts:
    """The calls of one answer, in the order in which they began.

    Services disagree on what tells fragments of different calls apart: an index, an id, or only
    that a new name comes. All of them are understood; a call without an id gets one.
    """

    def __init__(self) -> None:
        self._drafts: list[_Draft] = []

    def add(self, fragment: dict[str, Json]) -> CallPiece | None:
        """Take one fragment as OpenAI writes them, and return what is new of its call."""
        function = fragment.get("function")
        function = function if isinstance(function, dict) else fragment
        place, given = fragment.get("index"), values.text(fragment.get("id"))
        name = values.text(function.get("name"))
        new = _text(function.get("arguments"))
        draft = self._find(place, given, name, new)
        if draft is None:
            draft = _Draft(place)
            self._drafts.append(draft)
        draft.id = draft.id or given
        if name and name != draft.name:
            draft.name += name
        draft.written.append(new)
        if not (new or name):
            return None
        return CallPiece(self._drafts.index(draft), draft.name, new)

    def _find(self, place: Json, given: str, name: str, new: str) -> _Draft | None:
        """Return the call that a fragment goes on with; None when a new one begins."""
        if isinstance(place, int):
            same = [draft for draft in self._drafts if draft.place == place]
        elif given:
            same = [draft for draft in self._drafts if draft.id == given]
            return same[-1] if same else self._unnamed()
        else:
            same = self._drafts
            if same and name and same[-1].name and _is_closed(same[-1].arguments):
                return None
        return None if not same or _begins(same[-1], given, name, new) else same[-1]

    def _unnamed(self) -> _Draft | None:
        """Return the last call if it has no id yet: an id may come after the name."""
        last = self._drafts[-1] if self._drafts else None
        is_open = last is not None and not last.id and not last.arguments
        return last if is_open else None

    def calls(self) -> tuple[ToolCall, ...]:
        """Return the calls; ids are all different, and arguments are JSON text as it came."""
        found: list[ToolCall] = []
        taken: set[str] = set()
        for draft in self._drafts:
            if not draft.name and not draft.arguments.strip():
                continue
            own = draft.id if draft.id and draft.id not in taken else new_id()
            taken.add(own)
            found.append(ToolCall(own, draft.name, draft.arguments or "{}"))
        return tuple(found)


def _begins(draft: _Draft, given: str, name: str, new: str) -> bool:
    """Say whether a fragment in the place of a call starts another one.

    Some servers give every call the same index; then a second id, or a name after arguments that
    are whole, tells them apart.
    """
    if given and draft.id:
        return given != draft.id
    if not name or not draft.arguments:
        return False
    return name != draft.name or (bool(new) and _is_whole(draft.arguments))


def _is_closed(arguments: str) -> bool:
    return not arguments or _is_whole(arguments)


def _is_whole(arguments: str) -> bool:
    try:
        decode(arguments)
    except NotJson:
        return False
    return True


def _text(arguments: Json) -> str:
    """Return arguments as JSON text; some services send the object itself."""
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else encode(arguments)
