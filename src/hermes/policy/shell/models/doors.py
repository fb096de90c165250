"""Programs that open the machine to others: remote shells, shared terminals, servers of screens."""

from __future__ import annotations

from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program

_EVERYWHERE = ("0.0.0.0", "::", "[::]", "*")


def _bound(call: Call) -> Iterator[Effect]:
    """Yield a danger where a server listens for everybody without a password."""
    texts = " ".join(call.words)
    if any(address in texts for address in _EVERYWHERE):
        yield danger("publish", f"lets everybody on the network reach {call.name}")


def _processes(call: Call) -> Iterator[Effect]:
    if any("e" in word and not word.startswith("-") for word in call.words[:1]):
        yield danger("exfiltration", "prints the variables of processes, secrets among them")


def _caddy(call: Call) -> Iterator[Effect]:
    if call.operands[:1] == ("file-server",):
        for folder in call.values("--root", "-r"):
            yield Effect("read", folder, is_recursive=True)


_SERVES = Program(
    "read-tree*",
    values="-p --port -l --listen -a --address -i --interfaces -c --config --cors -b --bind",
    options={"-h|-r|--root|--path|-d|--dir|-t": "read-tree"},
)

PROGRAMS = {
    "miniserve|sirv|darkhttpd|dufs|simple-http-server"
    "|static-web-server|webfsd|thttpd|webify|gohttpserver|browser-sync|servefile|updog": _SERVES,
    "httpd": Program(values="-h -p -u -c -r -d -k -C -D -e -E"),
    "caddy": Program(values="--root -r --listen -l --config -c", handler=_caddy),
    "ps": Program(handler=_processes),
    "jupyter|jupyter-lab|jupyter-notebook": Program(handler=_bound, values="--ip --port"),
    "code-server|openvscode-server": Program(handler=_bound, values="--auth --bind-addr --port"),
}

RULES = """
mosh-server|eternalterminal|etserver => privilege: lets others log in
tmate|ttyd|gotty|shellinaboxd|wetty|upterm => privilege: opens this machine's shell to others
dropbear|in.telnetd|telnetd|rshd|sshd|inetd !-V|-T|-t => privilege: lets others log in
vncserver|x11vnc|x0vncserver|wayvnc => privilege: lets others see and use this screen
code-server --auth=none => privilege: opens an editor without a password
gnome-session-quit|swaymsg|i3-msg|hyprctl exit|dispatch|quit => service: ends the desktop session
gnome-session-quit => service: ends the desktop session
zellij kill-all-sessions|delete-all-sessions => process: ends all terminal sessions
grub2-set-default|grub-set-default|grub-reboot => service: changes what the machine boots
ifdown|ifup => service: changes the machine's network
udevadm trigger|control => service: changes how devices are handled
anydesk|teamviewer|rustdesk => privilege: lets others use this machine
ssh-import-id => persistence: lets the owner of a key log in
xdotool|ydotool|wtype type|key => obfuscation: types into other programs
screencapture|import|scrot|grim|maim => exfiltration: takes a picture of the screen
arecord|parecord|rec => exfiltration: records sound
xinput|evtest|showkey|logkeys test|test-xi2 => exfiltration: records what is typed
httpd -h=/*|-h=~*|-h=..*  => exfiltration: serves files of this machine to the network
"""
