"""The line where a person writes; the only module of the chat that knows prompt_toolkit."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion, WordCompleter
from prompt_toolkit.document import Document
from prompt_toolkit.filters import has_completions, is_done
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.styles import Style

from hermes.cli.chat.completing import Sources, candidates
from hermes.cli.chat.greeting import mark
from hermes.cli.chat.keys import NOTHING, Typed

if TYPE_CHECKING:
    from prompt_toolkit.input import Input
    from prompt_toolkit.output import Output

_MORE = "… "
_MOST_HISTORY_BYTES = 2_000_000
_STYLE = Style.from_dict(
    {
        "prompt": "ansicyan bold",
        "more": "ansibrightblack",
        "bottom-toolbar": "noreverse nobold",
        "bar": "ansibrightblack",
        "bar.todo": "",
        "bar.full": "ansired",
        "auto-suggestion": "ansibrightblack",
        "completion-menu": "noreverse bg:default",
        "completion-menu.completion": "noreverse bg:default",
        "completion-menu.completion.current": "reverse",
        "completion-menu.meta.completion": "ansibrightblack bg:default",
        "completion-menu.meta.completion.current": "reverse",
        "scrollbar.background": "bg:default",
        "scrollbar.button": "bg:ansibrightblack",
    }
)
Bar = Callable[[], Sequence[tuple[str, str]]]


class _Words(Completer):
    """Hand on the chat's own candidates."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def get_completions(self, document: Document, event: CompleteEvent) -> Iterable[Completion]:
        """Yield what the text before the cursor may become."""
        del event
        for found in candidates(document.text_before_cursor, self._sources):
            yield Completion(found.word, -found.replaces, display_meta=found.help)


class Prompt:
    """Ask for the next message, with history, completion and as many lines as it takes."""

    def __init__(
        self,
        sources: Sources,
        bar: Bar,
        on_expand: Callable[[], None],
        *,
        history: History | None = None,
        input: Input | None = None,
        output: Output | None = None,
    ) -> None:
        self._input, self._output = input, output
        self._session: PromptSession[str] = PromptSession(
            message=[("class:prompt", mark())],
            multiline=True,
            prompt_continuation=[("class:more", _MORE)],
            history=history or InMemoryHistory(),
            auto_suggest=AutoSuggestFromHistory(),
            completer=_Words(sources),
            complete_while_typing=True,
            reserve_space_for_menu=6,
            key_bindings=_bindings(sources, on_expand),
            bottom_toolbar=lambda: list(bar()),
            style=_STYLE,
            enable_open_in_editor=True,
            input=input,
            output=output,
        )

    async def ask(self, typed: Typed = NOTHING) -> str:
        """Return what the person writes.

        Raises:
            EOFError: they leave, by Ctrl-D.
            KeyboardInterrupt: they press Ctrl-C where nothing is written.
        """
        return await self._session.prompt_async(
            default=typed.text, accept_default=typed.is_sent, handle_sigint=False
        )

    async def answer(self, words: Sequence[str]) -> str:
        """Return a short answer to a question, with words that it may be."""
        asked: PromptSession[str] = PromptSession(
            message=[("class:prompt", "  ? ")], style=_STYLE, input=self._input, output=self._output
        )
        completer = WordCompleter(list(words), sentence=True) if words else None
        return await asked.prompt_async(completer=completer, handle_sigint=False)


def _bindings(sources: Sources, on_expand: Callable[[], None]) -> KeyBindings:
    keys = KeyBindings()

    @keys.add("tab")
    def _(event: KeyPressEvent) -> None:
        _complete(event.current_buffer, sources)

    @keys.add("enter", filter=~is_done)
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.complete_state and buffer.complete_state.current_completion:
            buffer.complete_state = None
            return
        before = buffer.document.text_before_cursor
        if before.endswith("\\") and not before.endswith("\\\\"):
            buffer.delete_before_cursor()
            buffer.insert_text("\n")
        else:
            buffer.validate_and_handle()

    @keys.add("escape", "enter")
    @keys.add("c-j")
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    @keys.add("c-c")
    def _(event: KeyPressEvent) -> None:
        if event.current_buffer.text:
            event.current_buffer.reset()
        else:
            event.app.exit(exception=KeyboardInterrupt)

    @keys.add("escape", filter=has_completions, eager=True)
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.cancel_completion()

    @keys.add("c-o")
    async def _(event: KeyPressEvent) -> None:
        del event
        await run_in_terminal(on_expand)

    return keys


def _complete(buffer: Buffer, sources: Sources) -> None:
    """Put the only candidate in at once; of several, offer the next."""
    found = list(itertools.islice(candidates(buffer.document.text_before_cursor, sources), 2))
    if len(found) == 1:
        buffer.cancel_completion()
        buffer.delete_before_cursor(found[0].replaces)
        buffer.insert_text(found[0].word + ("" if found[0].word[-1] in "=/" else " "))
    elif buffer.complete_state:
        buffer.complete_next()
    else:
        buffer.start_completion(insert_common_part=True)


class _Remembered(FileHistory):
    """Keep what was written, but for lines that begin with a space."""

    def store_string(self, string: str) -> None:
        """Write a message down."""
        if not string.startswith(" "):
            super().store_string(string)


def history_in(file: Path) -> History:
    """Return the history that is kept in a file, which only its owner can read."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(file, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
    try:
        os.fchmod(descriptor, 0o600)
        _shorten(descriptor)
    finally:
        os.close(descriptor)
    return _Remembered(str(file))


def _shorten(descriptor: int) -> None:
    """Keep the newer half of a history that has become large."""
    size = os.fstat(descriptor).st_size
    if size <= _MOST_HISTORY_BYTES:
        return
    kept = os.pread(descriptor, _MOST_HISTORY_BYTES // 2, size - _MOST_HISTORY_BYTES // 2)
    start = kept.find(b"\n# ") + 1
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, kept[start:], 0)
