"""Understand a program that no model knows, by its words alone."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence

from hermes.policy.shell.carried import suspect_carried
from hermes.policy.shell.effects import Effect
from hermes.policy.shell.flow import ANYTHING, Flow
from hermes.policy.shell.interpret import Interpreter
from hermes.policy.shell.model import DRY, HELP, Call, Program, told_apart
from hermes.policy.shell.run import Run
from hermes.policy.shell.running import apply
from hermes.policy.shell.telltales import loses_data, signs

_UNSTUDIED = Program("unstudied*")
_FORMATTERS = re.compile(r"format|fmt|lint|fluff|parse|highlight|copy|pygment|wc|glow")
_WRITING = frozenset({"--set", "--write", "--in-place", "-o", "--output", "--edit", "--out"})
_DESTRUCTIVE = re.compile(
    r"(?:^|[-_:.])(?:delete|deleteall|destroy|purge|wipe|erase|drop|truncate|terminate|flush"
    r"|flushall|nuke|uninstall|unpublish|publish|deploy|yank|deprovision|decommission|revoke"
    r"|shutdown|reboot|poweroff|remove|prune|factory-reset|obliterate|deregister|unregister|evict"
    r"|rollback|failover|downgrade|backwards|undeploy|expunge|disable|unban|reinit|upload|submit"
    r"|promote|overwrite|deactivate|deauthorize|unlink|unseal|suspend|quarantine|rotate)(?:$|[-_:.])"
    r"|^(?:rm|rmr|rmcol|rmf|del|delzone|kill|killall|kill-all|logout|erasekeys|detach|suspend"
    r"|abort|cancel|disable)$"
)
_STORES = re.compile(
    r"(?:^|[-_:.])(?:db|database|schema|migrations?|migrat\w*|ecto|tables?|ledger)(?:$|[-_:.])"
)
_UNDOES = re.compile(r"(?:^|[-_:.])(?:reset|down|fresh|undo|revert|clear|zero)(?:$|[-_:.])")
_NAMED = re.compile(
    r"(?:^|[-_])(?:deploy|undeploy|destroy|purge|wipe|erase|nuke|publish|unpublish|uninstall"
    r"|shutdown|logout|reboot|poweroff|disable|delete|killall)(?:$|[-_])"
    r"|^(?:Remove|Stop|Restart|Clear|Format|Disable|Uninstall|Reset|Unregister|Dismount)(?=-[A-Z])"
    r"|^Set(?=-(?:MpPreference|ExecutionPolicy|Acl|Service)$)"
)
"""What the name of an unknown program itself says that it does."""
_REVEALS = re.compile(
    r"(?:get|show|read|print|reveal|export|decrypt|dump|fetch|view|cat|copy)-?"
    r"(?:secrets?|passwords?|passphrase|tokens?|credentials?|creds|private-key|api-?keys?|access-key)"
    r"(?:-\w+)*|(?:print|get)-(?:access|identity|session|auth|bearer|id)-?token"
)
"""What a word says that prints a secret."""
_KEPT = frozenset({"secret", "secrets", "password", "passwords", "token", "tokens", "credentials"})
_OPENS = frozenset({"get", "show", "read", "print", "reveal", "export", "decrypt", "dump", "view"})
_LOOKS = frozenset(
    {
        "info", "show", "list", "ls", "search", "describe", "get", "view", "explain", "status",
        "find", "grep", "doc", "docs", "lint", "check", "test", "validate", "parse", "print",
    }
)  # fmt: skip
_TELLS = frozenset(
    {"-e", "-c", "-q", "-x", "--eval", "--exec", "--execute", "--command", "--query", "--cmd"}
)
_PROGRAMS = """
rm sudo doas sh bash zsh dd shred wipefs truncate unlink chmod chown git gh glab docker podman
kubectl helm terraform tofu pulumi ansible ansible-playbook aws gcloud gsutil az heroku flyctl
npm npx pnpm yarn pip pip3 pipx uv cargo gem twine python python3 node ruby perl php psql mysql
mysqladmin mongosh mongo redis-cli sqlite3 clickhouse-client dropdb cqlsh etcdctl curl wget ssh
scp sftp rsync rclone nc ncat socat systemctl crontab launchctl apt apt-get dnf yum brew pacman
pkill killall iptables ufw useradd usermod userdel passwd mkfs fdisk parted lvremove zpool zfs
cryptsetup mv cp tee xargs gpg openssl vault doppler smbpasswd
"""
_OFTEN_WRAPPED = frozenset(_PROGRAMS.split())
"""Names that are hardly ever a word of another program: what follows one is its command."""
_FILE = re.compile(r"(?:[\w-]+/){0,6}(?:[\w-]+\.(?:key|pem|p12|pfx|tfstate|env)|\.env(?:\.\w+)?)")
"""What looks like a file of the project that may hold secrets."""
_PROGRAM = re.compile(r"(?:/[\w./]*bin/)?[A-Za-z_][\w+-]*")


def may_mean(value: str) -> Iterable[Effect]:
    """Yield what an operand of an unknown program may mean: paths may be read."""
    is_path = value.startswith(("/", "~", "./", "../")) and "://" not in value
    if is_path or _FILE.fullmatch(value):
        yield Effect("read", value)
    elif value.startswith("@") and len(value) > 1:
        yield Effect("read", value[1:])


def _split(word: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", word).lower()


def taken_away(operands: Sequence[str]) -> str | None:
    """Return the word among the first ones that tells a program to take something away."""
    if not operands or operands[0] in _LOOKS or operands[0] == "cache":
        return None
    for word in operands[:4]:
        if _DESTRUCTIVE.search(_split(word)) and "/" not in word and "." not in word[1:]:
            return word
    return None


def _verb(run: Run, call: Call) -> str | None:
    """Return the word by which an unknown program is told to take something away."""
    verb = taken_away(call.operands)
    if verb is not None:
        return verb
    words = [_split(word) for word in call.operands[:4]]
    stores = (run.name, *words)
    if any(_STORES.search(word) for word in stores):
        for word, given in zip(words, call.operands, strict=False):
            if _UNDOES.search(word):
                return given
    for flag, text in itertools.pairwise(run.words):
        told = text.split()[:2] if flag in _TELLS else []
        if told and told[0] not in ("sudo", "rm") and taken_away(told) is not None:
            return taken_away(told)
    found = _NAMED.search(run.name)
    return found[0].strip("-_") if found else None


def reveals(operands: Sequence[str]) -> bool:
    """Say whether the first words of a program tell it to print a secret."""
    first = [word.lower() for word in operands[:3]]
    pairs = itertools.pairwise(first)
    return any(_REVEALS.fullmatch(_split(word)) for word in operands[:3]) or any(
        (one in _KEPT and two in _OPENS) or (one in _OPENS and two in _KEPT) for one, two in pairs
    )


def _wrapped(interpreter: Interpreter, run: Run) -> None:
    """Follow the command that an unknown program may start: behind ``--``, or by a known name."""
    words = run.words
    at = words.index("--") + 1 if "--" in words else 0
    if not at:
        names = (word.rpartition("/")[2] for word in words)
        at = next((at for at, name in enumerate(names) if name in _OFTEN_WRAPPED), len(words))
    if at < len(words) - 1 and _PROGRAM.fullmatch(words[at]):
        interpreter.rerun(run, words[at:])


def unstudied(interpreter: Interpreter, run: Run) -> Flow:
    """Look at a program that no model knows: it runs with little power, unasked."""
    interpreter.unknown.append(run.name)
    call = told_apart(run.name, run.words, _UNSTUDIED)
    if any(flag in call.flags for flag in (*HELP, *DRY)):
        return ANYTHING
    suspect_carried(interpreter, run)
    is_writing = any(flag in _WRITING for flag in call.flags)
    is_formatter = _FORMATTERS.search(run.name) is not None
    given = [value for values in call.flags.values() for value in values]
    for operand in (*call.operands, *given):
        for effect in () if is_formatter and _FILE.fullmatch(operand) else may_mean(operand):
            interpreter.note(effect._replace(kind="write") if is_writing else effect, run.span)
    verb = _verb(run, call)
    for text in (*run.words, run.piped.text or ""):
        if "(" in text:
            apply(interpreter, run, signs(text))
    if not is_formatter and loses_data("\n".join((*run.words, run.piped.text or ""))):
        interpreter.warn("database", f"has {run.name} delete data of a database", run.span)
    if reveals(call.operands):
        interpreter.warn("exfiltration", f"has {run.name} print a secret", run.span)
    if verb is not None:
        interpreter.warn("infrastructure", f"asks {run.name} to {verb}", run.span)
    _wrapped(interpreter, run)
    origins = run.piped.origins | run.origins
    return Flow(None, (), origins)
