"""Describe programs that change users, groups, passwords and rights."""

from __future__ import annotations

from collections.abc import Iterator

from hermes.policy.shell.effects import Effect
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.inside import command


def _capsh(call: Call) -> Iterator[Effect]:
    """Yield what the shell does that takes the words behind two dashes."""
    if "--" in call.words:
        yield command(["bash", *call.words[call.words.index("--") + 1 :]])


PROGRAMS = {
    "passwd|chage|faillog|lastlog": Program(values="-n -x -w -i -d -E -I -m -M -W -u -t -b"),
    "chroot": Program("text command", values="--userspec --groups --skip-chdir", stops=True),
    "nsenter": Program(
        "command", values="-t --target -S -G --setuid --setgid -w --wd -r --root -W -N", stops=True
    ),
    "unshare": Program(
        "command", values="-S -G --setuid --setgid -w --wd -R --root --propagation", stops=True
    ),
    "capsh": Program(handler=_capsh),
    "sg": Program(options={"-c": "run"}),
    "id|whoami|lastb|logname|getcap|pinky|lid|members": Program(),
    "setpriv|runcon": Program("command", stops=True),
}

RULES = """
    userdel -r|--remove       => delete!: deletes the home of {}
    deluser --remove-home|--remove-all-files => delete!: deletes the home of {}
    useradd|adduser|userdel   => privilege: changes the users of this machine: {}
    deluser|usermod|newusers   => privilege: changes the users of this machine: {}
    groupadd|addgroup|groupdel   => privilege: changes the groups of this machine: {}
    delgroup|groupmod|gpasswd   => privilege: changes the groups of this machine: {}
    groupmems|newgrp                                    => privilege: changes a group: {}
    passwd !-S|--status                                 => privilege: changes a password
    chpasswd|chgpasswd|vipw|vigr|pwconv|pwunconv|grpconv|grpunconv => privilege: changes passwords
    chsh|chfn !-l|--list-shells                         => privilege: changes a user of this machine
    chage !-l|--list => privilege: changes when a password runs out
    visudo !-c|--check                                  => privilege: changes who may act as root
    faillock --reset                                    => privilege: lets a locked user in again
    pam-auth-update !--help|list|current|check|show => privilege: changes how people log in
    authselect !--help|list|current|check|show => privilege: changes how people log in
    authconfig !--help|list|current|check|show => privilege: changes how people log in
    realm|adcli join|leave|permit|deny                  => privilege: changes how people log in
    pam_tally2 -r|--reset                               => privilege: lets a locked user in again
    chroot|pivot_root|switch_root => privilege: runs something under another root
    nsenter !-h => privilege: enters another process's world: {}
    unshare -m|--mount|-U|-r => privilege: runs something in a world of its own
    unshare --map-root-user|-n|-p => privilege: runs something in a world of its own
    setcap !-n                                          => privilege: gives rights of root to {}
    capsh -*=* !--print|--decode=*|--supports=* => privilege: runs something with other rights
    smbpasswd|pdbedit !-L => privilege: changes who may use shared folders
    ldapdelete|ldapmodify|ldapadd !-n => privilege: changes a directory of users
    ldappasswd|ldapmodrdn !-n => privilege: changes a directory of users
    samba-tool user|group|domain create|delete => privilege: changes the users of a domain
    samba-tool user|group|domain add|setpassword => privilege: changes the users of a domain
    samba-tool user|group|domain disable|enable => privilege: changes the users of a domain
    samba-tool user|group|domain demote|join => privilege: changes the users of a domain
    kadmin|kadmin.local|kdb5_util ... *                 => privilege: changes the users of a realm
    lastlog|faillog --clear|-C|-S|-r => privilege: changes the record of who logged in
    ipa user-add|user-del|user-mod => privilege: changes a directory of users
    ipa group-add|group-del|passwd => privilege: changes a directory of users
    xhost ... +* => privilege: lets others see and type on the screen
    setpriv|runcon !-d|--dump => privilege: runs something with other rights
    edquota|setquota|quotaoff|quotaon                   => service: changes how much users may store
"""
