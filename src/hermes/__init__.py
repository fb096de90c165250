"""hermes: the runtime that gives a language model its hands."""

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hermes.agent.loop import Agent
    from hermes.app import Runtime, default_runtime

__version__ = "0.1.0"
__all__ = ["Agent", "Runtime", "__version__", "default_runtime"]

_HOMES = {
    "Agent": "hermes.agent.loop",
    "Runtime": "hermes.app",
    "default_runtime": "hermes.app",
}


def __getattr__(name: str) -> object:
    """Load the public names on first use, so that `import hermes` costs nothing."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'hermes' has no attribute {name!r}")
