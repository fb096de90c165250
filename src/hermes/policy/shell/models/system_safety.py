"""Describe programs that guard the machine: firewalls, mandatory access control, auditing."""

from __future__ import annotations

from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.looking import changes_unless

_LISTING = ("-L", "-S", "-C", "-V", "-h", "--list", "--list-rules", "--check", "--version")


def _tables(call: Call) -> Iterator[Effect]:
    """Yield a danger unless the rules of a packet filter are only listed."""
    if call.has(*_LISTING) and not call.has("-F", "-X", "-Z", "-P", "-A", "-I", "-D", "--flush"):
        return
    if call.flags:
        yield danger("privilege", "changes the firewall")


def _firewalld(call: Call) -> Iterator[Effect]:
    asking = ("--list", "--get", "--state", "--query", "--info", "--check", "--path", "--version")
    looks = all(
        flag.startswith(asking) or flag in ("--zone", "--permanent", "--policy", "-q", "--quiet")
        for flag in call.flags
    )
    if not looks:
        yield danger("privilege", "changes the firewall")


def _sysctl(call: Call) -> Iterator[Effect]:
    is_set = any("=" in word for word in call.operands)
    if is_set or call.has("-w", "--write", "-p", "--load", "--system"):
        yield danger("privilege", f"changes the kernel: {' '.join(call.operands)[:60]}")


PROGRAMS = {
    "certutil": Program(dashes="single", values="-d -n -t -i"),
    "logger": Program(values="-p -t -n -P -f --priority --tag"),
    "iptables|ip6tables|ebtables|arptables|iptables-nft|iptables-legacy|ip6tables-legacy": Program(
        values="-t -p -s -d -j -i -o -m --table --dport --sport --comment", handler=_tables
    ),
    "iptables-save|ip6tables-save|getenforce|sestatus|aa-status|apparmor_status|ausearch|aureport"
    "|seinfo|sesearch|getsebool|lsmod|modinfo|matchpathcon|aa-enabled": Program("text*"),
    "nft": Program(
        values="-f -i -D",
        dry="-c --check",
        options={"-f|--file": "read"},
        handler=changes_unless("list|describe|monitor\n-v|--version", "privilege", "the firewall"),
    ),
    "ufw": Program(
        handler=changes_unless("status|show|version\napp list|info", "privilege", "the firewall")
    ),
    "firewall-cmd|firewall-offline-cmd": Program(values="--zone --policy", handler=_firewalld),
    "ipset": Program(handler=changes_unless("list|save|test|version", "privilege", "the firewall")),
    "fail2ban-client": Program(
        handler=changes_unless("status|ping|get|version|banned", "privilege", "who is kept out")
    ),
    "sysctl": Program(values="-r --pattern -N", handler=_sysctl),
    "modprobe": Program(dry="-n --show-depends -c --showconfig -D --show-config"),
    "semanage|semodule|setsebool": Program(values="-t -s -a -d -l"),
}

RULES = """
    pfctl !-s|-sr|-sa|-ss|-sn|-si|-s* => privilege: changes the firewall
    nft -f|--file                     => privilege: changes the firewall
    iptables-restore|ip6tables-restore !-t|--test => privilege: replaces the firewall
    iptables-apply * !status|list|version|show => privilege: changes the firewall
    netfilter-persistent * !status|list|version|show => privilege: changes the firewall
    shorewall * !status|list|version|show => privilege: changes the firewall
    firehol|csf * !status|list|version|show => privilege: changes the firewall
    chcon                             => privilege: changes the labels of {}
    socketfilterfw --set*|--add|--remove|--block*|--unblock* => privilege: changes the firewall
    logger -p=auth*|-p=authpriv*      => privilege: writes into the machine's record of logins
    certutil -A|-M|-D|-F|-N           => privilege: changes whom this machine trusts
    setenforce *                      => privilege: switches mandatory access control
    semanage !-l|--list|-E|--extract|--list-modules => privilege: changes mandatory access control
    semodule !-l|--list|-E|--extract|--list-modules => privilege: changes mandatory access control
    setsebool *                       => privilege: changes mandatory access control
    restorecon|fixfiles|setfiles !-n  => privilege: changes the labels of {}
    aa-disable|aa-complain|aa-enforce => privilege: changes mandatory access control
    aa-teardown|aa-remove-unknown|aa-audit => privilege: changes mandatory access control
    apparmor_parser !-Q|--skip-kernel-load|-N|-V => privilege: changes mandatory access control
    auditctl !-l|-s|-v                => privilege: changes what the machine keeps a record of
    modprobe|insmod|rmmod|kmod-load   => privilege: changes the running kernel: {}
    kexec|kextload|kextunload|kmutil   => privilege: changes the running kernel: {}
    kexec -l|-e|-p|-u                 => privilege: replaces the running kernel
    depmod !-n                        => privilege: changes the kernel's modules
    dmesg -C|-c|--clear|--read-clear  => delete: clears the kernel's log
    dmesg -n|-D|-E                    => service: changes the kernel's log
    mokutil --disable-validation|--import|--delete|--reset => privilege: weakens secure boot
    update-ca-certificates|update-ca-trust !check => privilege: changes whom this machine trusts
    trust anchor                      => privilege: changes whom this machine trusts
    update-crypto-policies --set      => privilege: changes the machine's encryption
    usbguard allow-device|disable     => privilege: opens the machine to a device
    history -c|-d|-w                  => delete: clears the record of what was typed
    fc -s                             => opaque: runs a command from the history
    clamscan --remove                 => delete: deletes files that it finds suspicious
    chkrootkit|rkhunter --propupd     => privilege: accepts the machine's files as they are
    gsettings|dconf set|reset|write => overwrite: changes the desktop's settings
    gsettings|dconf load|reset-recursively => overwrite: changes the desktop's settings
    xdg-mime|xdg-settings default|set|install => persistence: changes which program opens files
"""
