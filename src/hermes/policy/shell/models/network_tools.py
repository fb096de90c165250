"""Describe programs that look at the network, and those that attack it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.hosts import address_of, is_local

_ATTACKING = re.compile(r"exploit|brute|dos|vuln|intrusive|malware|fuzzer", re.IGNORECASE)


def _nmap(call: Call) -> Iterator[Effect]:
    script = " ".join(call.values("--script"))
    hosts = [address_of(word).host for word in call.operands]
    for host in hosts:
        yield Effect("net", host)
    if script and ("/" in script or script.endswith(".nse")):
        yield Effect("script", script)
        if script.startswith(("/", "~")):
            yield danger("obfuscation", f"has nmap run {script}")
    if _ATTACKING.search(script) and not all(is_local(host) for host in hosts):
        yield danger("infrastructure", f"attacks {' '.join(hosts)[:60]}")
    if any(re.search(r"/(?:\d|1[0-6])$", word) for word in call.operands):
        yield danger("infrastructure", f"scans the whole network {' '.join(call.operands)[:40]}")
    if call.has("--interactive"):
        yield danger("obfuscation", "opens a prompt that can run anything")
    for path in call.values("-iL"):
        yield Effect("read", path)


def _capture(call: Call) -> Iterator[Effect]:
    """Yield what a recorder of network traffic does."""
    if call.has("-r", "--read-file"):
        yield Effect("read", call.value("-r", "--read-file") or "")
    elif call.name == "ngrep" or not call.has("-D", "-d", "-h", "--list-interfaces", "-L"):
        yield danger("exfiltration", "records network traffic, with all that is secret in it")
    if call.name == "tcpdump":
        for command in call.values("-z"):
            yield Effect("run", command)
            yield danger("obfuscation", f"has tcpdump run {command[:60]}")


PROGRAMS = {
    "ping|ping6|fping|traceroute|traceroute6|tracepath|mtr|arping|tcptraceroute|httping": Program(
        "net text*",
        values="-c -i -I -W -w -s -t -m -q -p -f -M -l -n -z --count --interval --timeout",
        gives="network",
    ),
    "dig|nslookup|host|drill|kdig|delv|dog|doggo|resolveip": Program(
        "net*",
        values="-t -p -c -q -k -y -b -m -R -W --type",
        options={"-f": "read"},
        gives="network",
    ),
    "whois|finger|rdap|geoiplookup|ipcalc|sipcalc": Program(
        "net*", values="-h -p", gives="network"
    ),
    "ss|netstat|arp|iftop|nethogs|bmon|vnstat|iperf|iperf3|speedtest|speedtest-cli|nload|ipconfig"
    "|iwlist": Program("text*"),
    "xclip|xsel": Program(dashes="single", values="-selection -sel -d -t"),
    "nginx": Program(values="-s -c -p -g -e"),
    "nmap": Program(
        "text*",
        values="-p -iL -e -S -D -g -T --script --script-args --top-ports --exclude --min-rate"
        " --max-rate --host-timeout --max-retries -b --excludefile -iR",
        options={"-oN|-oX|-oG|-oA|-oS": "write"},
        dashes="single",
        handler=_nmap,
    ),
    "tcpdump|tshark|dumpcap|ngrep|tcpflow|dsniff|ettercap|bettercap|wireshark|snoop": Program(
        values="-i -c -s -n -W -C -G -F -B -Z -f -Y -T -e -a -R -z -O -E -o -d --interface --count",
        options={"-w|--write": "write", "-r|--read-file": "text"},
        handler=_capture,
    ),
}

RULES = """
    masscan|zmap|unicornscan|rustscan            => infrastructure: scans {}
    hping3|hping|nping ... --flood               => infrastructure: floods {}
    hping3                                       => infrastructure: sends forged packets to {}
    ping -f                                      => infrastructure: floods {}
    slowloris|slowhttptest|goldeneye|hulk|t50    => infrastructure: attacks {}
    thc-ssl-dos|loic|ufonet                      => infrastructure: attacks {}
    aircrack-ng|aireplay-ng|airodump-ng|airmon-ng => infrastructure: attacks a wireless network
    wifite|reaver|bully|mdk3|mdk4                => infrastructure: attacks a wireless network
    hydra|medusa|ncrack|patator|crowbar          => infrastructure: guesses passwords of {}
    sqlmap|nikto|wpscan|commix|xsser|dirb        => infrastructure: attacks {}
    msfconsole|msfvenom|metasploit|setoolkit     => privilege: is a tool for breaking in
    beef|responder|arpspoof|dnsspoof             => privilege: is a tool for breaking in
    mitmdump|mitmproxy|mitmweb                   => exfiltration: records network traffic
    john|hashcat|ophcrack|fcrackzip|pdfcrack *   => exfiltration: guesses passwords
    mimikatz|lazagne|laZagne|linpeas.sh|pspy     => exfiltration: collects secrets
    enum4linux|crackmapexec|netexec|evil-winrm   => infrastructure: attacks {}
    nsupdate                                     => infrastructure: changes names on a name server
    dnscontrol push                              => infrastructure: changes names on a name server
    octodns-sync --doit                          => infrastructure: changes names on a name server
    nginx -s                                     => service: signals the web server
    nginx !-t|-T|-v|-V|-h|-s                     => service: starts the web server
    apachectl|apache2ctl|httpd start|stop|restart => service: changes the web server
    apachectl|apache2ctl|httpd graceful*         => service: restarts the web server
    apachectl|apache2ctl|httpd -k                => service: changes the web server
    a2ensite|a2dissite|a2enmod|a2dismod *        => service: changes the web server
    a2enconf|a2disconf *                         => service: changes the web server
    caddy start|reload|stop|trust|untrust        => service: changes the web server
    lighttpd -D                                  => service: starts the web server
    haproxy -sf|-st                              => service: changes the load balancer
    certbot !certificates|plugins|show_account   => service: changes the machine's certificates
    getent shadow|gshadow                        => exfiltration: shows passwords
    trufflehog filesystem ~*|/*                  => exfiltration: collects secrets of this machine
    xclip|xsel -o|-b|--output                    => exfiltration: shows what was copied last
    wl-paste|pbpaste                             => exfiltration: shows what was copied last
    arp -s|-d                                    => service: changes the machine's address table
"""
