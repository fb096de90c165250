"""Write docs/reference from the code: tools, toolsets, settings and commands.

``python -m hermes.cli.reference`` writes the pages; with ``--check`` it writes nothing and fails
with a difference when one is stale.
"""

from __future__ import annotations

import argparse
import difflib
import sys
import tempfile
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from hermes.app import Runtime
from hermes.cli.command import COMMANDS, Command, Group
from hermes.cli.commands import entry
from hermes.cli.describe import parameters_of
from hermes.config.declare import Part, Section, Setting
from hermes.config.load import default, variable
from hermes.config.settings import DEFAULT_HOME, Settings
from hermes.runtime.entry import ToolEntry

FOLDER = Path("docs/reference")
_NOTE = "<!-- Written by `python -m hermes.cli.reference`; do not edit. -->"


def main(argv: list[str] | None = None) -> int:
    """Write or check the pages; return 1 when a check finds one stale."""
    parser = argparse.ArgumentParser(prog="python -m hermes.cli.reference", description=__doc__)
    parser.add_argument("--check", action="store_true", help="only compare, and fail when stale")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the pages are")
    options = parser.parse_args(argv)
    made = pages()
    if options.check:
        stale = [line for name, text in made.items() for line in _diff(options.folder / name, text)]
        sys.stdout.writelines(stale)
        return 1 if stale else 0
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, text in made.items():
        (options.folder / name).write_text(text, encoding="utf-8")
    return 0


def pages() -> dict[str, str]:
    """Return every page by its file name; the same on every machine."""
    with (
        tempfile.TemporaryDirectory() as home,
        Runtime(config={"home": home, "journal.enabled": False}) as runtime,
    ):
        return {
            "tools.md": _page("Tools", tools(runtime)),
            "toolsets.md": _page("Toolsets", toolsets(runtime)),
            "config.md": _page("Settings", settings()),
            "cli.md": _page("Command line", commands()),
        }


def tools(runtime: Runtime) -> Iterator[str]:
    """Yield the page of the built-in tools, by toolset."""
    built_in = [each for each in runtime.registry.entries() if each.source == "builtin"]
    built_in.sort(key=lambda each: (each.toolset, each.name))
    toolsets = runtime.toolsets.get_all()
    for toolset, members in groupby(built_in, key=lambda each: each.toolset):
        yield f"## {toolset}"
        yield toolsets[toolset].description
        for each in members:
            yield from _tool(each)


def _tool(each: ToolEntry) -> Iterator[str]:
    yield f"### {each.name}"
    yield each.description
    effects = each.all_effects()
    facts = {
        "Also called": ", ".join(f"`{alias.name}`" for alias in each.aliases),
        "Permissions": ", ".join(f"`{name}`" for name in each.all_permissions()),
        "Effects": "undeclared" if effects is None else ", ".join(effects),
        "Needs": ", ".join(f"`{name}`" for name in (*each.requires_env, *each.requires_bin)),
        "Extra": f"`{each.requires_extra}`" if each.requires_extra else "",
    }
    yield "\n".join(f"- {name}: {value}" for name, value in facts.items() if value)
    rows = parameters_of(each.parameters)
    if rows:
        head = ("parameter", "type", "required or default", "about")
        yield _table(head, [(f"`{name}`", kind, need, about) for name, kind, need, about in rows])


def toolsets(runtime: Runtime) -> Iterator[str]:
    """Yield the page of the toolsets."""
    rows = []
    for name, toolset in runtime.toolsets.get_all().items():
        members = ", ".join(f"`{tool}`" for tool in runtime.toolsets.resolve(name))
        includes = ", ".join(f"`{other}`" for other in toolset.includes)
        rows.append((f"`{name}`", toolset.description, includes, members))
    yield "`all` (or `*`) is every tool. A toolset's tools are its own and those it includes."
    yield _table(("toolset", "about", "includes", "tools here"), rows)


def settings() -> Iterator[str]:
    """Yield the page of the settings."""
    yield (
        "Each setting is taken from the last of these that names it: its default, "
        f"`config.yaml` in the home folder, its environment variable. `HERMES_HOME` chooses the "
        f"home folder (`{DEFAULT_HOME}`)."
    )
    top = [(key, each) for key, each in Settings.members.items() if isinstance(each, Setting)]
    for key, member in Settings.members.items():
        if isinstance(member, Part):
            yield f"## {key}"
            yield str(member.section.__doc__)
            yield _settings_table(member.section, f"{key}.")
    for key, setting in top:
        yield f"## {key}"
        yield f"{setting.help} Kind: {setting.kind.words}."


def _settings_table(section: type[Section], prefix: str) -> str:
    rows = [
        (
            f"`{prefix}{key}`",
            each.kind.words,
            f"`{default(each)}`",
            f"`{variable(prefix + key)}`",
            each.help,
        )
        for key, each in section.members.items()
        if isinstance(each, Setting)
    ]
    return _table(("setting", "kind", "default", "variable", "about"), rows)


def commands() -> Iterator[str]:
    """Yield the page of the commands."""
    yield "Exit codes: 0 success, 1 failure, 2 usage or configuration, 3 denied, 130 interrupted."
    for name in COMMANDS:
        found = entry(name)
        yield f"## hermes {name}"
        yield found.summary
        if isinstance(found, Group):
            for command in found.commands:
                path = f"hermes {name} {command.name}"
                yield f"### {path}"
                yield command.summary
                yield from _command(command, path)
        else:
            yield from _command(found, f"hermes {name}")


def _command(command: Command, path: str) -> Iterator[str]:
    yield f"```sh\n{command.usage(path)}\n```"
    rows = [(f"`{each.shown()}`", each.help) for each in command.arguments]
    if rows:
        yield _table(("argument", "about"), rows)
    if command.examples:
        yield "```sh\n{}\n```".format("\n".join(command.examples))


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    names = list(head)
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join(f"| {' | '.join(_cell(field) for field in line)} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _page(title: str, blocks: Iterable[str]) -> str:
    return "\n\n".join([f"# {title}", _NOTE, *(block for block in blocks if block)]) + "\n"


def _diff(file: Path, text: str) -> list[str]:
    old = file.read_text(encoding="utf-8") if file.exists() else ""
    return list(
        difflib.unified_diff(
            old.splitlines(keepends=True),
            text.splitlines(keepends=True),
            str(file),
            f"{file} (as the code says)",
        )
    )


if __name__ == "__main__":
    sys.exit(main())
