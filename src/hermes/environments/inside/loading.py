"""Import modules that came as text, without a file anywhere."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from typing import Any, Dict, Optional


class Texts:
    """Find and load modules by their texts; a name with others below it is a package."""

    def __init__(self, texts: Dict[str, str]) -> None:
        self.texts = texts

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Optional[ModuleSpec]:
        """Say how a module is loaded, if it is one of ours."""
        del path, target
        if name not in self.texts:
            return None
        is_package = any(other.startswith(name + ".") for other in self.texts)
        return ModuleSpec(name, self, is_package=is_package)  # type: ignore[arg-type]  # it has what a loader needs

    def create_module(self, spec: ModuleSpec) -> None:
        """Leave the making of the module to Python."""

    def exec_module(self, module: Any) -> None:
        """Run a module's text."""
        name = module.__name__
        exec(compile(self.texts[name], f"<{name}>", "exec"), module.__dict__)


def install(texts: Dict[str, str]) -> None:
    """Have these modules found by ``import`` from now on."""
    sys.meta_path.insert(0, Texts(texts))
