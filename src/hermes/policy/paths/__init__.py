"""May this path be read, written or deleted? Judged on the object it names, not on its text."""

from __future__ import annotations

from hermes.policy.paths.file_tools import file_concern
from hermes.policy.paths.judge import concern
from hermes.policy.paths.places import UNKNOWN, Concern, Places, Verb
from hermes.policy.paths.regenerable import is_regenerable

__all__ = ["UNKNOWN", "Concern", "Places", "Verb", "concern", "file_concern", "is_regenerable"]
