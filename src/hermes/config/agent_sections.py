"""The settings of what an agent has beyond its tools: memory, questions, children, other models."""

from __future__ import annotations

from hermes.config.declare import Section, Setting
from hermes.config.kinds import Flag, Names, OneOf, Seconds, Text, Whole


class Agent(Section):
    """How the agent works."""

    __slots__ = ()
    max_rounds = Setting(
        90, Whole(), "How often the model is asked in one turn, children included; 0 has no limit."
    )
    max_tokens = Setting(
        0, Whole(), "How many tokens one turn may cost, children included; 0 has no limit."
    )
    compact_percent = Setting(
        75,
        Whole(minimum=10),
        "How full the model's window may get before older messages are summed up.",
    )
    record = Setting(True, Flag(), "Keep conversations, to resume and to search them.")


class Memory(Section):
    """What is remembered between sessions, in MEMORY.md and USER.md."""

    __slots__ = ()
    memory_chars = Setting(4_000, Whole(minimum=200), "Room for notes, in characters.")
    user_chars = Setting(2_000, Whole(minimum=200), "Room for facts about you, in characters.")


class Clarify(Section):
    """Questions that the model asks you."""

    __slots__ = ()
    timeout_seconds = Setting[float](
        3_600, Seconds(), "How long a question waits; then the model decides by itself."
    )


class Delegation(Section):
    """Children that work on parts of a task."""

    __slots__ = ()
    at_once = Setting(3, Whole(minimum=1), "Children of one agent that work at once.")
    max_depth = Setting(
        2, Whole(minimum=1), "How deep children may have children, where they may at all."
    )
    max_rounds = Setting(50, Whole(minimum=1), "How often a child asks its model at most.")
    timeout_seconds = Setting[float](3_600, Seconds(), "How long a child may work.")
    summary_chars = Setting(
        8_000, Whole(minimum=200), "How much of a child's report its parent is shown."
    )
    model = Setting(None, Text(), "The model of children; without one, that of their parent.")
    withheld = Setting(
        ("delegate_task", "clarify", "memory", "send_message", "execute_code"),
        Names(),
        "Tools and toolsets that children never have.",
    )
    approvals = Setting(
        "ask",
        OneOf("ask", "deny"),
        "What becomes of a child's call that needs a yes: you are asked, or it is denied.",
    )


class Mixture(Section):
    """Several models that answer one question together."""

    __slots__ = ()
    models = Setting(
        (), Names(), "The models that are asked; without any, the agent's own, three times."
    )
    aggregator = Setting(
        None, Text(), "The model that makes one answer of theirs; without one, the agent's own."
    )
    timeout_seconds = Setting[float](300, Seconds(), "How long one answer is waited for.")
