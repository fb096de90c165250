"""``hermes completion``: scripts for the shells, and the answers those scripts ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hermes.base.errors import HermesError
from hermes.base.optional import load
from hermes.cli import output
from hermes.cli.command import COMMANDS, Argument, Command, argument
from hermes.cli.commands import entry

if TYPE_CHECKING:
    from argparse import Namespace

    from hermes.app import Runtime

Candidates = Iterator[tuple[str, str]]

BASH = """\
_hermes() {
  local line="${COMP_LINE:0:COMP_POINT}" words cur cut
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  cur="${words[${#words[@]}-1]}"
  cut="${cur%"${cur##*[=:]}"}"
  local IFS=$'\\n'
  COMPREPLY=($("${1/#\\~/$HOME}" completion --complete "${words[@]:1}" 2>/dev/null | cut -f1))
  COMPREPLY=("${COMPREPLY[@]#"$cut"}")
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
}
complete -o default -F _hermes hermes
"""
ZSH = """\
#compdef hermes
_hermes() {
  local line word
  local -a found open
  local answer="$(${(Q)~words[1]} completion --complete "${(@)words[2,CURRENT]}" 2>/dev/null)"
  for line in "${(@f)answer}"; do
    word="${line%%$'\\t'*}"
    [[ -z $word ]] && continue
    if [[ $word == *= ]]; then open+=("$word"); else
      found+=("${word//:/\\\\:}:${line#*$'\\t'}")
    fi
  done
  (( $#found )) && _describe 'hermes' found
  (( $#open )) && compadd -S '' -- "${open[@]}"
  (( $#found + $#open )) || _files
}
if [[ $funcstack[1] == _hermes ]]; then _hermes "$@"; else compdef _hermes hermes; fi
"""
FISH = """\
complete -c hermes -f
function __hermes
  set -l words (commandline -opc)
  set -l typed (string replace -r '^~' $HOME -- $words[1])
  $typed completion --complete $words[2..] (commandline -ct) 2>/dev/null
end
complete -c hermes -a '(__hermes)'
"""
SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}


def print_script(options: Namespace) -> int:
    """Print the script of a shell."""
    print(SCRIPTS[options.shell], end="")
    return 0


def answer(words: list[str]) -> int:
    """Print what may follow the words, the last of which is being typed."""
    try:
        found = sorted(set(candidates(words)))
    except HermesError:  # a shell in the middle of a line is no place for an error
        return 1
    output.print_lines(f"{word}\t{help}" for word, help in found)
    return 0


def candidates(words: list[str]) -> Candidates:
    """Yield what the last word may become, with a few words of help."""
    *before, current = words or [""]
    for word, help in _possible(before, current):
        if word.startswith(current):
            yield word, help


def _possible(before: list[str], current: str) -> Candidates:
    if not before:
        yield from COMMANDS.items()
        return
    if before[0] not in COMMANDS:
        return
    found = entry(before[0])
    if isinstance(found, Command):
        yield from _arguments(found, before[1:], current)
    elif len(before) == 1:
        yield from ((command.name, command.summary) for command in found.commands)
    else:
        command = found.find(before[1])
        if command is not None:
            yield from _arguments(command, before[2:], current)


def _arguments(command: Command, given: list[str], current: str) -> Candidates:
    options = {flag: each for each in command.arguments if each.is_option for flag in each.flags}
    if given and given[-1] in options and options[given[-1]].takes_value:
        yield from _values(options[given[-1]], given, current)
        return
    if current.startswith("-"):
        yield from ((flag, each.help) for flag, each in options.items())
        return
    typed = _positionals(given, options)
    slots = [each for each in command.arguments if not each.is_option]
    if slots and (len(typed) < len(slots) or slots[-1].parsing.get("nargs") in {"*", "+"}):
        yield from _values(slots[min(len(typed), len(slots) - 1)], typed, current)


def _positionals(given: list[str], options: Mapping[str, Argument]) -> list[str]:
    typed: list[str] = []
    skip = False
    for word in given:
        if skip or word.startswith("-"):
            skip = word in options and options[word].takes_value and not skip
        else:
            typed.append(word)
    return typed


def _values(slot: Argument, typed: list[str], current: str) -> Candidates:
    for choice in slot.parsing.get("choices", ()):
        yield str(choice), ""
    if slot.complete == "setting":
        declare, settings = load("hermes.config.declare"), load("hermes.config.settings")
        yield from ((key, each.help) for key, each in declare.walk(settings.Settings))
    elif slot.complete == "environment":
        yield from ((each.name, each.about) for each in load("hermes.app.backends").every())
    elif slot.complete == "check":
        checks = load("hermes.environments.conformance").CHECKS
        yield from ((each.name, each.promise) for each in checks)
    elif slot.complete == "checkpoint":
        with load("hermes.cli.checkpoints").kept() as keeper:
            yield from ((one.id, one.what or one.tool) for one in keeper.store.all())
    elif slot.complete == "model":
        yield from _models()
    elif slot.complete == "server":
        servers = load("hermes.config.load").load().mcp_servers
        yield from ((name, each.command or each.url or "") for name, each in servers.items())
    elif slot.complete == "session":
        with load("hermes.cli.conversed").kept() as sessions:
            yield from ((each.id, each.name) for each in sessions.list(limit=100))
    elif slot.complete:
        with load("hermes.app").Runtime() as runtime:
            yield from list(_KINDS[slot.complete](runtime, typed, current))


def _models() -> Candidates:
    models = load("hermes.app.models")
    environment = load("hermes.config.environment").live()
    for each in models.find_models(load("hermes.config.load").load(), environment):
        yield from ((f"{each.provider}:{one}", each.source) for one in each.models)
    yield models.BUILTIN, "an offline demo brain"


def _tools(runtime: Runtime, typed: list[str], current: str) -> Candidates:  # noqa: ARG001 - all kinds are asked alike
    for each in runtime.registry.entries():
        yield each.name, each.toolset


def _toolsets(runtime: Runtime, typed: list[str], current: str) -> Candidates:  # noqa: ARG001 - all kinds are asked alike
    for name, toolset in runtime.toolsets.get_all().items():
        yield name, toolset.description


def tool_arguments(runtime: Runtime, typed: list[str], current: str) -> Candidates:
    """Yield what a word behind a tool's name may become: its parameters, and what they may be."""
    found = runtime.registry.get(typed[0]) if typed else None
    if found is None:
        return
    properties: dict[str, Any] = found.parameters.get("properties", {})
    name, equals, _ = current.partition("=")
    if equals:
        yield from ((f"{name}={word}", "") for word in _words(properties.get(name, {})))
        return
    for name, schema in properties.items():
        yield f"{name}=", str(schema.get("description", "")).partition("\n")[0]


def _words(schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield the words a parameter may be: its enum, the enum of its items, true and false."""
    for part in (schema, schema.get("items", {}), *schema.get("anyOf", ())):
        if isinstance(part, Mapping):
            yield from (str(value) for value in part.get("enum", ()))
            if part.get("type") == "boolean":
                yield from ("false", "true")


_KINDS: dict[str, Callable[[Any, list[str], str], Candidates]] = {
    "tool": _tools,
    "toolset": _toolsets,
    "arguments": tool_arguments,
}

ENTRY = Command(
    "completion",
    "Print a completion script for your shell.",
    print_script,
    (argument("shell", help="Which shell.", choices=list(SCRIPTS), metavar="SHELL"),),
    (
        "hermes completion bash >> ~/.bashrc",
        "hermes completion zsh > ~/.zfunc/_hermes",
        "hermes completion fish > ~/.config/fish/completions/hermes.fish",
    ),
)
