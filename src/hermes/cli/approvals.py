"""``hermes approvals``: list, revoke and export what was approved for good."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hermes.base.errors import HermesError
from hermes.base.optional import load
from hermes.base.text import did_you_mean, escaped
from hermes.cli import output
from hermes.cli.command import JSON, Command, Group, argument
from hermes.config.load import load as load_settings
from hermes.config.load import variable
from hermes.config.settings import Settings

if TYPE_CHECKING:
    from argparse import Namespace

KEY = "command_allowlist"


def list_approvals(options: Namespace) -> int:
    """Print every permanent approval with its number and where it stands."""
    found = permanent(load_settings())
    if options.json:
        output.print_json(found)
    elif found:
        rows = [(str(one["number"]), *_shown(one)) for one in found]
        output.print_table(("no.", "what was approved", "where"), rows)
    elif output.is_terminal():
        output.write("Nothing is approved for good.")
    return 0


def _shown(approval: dict[str, Any]) -> tuple[str, str]:
    problem = approval["problem"]
    rule = escaped(approval["rule"])
    where = approval["where"].rpartition("/")[2] if output.is_terminal() else approval["where"]
    return (f"{rule} (covers nothing: it {problem})" if problem else rule, where)


def permanent(settings: Settings) -> list[dict[str, Any]]:
    """Return the permanent approvals in force: rule, number, where, and what is wrong with it."""
    lines = dict(load("hermes.config.edit_list").items(settings.file, KEY))
    return [
        {
            "number": number,
            "rule": rule,
            "where": f"{settings.file}:{lines[rule]}" if rule in lines else f"${variable(KEY)}",
            "problem": _problem(rule),
        }
        for number, rule in enumerate(settings.command_allowlist, 1)
    ]


def _problem(rule: str) -> str | None:
    try:
        load("hermes.policy.lasting").read(rule)
    except ValueError as error:
        return str(error)
    return None


def revoke_approval(options: Namespace) -> int:
    """Take a permanent approval back; the question comes again."""
    settings = load_settings()
    found = _chosen(permanent(settings), options.rule.strip())
    if found["where"].startswith("$"):
        raise HermesError(
            f"{found['rule']!r} does not stand in a file", hint=f"Unset {found['where']}."
        )
    load("hermes.config.edit_list").remove_item(settings.file, KEY, found["rule"])
    if options.json:
        output.print_json({"revoked": found["rule"], "file": str(settings.file)})
    else:
        output.write(f"revoked {escaped(found['rule'])}")
    return 0


def _chosen(approvals: list[dict[str, Any]], words: str) -> dict[str, Any]:
    """Return the approval of a number, of a rule, or of the command that a rule begins with."""
    by_start = [one for one in approvals if one["rule"].partition(" @ ")[0] == words]
    for one in approvals:
        if words in (str(one["number"]), one["rule"]):
            return one
    if len(by_start) == 1:
        return by_start[0]
    if by_start:
        hint = f"Choose by number: {', '.join(str(one['number']) for one in by_start)}."
        raise HermesError(f"{words!r} is approved in several folders", hint=hint)
    near = did_you_mean(words, [one["rule"] for one in approvals])
    hint = near or "'hermes approvals list' shows every one."
    raise HermesError(f"nothing is approved as {words!r}", hint=hint)


def export_approvals(options: Namespace) -> int:
    """Print the permanent approvals as they would stand in another config.yaml."""
    rules = list(load_settings().command_allowlist)
    if options.json:
        output.print_json({KEY: rules})
    else:
        rendered = load("hermes.config.edit").rendered
        head = f"{KEY}:" if rules else f"{KEY}: []"
        output.print_lines([head, *(f"  - {rendered(rule)}" for rule in rules)])
    return 0


ENTRY = Group(
    "approvals",
    "List, revoke and export what was approved for good.",
    (
        Command(
            "list",
            "List the permanent approvals, and where each stands.",
            list_approvals,
            (JSON,),
            ("hermes approvals list",),
        ),
        Command(
            "revoke",
            "Take a permanent approval back.",
            revoke_approval,
            (
                argument(
                    "rule",
                    help="Its number in the list, its whole rule, or the command it begins with.",
                    metavar="RULE",
                ),
                JSON,
            ),
            ("hermes approvals revoke 2", "hermes approvals revoke 'npm run build'"),
        ),
        Command(
            "export",
            "Print the permanent approvals for another config.yaml.",
            export_approvals,
            (JSON,),
            ("hermes approvals export > approvals.yaml",),
        ),
    ),
)
