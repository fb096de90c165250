"""Describe curl: what it fetches, sends, writes and reads."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes.policy.shell.effects import UNKNOWN, Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.hosts import (
    address_of,
    is_local,
    is_metadata,
    requested,
    shown,
)
from hermes.policy.shell.models.spelled import spelled

_DATA = ("-d", "--data", "--data-ascii", "--data-binary", "--json", "--data-urlencode")
_PLAIN_DATA = ("--data-raw", "--form-string", "--url-query")
_WRITES = (
    "-o|--output|-D|--dump-header|-c|--cookie-jar|--trace|--trace-ascii|--stderr|--libcurl|--hsts"
    "|--alt-svc|--etag-save|--output-dir"
)
_VALUES = (
    "-A -b -C -e -E -F -H -m -P -Q -r -t -T -u -U -w -x -X -y -Y -z -d --request --data"
    " --data-ascii --data-binary --data-urlencode --data-raw --json --form --form-string"
    " --url-query --upload-file --url --header --user-agent --user --proxy --proxy-user"
    " --max-time --connect-timeout --retry --retry-delay --retry-max-time --cert --key --cacert"
    " --capath --cert-type --key-type --pass --referer --cookie --range --resolve --connect-to"
    " --interface --limit-rate --max-redirs --max-filesize --write-out --ciphers --tls-max"
    " --tls13-ciphers --unix-socket --abstract-unix-socket --socks4 --socks4a --socks5"
    " --socks5-hostname --noproxy --dns-servers --doh-url --quote --postquote --prequote"
    " --mail-from --mail-rcpt --mail-auth --telnet-option --time-cond --oauth2-bearer"
    " --aws-sigv4 --proto --proto-default --proto-redir --speed-limit --speed-time"
    " --keepalive-time --local-port --rate --parallel-max --expect100-timeout"
    " --happy-eyeballs-timeout-ms --netrc-file --pinnedpubkey --proxy-header --create-file-mode"
    " --ftp-port --ftp-method --ftp-account --krb --login-options --service-name --sasl-authzid"
    " --pubkey --engine --crlfile --random-file --egd-file --tlsuser --tlspassword"
    " --continue-at --hostpubmd5 --hostpubsha256 --variable --etag-compare --ipfs-gateway"
)

_OPTIONS = Program(values=_VALUES, options={_WRITES: "write", "-K|--config": "text"})


def _curl(call: Call) -> Iterator[Effect]:
    call = spelled(call, _OPTIONS, "--get --head --remote-name")
    for flag in ("--connect-to", "--resolve"):
        for value in call.values(flag):
            if any(is_metadata(part) for part in value.split(":")):
                yield danger("exfiltration", "fetches this machine's cloud credentials")
    for path in call.values("--unix-socket", "--abstract-unix-socket"):
        if _is_engine(path):
            yield danger(
                "privilege", f"talks to the container engine at {path}, which acts as root"
            )
    files = list(_files(call))
    for path in files:
        if path != "-":
            yield Effect("read", path)
    sent = _sent(call, files)
    method = _method(call)
    for url in (*call.operands, *call.values("--url")):
        yield from _url(call, url, method, sent)
    yield from _config(call)


def _is_engine(path: str) -> bool:
    return bool(re.search(r"docker|podman|containerd|crio|lxd|incus|kubelet", path))


def _url(call: Call, url: str, method: str, sent: str | None) -> Iterator[Effect]:
    address = address_of(url)
    if address.scheme == "file":
        yield Effect("read", f"/{url.partition('://')[2].lstrip('/')}")
        return
    if address.scheme in ("smtp", "smtps"):
        yield danger("publish", f"sends mail through {shown(address.host)}")
    elif call.has("-Q", "--quote", "--postquote") and not is_local(address.host):
        yield danger("infrastructure", f"runs commands on the file server {shown(address.host)}")
    if address.scheme in ("gopher", "dict", "telnet") and address.path.strip("/"):
        yield danger("database", f"speaks to {address.host}:{address.port} in its own language")
    if call.has("--unix-socket"):
        return
    yield from requested(url, method, sent)
    if any(int(end) > 999 for end in re.findall(r"\[\d+-(\d+)\]", url)):
        yield danger("infrastructure", f"floods {shown(address.host)} with requests")
    if call.has("-O", "--remote-name", "--remote-name-all", "-J"):
        folder = call.value("--output-dir")
        if address.file:
            yield Effect("write", f"{folder}/{address.file}" if folder else address.file)


def _method(call: Call) -> str:
    """Return the verb of a request, given or implied."""
    given = call.value("-X", "--request")
    if given:
        return "POST" if UNKNOWN in given else given.upper()
    if call.has("-G", "--get"):
        # a file's content in an address leaves the machine just as well
        return "POST" if any(True for _ in _files(call)) else "GET"
    if call.has("-I", "--head"):
        return "HEAD"
    if call.has("-T", "--upload-file"):
        return "PUT"
    return "POST" if call.has(*_DATA, *_PLAIN_DATA[:2], "-F", "--form") else "GET"


def _files(call: Call) -> Iterator[str]:
    """Yield the files whose content is sent; ``-`` is what is piped in."""
    for flag in _DATA:
        for value in call.values(flag):
            if value.startswith("@"):
                yield value[1:]
            elif flag == "--data-urlencode" and (found := re.match(r"[^=@]+@(.+)", value)):
                yield found[1]
    for value in call.values("-F", "--form"):
        if found := re.match(r"[^=]*=\s*[@<]([^;]+)", value):
            yield found[1].strip('"')
    for value in call.values("-T", "--upload-file"):
        yield "-" if value == "." else value


def _sent(call: Call, files: list[str]) -> str | None:
    """Return all data that is sent, or None when it is not written in the command."""
    if any(path != "-" for path in files):
        return None
    texts = [*call.values(*_DATA), *call.values(*_PLAIN_DATA), *call.values("-F", "--form")]
    if "-" in files:
        if call.piped.text is None or call.piped.origins:
            return None
        texts.append(call.piped.text)
    return "\n".join(texts)


def _config(call: Call) -> Iterator[Effect]:
    for path in call.values("-K", "--config"):
        if path != "-":
            yield Effect("read", path)
            yield danger("opaque", f"takes its options from {path}")
        elif call.piped.text is None:
            yield danger("opaque", "takes its options from a text that cannot be known")


PROGRAMS = {
    "curl|curlie|curl-impersonate": _OPTIONS._replace(
        gives="network", dry="-V --manual", handler=_curl
    ),
}

RULES = """
    curl --engine            => obfuscation: loads code of its choosing into curl
"""
