"""Work on a project: checks, builds, packages, lines of code."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hermes.agent.builtin.answers import told
from hermes.agent.builtin.families.projects import PROJECTS, chosen
from hermes.agent.builtin.names import HERE, LANGUAGES, NOT_FOLDERS
from hermes.agent.builtin.references import earlier_path, known_files
from hermes.agent.builtin.said import Said
from hermes.agent.builtin.steps import Hands, Steps, quote, shell, want


def by_project(kind: str, said: Said, hands: Hands, more: Sequence[str] = ()) -> Steps:
    """Look what kind of project this is, then run its command for a kind of work."""
    folder = (
        said.folder
        if said.folder not in {None, ".", "tests", "test"} and said.has("folder")
        else "."
    )
    seen = yield hands.pick(
        want("directory_list", path=folder, depth=1, hidden=True),
        shell(f"ls -1A {quote(folder or '.')}"),
    )
    if seen.error:
        return told(seen)
    names = str(seen.value.get("tree") or seen.output)
    command = chosen(kind, names)
    if kind == "install" and "requirements" in said.low and "requirements.txt" in names:
        command = "pip install -r requirements.txt"
    if command is None:
        known = ", ".join(sorted({row.sign for row in PROJECTS}))
        return (
            f"I do not see how to do that here: I looked for {known}. Tell me the "
            f"command, such as: run `make test`."
        )
    if "pytest" in command:
        command = " ".join([command, *more])
    network = "network" if kind == "install" else None
    where = folder if folder != "." else None
    answer = yield hands.pick(shell(command, workdir=where, timeout=600, access=network))
    return told(answer, f"`{command}`:" if not answer.error else "")


def lint(said: Said, hands: Hands) -> Steps:
    """Check the code with the linter of this project."""
    if hands.has("code_lint"):
        fix = True if re.search(r"\bfix\b", said.low) else None
        return told((yield want("code_lint", paths=_places(said), fix=fix)))
    return (yield from by_project("lint", said, hands))


def _places(said: Said) -> list[str] | None:
    """Return the files or the folder that are named, if any."""
    bare = said.find(
        r"^(?:check|scan|lint|inspect)\s+(?:the\s+|my\s+)?(?P<name>[\w-]+)\s+(?:(?:folder|code)\s+)?for\b",
        r"\b(?:on|over|for|lint|format|reformat)\s+(?:the\s+|my\s+|our\s+)?(?P<name>[\w-]+)"
        r"(?:\s+(?:folder|directory|dir|module|package))?[.!?]*$",
    )
    name = bare["name"] if bare and bare["name"].lower() not in _NO_PLACES else "."
    named = said.all("path") or [said.folder or name]
    return named if named != ["."] else None


_NO_PLACES = (
    HERE
    | NOT_FOLDERS
    | frozenset(LANGUAGES)
    | frozenset(
        "code codebase project repo repository it everything all source sources errors warnings "
        "problems issues style mistakes changes stuff app program".split()
    )
)


def type_check(said: Said, hands: Hands) -> Steps:
    """Check the types."""
    return (yield from by_project("types", said, hands))


def reformat(said: Said, hands: Hands) -> Steps:
    """Format the code."""
    if hands.has("code_format"):
        check = True if said.is_question or re.match(r"check\b", said.low) else None
        return told((yield want("code_format", paths=_places(said), check=check)))
    path = said.one("path")
    if path and path.endswith(".py"):
        return told((yield hands.pick(shell(f"ruff format {quote(path)} || black {quote(path)}"))))
    return (yield from by_project("format", said, hands))


def build(said: Said, hands: Hands) -> Steps:
    """Build the project."""
    return (yield from by_project("build", said, hands))


def install(said: Said, hands: Hands) -> Steps:
    """Install one package, or the dependencies of this project."""
    named = said.find(
        r"\b(?:pip|pip3|uv pip|npm|apt|apt-get|brew|cargo) (?:install|add) (?P<full>.+?)[.!?]*$",
        (
            r"\binstall\s+(?:the\s+)?(?:package\s+|library\s+|python package\s+)?"
            r"(?P<name>⟦\d+⟧|[\w.@/-]+)(?:\s+(?:package|library|with pip|using pip|via "
            r"pip))?[.!?]*$"
        ),
    )
    if (
        named
        and "name" in named
        and named["name"].lower()
        not in {"dependencies", "deps", "requirements", "everything", "it", "packages", "this"}
    ):
        tool = "npm install" if "npm" in said.low else "pip install"
        return told(
            (
                yield hands.pick(
                    shell(f"{tool} {quote(named['name'])}", access="network", timeout=600)
                )
            )
        )
    return (yield from by_project("install", said, hands))


def count_lines(said: Said, hands: Hands) -> Steps:
    """Count lines, words or characters, of a file or of all code."""
    flag = (
        "-w"
        if re.search(r"\bwords?\b", said.low)
        else "-m"
        if re.search(r"\bcharacters?\b|\bchars?\b", said.low)
        else "-l"
    )
    several = said.all("path")
    if not several and re.search(r"\b(?:their|them|those|these|each)\b", said.low):
        several = known_files(said)
    if len(several) > 1:
        return told((yield hands.pick(shell(f"wc {flag} {' '.join(map(quote, several[:50]))}"))))
    path = said.one("path") or earlier_path(said)
    if path and not path.endswith("/") and "." in path.rsplit("/", 1)[-1]:
        return told((yield hands.pick(shell(f"wc {flag} {quote(path)}"))))
    where = quote(path or said.folder or ".")
    glob = said.glob or said.kind
    if glob and "{" not in glob:
        names = f"-name {quote(glob)}"
    else:
        kinds = (
            glob[3:-1].split(",")
            if glob
            else "py js ts tsx go rs java c h cpp rb php sh cs kt swift".split()
        )
        names = "\\( " + " -o ".join(f"-name '*.{kind}'" for kind in kinds) + " \\)"
    skip = "-not -path '*/.*/*' -not -path '*/node_modules/*' -not -path '*/venv/*'"
    command = f"find {where} -type f {names} {skip} -exec cat {{}} + | wc {flag}"
    answer = yield hands.pick(shell(command))
    lines = answer.output.strip()
    if lines.isdigit():
        return f"{int(lines):,} {({'-w': 'words', '-m': 'characters'}).get(flag, 'lines')}."
    return told(answer)


def version(said: Said, hands: Hands) -> Steps:
    """Tell the version of a program, and whether it is there."""
    found = said.find(
        r"\bversions?\s+of\s+(?:the\s+)?(?P<name>[\w+.-]+)",
        r"\b(?P<name>[\w+.-]+)\s+version\b",
        (
            r"\b(?:is|are|have|got)\s+(?:i\s+|we\s+|you\s+)?(?P<name>[\w+.-]+)"
            r"\s+(?:installed|available|present|set up)\b"
        ),
        (
            r"\b(?:do (?:i|we|you) have|have (?:i|we) got|is there)\s+(?:an?\s+)?"
            r"(?P<name>[\w+.-]+)(?:\s+(?:installed|here|on))?"
        ),
        r"\bwhere is\s+(?P<name>[\w+.-]+)\s+installed",
        r"^which\s+(?P<name>[\w+.-]+)",
    )
    name = (found or {}).get("name", "python").lower().rstrip(".?")
    name = {
        "python": "python3",
        "node.js": "node",
        "nodejs": "node",
        "golang": "go",
        "rust": "rustc",
        "what": "python3",
        "which": "python3",
        "postgres": "psql",
        "the": "python3",
    }.get(name, name)
    ask = "version" if name in {"go"} else "--version"
    command = f"command -v {quote(name)} && {quote(name)} {ask}"
    answer = yield hands.pick(shell(command))
    if not answer.error and answer.value.get("exit_code") == 1 and not answer.output:
        return f"{name} is not installed here."
    return told(answer)


def needed(said: Said, hands: Hands) -> Steps:
    """Read the file in which the project names what it depends on."""
    is_node = re.search(r"\b(?:npm|node|javascript|js)\b", said.low)
    signs = _MANIFESTS[::-1] if is_node else _MANIFESTS
    answer = yield hands.pick(
        want("search_files", pattern=f"{{{','.join(signs)}}}", target="files"),
        shell(f"ls {' '.join(signs)} 2>/dev/null"),
    )
    listed = answer.value.get("files")
    files = [str(one) for one in listed] if isinstance(listed, list) else answer.output.split()
    found = [one for sign in signs for one in files if one.rsplit("/", 1)[-1] == sign]
    if not found:
        return "I found no file here that names dependencies."
    path = min(found, key=lambda one: one.count("/"))
    read = yield hands.pick(want("read_file", path=path), shell(f"cat {quote(path)}"))
    return told(read, f"{path}:" if not read.error else "")


_MANIFESTS = (
    "requirements.txt", "pyproject.toml", "Cargo.toml", "go.mod", "Gemfile", "package.json",
)  # fmt: skip


def packages(said: Said, hands: Hands) -> Steps:
    """List the packages that are installed."""
    is_node = re.search(r"\b(?:npm|node)\b", said.low)
    outdated = " --outdated" if "outdated" in said.low else ""
    command = (
        f"npm {'outdated' if outdated else 'ls --depth=0'}"
        if is_node
        else f"python3 -m pip list{outdated}"
    )
    return told((yield hands.pick(shell(command, access="network" if outdated else None))))
