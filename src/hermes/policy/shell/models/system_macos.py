"""Describe programs of macOS and Windows that change the machine."""

from __future__ import annotations

from hermes.policy.shell.model import Program
from hermes.policy.shell.models.looking import changes_unless

_TMUTIL = "list*|latestbackup|destinationinfo|compare|status|version|machinedirectory|isexcluded"
_DEFAULTS = "read|read-type|domains|find|help|export"

PROGRAMS = {
    "defaults": Program(
        dashes="single", handler=changes_unless(_DEFAULTS, "overwrite", "the settings of macOS")
    ),
    "tmutil": Program(handler=changes_unless(_TMUTIL, "delete", "the backups of macOS")),
    "osascript": Program(values="-l -s", options={"-e": "code:osascript"}, operands="script text*"),
    "open": Program(values="-a -b -R"),
    "xdg-open|gnome-open|kde-open|wslview|sensible-browser|pbcopy|wl-copy": Program("text*"),
    "dscl|systemsetup|networksetup|sysadminctl|installer|profiles|nvram|dseditgroup": Program(
        dashes="single"
    ),
}

RULES = """
open -a=Terminal|-a=iTerm|-a=Terminal.app|-a=iTerm.app => obfuscation: has a terminal run {}
open *.command|*.tool|*.terminal|/tmp/*.app|*.pkg|*.dmg|*.workflow => obfuscation: starts {}
    csrutil !status|--help               => privilege: changes how macOS protects itself
    nvram !-p|-x|-xp                     => service: changes how the machine starts
    nvram ... *=*                        => service: changes how the machine starts
    nvram -d|-c                          => service: changes how the machine starts
    spctl --master-disable|--global-disable => privilege: changes which programs macOS trusts
    spctl --disable|--add => privilege: changes which programs macOS trusts
    spctl --remove|--master-enable|--reset-default => privilege: changes which programs macOS trusts
    spctl kext-consent                   => privilege: changes which programs macOS trusts
    pmset !-g                            => service: changes how the machine sleeps
    scutil --set|--remove                => service: changes the machine's settings
    dscl -create|-delete|-append|-change => privilege: changes the users of this machine
    dscl -merge|-passwd|-createpl|-deletepl => privilege: changes the users of this machine
    dscl ... create|delete|append => privilege: changes the users of this machine
    dscl ... change|passwd|merge => privilege: changes the users of this machine
    dseditgroup -o                       => privilege: changes the groups of this machine
    sysadminctl -*                       => privilege: changes the users of this machine
    softwareupdate -i|--install|-ia|-r => service: changes the machine's software
    softwareupdate -R|--restart|--ignore|--schedule => service: changes the machine's software
    systemsetup -set*                    => service: changes the machine's settings
    networksetup -set*|-create*|-remove*|-switch* => service: changes the machine's network
    networksetup -add*|-order*|-import* => service: changes the machine's network
    networksetup -s*                     => service: changes the machine's network
    fdesetup !status|list|isactive       => disk: changes the encryption of the disk
    profiles install|remove|-I|-R|-D     => privilege: changes how the machine is managed
    installer -pkg                       => privilege: installs software for everyone
    kextload|kextunload|kmutil *         => privilege: changes the running kernel
    mdutil -E|-i|-d                      => service: changes the search index
    xattr -c|-cr|-rc                     => privilege: takes off the marks that macOS checks
    xattr -d|-dr|-rd com.apple.quarantine => privilege: lets a downloaded program run unchecked
    codesign --remove-signature          => privilege: takes off a program's signature
    bless|asr|startosinstall *           => disk: changes how the machine boots
    hdiutil erase|resize|burn|compact    => disk: changes a disk image
    hdiutil eject|unmount                => disk: takes a disk out of the file tree
    tccutil reset                        => privilege: changes what programs may see
    security find-generic-password|find-internet-password -w|-g => exfiltration: shows a password
    security dump-keychain|export|unlock-keychain => exfiltration: shows what is in the keychain
    security delete-*|add-*|import|set-*|authorizationdb => privilege: changes the keychain
    log erase                            => delete: deletes the machine's log
    reg add|delete|import|restore|ADD|DELETE => overwrite: changes the registry
    schtasks ... /create|/delete|/change|/Create|/run => persistence: changes planned jobs
    net user|localgroup|accounts|share => privilege: changes users, services or shares
    net stop|start|use => privilege: changes users, services or shares
    sc|sc.exe create|delete|stop|config|start => service: changes the machine's services
    vssadmin|wbadmin delete              => delete!: deletes the backups of the machine
    wmic shadowcopy delete               => delete!: deletes the backups of the machine
    wmic ... call format                 => disk!: formats a drive
    vssadmin|wbadmin resize              => delete: deletes backups
    diskpart                             => disk!: changes the partitions of a disk
    bcdedit /delete                      => disk!: makes the machine unable to boot
    reg delete HKLM|HKEY_LOCAL_MACHINE   => delete!: deletes the registry of the machine
    bcdedit|format|cipher|fsutil *       => disk: changes a disk or how the machine boots
    wevtutil cl|clear-log                => delete: deletes the machine's log
    netsh ... set|add|delete|reset       => privilege: changes the machine's network
    certutil -urlcache|-decode           => network-exec: fetches or unpacks something in disguise
    bitsadmin|mshta|rundll32|regsvr32|wscript|cscript * => network-exec: runs code in an unusual way
    takeown|icacls                       => privilege: changes who may do what with {}
"""
