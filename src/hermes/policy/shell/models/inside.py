"""Judge a command that runs somewhere else: in a container, a pod or a virtual machine."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call
from hermes.policy.shell.models.looking import Handler, behind

SHELLS = ("sh", "bash", "zsh", "ash", "dash", "ksh", "fish", "busybox")
_LOOKERS = """
ls cat head tail less more grep egrep fgrep zgrep find stat file wc sort uniq cut tr jq yq diff
ps top htop df du free uptime date hostname whoami id uname pwd which type echo printf true test
netstat ss ip ifconfig ping nslookup dig host getent traceroute curl wget nc mount lsof tree
sleep cd set awk sed md5sum sha256sum base64 xargs nproc lscpu arch locale export vmstat iostat
"""
_LOOKING = frozenset(_LOOKERS.split())
_REACHING = re.compile(
    r"""\b(?:psql|pg_restore|dropdb|createdb|dropuser|mysql|mysqladmin|mariadb|mongo|mongosh|
    mongorestore|redis-cli|valkey-cli|cqlsh|clickhouse-client|sqlcmd|sqlplus|influx|etcdctl|
    rabbitmqctl|rabbitmqadmin|kafka-[a-z-]+|nodetool|cypher-shell|elasticsearch-[a-z-]+|
    manage\.py|rails|rake|artisan|alembic|prisma|knex|sequelize|typeorm|flyway|liquibase|
    aws|gcloud|gsutil|az|kubectl|helm|terraform|tofu|pulumi|ansible[a-z-]*|vault|consul|
    ssh|scp|rsync|git\s+push|npm\s+publish|twine|curl\s.*(?:-X|-d|-T|-F|--data|--upload)|
    wp|drush|occ|gitlab-[a-z]+|mc|rclone|restic)\b""",
    re.VERBOSE,
)
_FRAMEWORKS = re.compile(
    r"manage\.py|\b(?:rails|rake|artisan|alembic|prisma|knex|flyway|wp|drush)\b"
)
_DESTROYING = re.compile(
    r"""\b(?:rm|rmdir|unlink|shred|dd|mkfs\S*|wipefs|truncate|chroot|nsenter|insmod|modprobe|
    reboot|shutdown|halt|poweroff|kill|killall|pkill|userdel|passwd|chpasswd|iptables)\b
    |-delete\b|-exec\b|\bgit\s+(?:clean|reset|checkout|push)\b|:\s*>|\bmount\s+-""",
    re.VERBOSE,
)
_SECRETS = re.compile(
    r"/run/secrets|/etc/shadow|\.env\b|id_(?:rsa|ed25519)|\.pem\b|\.ssh/|credentials"
    r"|/environ\b|serviceaccount|\.aws/|\.kube/|\.pgpass|secret|\.key\b",
    re.IGNORECASE,
)


def command(words: Sequence[str]) -> Effect:
    """Return the effect of running a command with these words."""
    return Effect("run", "\0" + "\0".join(words))


def named(name: str) -> Handler:
    """Return a handler that runs a subcommand and all behind it as a program of that name."""

    def judge(call: Call) -> Iterator[Effect]:
        words = call.words[call.words.index(name) + 1 :] if name in call.words else ()
        yield command([name, *(words[1:] if words[:1] == ("--",) else words)])

    return judge


def in_container(words: Sequence[str]) -> Iterator[Effect]:
    """Yield what a command does that runs in a container whose own files matter little."""
    is_shell = bool(words) and words[0].rpartition("/")[2] in SHELLS
    reads_script = is_shell and all(word.startswith("-") for word in words[1:])
    if words and (reads_script or _REACHING.search(_script(words))):
        yield command(words)


def in_service(words: Sequence[str]) -> Iterator[Effect]:
    """Yield what a command does that runs in a container which keeps data."""
    script = _script(words)
    if not words:
        return
    if words[0].rpartition("/")[2] in ("env", "printenv") and len(words) < 3:
        yield danger("exfiltration", "prints the environment of a service")
    if _DESTROYING.search(script) or _SECRETS.search(script):
        told = _telling(script) if len(words) == 3 else script
        yield command(words if told == script else [*words[:2], told])
    else:
        yield from in_container(words)


def destroys(words: Sequence[str]) -> bool:
    """Say whether a command deletes or replaces files."""
    script = _script(words)
    return bool(_DESTROYING.search(script) or re.search(r"\btar\s+-?\w*x", script))


def _telling(script: str) -> str:
    """Return a script without the steps that only change the container, such as its packages."""
    if re.search(r"\b(?:for|while|until|if|case|function)\b|[(){}<\\]", script):
        return script
    steps = re.split(r"&&|\|\||[;\n]", script)
    if any(step.count(quote) % 2 for step in steps for quote in "'\""):
        return script
    tests = (_DESTROYING, _SECRETS, _REACHING, re.compile(r"^\s*cd\b"))
    return "; ".join(step for step in steps if any(test.search(step) for test in tests))


def in_cluster(words: Sequence[str]) -> Iterator[Effect]:
    """Yield what a command does that runs on a machine which others use."""
    if not words:
        return
    script = _script(words)
    programs = [part.split()[0] for part in re.split(r"[;&|\n]+", script) if part.split()]
    names = [name.rpartition("/")[2] for name in programs]
    if any(name in ("env", "printenv") for name in names):
        yield danger("exfiltration", "prints the environment of a remote service")
    if _SECRETS.search(script):
        yield danger("exfiltration", f"shows secrets of a remote service: {script[:60]}")
    yield command(words)
    if _DESTROYING.search(script) or not all(_looks(name, script) for name in names):
        yield danger("infrastructure", f"runs {script[:60]} on a remote machine")


def by_ssh(call: Call) -> Iterator[Effect]:
    """Yield what ``tool ssh machine command`` does on that machine."""
    yield from in_cluster(behind(call, "ssh")[1:])


def text_in_cluster(text: str) -> Iterator[Effect]:
    """Yield what shell text does that runs on a machine which others use."""
    if text.strip():
        yield from in_cluster(["sh", "-c", text])


def _looks(name: str, script: str) -> bool:
    if name in _LOOKING or name in SHELLS or name in ("env", "printenv"):
        return True
    if _FRAMEWORKS.search(script):
        return bool(re.search(r"\b(?:check|showmigrations|routes|status|about|current)\b", script))
    if _REACHING.search(script):  # the command's own model says more
        return True
    return bool(re.search(r"\s(?:--?version|-v|-V|-t|-T|--help|status|info)$", script))


def _script(words: Sequence[str]) -> str:
    """Return the text that a shell among the words is given, or all the words."""
    name = words[0].rpartition("/")[2] if words else ""
    if name in SHELLS:
        for at, word in enumerate(words[1:], 1):
            if re.fullmatch(r"-[a-z]*c[a-z]*", word) and at + 1 < len(words):
                return words[at + 1]
    return " ".join(words)
