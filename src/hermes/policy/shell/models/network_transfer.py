"""Describe programs that carry files and keys to other machines and back."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.files_copying import fetched, remote_host
from hermes.policy.shell.models.hosts import address_of, is_fed, is_local, shown

_RUNNING = re.compile(
    r"(?:ProxyCommand|LocalCommand|KnownHostsCommand)\s*[= ]\s*(.*)", re.IGNORECASE
)
_PUTTING = re.compile(
    r"(?:^|[;\n])\s*(?:put|mput|reput|send|mirror\s[^;\n]*(?:-\w*R|--reverse)|append)\b",
    re.IGNORECASE,
)
_REMOVING = re.compile(
    r"(?:^|[;\n])\s*(?:rm|mrm|rmcol|deltree|del|rmdir|delete|mdelete|dele|rename|mv|chmod|chown|chgrp|site"
    r"|mirror\s[^;\n]*--delete)\b",
    re.IGNORECASE,
)
_ESCAPING = re.compile(r"(?:^|[;\n])\s*!\s*([^\n]+)")


def _scp(call: Call) -> Iterator[Effect]:
    yield from _started(call)
    if len(call.operands) < 2:
        return
    *sources, target = call.operands
    host = remote_host(target)
    for source in sources:
        if other := remote_host(source):
            yield from fetched(source, other, target)
        else:
            yield Effect("read", source, is_recursive=call.has("-r"))
    if host is None:
        yield Effect("write", target)
    elif not is_local(host):
        yield Effect("send", host)
        yield danger("exfiltration", f"copies files of this machine to {shown(host)}")
    else:
        yield Effect("write", target.partition(":")[2] or "~")


def _started(call: Call) -> Iterator[Effect]:
    """Yield the programs that reaching the other side runs here."""
    for setting in call.values("-o"):
        if found := _RUNNING.match(setting):
            yield Effect("run", found[1])
            yield danger("obfuscation", f"runs {found[1][:60]} to reach the other side")
    for program in call.values("-S"):
        if program.rpartition("/")[2] != "ssh":
            yield Effect("run", program)
            yield danger("obfuscation", f"runs {program[:60]} to reach the other side")


def _sftp(call: Call) -> Iterator[Effect]:
    yield from _started(call)
    where = call.operands[0] if call.operands else ""
    host = remote_host(where) or address_of(where).host
    yield Effect("net", host)
    if len(call.operands) > 1:
        yield Effect("write", call.operands[1])
    for path in call.values("-b"):
        if path != "-":
            yield Effect("read", path)
            yield danger("opaque", f"carries out the transfers that {path} lists on {shown(host)}")
    yield from _commanded(call, host)


def _ftp(call: Call) -> Iterator[Effect]:
    where = next((word for word in call.operands if not word.startswith("-")), "")
    host = address_of(where).host
    yield Effect("net", host)
    for path in call.values("-f") if call.name == "lftp" else ():
        yield Effect("read", path)
        yield danger("opaque", f"carries out the transfers that {path} lists")
    if call.name == "ftp" and call.has("-u"):
        yield danger("exfiltration", f"uploads files to {call.value('-u') or 'a server'}")
    yield from _commanded(call, host)


def _commanded(call: Call, host: str) -> Iterator[Effect]:
    """Yield what the commands do that are typed into a transfer program."""
    texts = [*call.values("-e", "-c")] if call.name in ("lftp", "tftp", "smbclient") else []
    if not is_fed(call.piped):
        texts.append("")
    elif call.piped.text is None:
        yield danger("opaque", f"is driven by a text that cannot be known, on {shown(host)}")
    else:
        texts.append(call.piped.text)
    for text in texts:
        if _PUTTING.search(text) and not is_local(host):
            yield Effect("send", host)
            yield danger("exfiltration", f"uploads files to {shown(host)}")
        if _REMOVING.search(text):
            yield danger("infrastructure", f"changes or deletes files on {shown(host)}")
        for found in _ESCAPING.finditer(text):
            yield Effect("run", found[1])


def _tftp(call: Call) -> Iterator[Effect]:
    words = " ".join(call.words)
    yield Effect("net", call.operands[0] if call.operands else "")
    if found := re.search(r"(?:^|\s)-?-?get\s+(\S+)", words):
        yield Effect("write", found[1].rpartition("/")[2])
    if re.search(r"(?:^|\s)-?-?put\b", words):
        yield danger("exfiltration", f"uploads files: {words[:60]}")


def _keygen(call: Call) -> Iterator[Effect]:
    """Yield the key file that ssh-keygen makes or changes."""
    path = call.value("-f")
    if call.has("-l", "-F", "-y", "-e", "-B", "-Y", "-Q", "-L", "-M"):
        if call.has("-y", "-e") and path:
            yield Effect("read", path)
    elif call.has("-R"):
        yield Effect("write", path or "~/.ssh/known_hosts")
    elif not call.has("-A"):
        yield Effect("write", path or "~/.ssh/id_ed25519")


_SSH = "-c -F -i -J -l -o -P -S -D -X -s -B -R --port"

PROGRAMS = {
    "smbclient|cadaver|davfs": Program(values="-U -c -D -W -p -I -A -t", handler=_ftp),
    "scp|pscp": Program(values=_SSH.replace(" -B", "").replace(" -R", ""), handler=_scp),
    "sftp|psftp": Program(values=f"{_SSH} -b -a", handler=_sftp),
    "ftp|lftp|ncftp|pftp|tnftp": Program(values="-e -c -f -u -p -P -o -r -T", handler=_ftp),
    "ncftpput|ftp-upload|wput": Program("send read*", values="-u -p -P"),
    "ncftpget": Program("net write", values="-u -p -P"),
    "tftp|atftp": Program(values="-m -l -r -g --option", handler=_tftp),
    "ssh-keyscan": Program("net*", values="-p -T -t -f -O", gives="network"),
    "ssh-keygen": Program(
        values="-t -b -C -N -P -f -m -O -I -n -V -z -s -D -F -R -r -Y -a -E -w -Z -S",
        handler=_keygen,
    ),
    "croc|wormhole|magic-wormhole|sendme|ffsend|transfer|bashupload": Program("text*"),
}

RULES = """
    pastebinit|wgetpaste|hastebin|gist|pbin   => exfiltration: puts {} on the internet
    pastebinit|wgetpaste|hastebin|gist -i|-p|-f => exfiltration: puts something on the internet
    ipfs add|pin|name|files          => publish: puts {} on the internet
    mosquitto_pub !--help            => infrastructure: sends a message to devices
    ssh-copy-id !-n                  => persistence: lets a key of this machine log in to {}
    ssh-keygen -A                    => overwrite: makes new host keys for this machine
    ssh-add -D|-d                    => privilege: takes keys out of the agent
    croc|wormhole|magic-wormhole send => exfiltration: hands {} to somebody else
    sendme|ffsend send|upload        => exfiltration: hands {} to somebody else
    ffsend|transfer|bashupload       => exfiltration: hands {} to somebody else
    bbcp|globus|gridftp|uucp         => exfiltration: copies files of this machine elsewhere
    ncftpput|wput|ftp-upload         => exfiltration: uploads files to {}
    ngrok *  !version|config|help    => exfiltration: opens this machine to the internet
    cloudflared tunnel !list|info|version => exfiltration: opens this machine to the internet
    localtunnel|lt|bore|frpc|chisel *  => exfiltration: opens this machine to the internet
    tailscale funnel|serve           => exfiltration: opens this machine to the network
    tailscale up|down|logout|set     => service: changes this machine's private network
"""
