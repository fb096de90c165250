"""Describe programs that start, stop and plan what the machine runs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.looking import changes_unless

_SYSTEMCTL = """
    status|show|cat|help|list-*|is-*|get-default|show-environment|version
    --version
"""
_LOGINCTL = "list-*|show-*|*-status|seat-status|user-status|session-status"
_LAUNCHCTL = "list|print|print-*|blame|dumpstate|version|managername|manageruid|getenv|help|error"
_SUPERVISORCTL = "status|tail|avail|pid|version|maintail"
_INITCTL = "list|status|version|log-priority"


_JOB = re.compile(r"\s*(?:@\w+|(?:[\d*/,\-A-Za-z]+\s+){4}[\d*/,\-A-Za-z]+)\s+([^\s].*)")
"""A planned job: when, and the command."""


def _crontab(call: Call) -> Iterator[Effect]:
    if call.has("-l", "-V"):
        return
    if call.has("-r"):
        yield danger("persistence", "deletes all planned jobs of the user")
    elif call.has("-e"):
        yield danger("persistence", "edits the planned jobs of the user")
    elif call.operands or call.piped.text != "":
        yield danger("persistence", "replaces the planned jobs of the user")
        for path in call.operands[:1]:
            if path != "-":
                yield Effect("read", path)
        for line in (call.piped.text or "").splitlines():
            if found := _JOB.match(line):
                yield Effect("run", found[1])


def _at(call: Call) -> Iterator[Effect]:
    if call.has("-l", "-c", "-V") or call.name == "atq":
        return
    if call.has("-d", "-r") or call.name == "atrm":
        yield danger("service", f"cancels planned jobs: {' '.join(call.operands)[:40]}")
        return
    yield danger("persistence", "plans a command to run later")
    if call.piped.text:
        yield Effect("run", call.piped.text)
    for path in call.values("-f"):
        yield Effect("script", path)


def _service(call: Call) -> Iterator[Effect]:
    """Yield a danger unless a service is only asked how it does."""
    operands = call.operands
    if len(operands) >= 2 and operands[1] not in ("status", "describe", "help"):
        yield danger("service", f"{operands[1]}s the service {operands[0]}"[:80])


def _kept_running(call: Call) -> Iterator[Effect]:
    """Yield the command that a process manager starts, where it is given as one text."""
    for text in call.operands[1:2]:
        yield Effect("run" if " " in text else "script", text)


def _shutdown(call: Call) -> Iterator[Effect]:
    if not call.has("-c", "-k", "--help", "--show", "--version", "-w", "--wtmp-only"):
        yield danger("service", "stops or restarts the machine")


PROGRAMS = {
    "systemctl": Program(
        values="-t -p -H -M -n -o -s --type --property --state --host --machine --lines --output"
        " --signal --kill-who --root --what --job-mode",
        handler=changes_unless(_SYSTEMCTL, "service", "the machine's services"),
    ),
    "service|rc-service|invoke-rc.d": Program(handler=_service),
    "initctl": Program(handler=changes_unless(_INITCTL, "service", "the machine's services")),
    "launchctl": Program(handler=changes_unless(_LAUNCHCTL, "persistence", "what macOS starts")),
    "loginctl": Program(
        values="-p -H -M -s -n -o --property --signal",
        handler=changes_unless(_LOGINCTL, "service", "who is logged in"),
    ),
    "supervisorctl": Program(
        values="-c -s -u -p",
        handler=changes_unless(_SUPERVISORCTL, "service", "the machine's services"),
    ),
    "shutdown|reboot|halt|poweroff": Program(handler=_shutdown),
    "crontab|fcrontab": Program(values="-u -c -x", handler=_crontab),
    "at|batch|atrm|atq": Program(values="-f -q -t -c", handler=_at),
    "journalctl": Program(
        values="-u -n -o -p -t -b -S -U -g --unit --lines --output --priority --since --until"
        " --grep --identifier --boot --field -F -D --directory"
    ),
    "pm2": Program(values="-n --name -i -c --cron"),
    "pm2 start": Program(values="-n --name -i -c --cron", handler=_kept_running),
    "systemd-analyze|coredumpctl|systemd-cgls|systemd-cgtop|systemd-detect-virt|systemd-path"
    "|systemd-escape": Program("text*"),
}

RULES = """
    systemctl enable|link|edit => persistence: changes what the machine starts
    systemctl preset|set-default|import-environment => persistence: changes what the machine starts
    systemctl mask|disable                => service: keeps {} from being started
    init|telinit 0|1|2|3|4|5|6|s|S|q|Q|u  => service: stops or restarts the machine
    journalctl --vacuum-*|--rotate|--flush|--relinquish-var => delete: deletes the machine's log
    journalctl --setup-keys               => service: changes the machine's log
    systemd-tmpfiles --clean|--remove => delete: deletes files that the machine keeps for now
    systemd-tmpfiles --create|--purge => delete: deletes files that the machine keeps for now
    coredumpctl debug|gdb                 => process: looks into a crashed program
    update-rc.d|chkconfig * !--list|-l|show => persistence: changes what the machine starts
    rc-update * !--list|-l|show => persistence: changes what the machine starts
    insserv|sysv-rc-conf * !--list|-l|show => persistence: changes what the machine starts
    s6-svc|svc                            => service: changes the machine's services
    circusctl|haproxyctl|uwsgi|immortalctl quit|stop|disable|restart => service: changes {}
    circusctl|haproxyctl|zdaemon|bluepill reload|rm|incr|decr|kill => service: changes {}
    varnishadm ban|stop|start|vcl.*|param.set|backend.* => service: changes the web cache
    postfix|exim4|sendmail|dovecot stop|reload|abort|flush|start => service: changes the mail server
    unbound-control|nsd-control|pdns_control reload|flush* => service: changes the name server
    unbound-control|nsd-control|pdns_control stop|local_* => service: changes the name server
    knotc|rec_control reload|stop|zone-*|wipe-cache|conf-* => service: changes the name server
    cupsdisable|cupsreject|cupsaccept|cupsenable|lpadmin => service: changes the printers
    lprm|cancel                           => service: cancels print jobs
    sv|s6-svc|s6-rc|runsv|dinitctl up|down|start => service: changes the machine's services
    sv|s6-svc|s6-rc|runsv|dinitctl stop|restart|force-* => service: changes the machine's services
    monit start|stop|restart|unmonitor|quit|reload => service: changes the machine's services
    pm2 delete|kill|stop|restart|reload|flush => process: ends processes of {}
    forever|naught stop|stopall|restart|restartall|cleanlogs => process: ends processes of {}
    sidekiqctl|unicorn_ctl|pumactl stop|halt|restart|phased-restart => process: ends processes of {}
    systemctl show-environment            => exfiltration: prints variables, secrets among them
    pm2 startup|save|resurrect            => persistence: changes what the machine starts
    killall5|runit-init|systemd-reboot    => service: stops the machine
    anacron -f|-n                         => service: runs all planned jobs now
    run-parts !--test|--list              => opaque: runs all scripts in {}
    busctl call|set-property|emit         => service: tells a service what to do
    gdbus call|emit                       => service: tells a service what to do
    dbus-send --system                    => service: tells a service what to do
    dbus-send --dest=org.freedesktop.login1 => service: tells a service what to do
    dbus-send --dest=org.freedesktop.systemd1 => service: tells a service what to do
    logrotate -f|--force                  => service: turns over the machine's logs
    ipmitool|racadm|redfishtool ... off|reset|cycle|soft|powerdown => service: stops a machine
    wsl --shutdown|--terminate|--unregister => service: stops a Linux machine
    start-stop-daemon --start|--stop|-S|-K => service: changes the machine's services
    daemonize|daemon                      => persistence: leaves {} running
    doveadm expunge|mailbox|move|purge|kick => delete: changes or deletes mail
    asterisk -x                           => service: commands a telephone system
    vim-cmd vmsvc/*|hostsvc/*             => service: changes virtual machines
    racadm serveraction|racreset|set|config => service: changes a machine
    rndc stop|halt|reload|flush|freeze|thaw|reconfig => service: changes the name server
    stress|stress-ng|fork-bomb !--help|--version => service: takes up all of the machine
"""
