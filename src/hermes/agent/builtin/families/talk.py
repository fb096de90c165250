"""Talk about the brain itself, and what no tool can do."""

from __future__ import annotations

from hermes.agent.builtin.said import Said
from hermes.agent.builtin.steps import Hands, Steps
from hermes.agent.builtin.weights import advice

WHO = (
    "I am hermes:builtin, an offline demo brain: no language model, only rules that map plain "
    "requests onto the tools here. For real work choose a model: `hermes model list`."
)
EXAMPLES = (
    "list the python files here",
    "search TODO in src",
    "read README.md",
    "show the last 5 commits",
    "run the tests",
    "what is eating my disk?",
    "replace foo with bar in a.py",
    "zip the docs folder",
    "fetch https://example.com and give me the headings",
    "remember that I prefer tabs",
)


def _say(text: str) -> Steps:
    yield from ()  # a generator that calls nothing
    return text


def hello(said: Said, hands: Hands) -> Steps:
    """Greet."""
    return (yield from _say(f"Hello. {WHO} Try: {EXAMPLES[0]} · {EXAMPLES[5]} · {EXAMPLES[4]}"))


def who_are_you(said: Said, hands: Hands) -> Steps:
    """Say what this is."""
    return (yield from _say(WHO))


def abilities(said: Said, hands: Hands) -> Steps:
    """Say what can be asked."""
    install = advice()
    more = f"\nTo have me guess better when words are unusual: {install}" if install else ""
    tools = ", ".join(sorted(hands.tools)) or "none"
    lines = "\n".join(f"- {example}" for example in EXAMPLES)
    return (
        yield from _say(
            f"{WHO}\nI can work with files, search, commands, git and this machine. Ask "
            f"like this:\n{lines}\nTools on offer: {tools}{more}"
        )
    )


def thanks(said: Said, hands: Hands) -> Steps:
    """Take thanks."""
    return (yield from _say("You are welcome."))


def undo(said: Said, hands: Hands) -> Steps:
    """Say how changes are taken back."""
    return (
        yield from _say(
            "To undo the last change that tools made to files, type /undo here, or run "
            "`hermes undo` in a terminal; it shows what it does first."
        )
    )


def cannot(said: Said, hands: Hands) -> Steps:
    """Say that this needs a language model."""
    return (yield from _say(f"I cannot do that. {WHO}"))
