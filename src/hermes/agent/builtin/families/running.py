"""Programs and commands: run a file, a command line, a piece of code, a small server."""

from __future__ import annotations

import re
from collections.abc import Callable

from hermes.agent.builtin.answers import told
from hermes.agent.builtin.references import earlier_path
from hermes.agent.builtin.said import Said
from hermes.agent.builtin.steps import Hands, Steps, Unsure, quote, shell, want

_RUNNERS = {
    "py": "python3", "sh": "bash", "js": "node", "mjs": "node", "ts": "npx tsx", "rb": "ruby",
    "pl": "perl", "php": "php", "lua": "lua", "go": "go run", "r": "Rscript",
}  # fmt: skip


def run_file(said: Said, hands: Hands) -> Steps:
    """Run a program from a file."""
    path = said.one("path") or earlier_path(said)
    if path is None:
        path = yield from _script(said, hands)
    if re.fullmatch(r"(?:test_.*|.*_test)\.py", path.rsplit("/", 1)[-1]):
        return told((yield hands.pick(shell(f"python -m pytest -q {quote(path)}", timeout=600))))
    runner = _RUNNERS.get(path.rsplit(".", 1)[-1].lower())
    extra = said.find(r"⟦\d+⟧\s+with\s+(?:the )?(?:arguments?|args|option|flag)?\s*(?P<args>.+)$")
    by = extra["args"].split()[0] if extra else ""
    if by in {"node", "python", "python3", "bash", "sh", "ruby", "deno", "bun", "perl", "zsh"}:
        runner, extra = by, None
    name = path if "/" in path else f"./{path}"
    command = f"{runner} {quote(path)}" if runner else quote(name)
    command += f" {extra['args']}" if extra else ""
    background = True if said.has("background") else None
    return told((yield hands.pick(shell(command, background=background))))


def _script(said: Said, hands: Hands) -> Steps:
    """Return the path of a script that is named by a word."""
    named = said.find(r"\b(?:the|my|our)\s+(?P<name>[\w-]+)\s+(?:script|program|file)\b")
    if named is None:
        raise Unsure("What should I run? Say the command, such as: run `make test`.")
    pattern = f"*{named['name']}*.{{sh,py,js,ts,rb,pl}}"
    answer = yield hands.pick(want("search_files", pattern=pattern, target="files"))
    found = answer.value.get("files") or []
    if len(found) != 1:
        raise Unsure("Which script should I run?", *map(str, found[:4]))
    return str(found[0])


def run_command(said: Said, hands: Hands) -> Steps:
    """Run the command that was said, as it was said."""
    command = said.one("code") or (said.one("quoted") if said.has("exec", "background") else None)
    if command is None:
        found = said.find(
            (
                r"^(?:run|execute|exec|do|start|launch|\$|!)\s+(?:the\s+)?(?:shell\s+|"
                r"bash\s+|terminal\s+)?(?:command\s*:?\s*)?(?P<command>.+?)(?:\s+in (?:the )?"
                r"(?:background|terminal|shell|bash))?$"
            ),
            r"^(?P<command>.+)$",
        )
        command = found["command"].strip() if found else said.text
    network = (
        "network"
        if re.match(
            (
                r"(?:curl|wget|ping|ssh|pip3? install|npm (?:i|install|ci)|git (?:push|pull|"
                r"fetch|clone)|apt)\b"
            ),
            command,
        )
        else None
    )
    background = True if said.has("background") else None
    return told((yield hands.pick(shell(command, background=background, access=network))))


def serve(said: Said, hands: Hands) -> Steps:
    """Start a small web server in the background."""
    port = said.number(8000)
    folder = said.place
    where = f" --directory {quote(folder)}" if folder and folder != "." else ""
    command = f"python3 -m http.server {port}{where}"
    answer = yield hands.pick(shell(command, background=True))
    if answer.error or "session_id" not in answer.value:
        return told(answer)
    return (
        f"Started in the background as {answer.value['session_id']}, on port {port} of the sandbox."
    )


_HOLDER = re.compile(r"⟦(\d+)⟧")
_LANGUAGES = {
    "python3": "python", "py": "python", "node": "javascript", "js": "javascript",
    "ts": "typescript", "sh": "bash", "shell": "bash",
}  # fmt: skip
_BY_SHELL = {"python": "python3 -c", "javascript": "node -e", "bash": "bash -c"}


def _written(said: Said) -> Callable[[re.Match[str]], str]:
    """Return what puts a mark back as code has it: a quote in single quotes."""

    def written(match: re.Match[str]) -> str:
        mark = said.marks[int(match[1])]
        return repr(mark.value) if mark.kind == "quoted" else mark.value

    return written


def run_code(said: Said, hands: Hands) -> Steps:
    """Run a piece of code that was said, in its language."""
    text = _HOLDER.sub(_written(said), said.shape)
    found = re.match(
        r"(?:run|execute|exec|eval(?:uate)?|try|do)\s+(?:this|the following|the|some)?\s*"
        r"(?P<code>.+?)\s+(?:in|with|using|as)\s+(?P<how>python3?|node|javascript|js|bash|shell)\W*$",
        text,
        re.IGNORECASE | re.DOTALL,
    ) or re.match(
        r"(?:(?:run|execute|exec|eval(?:uate)?|try)\s+)?(?:this\s+|the\s+|following\s+|some\s+)*"
        r"(?P<how>python3?|py|node|javascript|js|bash|shell)"
        r"(?:\s+(?:code|snippet|script|program|one-?liner))?"
        r"\s*:?\s+(?P<code>.+)$",
        text,
        re.IGNORECASE | re.DOTALL,
    )
    quoted = said.one("code") or (None if found else said.one("quoted"))
    code = quoted or (found["code"].strip('`" ') if found else "")
    if not code:
        raise Unsure("Which code should I run?")
    how = found["how"].lower() if found else "python"
    language = _LANGUAGES.get(how, how)
    return told(
        (
            yield hands.pick(
                want("code_execute", code=code, language=language),
                shell(f"{_BY_SHELL.get(language, 'python3 -c')} {quote(code)}"),
            )
        )
    )
