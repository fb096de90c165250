"""Markdown for a terminal, block by block as it is written; loads rich and markdown-it."""

from __future__ import annotations

from typing import ClassVar

from markdown_it import MarkdownIt
from pygments.token import Comment, Generic, Keyword, Literal, Name, Number, String, Token  # type: ignore[import-untyped]  # it has no types
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement, TableElement
from rich.style import Style
from rich.syntax import ANSISyntaxTheme, Syntax
from rich.table import Table
from rich.theme import Theme

CODE_THEME = ANSISyntaxTheme(
    {
        Token: Style(),
        Comment: Style(dim=True, italic=True),
        Keyword: Style(color="magenta"),
        Name.Builtin: Style(color="cyan"),
        Name.Class: Style(bold=True),
        Name.Function: Style(bold=True),
        Name.Decorator: Style(color="cyan"),
        Name.Tag: Style(color="magenta"),
        Literal: Style(color="green"),
        String: Style(color="green"),
        Number: Style(color="cyan"),
        Generic.Deleted: Style(color="red"),
        Generic.Inserted: Style(color="green"),
        Generic.Heading: Style(bold=True),
        Generic.Subheading: Style(color="cyan"),
    }
)
"""Colours that every terminal has and shows on any background."""


THEME = Theme(
    {
        "markdown.code": "cyan",
        "markdown.block_quote": "italic",
        "markdown.hr": "dim",
        "markdown.item.bullet": "dim",
        "markdown.item.number": "dim",
        "markdown.link": "underline",
        "markdown.link_url": "dim",
        "markdown.kbd": "bold",
        "markdown.table.border": "dim",
        "markdown.table.header": "bold",
    }
)


class _Code(CodeBlock):
    """Code without a box, two columns in, so that it can be copied."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = str(self.text).rstrip()
        yield Syntax(
            code,
            self.lexer_name or "text",
            theme=CODE_THEME,
            background_color="default",
            word_wrap=True,
            padding=(0, 2),
        )


class _Heading(Heading):
    """A heading that stands at the left."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text = self.text
        text.justify = "left"
        text.stylize("bold underline" if self.tag == "h1" else "bold")
        yield text


class _Table(TableElement):
    """A table without empty lines around it."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for part in super().__rich_console__(console, options):
            if isinstance(part, Table):
                part.show_edge = False
            yield part


class Rendered(Markdown):
    """Markdown in the colours of the terminal; where a link leads is written beside it."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "fence": _Code,
        "code_block": _Code,
        "heading_open": _Heading,
        "table_open": _Table,
    }

    def __init__(self, text: str) -> None:
        super().__init__(text, hyperlinks=False)


class Blocks:
    """Take Markdown as it comes, and tell which blocks of it are whole."""

    def __init__(self) -> None:
        self._parser = MarkdownIt("commonmark").enable("table")
        self.tail = ""
        """What is not whole yet."""

    def feed(self, text: str) -> str:
        """Add a piece and return the blocks that it made whole, or nothing."""
        self.tail += text
        if "\n" not in text:
            return ""
        starts = [
            token.map[0]
            for token in self._parser.parse(self.tail)
            if token.level == 0 and token.map is not None and token.nesting >= 0
        ]
        if len(starts) < 2:
            return ""
        lines = self.tail.splitlines(keepends=True)
        whole, self.tail = "".join(lines[: starts[-1]]), "".join(lines[starts[-1] :])
        return whole

    def finish(self) -> str:
        """Return what is left, and begin anew."""
        left, self.tail = self.tail, ""
        return left
