"""Which slash commands there are, and what may follow each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from hermes.base.optional import load
from hermes.cli.chat import slash_talk, slash_tools
from hermes.cli.chat.completing import Named
from hermes.cli.chat.slash import Slash

if TYPE_CHECKING:
    from hermes.cli.chat.slash import Chat

COMMANDS = {
    "help": Slash("", "Show the commands and the keys.", slash_talk.help),
    "tools": Slash("[WORDS]", "List the tools on offer, or find some.", slash_tools.tools),
    "toolsets": Slash("[NAME]", "List the toolsets, or the tools of one.", slash_tools.toolsets),
    "call": Slash("TOOL [KEY=VALUE …]", "Call a tool by hand.", slash_tools.call),
    "show": Slash("[N]", "Show all of a call: the last, or number N.", slash_tools.show),
    "model": Slash("[NAME]", "Show the models, or change to another.", slash_talk.model),
    "profile": Slash("[NAME]", "Show the permission profiles, or change.", slash_talk.profile),
    "sessions": Slash("[WORDS]", "List earlier conversations.", slash_talk.sessions),
    "resume": Slash("[ID]", "Go on with one: the last, or ID.", slash_talk.resume),
    "new": Slash("", "Begin a new conversation.", slash_talk.new),
    "undo": Slash("[files]", "Take back the last turn, and what it changed.", slash_talk.undo),
    "compact": Slash("", "Make the conversation shorter.", slash_talk.compact),
    "todo": Slash("", "Show what the agent has to do.", slash_talk.todo),
    "cost": Slash("", "Show what the conversation cost.", slash_talk.cost),
    "quit": Slash("", "Leave; so does Ctrl-D.", slash_talk.leave),
}


def words_after(chat: Chat) -> Mapping[str, Callable[[list[str], str], Named]]:
    """Return what may follow the commands of a chat."""

    def calling(typed: list[str], current: str) -> Named:
        runtime = chat.seat.runtime
        if not typed:
            return [(each.name, each.toolset) for each in runtime.registry.entries()]
        found: Named = load("hermes.cli.completion").tool_arguments(runtime, typed, current)
        return found

    def toolsets(typed: list[str], current: str) -> Named:
        del typed, current
        every = chat.seat.runtime.toolsets.get_all()
        return [(name, each.description) for name, each in every.items()]

    def profiles(typed: list[str], current: str) -> Named:
        del typed, current
        known = load("hermes.app.profiles").known_profiles(chat.seat.runtime.settings)
        return [(name, each.description) for name, each in sorted(known.by_name.items())]

    def shown(typed: list[str], current: str) -> Named:
        del typed, current
        return [(str(each.number), f"{each.name} {each.what}") for each in chat.seat.work.calls]

    def models(typed: list[str], current: str) -> Named:
        del typed, current
        runtime = chat.seat.runtime
        found = load("hermes.app.models").find_models(runtime.settings, runtime.environment)
        known = [(f"{each.provider}:{one}", each.source) for each in found for one in each.models]
        return [*known, (load("hermes.cli.chat.seat").BUILTIN, "an offline demo brain")]

    def sessions(typed: list[str], current: str) -> Named:
        del typed, current
        past = load("hermes.cli.chat.past")
        return [(each.id, each.name) for each in past.sessions_of(chat.seat).list(limit=30)]

    return {
        "call": calling,
        "toolsets": toolsets,
        "profile": profiles,
        "show": shown,
        "model": models,
        "resume": sessions,
    }
