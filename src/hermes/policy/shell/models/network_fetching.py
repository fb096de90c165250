"""Describe wget, httpie and other programs that fetch from the web."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes.policy.shell.effects import UNKNOWN, Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.hosts import address_of, is_fed, is_local, requested, shown

_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})


def _wget(call: Call) -> Iterator[Effect]:
    files = call.values("--post-file", "--body-file")
    data = call.values("--post-data", "--body-data")
    for path in files:
        yield Effect("read", path)
    method = (call.value("--method") or ("POST" if files or data else "GET")).upper()
    sent = None if files else "\n".join(data)
    for url in call.operands:
        yield from requested(url, method, sent)
    if call.has("-i", "--input-file"):
        yield Effect("net", UNKNOWN)
    target = call.value("-O", "--output-document")
    if target and target != "-":
        yield Effect("write", target)
    if target is None and not call.has("--spider"):
        yield from _saved(call)
    for setting in call.values("-e", "--execute"):
        if "askpass" in setting.lower():
            yield danger("obfuscation", f"has wget run {setting.partition('=')[2][:60]}")


def _saved(call: Call) -> Iterator[Effect]:
    """Yield the files that wget names after what it fetches."""
    folder = call.value("-P", "--directory-prefix") or "."
    if call.has("-r", "--recursive", "-m", "--mirror", "-p", "-i", "--input-file"):
        yield Effect("write", folder, is_recursive=True)
    for url in call.operands:
        name = address_of(url).file or "index.html"
        yield Effect("write", f"{folder}/{name}" if folder != "." else name)


def _httpie(call: Call) -> Iterator[Effect]:
    operands = list(call.operands)
    if call.name == "httpie":
        return
    method = ""
    if operands and operands[0].upper() in _METHODS:
        method = operands.pop(0).upper()
    if not operands:
        return
    url, *items = operands
    url = f"localhost{url}" if url.startswith((":", "/")) else url
    files = [found for item in items if (found := re.match(r"[^=:@]+(?::=|=)?@(.+)", item))]
    for found in files:
        yield Effect("read", found[1])
    data = [item for item in items if re.match(r"[^=:@]+(?::=|=(?!=))", item)]
    is_piped = is_fed(call.piped) and not call.has("--ignore-stdin", "-I")
    sent = None if files or (is_piped and call.piped.text is None) else "\n".join(data)
    implied = "POST" if data or files or is_piped or call.has("--raw") else "GET"
    yield from requested(url, method or implied, sent)
    if call.has("-d", "--download") and not call.has("-o", "--output"):
        yield Effect("write", address_of(url).file or "index.html")


def _fetched(call: Call) -> Iterator[Effect]:
    """Yield the files that a downloader names after what it fetches."""
    for url in call.operands:
        address = address_of(url)
        yield Effect("net", address.host)
        if address.file and not call.has("-o", "--out", "--output", "-O"):
            yield Effect("write", address.file)


def _load(call: Call) -> Iterator[Effect]:
    """Yield a danger for a load test of another machine."""
    for word in call.operands:
        if "://" in word and not is_local(address_of(word).host):
            yield danger("infrastructure", f"floods {shown(address_of(word).host)} with requests")


def _grpc(call: Call) -> Iterator[Effect]:
    """Yield a danger for a call of a method on another machine."""
    plain = [word for word in call.operands if UNKNOWN not in word]
    if plain and not any(word in ("list", "describe") for word in call.operands):
        yield from requested(plain[0], "POST", call.value("-d") or "")


PROGRAMS = {
    "wget|wget2": Program(
        values="-O -o -a -e -t -T -w -Q -U -A -R -D -I -X -l -B -P --output-document --execute"
        " --tries --timeout --wait --quota --user-agent --accept --reject --domains --level --base"
        " --header --user --password --post-data --post-file --body-data --body-file --method"
        " --limit-rate --referer --load-cookies --directory-prefix --cut-dirs --ca-certificate"
        " --certificate --private-key --proxy-user --proxy-password --http-user --http-password"
        " --max-redirect --include-directories --exclude-directories --waitretry --bind-address"
        " --dns-timeout --connect-timeout --read-timeout --progress --regex-type --accept-regex"
        " --reject-regex --default-page --prefer-family --secure-protocol --random-wait",
        options={
            "-i|--input-file|--config": "read",
            "--output-file|--append-output|--save-cookies|--warc-file|--rejected-log": "write",
            "--use-askpass": "run",
        },
        gives="network",
        handler=_wget,
    ),
    "http|https|xh|xhs|httpie": Program(
        values="-a -A -p -s -b --auth --auth-type --print --style --session --timeout --proxy"
        " --verify --cert --cert-key --raw --max-redirects --pretty --format-options --boundary"
        " --response-charset --session-read-only",
        options={"-o|--output": "write"},
        dry="--offline",
        gives="network",
        handler=_httpie,
    ),
    "aria2c|axel|lftpget|snarf|youtube-dl|yt-dlp|gallery-dl|hget|httrack|puf|pget": Program(
        values="-x -s -j -k -n -S -f -U -H -N -c --max-connection-per-server --split --header"
        " --format --user-agent",
        options={
            "-o|--out|-d|--dir|-P|--paths|--output|-O": "write",
            "-i|--input-file|-a|--batch-file": "read",
            "--on-download-complete|--on-download-start|--on-download-error|--exec": "run",
            "--on-bt-download-complete|--exec-before-download": "run",
        },
        gives="network",
        handler=_fetched,
    ),
    "lynx|w3m|links|elinks|links2|browsh|chromium|google-chrome|firefox|chrome": Program(
        "net*",
        values="-width -cols -T -cfg -auth -cookie_file --user-data-dir",
        options={"-post_data": "text"},
        gives="network",
    ),
    "grpcurl|evans": Program(
        dashes="single",
        values="-d -H -import-path -proto -rpc-header -cert -key -cacert -authority",
        handler=_grpc,
    ),
    "wrk|ab|hey|siege|vegeta|k6|bombardier|oha|autocannon|locust": Program(
        values="-n -c -t -d -z -m -H -T -b -q -s -r -R -p -u -k --duration --rate --connections",
        handler=_load,
    ),
}

RULES = """
    lynx ... -cmd_script              => opaque: is driven by a script that cannot be known
    wget --use-askpass                => obfuscation: has wget run a program of its choosing
    aria2c --on-*                     => obfuscation: has aria2c run a program after a download
    yt-dlp|youtube-dl --exec*         => obfuscation: has yt-dlp run a command after a download
"""
