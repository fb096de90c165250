"""What a client speaks and can do."""

from __future__ import annotations

from hermes.mcp.serving.wire import Wire, is_modern

CAPABILITIES = {
    "elicitation/create": "elicitation",
    "sampling/createMessage": "sampling",
    "roots/list": "roots",
}
"""What a client must be able to do to be asked with a method."""


class Client:
    """What a client speaks and can do: of a connection, or of one request in the modern era."""

    __slots__ = ("capabilities", "info", "level", "subscribed", "task_id", "version")

    def __init__(self, version: str, capabilities: Wire, info: Wire, task_id: str) -> None:
        self.version = version
        self.capabilities = capabilities
        self.info = info
        self.task_id = task_id
        self.level: str | None = None
        """The least level of what is logged that it wants; None means nothing."""
        self.subscribed: set[str] = set()
        """The resources it wants to hear of."""

    @property
    def is_modern(self) -> bool:
        """Whether it speaks the era without handshakes."""
        return is_modern(self.version)

    def can(self, capability: str) -> bool:
        """Say whether it declared that it can be asked for something; forms for elicitation."""
        declared = self.capabilities.get(capability)
        if not isinstance(declared, dict):
            return False
        return capability != "elicitation" or not declared or "form" in declared

    @property
    def can_be_asked(self) -> bool:
        """Whether it can be asked for anything at all."""
        return any(map(self.can, CAPABILITIES.values()))
