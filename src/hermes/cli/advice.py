"""Tell a person what to do about a configuration that cannot be read."""

from __future__ import annotations

from hermes.base.errors import ConfigError, HermesError
from hermes.config.environment import snapshot
from hermes.config.load import home_folder
from hermes.config.settings import FILE_NAME

_EDIT = "hermes config edit"
_LIST = "hermes config list"


def on(error: ConfigError) -> HermesError:
    """Return an error whose hint leads to the editor when config.yaml itself is at fault.

    While the file is broken, no command that reads it can help; the editor and the doctor can.
    """
    file = f"{home_folder(None, snapshot())}/{FILE_NAME}"
    hint = error.hint or ""
    if file not in error.message or _EDIT in hint:
        return error
    if hint and hint[-1] not in ".?!":
        hint += "."
    place = f"line {error.line} of {file}" if error.line else file
    kept = "" if _LIST in hint else hint
    told = HermesError(error.message, hint=f"{kept} Mend {place} with '{_EDIT}'.".lstrip())
    told.code = error.code
    return told
