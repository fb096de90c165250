"""Answer what servers ask: our model a question, the person a form, the folder of the task.

Everything is limited, everything is shown to the person as the server's words, and where nobody is
there to say yes, the answer is no.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from contextlib import aclosing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import mcp_types as types

from hermes.base.errors import Denied, HermesError
from hermes.base.messages import Media, Message
from hermes.base.text import harmless, plural
from hermes.config.servers import ServerSettings
from hermes.llm.contract import Model, Reply, Request
from hermes.mcp.consent import BY_PERSON, BY_POLICY, agree
from hermes.mcp.forms import Refused, defaults_of, filled, form_of
from hermes.mcp.people import Form, Limits, People
from hermes.policy.urls import UrlRules, is_private, judge
from hermes.policy.urls import parse as parse_url

_REFUSED = -1
"""What the protocol's own examples answer for a person who said no."""
_FORBIDDEN = -32_000
_FORM_TRIES = 3
_FORM_SECONDS = 600.0
_QUESTIONS_PER_MINUTE = 20
_STOPS = {"end": "endTurn", "length": "maxTokens", "filter": "endTurn", "calls": "endTurn"}
_log = logging.getLogger("hermes.mcp")


class Asking:
    """Answer the requests of one server."""

    def __init__(self, server: str, settings: ServerSettings, people: People) -> None:
        self._server = server
        self._settings = settings
        self._people = people
        self._limits = people.limits or Limits()
        self._turn = asyncio.Lock()

    async def sample(
        self, _context: Any, params: types.CreateMessageRequestParams
    ) -> types.CreateMessageResult | types.ErrorData:
        """Put a server's question to a model, once the person has said yes."""
        limits = self._settings.sampling
        if not limits.enabled:
            return _no(f"sampling is off; mcp_servers.{self._server}.sampling.enabled opens it")
        if params.tools:
            return _no("a model that is asked this way is given no tools")
        if not self._limits.admits("sampling", limits.per_minute):
            return _no(f"more than {plural(limits.per_minute, 'question')} in a minute")
        tokens = max(1, min(params.max_tokens, limits.max_tokens))
        try:
            messages = _conversation(params)
            model = await self._model(_wished(params, limits.allowed_models) or limits.model or "")
            await self._agreed("sampling", _shown_sample(params, model, tokens), BY_POLICY)
            temperature, stop = params.temperature, tuple(params.stop_sequences or ())
            asked = Request(messages, temperature=temperature, max_tokens=tokens, stop=stop)
            async with asyncio.timeout(self._settings.timeout):
                reply = await _answer(model, asked)
        except Denied as error:
            return types.ErrorData(code=_REFUSED, message=error.message)
        except TimeoutError:
            return _no("the model did not answer in time")
        except (HermesError, ValueError) as error:
            return _no(harmless(str(error), limit=500))
        _log.info("%s asked %s: %s", self._server, model.name, reply.usage)
        return types.CreateMessageResult(
            role="assistant",
            content=types.TextContent(type="text", text=reply.text),
            model=model.name,
            stop_reason=_STOPS.get(reply.stop, "endTurn"),
        )

    async def elicit(
        self, _context: Any, params: types.ElicitRequestParams
    ) -> types.ElicitResult | types.ErrorData:
        """Put a server's question to the person: a form, or an address to visit."""
        if not self._settings.elicitation:
            return types.ElicitResult(action="decline")
        if not self._limits.admits("elicitation", _QUESTIONS_PER_MINUTE):
            return types.ElicitResult(action="decline")
        async with self._turn:
            try:
                if isinstance(params, types.ElicitRequestURLParams):
                    return await self._visit(params)
                form = form_of(self._server, params.message, params.requested_schema)
                return await self._fill(form)
            except Refused as error:
                self._tell(f"{error}; it was declined")
            except Denied as error:
                self._tell(f"a question was declined: {error.message}")
            return types.ElicitResult(action="decline")

    async def roots(self, _context: Any) -> types.ListRootsResult | types.ErrorData:
        """Tell a server the folders of the task that it works for."""
        folders = self._people.workspace_of
        if not self._settings.roots or folders is None:
            return types.ListRootsResult(roots=[])
        found = [Path(folder) for folder in folders()]
        made = [{"uri": folder.absolute().as_uri(), "name": folder.name} for folder in found]
        return types.ListRootsResult.model_validate({"roots": made})

    async def _model(self, name: str) -> Model:
        if self._people.model_of is None:
            raise Denied("there is no model to ask")
        given = self._people.model_of(name)
        model: Model = await given if inspect.isawaitable(given) else given
        return model

    async def _agreed(self, what: str, shown: dict[str, Any], words: frozenset[str]) -> None:
        await agree(self._people, self._server, what, shown, words=words)

    async def _fill(self, form: Form) -> types.ElicitResult:
        show = self._people.form or getattr(self._people.approver, "form", None)
        if show is None or not form.fields:
            return await self._confirm(form)
        for _ in range(_FORM_TRIES):
            try:
                async with asyncio.timeout(_FORM_SECONDS):
                    given = await show(form)
            except TimeoutError:
                return types.ElicitResult(action="cancel")
            if given is None:
                return types.ElicitResult(action="decline")
            content, wrong = filled(form, given)
            if not wrong:
                return types.ElicitResult(action="accept", content=content)
            form = form._replace(problems=wrong)
        return types.ElicitResult(action="cancel")

    async def _confirm(self, form: Form) -> types.ElicitResult:
        """Take a yes for what the form already says, where nobody can fill it in."""
        content = defaults_of(form)
        if content is None:
            raise Denied("there is nobody who could fill in its form")
        shown = {"the server says": form.message, **({"answer": content} if content else {})}
        await self._agreed("elicitation", shown, BY_PERSON)
        return types.ElicitResult(action="accept", content=content)

    async def _visit(self, params: types.ElicitRequestURLParams) -> types.ElicitResult:
        verdict = judge(params.url, UrlRules(allow_private=True))
        if verdict.decision != "allow":
            raise Denied(f"its address is refused: {verdict.reason}")
        host = parse_url(params.url).host
        if urlsplit(params.url).scheme != "https" and not is_private(host):
            raise Denied("its address is not encrypted")
        shown = {
            "the server says": harmless(params.message),
            "opens in your browser": params.url,
            "host": host,
        }
        await self._agreed("elicitation", shown, BY_PERSON)
        if self._people.open_url is not None:
            opened = self._people.open_url(params.url)
            if inspect.isawaitable(opened):
                await opened
        return types.ElicitResult(action="accept")

    def _tell(self, text: str) -> None:
        _log.warning("%s: %s", self._server, text)
        if self._people.on_log is not None:
            self._people.on_log(self._server, "warning", text)


def _no(why: str) -> types.ErrorData:
    return types.ErrorData(code=_FORBIDDEN, message=why)


def _wished(params: types.CreateMessageRequestParams, allowed: tuple[str, ...]) -> str:
    """Return the first allowed model that the server wishes for."""
    wishes = params.model_preferences.hints if params.model_preferences else None
    for hint in wishes or ():
        name = (hint.name or "").lower()
        found = next((model for model in allowed if name and name in model.lower()), "")
        if found:
            return found
    return ""


def _conversation(params: types.CreateMessageRequestParams) -> tuple[Message, ...]:
    system = [Message("system", params.system_prompt)] if params.system_prompt else []
    return (*system, *map(_message, params.messages))


def _message(said: types.SamplingMessage) -> Message:
    texts: list[str] = []
    media: list[Media] = []
    for block in said.content_as_list:
        if isinstance(block, types.TextContent):
            texts.append(block.text)
        elif isinstance(block, (types.ImageContent, types.AudioContent)):
            kind = "image" if isinstance(block, types.ImageContent) else "audio"
            media.append(Media(kind, block.mime_type, block.data))  # type: ignore[arg-type]
        else:
            raise ValueError("a model that is asked this way is given no tools")
    return Message(said.role, "\n".join(texts), tuple(media))


def _shown_sample(
    params: types.CreateMessageRequestParams, model: Model, tokens: int
) -> dict[str, Any]:
    """Return what the person is shown of a question: all that the model will read."""
    said = [
        {"role": message.role, "text": message.text, "media": len(message.media)}
        for message in map(_message, params.messages)
    ]
    system = {"system": params.system_prompt} if params.system_prompt else {}
    return {"model": model.name, "max_tokens": tokens, **system, "messages": said}


async def _answer(model: Model, request: Request) -> Reply:
    pieces: Any = model.ask(request)
    async with aclosing(pieces):
        async for piece in pieces:
            if isinstance(piece, Reply):
                return piece
    raise ValueError("the model gave no answer")
