"""Describe programs that keep backups: what they forget is gone."""

from __future__ import annotations

from hermes.policy.shell.model import Program

PROGRAMS = {
    "rdiff-backup": Program("text*", values="--remove-older-than --restore-as-of -r"),
    "duply": Program("text*", values="--encrypt-key --gpg-options"),
    "timeshift|snapper|rsnapshot|btrbk|sanoid|syncoid|bup|zbackup|attic": Program(),
}

RULES = """
    rdiff-backup --remove-older-than|--force         => delete: deletes backups
    rdiff-backup remove|regress                      => delete: deletes backups
    duplicity|duply remove-*|cleanup|purge*          => delete: deletes backups
    duplicity|duply ... --force                      => delete: deletes or overwrites backups
    timeshift --delete|--delete-all|--restore        => delete: deletes or restores backups
    snapper ... delete|rollback|undochange|cleanup|delete-config => delete: deletes snapshots
    rsnapshot -v|daily|hourly|weekly|monthly|sync    => delete: turns over the backups
    syncoid|btrbk run|clean|prune|*:*                => disk: changes snapshots
    bup gc|prune-older|rm                            => delete: deletes backups
    tarsnap -d|--nuke                                => delete: deletes backups
"""
