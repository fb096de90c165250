"""``hermes sessions``: find, read, export, rename, fork and delete conversations."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes.base.errors import HermesError
from hermes.base.optional import load
from hermes.base.text import plural
from hermes.cli import conversed, output
from hermes.cli.command import JSON, Command, Group, Usage, argument, count
from hermes.cli.conversed import kept
from hermes.cli.session_files import FORMS, export_sessions, import_sessions

if TYPE_CHECKING:
    from argparse import Namespace

    from hermes.services.sessions.records import Facts

_DROPPABLE = 3
_ROLES = ("user", "assistant", "tool")
_HITS = ("session", "message", "when", "who", "title", "what")


def list_sessions(options: Namespace) -> int:
    """Print sessions, the one used last first."""
    workspace = str(Path.cwd()) if options.here else ""
    with kept() as sessions:
        found = sessions.list(
            limit=options.limit,
            offset=options.offset,
            query=" ".join(options.words),
            children=options.children,
            workspace=workspace,
        )
    if options.json:
        output.print_json([conversed.told(each) for each in found])
    elif not output.is_terminal():
        output.print_table((), map(conversed.plain_row, found))
    elif found:
        now = datetime.now().astimezone()
        rows = [conversed.row(each, now) for each in found]
        output.print_table(conversed.COLUMNS, rows, droppable=_DROPPABLE)
    else:
        output.write("No sessions are kept." if not options.words else "No session fits.")
    return 0


def show_session(options: Namespace) -> int:
    """Print a session: what is known of it, and all that was said."""
    with kept() as sessions:
        session = sessions.latest() if options.id is None else sessions.resume(options.id)
        if session is None:
            raise HermesError("no session is kept yet", hint="'hermes chat' begins one.")
        facts, entries = session.facts(), session.all_entries()
    if options.last:
        entries = entries[-options.last :]
    if options.json:
        shown = load("hermes.services.sessions.exporting").entry_as_json
        messages = [shown(entry) for entry in entries]
        output.print_json({**conversed.told(facts), "conversation": messages})
        return 0
    output.print_facts(conversed.facts(facts))
    output.write("")
    output.print_lines(conversed.conversation(entries))
    return 0


def search_sessions(options: Namespace) -> int:
    """Print the sessions in which something was said, the best first."""
    how: dict[str, Any] = {"limit": options.limit, "sort": options.sort, "window": 0, "bookends": 0}
    if options.role:
        how["roles"] = (options.role,)
    with kept() as sessions:
        found = sessions.search(" ".join(options.words), children=options.children, **how)
    if options.json:
        hits = [conversed.hit_told(hit) for hit in found.hits]
        output.print_json({"hits": hits, "is_complete": found.is_complete})
        return 0
    now = datetime.now().astimezone()
    rows = [conversed.hit_row(hit, now) for hit in found.hits]
    if rows or not output.is_terminal():
        output.print_table(_HITS, rows)
    else:
        output.write("Nothing was found.")
    return 0


def rename_session(options: Namespace) -> int:
    """Give a session another title."""
    with kept() as sessions:
        session = sessions.resume(options.id)
        session.rename(" ".join(options.title))
        _print_one(session.facts(), options, "is called {title}")
    return 0


def fork_session(options: Namespace) -> int:
    """Begin a session with a copy of another."""
    with kept() as sessions:
        fork = sessions.fork(options.id, at=options.at)
        _print_one(fork.facts(), options, "holds {messages}; 'hermes chat --resume {id}' goes on")
    return 0


def _print_one(session: Facts, options: Namespace, words: str) -> None:
    if options.json:
        output.print_json(conversed.told(session))
    elif output.is_terminal():
        messages = plural(session.messages, "message")
        said = words.format(title=conversed.title(session), id=session.id, messages=messages)
        output.write(f"{session.id} {said}")
    else:
        output.write(session.id)


def delete_sessions(options: Namespace) -> int:
    """Delete sessions for good, after showing which."""
    with kept() as sessions:
        found = [sessions.facts(id) for id in options.ids]
        if not options.yes and not _asked(found):
            output.print_note("nothing was deleted")
            return 1
        gone = [id for each in found for id in sessions.delete(each.id)]
    if options.json:
        output.print_json({"deleted": gone})
    else:
        output.print_lines(f"deleted {id}" for id in gone)
    return 0


def _asked(found: list[Facts]) -> bool:
    """Show what will be gone, and ask."""
    if not sys.stdin.isatty():
        raise Usage("nobody is there to ask", hint="Add --yes to delete without a question.")
    for each in found:
        messages = plural(each.messages, "message")
        print(f"delete {each.id}: {conversed.title(each)} ({messages})", file=sys.stderr)
    print("Delete this for good? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _id(help: str, **parsing: Any) -> Any:
    return argument("id", help=help, metavar="ID", complete="session", **parsing)


_LIMIT = argument("--limit", help="How many at most.", type=count, default=20, metavar="N")
_CHILDREN = argument(
    "--children", help="Also those that worked for another one.", action="store_true"
)
_NAMED = "Its id, how that begins, or its title"

ENTRY = Group(
    "sessions",
    "Find, read, export, rename, fork and delete conversations.",
    (
        Command(
            "list",
            "List sessions, the one used last first.",
            list_sessions,
            (
                argument(
                    "words",
                    help="Only those whose title, beginning or folder holds these words.",
                    metavar="WORD",
                    nargs="*",
                ),
                argument("--here", help="Only those of this folder.", action="store_true"),
                _CHILDREN,
                _LIMIT,
                argument(
                    "--offset", help="How many to leave out.", type=int, default=0, metavar="N"
                ),
                JSON,
            ),
            ("hermes sessions list", "hermes sessions list --here --limit 5"),
        ),
        Command(
            "show",
            "Show a session and all that was said.",
            show_session,
            (
                _id(f"{_NAMED}; the last one without it.", nargs="?"),
                argument("--last", help="Only so many messages.", type=count, metavar="N"),
                JSON,
            ),
            ("hermes sessions show", "hermes sessions show 3f2a9c --last 10"),
        ),
        Command(
            "search",
            "Search what was said.",
            search_sessions,
            (
                argument(
                    "words",
                    help="What to look for; '\"quoted words\"' must stand together.",
                    metavar="WORD",
                    nargs="+",
                ),
                argument("--role", help="Only what these said.", choices=_ROLES, metavar="ROLE"),
                argument(
                    "--sort",
                    help="What comes first: relevance, newest or oldest.",
                    choices=("relevance", "newest", "oldest"),
                    default="relevance",
                    metavar="ORDER",
                ),
                _CHILDREN,
                argument("--limit", help="How many at most.", type=count, default=10, metavar="N"),
                JSON,
            ),
            ("hermes sessions search nightly deployment", "hermes sessions search 数据库"),
        ),
        Command(
            "export",
            "Write sessions as JSONL, Markdown or ShareGPT trajectories.",
            export_sessions,
            (
                argument("ids", help=f"{_NAMED}.", metavar="ID", nargs="*", complete="session"),
                argument("--all", help="Every session.", action="store_true"),
                argument(
                    "--format",
                    help=f"One of {', '.join(FORMS)}.",
                    choices=FORMS,
                    default="jsonl",
                    metavar="FORM",
                ),
                argument("-o", "--output", help="Write to this file.", metavar="FILE"),
                JSON,
            ),
            (
                "hermes sessions export 3f2a9c --format markdown",
                "hermes sessions export --all --format sharegpt -o trajectories.jsonl",
            ),
        ),
        Command(
            "import",
            "Keep sessions again that were exported as JSONL.",
            import_sessions,
            (argument("file", help="The file, or - for the input.", metavar="FILE"), JSON),
            ("hermes sessions import backup.jsonl",),
        ),
        Command(
            "rename",
            "Give a session another title.",
            rename_session,
            (
                _id(f"{_NAMED}."),
                argument("title", help="The new title.", metavar="TITLE", nargs="+"),
                JSON,
            ),
            ("hermes sessions rename 3f2a9c Nightly deployment",),
        ),
        Command(
            "fork",
            "Begin a session with a copy of another.",
            fork_session,
            (
                _id(f"{_NAMED}."),
                argument("--at", help="The last message to copy.", type=int, metavar="MESSAGE"),
                JSON,
            ),
            ("hermes sessions fork 3f2a9c", "hermes sessions fork 3f2a9c --at 17"),
        ),
        Command(
            "delete",
            "Delete sessions for good.",
            delete_sessions,
            (
                argument("ids", help=f"{_NAMED}.", metavar="ID", nargs="+", complete="session"),
                argument("-y", "--yes", help="Do not ask.", action="store_true"),
                JSON,
            ),
            ("hermes sessions delete 3f2a9c",),
        ),
    ),
)
