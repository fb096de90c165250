"""Describe programs that change the kernel's view: mounts, clock, names, network interfaces."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.looking import changes_unless

_CHANGING = re.compile(r"(?:add|del|delete|set|flush|replace|change|append|prepend|restore)")
_SWITCHING = re.compile(
    r"up|down|add|delete|modify|mod|connect|disconnect|on|off|hostname|reload|load|import|edit"
    r"|clone|set|hotspot|reapply|checkpoint"
)


def _mount(call: Call) -> Iterator[Effect]:
    """Yield a danger unless mount only lists."""
    is_all = call.has("-a", "--all")
    if (call.operands or is_all) and not call.has("-l", "--show-labels", "-f", "--fake"):
        yield danger("disk", "changes which file systems are in the tree")
        for place in call.operands[-1:] if len(call.operands) > 1 else ():
            yield Effect("write", place, is_recursive=True)


def _ip(call: Call) -> Iterator[Effect]:
    """Yield a danger where ip changes something; its words can be abbreviated."""
    words = call.operands
    if len(words) > 2 and words[0] == "netns" and words[1] == "exec":
        yield danger("privilege", f"runs something in the network {words[2]}")
        yield Effect("run", "\0" + "\0".join(words[3:]))
    elif any(_CHANGING.fullmatch(word) for word in words[1:3]):
        yield danger("service", f"changes the machine's network: {' '.join(words)[:60]}")
    elif call.has("-batch", "-b", "-force"):
        yield danger("service", "changes the machine's network")


def _nmcli(call: Call) -> Iterator[Effect]:
    if any(_SWITCHING.fullmatch(word) for word in call.operands[:3]):
        words = " ".join(call.operands)[:60]
        yield danger("service", f"changes the machine's network: {words}")


def _date(call: Call) -> Iterator[Effect]:
    is_time = any(re.fullmatch(r"\d{8,14}(?:\.\d\d)?", word) for word in call.operands)
    if call.has("-s", "--set") or (is_time and not call.has("-j", "-d", "--date", "-r")):
        yield danger("service", "changes the machine's clock")


def _interface(call: Call) -> Iterator[Effect]:
    if len(call.operands) > 1:
        yield danger("service", f"changes the machine's network: {' '.join(call.operands)[:60]}")


_RESOLVE = "status|query|statistics|show-cache|show-server-state|service|openpgp|tlsa|monitor"
_TIME = "status|show|list-timezones|timesync-status|show-timesync"

PROGRAMS = {
    "mount": Program(values="-t -o -O -L -U --types --options -T --fstab -N", handler=_mount),
    "ip": Program(values="-f -n -netns -batch -b -family", dashes="single", handler=_ip),
    "ifconfig": Program(handler=_interface),
    "date|gdate": Program(
        values="-d -I -j -v --date",
        options={"-r|--reference": "text", "-f|--file": "read"},
        handler=_date,
    ),
    "hostnamectl": Program(handler=changes_unless("status|show", "service", "the machine's name")),
    "timedatectl": Program(
        values="-p -H -M", handler=changes_unless(_TIME, "service", "the clock")
    ),
    "localectl": Program(
        handler=changes_unless("status|list-*", "service", "the machine's language")
    ),
    "nmcli": Program(
        values="-f -t -g -m -c -e --fields --get-values --mode --colors -w",
        handler=_nmcli,
    ),
    "resolvectl|systemd-resolve": Program(
        values="-i -p -t -c -4 -6", handler=changes_unless(_RESOLVE, "service", "name resolution")
    ),
    "wg": Program(handler=changes_unless("show|genkey|pubkey|genpsk", "service", "the tunnel")),
    "route": Program(values="-A"),
    "tc": Program(handler=changes_unless("* show|ls|list|help|get\nmonitor", "service", "traffic")),
    "bridge": Program(handler=changes_unless("* show|get\nmonitor", "service", "the network")),
    "bootctl": Program(handler=changes_unless("status|list|is-installed", "disk", "booting")),
    "hostname": Program(values="-F --file"),
    "hostid|atop|acpi|inxi|hwinfo|tload|numastat|cpuid|runlevel|lslogins|lsns|lsipc": Program(),
}

RULES = """
    umount|fusermount|fusermount3          => disk: takes a file system out of the tree: {}
    umount -a|--all                        => disk: takes everything out of the file tree
    rtcwake !-l                            => service: sends the machine to sleep
    nmcli -s|--show-secrets                => exfiltration: shows the passwords of networks
    wg show ... private-key|preshared-keys => exfiltration: shows the private key of a tunnel
    bpftool prog|map|net load|loadall|attach|detach => privilege: changes the running kernel
    bpftool prog|map|net delete|update|pin => privilege: changes the running kernel
    ipcrm|cgdelete                         => process: takes away what processes share
    exportfs -u|-ua|-au|-a|-r|-i           => service: changes what others may mount
    rmmod|sysrqd *                         => privilege: changes the running kernel
    hwclock -w|-s|--systohc|--hctosys|--set|--adjust => service: changes the machine's clock
    ntpdate|rdate|sntp * !-q               => service: changes the machine's clock
    chronyc makestep|settime|manual|offline|shutdown => service: changes the machine's clock
    hostname *                             => service: changes the machine's name
    hostname -F|--file|-b                  => service: changes the machine's name
    domainname|nisdomainname *             => service: changes the machine's name
    route ... add|del|delete|change|flush  => service: changes the machine's routes
    wg showconf                            => exfiltration: shows the private key of a tunnel
    wg-quick up|down|save|strip            => service: changes the machine's network
    openvpn|vpnc|openconnect|pppd *        => service: changes the machine's network
    ethtool -s|-K|-A|-C|-G|-L|-E|-f|-X => service: changes a network card
    ethtool -N|-p|-r|-t|--change|--offload|--flash|--reset => service: changes a network card
    ifup|ifdown|dhclient * !get|status|info => service: changes the machine's network
    dhcpcd|netplan * !get|status|info => service: changes the machine's network
    iw|iwconfig ... set|add|del|essid|mode|txpower => service: changes the wireless network
    iw|iwconfig ... connect|disconnect => service: changes the wireless network
    rfkill block|unblock|toggle            => service: switches radios
    brctl addbr|delbr|addif|delif|setfd    => service: changes the machine's network
    ovs-vsctl add-*|del-*|set|remove|emer-reset => service: changes the machine's network
    wpa_cli|iwctl ... connect|disconnect|terminate => service: changes the wireless network
    wpa_cli|iwctl ... reconfigure|forget => service: changes the wireless network
    wpa_cli ... *_network|save_config|ap_scan|roam => service: changes the wireless network
    pm-suspend|pm-hibernate|pm-suspend-hybrid|s2ram|s2disk => service: sends the machine to sleep
    zerotier-cli|netbird|nebula|headscale|netclient join|leave|set|up|down \
        => service: changes the private network of this machine
    swapoff|swapon !-s|--show|--summary|-V => service: changes the machine's memory
    zramctl -r|-f|--reset|--find           => service: changes the machine's memory
    update-alternatives --install|--set => overwrite: changes which program runs by a name
    alternatives --install|--set => overwrite: changes which program runs by a name
    update-alternatives --remove|--remove-all => overwrite: changes which program runs by a name
    alternatives --remove|--remove-all => overwrite: changes which program runs by a name
    update-alternatives --auto|--config => overwrite: changes which program runs by a name
    alternatives --auto|--config => overwrite: changes which program runs by a name
    update-alternatives --all|--set-selections => overwrite: changes which program runs by a name
    alternatives --all|--set-selections => overwrite: changes which program runs by a name
    ldconfig !-p|--print-cache|-N          => overwrite: changes where programs find libraries
    update-grub|grub-install|grub2-install|grub-mkconfig => disk: changes how the machine boots
    grub2-mkconfig|grub-set-default|grub-reboot => disk: changes how the machine boots
    grubby !-v|--info|--default-kernel|--default-index => disk: changes how the machine boots
    efibootmgr !-v|--info|--default-kernel|--default-index => disk: changes how the machine boots
    extlinux !-v|--info|--default-kernel|--default-index => disk: changes how the machine boots
    lilo|syslinux !-v|--info|--default-kernel|--default-index => disk: changes how the machine boots
    dracut|mkinitramfs|update-initramfs !-V|-l|--list-modules => disk: changes how the machine boots
    mkinitcpio|kernel-install|mkinitrd !-V|-l|--list-modules => disk: changes how the machine boots
    fwupdmgr install|update|downgrade|activate|reinstall => disk: changes the machine's firmware
    flashrom -w|-E|--write|--erase         => disk: changes the machine's firmware
    cpupower frequency-set|idle-set|set    => service: changes the processor's settings
    tuned-adm profile|off                  => service: changes the machine's settings
    powertop --auto-tune                   => service: changes the machine's settings
    setterm|loadkeys|chvt *                => service: changes the console
    locale-gen|update-locale|dpkg-statoverride * => overwrite: changes the machine's settings
"""
