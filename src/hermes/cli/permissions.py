"""``hermes permissions``: show profiles, check calls, explain verdicts."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from hermes.app import Runtime
from hermes.base.errors import ConfigError, HermesError
from hermes.base.optional import load
from hermes.cli import output
from hermes.cli.arguments import read_pairs
from hermes.cli.command import ARGUMENTS, JSON, PROFILE, Command, Group, Usage, argument

if TYPE_CHECKING:
    from argparse import Namespace

    from hermes.app.checking import Checked, Checker

EXIT_CODES = {"allow": 0, "ask": 1, "deny": 3}


def show_profiles(options: Namespace) -> int:
    """Print the profiles there are and the one in force, or the rules of one."""
    shown = load("hermes.cli.profiles_shown")
    with Runtime() as runtime:
        if options.profile is None:
            rows = shown.listed(runtime)
        else:
            rows = shown.rules(runtime, options.profile)
    if options.json:
        output.print_json(rows)
    elif options.profile is None:
        shown.print_list(rows)
    else:
        shown.print_rules(rows)
    return 0


def check_call(options: Namespace) -> int:
    """Print what the rules make of a call, or of one call for each line of standard input."""
    with _checker() as checker:
        if options.stdin:
            if options.name is not None:
                hint = 'Each line names its tool: {"tool": "terminal", "args": {"command": "ls"}}.'
                raise Usage("--stdin takes its calls from standard input", hint=hint)
            return _check_lines(checker, options)
        checked = _checked(checker, options)
    if options.json:
        output.print_json(told(checked))
    else:
        output.print_facts(_facts(checked))
    return EXIT_CODES[checked.verdict.decision]


def explain_call(options: Namespace) -> int:
    """Print why a call is allowed, asked about or denied, and how that can be changed."""
    with _checker() as checker:
        checked = _checked(checker, options)
    explained = load("hermes.cli.explained")
    if options.json:
        output.print_json({**told(checked), "levels": explained.levels(checked)})
    else:
        explained.show(checked)
    return EXIT_CODES[checked.verdict.decision]


class _checker:
    """Open a runtime that checks calls."""

    def __enter__(self) -> Checker:
        self._runtime = Runtime()
        checker: Checker = load("hermes.app.checking").Checker(self._runtime)
        return checker

    def __exit__(self, *_: object) -> None:
        self._runtime.close()


def _checked(checker: Checker, options: Namespace) -> Checked:
    if options.name is None:
        raise Usage("which tool?", hint="hermes permissions check terminal command='git status'")
    arguments = read_pairs(options.arguments)
    return checker.check(options.name, arguments, profile=options.profile, cwd=options.cwd)


def told(checked: Checked) -> dict[str, Any]:
    """Return a verdict as programs read it."""
    verdict = checked.verdict
    is_allowed = verdict.decision == "allow"
    answer: dict[str, Any] = {
        "verdict": verdict.decision,
        "reason": verdict.reason or f"profile {checked.profile.name!r} allows it",
        "rule": verdict.rule or ("allow" if is_allowed else "default"),
        "findings": [
            {
                "category": finding.category,
                "what": finding.what,
                "span": list(finding.span),
                "severity": finding.severity,
            }
            for finding in verdict.findings
        ],
        "profile": checked.profile.name,
    }
    if checked.note:
        answer["note"] = checked.note
    return answer


def _facts(checked: Checked) -> list[tuple[str, str]]:
    answer = told(checked)
    visible = load("hermes.cli.explained").visible
    facts = [(name, str(answer[name])) for name in ("verdict", "reason", "rule", "profile")]
    facts += [
        (finding["severity"], f"{finding['category']}: {finding['what']}")
        for finding in answer["findings"]
    ]
    facts += [("note", checked.note)] if checked.note else []
    return [(name, visible(text)) for name, text in facts]


def _check_lines(checker: Checker, options: Namespace) -> int:
    for answer in _answers(checker, options):
        sys.stdout.write(json.dumps(answer, separators=(",", ":")) + "\n")
        sys.stdout.flush()
    return 0


def _answers(checker: Checker, options: Namespace) -> Iterator[dict[str, Any]]:
    for line in sys.stdin.buffer:
        try:
            given = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield _refusal(f"the line is not JSON: {error}")
            continue
        try:
            answer = told(_check_line(checker, given, options))
        except HermesError as error:
            answer = _refusal(error.message)
        except Exception as error:  # noqa: BLE001 - one bad line must not lose the others' answers
            answer = _refusal(f"the policy broke: {type(error).__name__}")
        if isinstance(given, dict) and "id" in given:
            answer["id"] = given["id"]
        yield answer


def _check_line(checker: Checker, given: Any, options: Namespace) -> Checked:
    if not isinstance(given, dict) or not isinstance(given.get("tool"), str):
        raise ConfigError('a line must look like {"tool": "terminal", "args": {"command": "ls"}}')
    texts = {}
    for key, default in (("profile", options.profile), ("cwd", options.cwd)):
        value = given.get(key)
        if not isinstance(value, str | None):
            raise ConfigError(f"{key!r} must be a text")
        texts[key] = default if value is None else value
    return checker.check(given["tool"], given.get("args"), **texts)


def _refusal(message: str) -> dict[str, Any]:
    return {
        "verdict": "deny",
        "reason": message,
        "rule": "no call to judge",
        "findings": [],
        "error": message,
    }


_NAME = argument(
    "name",
    help="The tool's name; one that is not registered is judged by its name and arguments.",
    metavar="NAME",
    nargs="?",
    complete="tool",
)
_CWD = argument("--cwd", help="The folder that the call would work in.", metavar="DIR")

ENTRY = Group(
    "permissions",
    "Show permission profiles, check calls against them, explain verdicts.",
    (
        Command(
            "show",
            "Show the profiles there are, or the rules of one.",
            show_profiles,
            (
                argument(
                    "profile",
                    help="The profile; all of them without one.",
                    metavar="PROFILE",
                    nargs="?",
                ),
                JSON,
            ),
            ("hermes permissions show", "hermes permissions show developer"),
        ),
        Command(
            "check",
            "Say whether a call is allowed (exit code 0), asked about (1) or denied (3).",
            check_call,
            (
                _NAME,
                ARGUMENTS,
                PROFILE,
                _CWD,
                argument(
                    "--stdin",
                    help="Read one {tool, args} a line, with id, cwd or profile if you like; "
                    "answer each on a line.",
                    action="store_true",
                ),
                JSON,
            ),
            (
                "hermes permissions check terminal command='git push --force'",
                "hermes permissions check --stdin < calls.jsonl",
            ),
        ),
        Command(
            "explain",
            "Say why a call is allowed, asked about or denied, and how to change that.",
            explain_call,
            (_NAME, ARGUMENTS, PROFILE, _CWD, JSON),
            ("hermes permissions explain terminal command='rm -rf ../other'",),
        ),
    ),
)
