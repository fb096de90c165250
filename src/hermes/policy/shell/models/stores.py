"""Object stores and backups: rclone, mc, b2, restic, borg, duplicity, kopia."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.looking import both, changes_unless
from hermes.policy.shell.models.transfers import copies, starting, with_colon

_RCLONE = """
--config --filter --filter-from --include --exclude --include-from --exclude-from --files-from
--transfers --checkers --bwlimit --max-age --min-age --max-size --min-size --log-file --log-level
--backup-dir --s3-acl --stats --retries --suffix --compare-dest --rc-addr
"""
_REMOTE = re.compile(
    r"(?:sftp|s3|rest|b2|azure|gs|rclone|swift|ssh|scp|ftp|webdavs?|https?):|\S+@\S+:"
)
_RESTIC = (
    "-r --repo -p --password-file -o --option --cache-dir --tag --host --path --repository-file"
)
_RESTIC += " --exclude --exclude-file --files-from -H --password-command --limit-upload -e"
_BORG = (
    "-r --repo --remote-path --rsh -C --compression -e --exclude --pattern -a --glob-archives -P"
)


def _backed_up(call: Call) -> Iterator[Effect]:
    """Find backups that go to another machine."""
    if call.operands[:1] in (("backup",), ("create",)):
        place = call.value("-r", "--repo") or " ".join(call.operands[1:2])
        yield from (Effect("read", path) for path in call.operands[1:] if "::" not in path)
        if _REMOTE.match(place):
            yield danger("exfiltration", f"copies files of this machine to {place}")


def _borgs(call: Call) -> Iterator[Effect]:
    if call.operands[:1] == ("check",) and call.has("--repair"):
        yield danger("infrastructure", "repairs a repository of backups in place")


def _duplicity(call: Call) -> Iterator[Effect]:
    """Yield what a copy with duplicity does; the kind of copy may be left out."""
    words = call.operands
    looks = ("collection-status", "list-current-files", "verify", "restore")
    if words and words[0].startswith(("remove-", "cleanup")):
        yield danger("infrastructure", f"deletes backups: {words[0]}")
    elif len(words) > 1 and words[0] not in looks and "://" in words[-1]:
        if not words[-1].startswith("file://"):
            yield danger("exfiltration", f"copies files of this machine to {words[-1]}")
    elif words[:1] == ("restore",) or (len(words) > 1 and "://" in words[0]):
        yield Effect("write", words[-1])


def _purged(call: Call) -> Iterator[Effect]:
    """Yield what is deleted of this machine; a name with a colon is a store's."""
    for path in call.operands[1:]:
        if ":" not in path:
            yield Effect("delete", path, is_recursive=True)


def _is_bucket(name: str) -> bool:
    """Say whether a name of minio's client is not a path of this machine."""
    return not name.startswith(("/", ".", "~")) and "/" in name


PROGRAMS: dict[str, Program] = {
    "rclone": Program(
        values=_RCLONE,
        dry="-n",
        handler=changes_unless(
            """
            ls|lsd|lsl|lsf|lsjson|size|check|checksum|cat|tree|about|listremotes|md5sum|sha1sum
            hashsum|ncdu|cryptcheck|obscure|genautocomplete|test
            config file|paths|providers|show|dump|touch|userinfo
            """,
            where="a store",
        ),
    ),
    "rclone copy|copyto|sync|move|moveto|bisync": Program(
        values=_RCLONE,
        dry="-n",
        handler=copies(with_colon, skip=1, mirrors="sync bisync"),
    ),
    "rclone delete|purge|rmdirs": Program(values=_RCLONE, dry="-n", handler=_purged),
    "mc|mcli": Program(
        values="-C --config-dir",
        handler=changes_unless(
            """
            ls|cat|head|tree|stat|du|diff|find|ping|ready|watch
            alias list|ls
            admin info|trace|top|console|logs
            version info
            * * list|ls|info
            """,
            where="a store",
        ),
    ),
    "mc|mcli cp|mv|mirror|get|put": Program(
        values="-C --attr --older-than", handler=copies(_is_bucket, skip=1)
    ),
    "b2": Program(
        handler=changes_unless(
            """
            ls|version|get-*|list-*|download-*|cat|file-info|account-info
            account get
            bucket list|get
            file download|info|cat|url
            key list
            """,
            where="a store",
        )
    ),
    "b2 sync": Program(handler=copies(starting("b2://"), skip=1)),
    "restic|rustic": Program(
        values=_RESTIC,
        options={"-t|--target": "write"},
        handler=both(
            changes_unless(
                """
                snapshots|ls|find|stats|check|diff|cat|list|dump|cache|generate|restore|mount|init
                backup|options|features
                key list
                """,
                where="the backups",
            ),
            _backed_up,
        ),
    ),
    "borg|borgmatic": Program(
        values=_BORG,
        dry="-n",
        handler=both(
            changes_unless(
                "list|info|check|diff|export-tar|mount|umount|extract|create|init|rlist|rinfo|serve"
                "|benchmark|rcreate|repo-list|repo-info|config|generate|validate",
                where="the backups",
            ),
            _backed_up,
            _borgs,
        ),
    ),
    "duplicity": Program(
        values="--encrypt-key --sign-key --include --exclude --name --archive-dir",
        handler=_duplicity,
    ),
    "kopia": Program(
        values="--config-file -p --password",
        handler=changes_unless(
            """
            ls|list|show|diff|mount|restore|benchmark
            snapshot list|ls|verify|estimate|create
            policy list|show|get
            repository status|connect|disconnect
            content|blob|manifest|index|cache list|ls|stats|info|show
            """,
            where="the backups",
        ),
    ),
}

RULES = """
rclone config show|dump => exfiltration: prints the credentials of stores
rclone config create|update|delete|password|reconnect => privilege: changes credentials
rclone delete|purge|deletefile|rmdir|rmdirs|cleanup|dedupe => infrastructure: deletes {}
rclone serve|link => publish: opens {} to others
rclone reveal => exfiltration: prints a password
mc|mcli rm|rb => infrastructure: deletes {}
mc|mcli share|anonymous|policy => publish: opens {} to others
mc|mcli mirror --remove => infrastructure: deletes what the source lacks
mc|mcli alias list|ls|export => exfiltration: prints the credentials of stores
b2 upload-file|upload-unbound-stream => exfiltration: uploads {}
b2 file upload => exfiltration: uploads {}
b2 authorize-account => privilege: signs in to a store
b2 rm|delete-bucket|delete-file-version => infrastructure: deletes {}
restic|rustic forget|prune => infrastructure: deletes backups
restic|rustic key add|remove|passwd => privilege: changes who may open the backups
restic|rustic self-update => network-exec: replaces itself with a program from the network
borg|borgmatic delete|prune|compact => infrastructure: deletes backups: {}
borg key export => exfiltration: writes out the key of the backups
tarsnap -c => exfiltration: copies files of this machine to a store
"""
