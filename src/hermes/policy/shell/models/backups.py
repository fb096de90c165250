"""Describe programs that keep backups: what they forget is gone."""

from __future__ import annotations

from hermes.policy.shell.model import Program

PROGRAMS = {
    "restic": Program(values="-r --repo -p --password-file -o --tag --host --path --target -t"),
    "borg|borgmatic": Program(values="--remote-path --lock-wait --rsh -P --prefix", dry="-n"),
    "rdiff-backup": Program("text*", values="--remove-older-than --restore-as-of -r"),
    "duplicity|duply": Program("text*", values="--encrypt-key --gpg-options"),
    "timeshift|snapper|rsnapshot|btrbk|sanoid|syncoid|kopia|bup|zbackup|attic": Program(),
}

RULES = """
    restic ... forget|prune|rewrite|repair|unlock|migrate => delete: deletes backups
    restic ... key add|remove|passwd                 => privilege: changes who can read the backups
    borg|borgmatic delete|prune|compact|recreate|break-lock => delete: deletes backups
    borg|borgmatic config|key|rename                 => delete: changes backups
    rdiff-backup --remove-older-than|--force         => delete: deletes backups
    rdiff-backup remove|regress                      => delete: deletes backups
    duplicity|duply remove-*|cleanup|purge*          => delete: deletes backups
    duplicity|duply ... --force                      => delete: deletes or overwrites backups
    timeshift --delete|--delete-all|--restore        => delete: deletes or restores backups
    snapper ... delete|rollback|undochange|cleanup|delete-config => delete: deletes snapshots
    rsnapshot -v|daily|hourly|weekly|monthly|sync    => delete: turns over the backups
    kopia snapshot|repository|policy delete|expire   => delete: deletes backups
    kopia maintenance|blob|content run|delete|gc     => delete: deletes backups
    syncoid|btrbk run|clean|prune|*:*                => disk: changes snapshots
    bup gc|prune-older|rm                            => delete: deletes backups
    tarsnap -d|--nuke                                => delete: deletes backups
"""
