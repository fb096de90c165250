"""Ask the person at the client's side: may this be done, and what did you mean?"""

from __future__ import annotations

import logging
from typing import Any

from hermes.base.errors import Denied
from hermes.base.text import escaped, head_and_tail
from hermes.mcp.serving.caller import Caller
from hermes.mcp.serving.talking import McpClient
from hermes.mcp.serving.wire import RpcError, Wire, is_since
from hermes.runtime.approvals import Answer, ApprovalRequest

_log = logging.getLogger("hermes.mcp.serving")
_MOST_CHARACTERS = 4_000
_TITLES_SINCE = "2025-11-25"
_CHOICES = {
    "once": "Yes, this once",
    "session": "Yes, for the rest of this session",
    "always": "Yes, always",
    "deny": "No",
}
_CONFIGURE = (
    "Use a client that supports elicitation, or allow it in hermes_permissions.yaml or with "
    "'hermes mcp serve --profile NAME'."
)


class Asking:
    """Put questions to the person whose client made the call."""

    def __init__(self, clients: McpClient) -> None:
        self._clients = clients

    async def approve(self, request: ApprovalRequest) -> Answer:
        """Ask whether a call may run, as an approver does.

        Raises:
            Denied: nobody can be asked; the words say what to configure.
        """
        caller = self._clients.of(request.call_id)
        if caller is None or not caller.client.can("elicitation"):
            raise Denied(f"{request.reason}, and this client cannot ask anybody", hint=_CONFIGURE)
        choices = {word: said for word, said in _CHOICES.items() if _is_offered(word, request)}
        try:
            content = await form(caller, question(request), "decision", "May it run?", choices)
        except RpcError as error:
            _log.warning("the client could not ask its person: %s", error.message)
            why = f"{request.reason}, and the client could not ask: {error.message}"
            raise Denied(why, hint=_CONFIGURE) from error
        word: Any = content if content in choices else "deny"
        return Answer(word)


def question(request: ApprovalRequest) -> str:
    """Return what a person is told: which tool, with what, where, and why they are asked."""
    lines = [f"May {_flat(request.tool)} do this?", ""]
    dangers = [finding.what for finding in request.findings] or [request.reason]
    lines += [f"- {_flat(text)}" for text in dict.fromkeys(dangers)]
    lines += ["", f"in: {_flat(request.cwd)}"] if request.cwd else [""]
    for name, value in request.arguments.items():
        lines.append(
            f"{_flat(str(name))}: {escaped(value if isinstance(value, str) else str(value))}"
        )
    return head_and_tail("\n".join(lines), _MOST_CHARACTERS)


async def form(
    caller: Caller, message: str, name: str, title: str, choices: dict[str, str]
) -> str | None:
    """Have the person choose one of some values, or write one where there are none."""
    is_new = is_since(caller.client.version, _TITLES_SINCE)
    field: Wire = {"type": "string", "title": title}
    if choices and is_new:
        field["oneOf"] = [{"const": word, "title": said} for word, said in choices.items()]
    elif choices:
        field |= {"enum": list(choices), "enumNames": list(choices.values())}
    schema: Wire = {"type": "object", "properties": {name: field}, "required": [name]}
    params: Wire = {"mode": "form"} if is_new else {}
    params |= {"message": message, "requestedSchema": schema}
    found = await caller.ask("elicitation/create", params)
    content = found.get("content")
    if found.get("action") != "accept" or not isinstance(content, dict):
        return None
    given = content.get(name)
    return given if isinstance(given, str) else None


def _is_offered(word: str, request: ApprovalRequest) -> bool:
    """What was not shown as a whole is approved for this one time only."""
    is_whole = len(str(request.arguments)) <= _MOST_CHARACTERS // 2
    return word in ("once", "deny") or (is_whole and (word != "always" or not request.withheld))


def _flat(text: str) -> str:
    return escaped(text).replace("\n", " ")
