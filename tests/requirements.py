"""Every promise has an id, and some test names it with `@pytest.mark.proves("id")`.

To add a promise: add its line here and the marker to the test that would fail if it were broken.
"""

from __future__ import annotations

import ast
from pathlib import Path

PROMISES = {
    "frame-first-run": "On a machine with only Python, ./hermes sets itself up and runs.",
    "frame-warm-run": "A later ./hermes starts Python at once and hands on arguments as given.",
    "frame-refresh": "./hermes installs again by itself when the lock changed.",
    "frame-half-made": "A set-up that fails or is interrupted is never taken for a finished one.",
    "frame-together": "Two first runs at once do the set-up once.",
    "frame-index": "The set-up uses the package index that the user set up for pip.",
    "frame-pip": "The set-up works with pip where uv cannot be had.",
    "frame-locks": "Every package that is installed is pinned by hash, and no lock names a host.",
    "frame-layers": "Every module has a layer, and modules loaded by name keep to the layers too.",
    "frame-skips": "CI fails on a skipped test whose part could have been installed.",
    "cloud-lazy": "The library of a service is loaded when a sandbox of it is needed, not before.",
    "cloud-ends": "A sandbox of a service is removed with its task, or by the next hermes.",
    "cloud-rests": "A sandbox of a service rests when idle, and keeps its files and state.",
    "cloud-quiet": "No key or token of a service is shown to a sandbox or in a refusal.",
    "call-no-effect-before-run": "Nothing happens before a call was judged.",
    "call-judged-is-run": "What is judged is exactly what runs.",
    "call-before-hooks-fail-closed": "A before-hook that breaks stops the call.",
    "call-gate-fails-closed": "A gate that breaks stops the call.",
    "call-after-hooks-fail-open": "An after-hook that breaks does not cost the answer.",
    "call-denied-not-asked": "A person is never asked about a call that a rule denies anyway.",
    "policy-floor": "What is beneath the floor is denied under every profile.",
    "policy-narrows": "Rules laid on top of others never allow more than those.",
    "policy-closed": "Rules that cannot be read deny every call.",
    "policy-at-once": "Another profile is in force from the next call on.",
    "policy-any-line": "A check answers every line it is given, whatever is in it.",
    "path-object": "A path is judged by the object behind it: links, hard links and mounts too.",
    "path-race": "Nothing that changes between the judging and the use of a path leads outside.",
    "url-one-host": "An address that clients could read in two ways, or that leads inside, is no.",
    "url-pinned": "A host is resolved once, each address judged, only those dialled; "
    "each redirect again.",
    "sandbox-escapes": "No attempt to get out of a box has an effect or shows a secret.",
    "sandbox-containment": "Dangerous commands that run in a box change and show nothing "
    "outside of the workspace.",
    "sandbox-variables": "No secret of hermes's own environment reaches a program of a call.",
    "terminal-state": "A task's shell keeps its state, also of commands that run together, "
    "and no other task sees it.",
    "terminal-stops": "A command whose time is up ends with all that it started, "
    "and what it printed is shown.",
    "background-leaves-nothing": "Commands in the background leave no zombie, descriptor or log.",
    "environment-choice": "Settings choose where commands run, and a program for one task.",
    "environment-checks": "Any environment is held against the same checks; a failure shows.",
    "environment-killed": "What runs elsewhere ends when hermes is killed; nothing stays behind.",
    "environment-mounts": "No container is shown secrets, a home or a socket of the machine.",
    "environment-network": "A container has a network if the settings and the profile say so.",
    "sudo-password": "A password for sudo is asked of a person, and kept in no file or variable.",
    "script-tools": "A script calls tools as functions: results are dicts, errors exceptions.",
    "script-calls": "Each call of a script goes the way of every other call of its task.",
    "script-scope": "A script has exactly the tools that its task has and the settings name.",
    "script-limits": "A script that goes too far is stopped; what it printed and why is told.",
    "script-confined": "A script reaches nothing that its task's sandbox or the gate denies.",
    "script-killed": "Whoever is killed, of a script nothing is left behind.",
    "script-processes": "Processes that a script starts call tools as it does, and count for it.",
    "script-elsewhere": "A script runs where its task's commands run, with the same tools.",
    "terminal-idle": "A task that did nothing for a while is back with its state.",
    "terminal-background": "News of the background are told exactly once.",
    "archive-round-trip": "What is packed is what is unpacked, in every format.",
    "archive-confined": "No archive writes outside of its destination, or leaves half of it there.",
    "archive-bounded": "No archive unpacks to more than allowed, whatever it says of itself.",
    "archive-killed": "A kill while packing or unpacking leaves the old or the new state.",
    "watch-told-once": "A change of a watched file is told once, and what was lost is counted.",
    "code-run": "Code runs in any language there is; its value, figures, output and end come back.",
    "code-folder": "The folder that code runs in is gone afterwards; its files are told, or kept.",
    "code-limits": "Code that goes too far is stopped with all it started; the answer says why.",
    "code-confined": "Code sees nothing of hermes, and changes nothing outside of its sandbox.",
    "code-judged": "Code is judged by what it would do before it runs, in every language.",
    "code-packages": "Packages are installed only where the profile lets programs reach them.",
    "repl-state": "A session keeps what its cells defined; no other task sees it.",
    "repl-rich": "Plots of a session come back as images, tables as text.",
    "repl-interrupt": "A cell whose time is up is interrupted, and its session goes on if it can.",
    "repl-ends": "Sessions end with their task, with the runtime, and when hermes is killed.",
    "repl-bounded": "Neither many cells nor endless output make a session grow.",
    "terminal-power": "A command runs with the power that was judged, and on no code of the task.",
    "checkpoint-all-or-none": "A crash leaves the old content or the new, of all files together.",
    "checkpoint-undo": "What a tool or a command changed is restored byte for byte.",
    "checkpoint-others": "Undoing never costs what somebody else has changed since.",
    "checkpoint-damage": "A damaged part of the checkpoints is set aside; the rest is kept.",
    "search-no-option": "A pattern that is searched for never becomes an option of a program.",
    "search-honest": "A search says how many hits there are, and pages hold each exactly once.",
    "search-globs": "A glob with a folder means that folder, and a name means the whole name.",
    "search-credentials": "A search shows no credentials, and does not tell what is in them.",
    "search-same": "A search gives the same with ripgrep and without it.",
    "text-call-any-cut": "A stream with text calls reads the same however it is cut.",
    "text-call-no-loss": "No word around or inside of text calls is lost, however broken they are.",
    "text-call-talk": "Text that only shows what a call looks like calls nothing.",
    "call-one-answer": "Every call gets exactly one answer with its id, in the order asked.",
    "call-valid-json": "Every answer is valid JSON, whatever the handler gave or raised.",
    "call-keeps-entry": "A reload or deregistration does not disturb a call in flight.",
    "call-tasks-apart": "Two tasks do not see each other's cwd, environment or approvals.",
    "call-any-json": "Any JSON value as arguments to any tool never raises out of rt.call.",
    "call-cancellation": "Timeouts and cancellation reach the handler and its children.",
    "call-loop-free": "A running event loop is never blocked by a call.",
    "call-no-leak": "Thousands of calls from hundreds of threads leak no file descriptor.",
    "call-effects-order": "Reads run together; "
    "writes to one path and exclusive calls run in order.",
    "fit-idempotent": "Coercion is idempotent and leaves alone a value that already fits.",
    "fit-exact": "Coercion is never lossy and never touches the caller's dict.",
    "fit-sloppy": "All sixteen sloppy cases come out right.",
    "fit-malformed": "Eight of nine malformed texts are read; "
    "truncated ones are refused for tools with effects.",
    "fit-all-problems": "All problems are reported at once: path, given, expected, nearest.",
    "declare-schema": "A schema made from a signature is valid in Draft 2020-12 and Draft 7.",
    "declare-collision": "Registering a name that another toolset owns raises.",
    "declare-yaml-errors": "A wrong tool file is refused with file, line and the fix.",
    "declare-yaml-secrets": "A secret of a YAML tool never appears in results, errors or journal.",
    "declare-broken-file": "A broken tool file is reported with its reason and stops no other.",
    "offer-unavailable": "An unavailable tool is hidden from models and explained to people.",
    "offer-check-breaks": "A check that raises means unavailable.",
    "offer-unknown-name": "An unknown toolset or tool is an error that suggests the nearest names.",
    "offer-stable": "Definitions keep their order and are built once per change of the registry.",
    "offer-search": "Tool search has the right tool in its first five for 95 % of queries.",
    "offer-unwrapped": "tool_call is unwrapped before the gate.",
    "result-cut": "An oversized result is cut inside its content and saved whole.",
    "result-redacted": "Secrets are redacted from answers and journal.",
    "journal-intent-first": "For calls with effects the intent is durable before the effect.",
    "journal-maybe-done": "An intent without outcome is reported as maybe done, never repeated.",
    "journal-tamper": "A changed journal is found by `hermes journal verify`.",
    "shell-parser-agrees": "Another parser finds no command in a text that ours does not.",
    "shell-dangerous-asked": "Of dangerous commands 98 % and more are asked about or denied.",
    "shell-benign-free": "Of benign commands 2 % at most are asked about.",
    "shell-floor": "Catastrophes are denied under every profile, however they are spelt.",
    "shell-near-floor": "What only resembles a catastrophe is never denied under every profile.",
    "shell-any-text": "Any text is judged, without fail and in bounded time.",
    "shell-wrappers": "Wrapping a command never makes its verdict milder.",
    "approve-on-screen": "An approval never covers an effect that was not on screen.",
    "approve-one-at-a-time": "Questions are asked one at a time, identical ones once.",
    "approve-unattended": "A child or headless run approves nothing by itself.",
    "patch-right-place": "A patch changes the place that is meant, and where that is not clear, "
    "nothing.",
    "patch-all-or-none": "A patch of several files is done whole or not at all.",
    "patch-bytes": "A patch keeps every byte outside of what it changes, in any encoding.",
    "patch-judged": "No patch changes a file that was not judged by name.",
    "agent-tools-outside": "Outside of an agent, the tools of its loop say who handles them.",
    "delegate-approvals": "A child's call that needs a yes is asked of the person, or denied.",
    "delegate-budget": "Children and their parent share one budget of rounds and tokens.",
    "delegate-cancel": "Stopping a call that delegates stops all children.",
    "delegate-dead-child": "A child that dies is an answer, and costs no other its report.",
    "delegate-depth": "Children have children of their own only as deep as configured.",
    "delegate-narrowed": "A child can neither see nor call a tool that was not handed on to it.",
    "delegate-progress": "What children do is told to whoever watches their parent.",
    "delegate-queue": "More children than may work at once wait their turn.",
    "memory-batch": "A batch of changes to what is remembered is done whole or not at all.",
    "memory-drift": "What a person changed in a memory file is never lost.",
    "memory-injection": "What is hostile is neither remembered nor loaded into a prompt.",
    "mixture": "Of several models asked together, some may fail without costing the answer.",
    "model-troubles": "Whatever a service answers becomes one kind of error, after bounded tries.",
    "model-found": "The model of the settings is asked, else a key's, else a local server's.",
    "model-cancelled": "Cancelling a question closes its connection at once.",
    "model-key-quiet": "The key of a service appears in no error, log or address.",
    "agent-apart": "Two agents in one process share nothing.",
    "agent-interrupt": "An interrupt stops the tools, a second one the turn; "
    "the conversation stays valid.",
    "agent-valid": "No call without an answer, and no answer without a call, goes to a model.",
    "agent-faults": "Whatever a model or its provider does, the turn ends with a helpful error.",
    "agent-resume": "After a kill a session resumes with everything that was acknowledged.",
    "agent-circles": "A model that goes in circles is nudged, then stopped.",
    "agent-budget": "Rounds and tokens are counted for an agent and its children together.",
    "agent-compaction": "Compaction keeps goals, todos and files, "
    "and parts no call from its answer.",
    "agent-prompt": "The system prompt stays the same, byte for byte, while a session lasts.",
    "builtin-requests": "Nine of ten plain requests reach the right tool by the built-in model.",
    "builtin-ends": "The built-in model ends every turn, whatever tools answer.",
    "builtin-careful": "The built-in model changes nothing that was not asked for by name.",
    "session-durable": "What was added to a session is there after a kill, once, and is found.",
    "session-maybe-done": "A call without an answer is told as maybe done; none is ever orphaned.",
    "session-salvage": "What is not damaged of a damaged file is brought back.",
    "session-any-query": "No text that is searched for is ever an error.",
    "lint-real-tools": "Linters are those of the project; all findings have one form.",
    "lint-missing": "A tool that is missing is named with how to install it; the others still run.",
    "lint-project-code": "Linters run nothing of the project where code may not be run.",
    "lint-undo": "What linters and formatters change is judged, written together, and undone.",
    "format-real-tools": "Formatters are those of the project, with its own settings.",
    "test-structured": "Tests are counted, and of failures the few lines that matter are told.",
    "test-timeout": "When the time for tests is up, those that ended are told.",
    "code-in-sandbox": "Tests run in the sandbox of their task, without secrets.",
    "debug-session": "A program is stopped, stepped through, looked at and changed.",
    "debug-ends": "Debugging sessions belong to their task and end with it.",
    "mcp-lazy": "Configured servers are known at a start, which starts none and loads no SDK.",
    "mcp-bounded": "A server that hangs, dies, babbles, floods or lies costs bounded time, and "
    "disturbs no other.",
    "mcp-nothing-left": "Nothing that a server started outlives hermes, however that ends.",
    "mcp-lost-calls": "A call that a crash lost is made again only if its tool is idempotent.",
    "mcp-together": "Calls of one server run together over one connection.",
    "mcp-whole": "What a server answers arrives whole and marked as a stranger's, in both eras.",
    "mcp-pinned": "A tool whose definition has changed since it was approved runs 0 times.",
    "mcp-scanned": "No unseen character of a server's definition reaches a model.",
    "mcp-malware": "A package that is known as malware is never started.",
    "mcp-oauth": "Signing in takes PKCE, the right state and issuer, and one answer; "
    "tokens go to their server alone.",
    "mcp-asked": "A server that asks the model or the person is limited, and nobody means no.",
    "mcp-quiet": "No secret of a server's settings is shown by a command.",
    "mcp-conformance-client": "The MCP client passes what the conformance suite requires of one.",
    "mcp-conformance-server": "The MCP server passes what the conformance suite requires, over "
    "stdio and HTTP.",
    "mcp-strangers": "Servers and clients of MCP that others wrote work with hermes, each feature.",
    "mcp-serve-eras": "Clients of both eras of MCP are served, each in its own.",
    "mcp-serve-light": "A server on stdio loads neither the SDK nor pydantic.",
    "mcp-serve-many": "Calls of a client run together; none holds up another.",
    "mcp-serve-cancels": "A call that a client cancels stops, and is not answered.",
    "mcp-serve-asks": "A call that a rule asks about is put to the client's person, or refused.",
    "mcp-serve-leaves": "A server whose client has gone ends, with all that it started.",
    "mcp-serve-door": "Over HTTP nobody gets in without the token, or by another host or origin.",
    "cli-exit-codes": "tool call exits 0, 1 (tool error), 2 (usage) or 3 (denied), "
    "JSON alone on stdout.",
    "cli-json": "Every listing has --json.",
    "chat-terminal-safe": "Nothing that a model or a tool says controls the person's terminal.",
    "chat-json": "chat --json prints one event per line; tool events carry name, args, id, result.",
    "chat-one-shot": "chat -q prints the answer alone on stdout, with colour only on a terminal.",
    "chat-interrupts": "Ctrl-C stops the tool, then the turn, then leaves.",
    "chat-by-hand": "Every tool can be called by hand in the chat, judged like a model's call.",
}


def proved():
    """Return every id that a test names, with the files that name it."""
    found = {}
    for path in sorted(Path(__file__).parent.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "proves"
            ):
                for argument in node.args:
                    found.setdefault(ast.literal_eval(argument), []).append(path.name)
    return found


def test_every_promise_is_proved_by_a_test():
    assert sorted(PROMISES.keys() - proved().keys()) == []


def test_every_id_that_a_test_names_is_a_promise():
    assert {name: files for name, files in proved().items() if name not in PROMISES} == {}
