"""Say what git does where a table does not reach: settings, checkouts and other repositories."""

from __future__ import annotations

import os.path
import re
import shlex
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase

from hermes.policy.shell.effects import UNKNOWN, Effect, danger
from hermes.policy.shell.model import Call
from hermes.policy.shell.models.words import words
from hermes.policy.shell.scripts import runs_a_script

_COMMANDS = words(
    """
    core.pager core.editor core.sshcommand core.fsmonitor core.askpass core.gitproxy pager.*
    core.alternaterefscommand sequence.editor diff.external diff.*.command diff.*.textconv
    filter.*.clean filter.*.smudge filter.*.process merge.*.driver mergetool.*.cmd
    difftool.*.cmd browser.*.cmd man.*.cmd gpg.program gpg.*.program interactive.difffilter
    uploadpack.packobjectshook remote.*.uploadpack remote.*.receivepack credential.helper
    credential.*.helper trailer.*.command trailer.*.cmd sendemail.*cmd submodule.*.update
    """
)
_PLANTED = words(
    """
    core.hookspath core.worktree core.attributesfile include.path includeif.* init.templatedir
    protocol.allow protocol.*.allow http.proxy http.*.proxy https.proxy url.*.insteadof
    url.*.pushinsteadof remote.*.vcs http.sslverify http.*.sslverify http.extraheader
    http.*.extraheader http.cookiefile clean.requireforce safe.directory
    safe.barerepository core.protectntfs core.protecthfs fetch.fsckobjects transfer.fsckobjects
    receive.fsckobjects receive.deny*
    """
)
_HOOKS = ("core.hookspath",)
_ELSEWHERE = ("remote.*.url", "remote.*.pushurl", "remote.pushdefault")
_HARMLESS = frozenset(
    words("cat less more delta diff-so-fancy vim vi nvim nano emacs code subl true false : auto")
) | {"", "osxkeychain", "cache", "manager", "manager-core", "libsecret", "0"}
_WRITERS = words(
    """
    add am apply checkout cherry-pick clean commit fetch init merge mv pull rebase reset restore
    revert rm stash switch tag branch worktree submodule config clone remote
    """
)


def deeds(call: Call) -> Iterator[Effect]:
    """Yield what a git command does beyond its rules."""
    for setting in call.values("-c", "--config-env"):
        yield from _for_once(setting)
    if not call.operands:
        return
    subcommand, rest = call.operands[0], call.operands[1:]
    if UNKNOWN in subcommand:
        yield danger("opaque", "runs a git command that cannot be known beforehand")
    if subcommand in _WRITERS and not _only_looks(subcommand, rest):
        for place in _elsewhere(call):
            yield Effect("write", place, is_recursive=call.is_root(place))
    find = _SUBCOMMANDS.get(subcommand)
    if find is not None:
        yield from find(call, rest)


def _elsewhere(call: Call) -> Iterator[str]:
    """Yield the folder of another repository that the command is sent to."""
    given = call.words
    if tree := call.variables.get("GIT_WORK_TREE"):
        yield tree
    for at, word in enumerate(given):
        if word == call.operands[0]:
            return
        if word in ("-C", "--work-tree") and at + 1 < len(given):
            yield given[at + 1]
        elif word.startswith("--work-tree="):
            yield word.partition("=")[2]


def _only_looks(subcommand: str, rest: tuple[str, ...]) -> bool:
    if subcommand in ("branch", "tag", "remote", "fetch"):
        return True
    return rest[:1] in (("list",), ("show",), ("status",), ("get",))


def _is(key: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(key.lower(), pattern) for pattern in patterns)


def _for_once(setting: str) -> Iterator[Effect]:
    """Yield what a setting given by ``-c`` makes git run."""
    key, _, value = setting.partition("=")
    if _is(key, ("alias.*",)):
        if value.startswith("!"):
            yield Effect("run", value[1:])
    elif _is(key, _COMMANDS):
        if value.startswith(("/", "./", "../", "~")) or "/tmp/" in value or runs_a_script(value):
            yield danger("network-exec", f"makes git run {value}")
        elif value not in _HARMLESS:
            yield Effect("run", value.removeprefix("!"))
    elif _is(key, _PLANTED) and not _is_off(key, value):
        yield danger("privilege", f"makes git run with {key} set to {value or 'nothing'}")


def _is_off(key: str, value: str) -> bool:
    """Say whether a setting only switches something off that would run, or a check on."""
    if _is(key, _HOOKS):
        return value in ("", "/dev/null")
    if _is(key, ("http.proxy", "http.*.proxy", "https.proxy", "safe.directory")):
        return value == "" or (key == "safe.directory" and value != "*")
    return (
        _is(key, ("*.sslverify", "*.fsckobjects", "clean.*", "receive.deny*"))
        and value.lower() != "false"
    )


def _config(call: Call, rest: tuple[str, ...]) -> Iterator[Effect]:
    if call.has(
        "-l", "--list", "--get", "--get-all", "--get-regexp", "--get-urlmatch", "--get-color"
    ):
        yield from _shown_secrets(rest)
        return
    verb, rest = _verb(call, rest)
    if verb == "look":
        return
    if call.has("--global", "--system"):
        yield danger("persistence", "changes git's settings for every repository")
    if rest[:1] and _is(rest[0], ("alias.*",)) and rest[1:2] and rest[1].startswith("!"):
        yield Effect("run", rest[1][1:])
    for file in call.values("-f", "--file"):
        yield Effect("write", file)
    if verb == "remove" and rest[:1] and _is(rest[0], (*_ELSEWHERE, "remote.*")):
        yield danger("publish", f"forgets where the remote is: {rest[0]}")
    if verb == "edit" and rest[:1] and not call.has("--global", "--system"):
        yield from _planted(rest[0], rest[1] if len(rest) > 1 else "")


def _shown_secrets(rest: tuple[str, ...]) -> Iterator[Effect]:
    if any(_is(key, ("*.extraheader", "*token*", "*password*")) for key in rest):
        yield danger("exfiltration", f"shows {' '.join(rest)}")


def _verb(call: Call, rest: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Return whether a config command looks, edits or removes, with its key and value."""
    if rest[:1] in (("list",), ("get",)):
        return "look", rest[1:]
    if call.has("-e", "--edit") or rest[:1] == ("edit",):
        return "edit", ()
    if call.has("--unset", "--unset-all", "--remove-section", "--rename-section"):
        return "remove", rest
    if rest[:1] in (("unset",), ("remove-section",), ("rename-section",)):
        return "remove", rest[1:]
    if rest[:1] == ("set",):
        rest = rest[1:]
    return ("edit", rest) if len(rest) > 1 else ("look", rest)


def _planted(key: str, value: str) -> Iterator[Effect]:
    if _is(key, ("alias.*",)):
        if value.startswith("!"):
            yield danger("persistence", f"plants a command behind git {key[6:]}")
        yield Effect("run", value[1:] if value.startswith("!") else f"git {value}")
    elif _is(key, _COMMANDS):
        if value.split(" ")[0] not in _HARMLESS:
            yield danger("persistence", f"makes git run {value} from now on")
    elif _is(key, _ELSEWHERE):
        yield danger("publish", f"makes later pushes go elsewhere: {value}")
    elif _is(key, _PLANTED) and (_is(key, _HOOKS) or not _is_off(key, value)):
        yield danger("persistence", f"sets {key} to {value}, which weakens or redirects git")


_FILE = re.compile(
    r""".*\.(?:py|[cm]?[jt]sx?|json|md|mdx|txt|go|rs|java|[ch]|cpp|cc|hpp|hh|rb|php|sh|ya?ml|toml|cfg
    |ini|lock|s?css|less|html?|xml|sql|vue|svelte|kts?|swift|cs|scala|exs?|erl|hs|lua|pl|r|ipynb
    |proto|tf|tfvars|env|gradle|properties|csv|svg|png|jpe?g|mod|sum|conf|log|bat|ps1|snap|dart|zig
    |tpl|j2|erb|graphql|prisma|rst|tex|m|mm|clj|elm|ml|nix|mk|cmake|d|ts|local|example)$
    |.*/$|\.{1,2}(?:/.*)?$|:/|.*[*?\[]""",
    re.VERBOSE,
)
_PLAIN_FILES = words("Makefile Dockerfile README LICENSE Gemfile Rakefile Procfile src")


def _checkout(call: Call, rest: tuple[str, ...]) -> Iterator[Effect]:
    if call.has("-b", "--orphan", "-t", "--track", "-p", "--patch"):
        return
    if call.has("-B"):
        if rest:
            yield danger("history-rewrite", f"points the branch {call.value('-B')} somewhere else")
        return
    paths = _paths(call, rest)
    if call.has("--ours", "--theirs"):
        paths = tuple(path for path in paths if path in (".", ":/", "*") or path.endswith("/"))
    if paths or call.has("--pathspec-from-file"):
        yield danger("history-rewrite", f"throws away the changes in {' '.join(paths)[:80]}")
    yield from _own_files(call, paths)


def _restore(call: Call, rest: tuple[str, ...]) -> Iterator[Effect]:
    yield from _own_files(call, rest)


def _own_files(call: Call, paths: tuple[str, ...]) -> Iterator[Effect]:
    """Yield hermes's own files among those that git writes: a home may be a repository."""
    base = call.values("-C", "--work-tree")[-1:]
    for path in paths:
        whole = "/".join((*base, path))
        if ".hermes" in whole or whole.startswith(("/", "~", "..")):
            yield Effect("write", whole)


def _paths(call: Call, rest: tuple[str, ...]) -> tuple[str, ...]:
    """Return the operands of a checkout that are files."""
    if "--" in call.words:
        behind = call.words[call.words.index("--") + 1 :]
        return tuple(behind)
    if call.has("-d", "--detach") or not rest:
        return ()
    if _is_file(rest[0]):
        return rest
    return rest[1:]


def _is_file(word: str) -> bool:
    return word in _PLAIN_FILES or bool(_FILE.match(word))


def _switch(call: Call, rest: tuple[str, ...]) -> Iterator[Effect]:
    if call.has("-C", "--force-create") and rest:
        name = call.value("-C", "--force-create")
        yield danger("history-rewrite", f"points the branch {name} somewhere else")


def _clean(call: Call, rest: tuple[str, ...]) -> Iterator[Effect]:
    """Yield the loss of whole folders: what git does not know may be all that is in them."""
    if call.has("-f", "--force") and call.has("-d") and not call.has("-n", "--dry-run"):
        base = call.values("-C", "--work-tree")[-1:]
        if tree := call.variables.get("GIT_WORK_TREE"):
            base = (tree,)
        for path in rest or (".",):
            yield Effect("delete", "/".join((*base, path)) if base else path, is_recursive=True)


def _clone(call: Call, rest: tuple[str, ...]) -> Iterator[Effect]:
    """Yield the folder that is made; a new one beside the workspace is like a worktree there."""
    for folder in rest[1:2]:
        is_beside = re.fullmatch(r"\.\./[\w-][\w.-]*/?", folder)
        if not is_beside or os.path.lexists(f"{call.cwd}/{folder}"):
            yield Effect("write", folder)
    for setting in call.values("-c", "--config"):
        yield from _planted(setting.partition("=")[0], setting.partition("=")[2])


def _submodule(call: Call, rest: tuple[str, ...]) -> Iterator[Effect]:
    if rest[:1] == ("foreach",):
        behind = call.words[call.words.index("foreach") + 1 :]
        yield Effect("run", " ".join(word for word in behind if word != "--recursive"))


def _bisect(call: Call, rest: tuple[str, ...]) -> Iterator[Effect]:
    if rest[:1] == ("run",) and len(rest) > 1:
        behind = call.words[call.words.index("run") + 1 :]
        yield Effect("run", shlex.join(behind))


def _show(call: Call, rest: tuple[str, ...]) -> Iterator[Effect]:
    for word in rest:
        colon, path = word.partition(":")[1:]
        if colon and path:
            yield Effect("read", path)
    yield from _diff(call, rest)


def _diff(call: Call, _: tuple[str, ...]) -> Iterator[Effect]:
    """Yield the files whose content is shown."""
    if "--" in call.words and (call.operands[0] != "log" or call.has("-p", "-u", "--patch")):
        for path in call.words[call.words.index("--") + 1 :]:
            yield Effect("read", path)


def _stash(call: Call, rest: tuple[str, ...]) -> Iterator[Effect]:
    if rest[:1] == ("show",):
        yield from _diff(call, rest)


def _grep(call: Call, rest: tuple[str, ...]) -> Iterator[Effect]:
    if not call.has("-l", "-L", "-c", "--count", "-q", "--files-with-matches"):
        yield from _diff(call, rest)
    for word in call.words:
        for flag in ("-O", "--open-files-in-pager="):
            if word.startswith(flag) and word != flag:
                yield Effect("run", f"{word.removeprefix(flag)} {UNKNOWN}")


def _push(call: Call, rest: tuple[str, ...]) -> Iterator[Effect]:
    if call.has("--follow-tags", "--dry-run", "-n"):
        return
    for name in rest[1:]:
        if name == "tag" or re.match(r"(refs/tags/)?v\d+(\.\d+)+", name):
            yield danger("publish", f"publishes the tag {rest[-1]}, which often starts a release")
            return


def _fetch(call: Call, rest: tuple[str, ...]) -> Iterator[Effect]:
    """Yield the danger of fetching over local branches by force, or what a stranger wrote."""
    for word in rest[:1] if call.operands[0] == "pull" else ():
        if "://" in word or re.match(r"\w+@[\w.-]+:", word):
            yield Effect("net", word)
    is_forced = call.has("-f", "--force")
    for refs in rest[1:]:
        source, _, target = refs.partition(":")
        if target and (is_forced or source.startswith("+")) and "refs/remotes" not in target:
            yield danger("history-rewrite", f"overwrites the local branch {target}")
            return


def _apply(call: Call, rest: tuple[str, ...]) -> Iterator[Effect]:
    if "network" in call.piped.origins:
        yield danger("network-exec", "changes the code by a patch from the network, unseen")
    if (
        call.operands[0] == "apply"
        and call.has("-R", "--reverse")
        and not rest
        and not call.has("--check", "--stat")
    ):
        yield danger("history-rewrite", "takes changes back that may not be committed")


_SUBCOMMANDS: dict[str, Callable[[Call, tuple[str, ...]], Iterator[Effect]]] = {
    "config": _config,
    "checkout": _checkout,
    "switch": _switch,
    "restore": _restore,
    "clean": _clean,
    "clone": _clone,
    "submodule": _submodule,
    "bisect": _bisect,
    "show": _show,
    "cat-file": _show,
    "diff": _diff,
    "log": _diff,
    "grep": _grep,
    "stash": _stash,
    "blame": _diff,
    "push": _push,
    "fetch": _fetch,
    "pull": _fetch,
    "apply": _apply,
    "am": _apply,
}
