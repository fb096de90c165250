"""A model that calls tools in its own way if it has one, and in words if it has none."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from hermes.base.optional import load
from hermes.llm.asking import HttpModel
from hermes.llm.contract import Model, ModelError, Piece, Reply, Request
from hermes.llm.troubles import has_no_tools


class EitherWay:
    """Offer tools to a model as its service takes them, or tell it of them once that is refused.

    Calls that the model writes into its text all the same are read as calls. Closing it closes
    the model.
    """

    def __init__(self, model: HttpModel) -> None:
        self.name = model.name
        self._model = model
        self._in_words: Model | None = None

    @property
    def window(self) -> int:
        """The tokens it can read and write together; 0 when nobody knows."""
        return self._model.window

    async def ask(self, request: Request) -> AsyncGenerator[Piece, None]:
        """Put a question and yield its answer as it comes; a ``Reply`` is the last.

        Raises:
            ModelError: there is no answer, and trying again did not help.
        """
        await self._model.measure()
        if self._in_words is None and not self._model.has_tools:
            self._in_words = self._told()
        if self._in_words is None:
            try:
                async for piece in self._model.ask(request):
                    yield _read(piece, request) if isinstance(piece, Reply) else piece
            except ModelError as error:
                if not request.definitions or not has_no_tools(error.message):
                    raise
                self._in_words = self._told()
            else:
                return
        async for piece in self._in_words.ask(request):
            yield piece

    def _told(self) -> Model:
        made: Model = load("hermes.llm.dialects.text_model").TextModel(self._model)
        return made

    async def close(self) -> None:
        """Let go of the model."""
        await self._model.close()


def _read(reply: Reply, request: Request) -> Reply:
    if reply.calls or not request.definitions:
        return reply
    names = {one["function"]["name"] for one in request.definitions}
    read: Reply = load("hermes.llm.dialects.finished").with_text_calls(reply, names)
    return read
