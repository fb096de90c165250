"""Programs whose operands are only names and words to them: nothing is done to what they name."""

from __future__ import annotations

from hermes.policy.shell.model import Program

_NAMES = (
    "info tldr cheat pinfo yelp perldoc pydoc pydoc3 ri godoc rustdoc cowsay figlet toilet"
    " banner seq expr factor cal uptime who w last users groups tty"
    " nproc getconf lsb_release uname sw_vers lscpu lsmem lspci lsusb lshw dmidecode sensors"
    " free vmstat iostat mpstat sar pidstat htop top btop pstree pgrep pidof lsof pmap slabtop"
    " locale getent tput stty clear reset sleep dircolors tabs"
    " printenv units jot pbpaste wl-paste bindkey zle zstyle"
    " sloccount cloc tokei scc onefetch neofetch fastfetch screenfetch cmatrix sl fortune"
)
PROGRAMS = {
    **{name: Program() for name in _NAMES.split()},
    "espeak|say": Program(options={"-f|--input-file": "read"}),
    "lolcat|bc": Program("read*"),
    "man": Program(options={"-P|--pager": "run"}),
}
