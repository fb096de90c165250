"""``hermes chat``: talk with an agent, on the terminal, in one shot, or through a pipe."""

from __future__ import annotations

import os
import stat
import sys
from typing import TYPE_CHECKING

from hermes.base.optional import load
from hermes.cli.command import ENVIRONMENT, JSON, PROFILE, Command, Usage, argument

if TYPE_CHECKING:
    from argparse import Namespace


def chat(options: Namespace) -> int:
    """Talk with an agent until the person leaves, or answer the one question that was given."""
    if options.query is None and sys.stdin.isatty():
        return _converse(options)
    question = options.query if options.query is not None else _piped()
    if not question.strip():
        raise Usage("there is no question", hint="Write it behind -q, or into standard input.")
    code: int = load("hermes.cli.chat.oneshot").answer(options, question)
    return code


def _converse(options: Namespace) -> int:
    if options.json:
        raise Usage("--json needs a question", hint="Write it behind -q, or into standard input.")
    with load("hermes.cli.chat.greeting").Painted() as painted:
        code: int = load("hermes.cli.chat.interactive").converse(options, painted)
    return code


def _piped() -> str:
    try:
        return sys.stdin.read()
    except UnicodeError as error:
        raise Usage(f"standard input is not UTF-8 text: {error}") from error


def is_meant() -> bool:
    """Say whether ``hermes`` alone means the chat: a person sits there, or a question is piped."""
    if sys.stdin.isatty():
        return sys.stdout.isatty()
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or (stat.S_ISREG(mode) and os.fstat(0).st_size > 0)


ENTRY = Command(
    "chat",
    "Talk with an agent that has the tools; 'hermes' alone does the same.",
    chat,
    (
        argument("-q", "--query", help="Answer this question and end.", metavar="TEXT"),
        argument(
            "--model",
            help="Who answers, as provider:model; 'hermes model list' shows what is there.",
            metavar="NAME",
            complete="model",
        ),
        argument(
            "--toolsets",
            help="The toolsets on offer, separated by commas.",
            metavar="NAMES",
            complete="toolset",
        ),
        PROFILE,
        argument("--resume", help="Go on with this session.", metavar="ID", complete="session"),
        ENVIRONMENT,
        JSON._replace(help="Print every event as a line of JSON."),
    ),
    (
        "hermes chat",
        "hermes chat -q 'what is eating my disk?'",
        "hermes chat -q 'list the python files here' --json",
        "git diff | hermes chat -q 'review this: @-'",
    ),
)
