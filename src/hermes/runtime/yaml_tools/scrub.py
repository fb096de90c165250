"""Take the secrets of one call out of everything that call gives back."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

from hermes.base.errors import ToolError
from hermes.base.messages import Json

MASK = "[redacted]"
_SHORTEST = 4


class Scrubber:
    """Replace secrets, in every spelling they travel in, by a mask.

    A value of fewer than four characters is left: masking it would spoil ordinary text.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        found = {form for secret in secrets for form in _forms(secret) if len(form) >= _SHORTEST}
        self._forms = sorted(found, key=len, reverse=True)

    def text(self, text: str) -> str:
        """Return a text without the secrets."""
        for form in self._forms:
            if form in text:
                text = text.replace(form, MASK)
        return text

    def value(self, value: Json) -> Json:
        """Return a JSON value whose keys and texts are without the secrets."""
        if not self._forms:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(str(key)): self.value(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, int) and str(value) in self._forms:
            return MASK
        return value

    def head(self, text: str) -> str:
        """Return a text that was cut at its end, without a secret's beginning there."""
        text = self.text(text)
        for form in self._forms:
            for size in range(min(len(form) - 1, len(text)), _SHORTEST - 1, -1):
                if text.endswith(form[:size]):
                    return text[:-size] + MASK
        return text

    def tail(self, text: str) -> str:
        """Return a text that was cut at its start, without a secret's end there."""
        text = self.text(text)
        for form in self._forms:
            for size in range(min(len(form) - 1, len(text)), _SHORTEST - 1, -1):
                if text.startswith(form[-size:]):
                    return MASK + text[size:]
        return text

    def error(self, error: ToolError) -> ToolError:
        """Return an error of the same kind without the secrets."""
        hint = None if error.hint is None else self.text(error.hint)
        extra = {key: self.value(item) for key, item in error.extra.items()}
        return type(error)(self.text(error.message), hint=hint, code=error.code, **extra)


def _forms(secret: str) -> Iterable[str]:
    for value in {secret, secret.strip()}:
        encoded = value.encode("utf-8", "replace")
        yield value
        yield quote(encoded, safe="")
        yield quote(encoded)
        yield quote_plus(encoded)
        yield json.dumps(value)[1:-1]
        yield json.dumps(value, ensure_ascii=False)[1:-1]
        yield base64.b64encode(encoded).decode().rstrip("=")
