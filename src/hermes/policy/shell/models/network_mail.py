"""Describe programs that send mail and messages."""

from __future__ import annotations

from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.hosts import is_fed

_ATTACHING = ("-a", "-A", "--attach", "--attachment", "--attach-body")


def _mail(call: Call) -> Iterator[Effect]:
    """Yield a danger for mail that goes out; without a recipient the mailbox is read."""
    if not call.operands and not call.has("-t", "-i", "-oi", "-ti", "-c", "-b"):
        return
    whom = " ".join(call.operands)[:60] or "whoever the message names"
    files = call.values(*_ATTACHING)
    for path in files:
        yield Effect("read", path)
    if files or (is_fed(call.piped) and (call.piped.text is None or call.piped.origins)):
        yield danger("exfiltration", f"mails data of this machine to {whom}")
    else:
        yield danger("publish", f"sends mail to {whom}")


def _swaks(call: Call) -> Iterator[Effect]:
    if call.has("--to", "-t", "--server", "-s"):
        whom = (call.value("--to", "-t") or "somebody")[:60]
        category = "exfiltration" if call.has(*_ATTACHING, "--body") else "publish"
        yield danger(category, f"sends mail to {whom}")  # type: ignore[arg-type]  # both are one


_VALUES = "-s -a -A -c -b -r -S -R -u -F -f -q --subject --attach --attachment --to --from --cc"

PROGRAMS = {
    "mail|mailx|s-nail|bsd-mailx|heirloom-mailx|nail": Program(values=_VALUES, handler=_mail),
    "mutt|neomutt": Program(values="-s -a -c -b -e -F -f -i -H -m", handler=_mail),
    "sendmail|msmtp|ssmtp|exim|exim4|postdrop|mpack|sendemail|mailsend|mhmail|smtp-cli": Program(
        values="-f -F -a -C -o -O -r -s -t -u -m -x", handler=_mail
    ),
    "swaks": Program(
        values="--to -t --from -f --server -s --body --attach --header --auth-user --auth-password"
        " --auth --port -p --data --h-Subject",
        handler=_swaks,
    ),
    "notify-send|zenity|dialog|whiptail|osd_cat|terminal-notifier": Program("text*"),
    "lp|lpr": Program("read*", values="-d -P -n -o -t -# -U -H"),
}

RULES = """
    postsuper -d                      => delete: deletes queued mail
    mailq ... -d                      => delete: deletes queued mail
    write|wall|talk *                 => publish: writes to other people's terminals
    cancel|lprm -a|-                  => service: cancels everyone's print jobs
    cupsctl|lpadmin *                 => service: changes the printers
    slack|slackcat|telegram-send|signal-cli|twilio|ntfy * => publish: sends a message to others
    sendemail|mailsend|smtp-cli|mpack * => exfiltration: sends a mail
    sendemail|mailsend|smtp-cli -a|-t|-to|--to => exfiltration: sends a mail
    signal-cli ... send               => publish: sends a message to others
"""
