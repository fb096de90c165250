"""Describe the package managers of operating systems."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.scripts_named import task

_TRUSTED_FLAKES = re.compile(
    r"^(?:nixpkgs|\.|/|path:|\./|self|flake:nixpkgs|github:nixos/nixpkgs)", re.I
)
_EMERGE_LOOKS = ("-p", "--pretend", "-s", "--search", "-S", "--searchdesc", "--info", "-l")


def _nix(call: Call) -> Iterator[Effect]:
    """Yield the danger of running a flake that is neither the project's nor nixpkgs."""
    if call.operands[:1] not in (("run",), ("shell",), ("develop",)):
        return
    for word in call.words[call.words.index(call.operands[0]) + 1 :]:
        if word in ("-c", "--command", "--"):
            return
        if not word.startswith("-"):
            if not _TRUSTED_FLAKES.match(word):
                yield danger("network-exec", f"fetches and runs {word}")
            return


def _nix_command(call: Call) -> Iterator[Effect]:
    yield from _nix(call)
    for flag in ("-c", "--command"):
        if flag in call.words:
            words = call.words[call.words.index(flag) + 1 :]
            if words:
                yield Effect("run", shlex.join(words))
            return


def _emerge(call: Call) -> Iterator[Effect]:
    if not call.has(*_EMERGE_LOOKS) and (call.operands or call.flags):
        yield danger("overwrite", "changes the packages of the machine")


def _helper(call: Call) -> Iterator[Effect]:
    """Yield the danger of an AUR helper called without an operation: it upgrades everything."""
    if not call.words:
        yield danger("overwrite", "upgrades every package of the machine")
    elif not call.flags and call.operands:
        yield danger("overwrite", f"installs {' '.join(call.operands)[:80]}")


def _mise(call: Call) -> Iterator[Effect]:
    if call.operands[:1] in (("run",), ("r",)) and len(call.operands) > 1:
        yield from task(call.operands[1], call.operands[2:])


_APT = Program(
    values="-t --target-release --default-release -o --option -c --config-file -a",
    dry="-s --recon -d --download-only --print-uris",
)

PROGRAMS = {
    "apt|apt-get|aptitude|nala": _APT,
    "apt-cache|apt-file|apt-config|apt-mark|apt-key": Program(),
    "add-apt-repository|apt-add-repository": Program(),
    "dpkg": Program(values="--root --admindir --log -D"),
    "dpkg-reconfigure|dpkg-divert|debconf-set-selections|gdebi|tasksel": Program(),
    "dnf|yum|microdnf|tdnf|dnf5|zypper": Program(
        values="--enablerepo --disablerepo --releasever -c --config -x --exclude --repo"
        " --installroot --setopt -r --repoid -d -e -t --type",
        dry="--assumeno --downloadonly -D",
    ),
    "rpm": Program(values="--root --dbpath --qf --queryformat -D -E --define --eval", dry="--test"),
    "pacman": Program(values="--root -b --dbpath --config --cachedir --ignore", dry="-p --print"),
    "yay|paru|pikaur|trizen|aura": Program(dry="-p --print", handler=_helper),
    "makepkg|snap|flatpak|port|guix|sdk|pkg|opkg|mas|softwareupdate": Program(),
    "apk": Program(values="-p --root -X --repository --arch", dry="-s"),
    "brew": Program(),
    "nix": Program(
        values="-f --file --extra-experimental-features -I --arg --argstr --option",
        handler=_nix_command,
    ),
    "nix run": Program(values="-f --file -I --option --arg", stops=True),
    "nix build|eval|flake|profile|store|copy|registry": Program(
        values="--to --from", options={"-o|--out-link": "write"}
    ),
    "nix-env|nix-store|nix-collect-garbage|nix-channel|nix-build": Program(
        values="-f -A -I --option --attr -p"
    ),
    "nixos-rebuild|home-manager|darwin-rebuild": Program(values="--flake -I --target-host"),
    "asdf": Program(),
    "mise|rtx": Program(values="-C --cd -E --env -j", handler=_mise),
    "rtx exec|x": Program("command", stops=True),
    "emerge": Program(dry="-p --pretend", handler=_emerge),
    "xbps-install|xbps-remove|xbps-reconfigure|eopkg|swupd|slackpkg|installpkg": Program(dry="-n"),
    "winget|choco|scoop|rpm-ostree|fwupdmgr|pkgin|pkg_add|pkg_delete|ubuntu-drivers": Program(),
    "do-release-upgrade|unattended-upgrade": Program(),
}

RULES = """
apt|apt-get|aptitude|nala install|reinstall|satisfy|build-dep \
    => overwrite: installs {} on the machine
apt|apt-get|aptitude|nala remove|purge|autoremove|autopurge \
    => overwrite: removes {} from the machine
apt|apt-get|aptitude|nala upgrade|dist-upgrade|full-upgrade|safe-upgrade|dselect-upgrade \
    => overwrite: upgrades the machine
apt|apt-get|aptitude|nala update|edit-sources|edit-source|hold|unhold|markauto|clean|autoclean \
    => overwrite: changes the machine's package lists
apt-mark hold|unhold|auto|manual => overwrite: changes which packages are upgraded
apt-key add|del|adv|net-update|update => privilege: changes whose packages the machine trusts
add-apt-repository|apt-add-repository => privilege: changes where the machine takes packages from
dpkg -i|--install|--unpack|--configure => overwrite: installs {} on the machine
dpkg -r|--remove|-P|--purge  => overwrite: removes {} from the machine
dpkg --set-selections|--clear-selections|--add-architecture|--remove-architecture|--force* \
    => overwrite: changes the machine's packages
dpkg-reconfigure|gdebi|debconf-set-selections => overwrite: changes the machine's packages: {}
dpkg-divert --add|--remove|--rename => overwrite: changes files of packages
tasksel install|remove       => overwrite: changes the machine's packages
do-release-upgrade|unattended-upgrade => overwrite: upgrades the machine

dnf|yum|microdnf|tdnf|dnf5 install|in|localinstall|reinstall \
    => overwrite: installs {} on the machine
dnf|yum|microdnf|tdnf|dnf5 groupinstall|swap|builddep|offline-upgrade \
    => overwrite: installs {} on the machine
dnf|yum|microdnf|tdnf|dnf5 remove|rm|erase|autoremove|groupremove \
    => overwrite: removes {} from the machine
dnf|yum|microdnf|tdnf|dnf5 update|up|upgrade|upgrade-minimal => overwrite: upgrades the machine
dnf|yum|microdnf|tdnf|dnf5 downgrade|distro-sync|dsync|system-upgrade \
    => overwrite: upgrades the machine
dnf|yum|dnf5 group install|remove|upgrade => overwrite: changes the machine's packages
dnf|yum|dnf5 module enable|disable|install|remove|reset|switch-to \
    => overwrite: changes the machine's packages
dnf|yum|dnf5 copr|config-manager enable|disable|remove|addrepo|setopt \
    => privilege: changes where the machine takes packages from
dnf|yum|dnf5 config-manager --add-repo|--set-enabled|--set-disabled|--save|--enable \
    => privilege: changes where the machine takes packages from
yum-config-manager           => privilege: changes where the machine takes packages from
dnf|yum|dnf5 history undo|rollback|redo => overwrite: changes the machine's packages
dnf|yum|dnf5 mark|versionlock install|remove|add|delete => overwrite: changes the machine's packages
zypper install|in|remove|rm|update|up|dist-upgrade|dup|patch|install-new-recommends|si|verify \
    => overwrite: changes the machine's packages: {}
zypper addrepo|ar|removerepo|rr|modifyrepo|mr|renamerepo|addlock|al \
    => privilege: changes where the machine takes packages from
rpm -i|-U|-F|--install|--upgrade|--freshen|--reinstall !-q|--query|-V|-K|--checksig \
    => overwrite: installs {} on the machine
rpm -e|--erase !-q|--query   => overwrite: removes {} from the machine
rpm --import                 => privilege: changes whose packages the machine trusts
rpm --rebuilddb|--initdb|--setperms|--setugids|--restore \
    => overwrite: changes the machine's packages
rpm-ostree install|uninstall|upgrade|rebase|rollback|override|deploy|reset|kargs \
    => overwrite: changes the machine
pacman|yay|paru|pikaur -S !-s|-i|-l|-g|--search|--info|--list|--groups \
    => overwrite: changes the machine's packages: {}
pacman|yay|paru|pikaur --sync !--search|--info|--list|--groups|-s|-i|-l \
    => overwrite: changes the machine's packages: {}
pacman|yay|paru|pikaur -R|--remove => overwrite: removes {} from the machine
pacman|yay|paru|pikaur -U|--upgrade|-D|--database => overwrite: changes the machine's packages: {}
pacman-key --add|-a|--recv-keys|-r|--lsign-key|--delete|-d|--init|--populate \
    => privilege: changes whose packages the machine trusts
makepkg -i|--install|-s|--syncdeps|-r => overwrite: changes the machine's packages
apk add|del|fix|upgrade|update => overwrite: changes the machine's packages: {}
apk cache clean|purge|download => overwrite: changes the machine's packages
snap install|remove|refresh|revert|disable|enable|set|unset|connect|disconnect|alias|unalias|try \
    => overwrite: changes the machine's packages: {}
snap start|stop|restart|switch|login|logout|restore|forget \
    => service: changes the services of snaps: {}
flatpak install|uninstall|remove|update|upgrade !remote-ls|remote-info|remotes \
    => overwrite: changes the machine's packages: {}
flatpak override|remote-*|mask|pin|repair !remote-ls|remote-info|remotes \
    => overwrite: changes the machine's packages: {}
xbps-install|xbps-remove|xbps-reconfigure|installpkg \
    => overwrite: changes the machine's packages: {}
eopkg|swupd|slackpkg|opkg install|it|remove|rm|upgrade \
    => overwrite: changes the machine's packages: {}
eopkg|swupd|slackpkg|opkg up|update|bundle-add|bundle-remove|install-new \
    => overwrite: changes the machine's packages: {}
pkg|pkgin install|in|add|delete|remove|rm|upgrade => overwrite: changes the machine's packages: {}
pkg|pkgin ug|update|up|autoremove|reinstall|uninstall|clean \
    => overwrite: changes the machine's packages: {}
pkg_add|pkg_delete           => overwrite: changes the machine's packages: {}
fwupdmgr update|install|downgrade|reinstall|activate => overwrite: changes the machine's firmware
ubuntu-drivers install|autoinstall => overwrite: changes the machine's drivers
winget|choco|scoop install|uninstall|upgrade|update|remove|import|add|bucket|source \
    => overwrite: changes the machine's packages: {}
softwareupdate -i|--install|-d|--ignore => overwrite: upgrades the machine
mas install|uninstall|upgrade|purchase|lucky => overwrite: changes the machine's packages: {}

brew install|reinstall|uninstall|remove|rm|upgrade|update \
    => overwrite: changes the machine's packages: {}
brew up|link|ln|unlink|autoremove|cleanup|migrate => overwrite: changes the machine's packages: {}
brew bump-formula-pr|bump-cask-pr|bump|pr-upload|pr-publish => publish: opens pull requests
brew pin|unpin|postinstall|untap|developer|update-reset|unbottle \
    => overwrite: changes the machine's packages: {}
brew tap *                   => overwrite: adds {} to where the machine takes packages from
brew cask install|uninstall|upgrade|reinstall|zap => overwrite: changes the machine's packages: {}
brew bundle !list|check|dump|exec => overwrite: changes the machine's packages
brew services start|stop|restart|run|kill|cleanup \
    => service: changes the services of the machine: {}
port install|uninstall|upgrade|selfupdate|sync|activate|deactivate|load|unload|reclaim \
    => overwrite: changes the machine's packages: {}
port select --set            => overwrite: changes the machine's packages

nix profile install|add|remove|upgrade|rollback|wipe-history \
    => overwrite: changes the programs of the user: {}
nix store gc|delete          => overwrite: deletes packages of the machine
nix copy --to                => publish: copies packages to others
nix registry add|remove|pin  => persistence: changes where flakes come from
nix upgrade-nix              => overwrite: replaces nix itself
nix-env -i|-e|-u|--install|--uninstall|--upgrade => overwrite: changes the programs of the user: {}
nix-env --set|--rollback|--delete-generations|--switch-generation|-G|-S \
    => overwrite: changes the programs of the user: {}
nix-shell http*|*://*        => network-exec: fetches and runs {}
nix-collect-garbage          => overwrite: deletes packages of the machine
nix-store --gc|--delete|--import|--repair-path => overwrite: changes the packages of the machine
nix-channel --add|--remove|--update|--rollback => persistence: changes where packages come from
nixos-rebuild|darwin-rebuild switch|boot|test => overwrite: rebuilds the machine
home-manager switch|remove-generations|expire-generations|uninstall \
    => overwrite: rebuilds the home folder
guix install|remove|upgrade|pull|gc|package => overwrite: changes the programs of the user: {}
guix system|home|deploy reconfigure|switch-generation|delete-generations|init|roll-back \
    => overwrite: rebuilds the machine

asdf plugin|plugin-add|plugin-remove|plugin-update add|remove|update \
    => network-exec: installs {} from the network
asdf plugin-add|plugin-remove|plugin-update => network-exec: installs {} from the network
asdf global|uninstall        => overwrite: changes the machine's tools: {}
asdf set -u|--home           => overwrite: changes the machine's tools: {}
mise|rtx use|u|unuse -g|--global => overwrite: changes the machine's tools: {}
mise|rtx global|uninstall|self-update|implode|prune => overwrite: changes the machine's tools: {}
mise|rtx plugins|plugin|p install|i|add|uninstall|update \
    => network-exec: installs {} from the network
mise|rtx settings set|add|unset => persistence: changes the settings of every project
sdk install|uninstall|default|selfupdate|update|flush => overwrite: changes the machine's tools: {}
update-alternatives|alternatives --set|--install|--remove \
    => overwrite: changes which programs the machine runs
update-alternatives|alternatives --config|--auto|--remove-all|--set-selections \
    => overwrite: changes which programs the machine runs
"""
