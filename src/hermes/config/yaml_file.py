"""Read config.yaml with the line of every key; loaded only when there is such a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hermes.base.errors import ConfigError
from hermes.base.yaml_lines import read as read_documents


def read(file: Path) -> tuple[dict[str, Any], dict[str, int]]:
    """Return a file's mapping and the line of each dotted key in it.

    Raises:
        ConfigError: the file cannot be read or is not one YAML mapping.
    """
    return parse(text_of(file), file)


def text_of(file: Path) -> str:
    """Return a file's text with its line ends as they are; nothing when there is no file."""
    try:
        return file.read_bytes().decode() if file.exists() else ""
    except (OSError, UnicodeError) as error:
        raise ConfigError(
            f"cannot be read: {error}", file=file, hint="It must be UTF-8 text."
        ) from error


def parse(text: str, file: Path) -> tuple[dict[str, Any], dict[str, int]]:
    """Return a text's mapping and the line of each dotted key in it.

    Raises:
        ConfigError: the text is not one YAML mapping; says on which line.
    """
    documents = read_documents(text, file=file)
    if not documents:
        return {}, {}
    first = documents[0]
    if len(documents) > 1 or not isinstance(first.value, dict):
        raise ConfigError(
            "expected settings as 'section:' with 'key: value' beneath it",
            file=file,
            line=documents[-1].first_line,
            hint="Start with a line such as 'tools:', and keep everything in one document.",
        )
    return first.value, {".".join(map(str, path)): line for path, line in first.lines.items()}
