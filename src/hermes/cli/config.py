"""``hermes config``: read and change settings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes.base.optional import load as load_module
from hermes.base.text import nearest
from hermes.cli import output
from hermes.cli.command import JSON, Command, Group, Usage, argument
from hermes.config.declare import walk
from hermes.config.environment import editor, snapshot
from hermes.config.load import declared, default, home_folder, load, variable
from hermes.config.settings import FILE_NAME, Settings

if TYPE_CHECKING:
    from argparse import Namespace

KEY = argument("key", help="A dotted key.", metavar="KEY", complete="setting")
_FIRST_LINES = "# Settings of hermes; 'hermes config list' shows every key and its default.\n"


def get_value(options: Namespace) -> int:
    """Print one setting, a section, or everything."""
    value = lookup(load().as_dict(), options.key) if options.key else load().as_dict()
    if options.json or isinstance(value, (Mapping, list)):
        output.print_json(value)
    else:
        output.write(_word(value))
    return 0


def lookup(tree: Mapping[str, Any], key: str) -> Any:
    """Return what stands under a dotted key of nested settings.

    Raises:
        Usage: there is no such key.
    """
    value: Any = tree
    for part in key.split("."):
        if not isinstance(value, Mapping) or part not in value:
            raise _unknown(key)
        value = value[part]
    return value


def _unknown(key: str) -> Usage:
    near = nearest(key, [*(name for name, _ in walk(Settings)), *Settings.members], limit=1)
    hint = f"Did you mean '{near[0]}'?" if near else "'hermes config list' shows every key."
    return Usage(f"no setting {key!r}", hint=hint)


def set_value(options: Namespace) -> int:
    """Write one setting into config.yaml; its comments and order stay."""
    edit = load_module("hermes.config.edit")
    value = edit.parse_text(options.key, options.value)
    file = _file()
    edit.set_value(file, options.key, value)
    if options.json:
        output.print_json({"key": options.key, "value": value, "file": str(file)})
    elif output.is_terminal():
        output.write(f"{options.key} = {_word(value)}  ({file})")
    _tell_of_variable(options.key)
    return 0


def _tell_of_variable(key: str) -> None:
    name = variable(key)
    if snapshot().get(name):
        output.print_note(f"{name} is set and has the last word")


def _file() -> Path:
    return Path(home_folder(None, snapshot())) / FILE_NAME


def unset_value(options: Namespace) -> int:
    """Leave one setting at its default again; comments and order of config.yaml stay."""
    key, file = options.key, _file()
    setting = declared(key)
    if setting is None:
        raise _unknown(key)
    was_set = _is_set(file, key)
    if was_set:
        load_module("hermes.config.edit").set_value(file, key, None)
    if options.json:
        output.print_json({"key": key, "was_set": was_set, "file": str(file)})
    elif output.is_terminal():
        state = "the default again" if was_set else "the default already"
        output.write(f"{key} = {default(setting)}  ({state})")
    _tell_of_variable(key)
    return 0


def _is_set(file: Path, key: str) -> bool:
    """Say whether the file gives a value to a dotted key."""
    value: Any = load_module("hermes.config.yaml_file").read(file)[0]
    for part in key.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value is not None


def print_path(options: Namespace) -> int:
    """Print where config.yaml is, or would be."""
    file = _file()
    if options.json:
        output.print_json({"path": str(file), "exists": file.exists()})
    else:
        output.write(str(file))
    return 0


def edit_file(options: Namespace) -> int:  # noqa: ARG001 - every command is given its options
    """Open config.yaml in the user's editor and check what comes back."""
    file = _file()
    code: int = load_module("hermes.cli.editor").open_in(editor(snapshot()), file, _FIRST_LINES)
    load()
    return code


def list_settings(options: Namespace) -> int:
    """Print every setting with its value, default and help."""
    tree = load().as_dict()
    rows = [
        {
            "key": key,
            "value": lookup(tree, key),
            "default": default(setting),
            "type": setting.kind.words,
            "variable": variable(key),
            "help": setting.help,
        }
        for key, setting in walk(Settings)
    ]
    if options.json:
        output.print_json(rows)
    else:
        table = [(str(row["key"]), _shown(row["value"]), str(row["help"])) for row in rows]
        output.print_table(("setting", "value", "about"), table)
    return 0


def _shown(value: Any) -> str:
    """Return a value for a column, where a long list has to be broken into lines."""
    if isinstance(value, (list, tuple)) and output.is_terminal():
        return ", ".join(value)
    return _word(value)


def _word(value: Any) -> str:
    """Return a value as one would type it for ``config set``."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return ",".join(value)
    return output.as_json(value) if isinstance(value, Mapping) else str(value)


ENTRY = Group(
    "config",
    "Read and change settings: defaults < config.yaml < environment < flags.",
    (
        Command(
            "get",
            "Print a setting, a section, or everything.",
            get_value,
            (KEY._replace(parsing={"metavar": "KEY", "nargs": "?"}), JSON),
            ("hermes config get tools.timeout_seconds",),
        ),
        Command(
            "set",
            "Write a setting into config.yaml.",
            set_value,
            (
                KEY,
                argument("value", help="The value; a list as a,b.", metavar="VALUE"),
                JSON,
            ),
            ("hermes config set tools.disabled web,browser",),
        ),
        Command(
            "unset",
            "Leave a setting at its default again.",
            unset_value,
            (KEY, JSON),
            ("hermes config unset tools.disabled",),
        ),
        Command(
            "path", "Print where config.yaml is.", print_path, (JSON,), ("hermes config path",)
        ),
        Command("edit", "Open config.yaml in your editor.", edit_file, (), ("hermes config edit",)),
        Command(
            "list",
            "List every setting with its value.",
            list_settings,
            (JSON,),
            ("hermes config list",),
        ),
    ),
)
