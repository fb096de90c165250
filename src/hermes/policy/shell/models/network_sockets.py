"""Describe programs that open plain connections: nc, socat, telnet, openssl."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes.policy.shell.effects import UNKNOWN, Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.hosts import address_of, is_fed, is_local, is_metadata, loses, shown

_ASKING = re.compile(
    r"(?:GET|HEAD|OPTIONS|EHLO|HELO|QUIT|PING|INFO|ruok|stat|stats|mntr|srvr|conf|envi|version"
    r"|help|CAPABILITY|NOOP|USER anonymous)\b.*",
    re.DOTALL | re.IGNORECASE,
)
_SHELL = re.compile(r"(?:EXEC|SYSTEM|SHELL):(.*)", re.IGNORECASE | re.DOTALL)
_WIRE = re.compile(
    r"(?:TCP|UDP|SSL|OPENSSL|SCTP|SOCKS|PROXY|VSOCK|DTLS|IP)[\w-]*:(.*)", re.IGNORECASE
)
_ENGINE = re.compile(r"(?:docker|podman|containerd|crio|lxd|incus)[^/]*\.sock")


def given_to(host: str, call: Call) -> Iterator[Effect]:
    """Yield what it means that standard input goes to a host."""
    text = call.piped.text
    if text is not None and loses(text):
        yield danger("database", f"tells the database at {shown(host)} to delete data")
    if is_local(host) or not is_fed(call.piped):
        return
    if text is not None and not call.piped.origins and _only_asks(text.strip()):
        return
    yield Effect("send", host)
    yield danger("exfiltration", f"sends data of this machine to {shown(host)}")


def _only_asks(text: str) -> bool:
    return UNKNOWN not in text and (not text or bool(_ASKING.match(text)))


def _nc(call: Call) -> Iterator[Effect]:
    is_listening = call.has("-l", "--listen", "-L")
    host = call.operands[0] if call.operands else ""
    for flag in ("-e", "-c", "--exec", "--sh-exec", "--lua-exec"):
        for command in call.values(flag):
            yield Effect("run", command)
            yield danger("network-exec", f"gives {command[:40]} to whoever is on the other side")
    if call.has("-U", "--unixsock") and _ENGINE.search(" ".join(call.operands)):
        yield danger("privilege", "talks to the container engine, which acts as root")
    elif is_listening:
        if is_fed(call.piped) and not _is_answer(call):
            yield danger("exfiltration", "serves data of this machine to whoever connects")
    elif host and not call.has("-z", "-U"):
        yield Effect("net", host)
        yield from given_to(host, call)


def _is_answer(call: Call) -> bool:
    return call.piped.text is not None and not call.piped.origins


def _socat(call: Call) -> Iterator[Effect]:
    shells = [found[1] for word in call.operands if (found := _SHELL.match(word))]
    wires = [found[1] for word in call.operands if (found := _WIRE.match(word))]
    for command in shells:
        yield Effect("run", command.partition(",")[0])
        if wires:
            yield danger("network-exec", f"gives {command[:40]} to whoever is on the other side")
    for word in call.operands:
        if _ENGINE.search(word):
            yield danger("privilege", "opens the container engine, which acts as root")
        elif found := re.match(r"(?:FILE|OPEN|GOPEN|CREATE):([^,]*)", word, re.IGNORECASE):
            is_written = re.search(r"(?i)^create|,(?:wr|rdwr|creat|trunc|append)", word)
            is_last = call.has("-u") and word is call.operands[-1] and "rdonly" not in word
            yield Effect("write" if is_written or is_last else "read", found[1])
    if call.has("-u") and call.operands and call.operands[-1].startswith(("/", "~", "./")):
        yield Effect("write", call.operands[-1])
    targets = [word for word in wires if not re.match(r"\d+(?:,|$)", word)]
    reads_file = any(re.match(r"(?:FILE|OPEN|GOPEN):", w, re.IGNORECASE) for w in call.operands)
    for target in targets:
        host = address_of(target.partition(",")[0]).host
        yield Effect("net", host)
        if reads_file and not is_local(host):
            yield danger("exfiltration", f"sends a file to {shown(host)}")
        elif any(word.upper() in ("-", "STDIO", "STDIN") for word in call.operands):
            yield from given_to(host, call)


def _telnet(call: Call) -> Iterator[Effect]:
    if call.operands:
        host = address_of(call.operands[0]).host
        yield Effect("net", host)
        yield from given_to(host, call)


def _openssl(call: Call) -> Iterator[Effect]:
    verb = call.operands[0] if call.operands else ""
    if verb == "s_client":
        where = call.value("-connect") or (call.operands[1] if len(call.operands) > 1 else "")
        host = address_of(where).host
        yield Effect("net", host)
        yield from given_to(host, call)
    elif verb in ("rsa", "pkey", "ec", "pkcs8", "dsa") and call.has("-pubout", "-pubin", "-check"):
        return
    elif verb in ("enc", "rsautl", "pkeyutl", "cms", "smime") and call.has("-d", "-decrypt"):
        if not call.has("-out"):
            yield danger("exfiltration", f"decrypts {call.value('-in') or 'something'}")
        yield from (Effect("read", path) for path in call.values("-in"))
    elif verb not in ("version", "x509", "verify", "req", "crl", "ocsp", "asn1parse"):
        if set(call.values("-in")) & set(call.values("-out")):
            yield danger("delete", f"empties {call.value('-in')} before reading it")
        yield from (Effect("read", path) for path in call.values("-in"))


def _metadata(call: Call) -> Iterator[Effect]:
    for word in call.operands:
        if is_metadata(address_of(word).host):
            yield danger("exfiltration", "asks for this machine's cloud credentials")


PROGRAMS = {
    "nc|ncat|netcat|nc.openbsd|nc.traditional|cryptcat|pwncat": Program(
        values="-e -c -p -s -w -q -i -x -X -g -G -o -I -O -P -T -V -M -m --exec --sh-exec"
        " --lua-exec --source-port --wait --proxy --proxy-type --proxy-auth --allow --deny --idle"
        " --delay --max-conns --ssl-cert --ssl-key",
        gives="network",
        handler=_nc,
    ),
    "socat": Program(values="-b -t -T -L -W", gives="network", handler=_socat),
    "telnet": Program(values="-l -b -e -n -X -k", gives="network", handler=_telnet),
    "websocat|wscat": Program("net*", gives="network", handler=_metadata),
    "openssl": Program(
        dashes="single",
        values="-connect -servername -CAfile -CApath -cert -key -days -subj -newkey -in -passin"
        " -passout -pass -K -iv -k -S -md -starttls -verify -CA -CAkey -set_serial -extfile -addext"
        " -extensions -config -inform -outform -name -port -proxy -alpn -cipher -cipher_list -rand",
        options={"-out|-keyout|-CAserial|-writerand|-sess_out": "write"},
        handler=_openssl,
    ),
}

RULES = """
    socat *LISTEN* FILE:*|OPEN:*|file:*|open:* => exfiltration: gives a file to whoever connects
    socat ... *LISTEN*bind=0.0.0.0*   => publish: opens a way through this machine for everybody
    openssl s_server -HTTP|-WWW|-www  => exfiltration: serves files of this machine to the network
    openssl ... -engine               => obfuscation: loads code of its choosing into openssl
"""
