"""Let harmless records through at once, and have the others made harmless."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from typing import Any

from hermes.base.digests import digest_of_text
from hermes.base.redact import Redactor, is_secret_name
from hermes.runtime.journal.records import careful, encode

log = logging.getLogger(__name__)

SHORT = 1_500  # bytes; a longer record may hold a text that must be cut
_LONGEST_ID = 20
_MOST_NAMES = 10_000
_SCALARS = frozenset({int, float, bool, type(None)})
_OWN_ID = re.compile(r"[0-9a-f]{8}-(?=[0-9]{1,11}\Z)")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*+)"(:?)')
_LABELS = ("name", "key")


class Screen:
    """Know what was harmless before: names of arguments, ids, and texts that come again."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._ordinary: set[str] = set()
        self._own_ids = "\0"

    def passes(self, record: Sequence[Any]) -> bool:
        """Say that the record of a call that only read is harmless; False means: look closer."""
        call, task, _, tool, arguments, changes, _, _, _, _, detail, _ = record
        redactor = self._redactor
        clean = redactor.clean
        is_own = call.startswith(self._own_ids) and len(call) <= _LONGEST_ID
        if (
            task not in clean
            or tool not in clean
            or not self._ordinary.issuperset(arguments)
            or not (is_own or redactor.suspect_text(call) is None)
            or (changes and not self._is_clean(changes))
            or (detail is not None and not redactor.is_clean(detail))
        ):
            return False
        for value in arguments.values():
            if type(value) is str:
                if value not in clean and not redactor.is_clean(value):
                    return False
            elif type(value) not in _SCALARS and not self._is_clean(value):
                return False
        return True

    def encoded(
        self, record: Sequence[Any], digest: Callable[[str], str] = digest_of_text
    ) -> bytes:
        """Return any record encoded, with what is secret in it replaced."""
        try:
            if not _is_long(record[4]):
                data = encode(record)
                if len(data) <= SHORT and self._is_harmless(record):
                    return data
        except Exception as error:  # an argument's own code may raise anything
            log.debug("journal: a record needs care: %s", type(error).__name__)
        return careful(record, self._redactor, digest)

    def _is_harmless(self, record: Sequence[Any]) -> bool:
        call, *others = record
        if self._redactor.text(call) != call or not all(map(self._is_field_clean, others)):
            return False
        if own := _OWN_ID.match(call):
            self._own_ids = own[0]  # how the ids begin that the runtime itself gives out
        return True

    def _is_field_clean(self, field: Any) -> bool:
        if type(field) is not dict or not self._ordinary.issuperset(field):
            return self._is_clean(field)
        return all(
            self._redactor.is_clean(value) if type(value) is str else self._is_clean(value)
            for value in field.values()
        )

    def _is_clean(self, field: Any) -> bool:
        if type(field) is str:
            return self._redactor.is_clean(field)
        if type(field) in _SCALARS:
            return True
        data = encode(field)
        if self._redactor.suspect(data) is not None:
            return False
        return b"{" not in data or self._are_ordinary(data.decode())

    def _are_ordinary(self, text: str) -> bool:
        """Say whether nothing in a JSON text, however deep, stands under a secret's name."""
        label = ""
        for word, colon in _STRING.findall(text):
            if colon:
                if word not in self._ordinary and not self._is_ordinary(word):
                    return False
                label = word
            elif label in _LABELS and is_secret_name(word):
                return False
        return True

    def _is_ordinary(self, name: str) -> bool:
        if is_secret_name(name) or not self._redactor.is_clean(name):
            return False
        # A pair such as {"name": "DB_TOKEN", "value": …} is never let through at once.
        if name != "value" and len(self._ordinary) < _MOST_NAMES:
            self._ordinary.add(name)
        return True


def _is_long(arguments: Any) -> bool:
    """Say at a glance that a record is too long to be kept whole."""
    return type(arguments) is dict and any(
        type(value) is str and len(value) > SHORT for value in arguments.values()
    )
