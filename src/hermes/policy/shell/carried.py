"""Look for what no profile allows among the words of programs that nobody studied.

A program that is not known may start another one, now or later, here or elsewhere: whatever among
its words reads like a command is tried on the side, and only what lies beneath the floor is kept.
"""

from __future__ import annotations

import re

from hermes.policy.shell.effects import catastrophe
from hermes.policy.shell.interpret import Interpreter
from hermes.policy.shell.run import Run
from hermes.policy.shell.suspicion import heard, suspect, try_words

_PROGRAMS = """
rm grm find gfind dd shred wipefs blkdiscard sgdisk mkfs mke2fs chmod chown chroot nsenter sudo
doas sh bash zsh dash ash ksh fish busybox python python3 perl ruby node php truncate mv rsync
srm wipe unlink xargs env nvme cryptsetup hdparm tee cp systemctl pkill killall kill pwsh cmd
"""
_DEADLY = frozenset(_PROGRAMS.split())
_OPTIONS = "-c -e -x --command --cmd --exec --execute --run --script --eval -exec -command -run"
_GIVEN = frozenset(_OPTIONS.split())
"""Options whose value is shell text in most programs that have them."""
_READ = """
cowsay cowthink figlet toilet banner say espeak espeak-ng spd-say festival notify-send wall write
talk mesg logger zenity kdialog dialog whiptail gum boxes lolcat pbcopy xclip xsel wl-copy clip
tldr cheat cht howdoi explain explainshell thefuck llm aichat sgpt mods ollama claude codex gemini
slack slackcat tweet toot ntfy signal-cli telegram-send gist history fc log jira task linear note
jrnl joplin nb glow mdcat highlight pygmentize silicon carbon asciinema vhs shellcheck shfmt bashate
checkbashisms fzf sk peco ast-grep semgrep codespell vale typos
"""
_SPEAKING = frozenset(_READ.split())
"""Programs whose words are read by people, or looked at and not run."""
_TALK = re.compile(
    r"(?:add|create|new|comment|note|search|log|say|tell|ask|explain|show|describe|echo|print|lint"
    r"|check|grep|find|query|commit|message|title|help|quote|history|send|post|reply)$"
)
_DEVICE = re.compile(
    r"(?:[\w,=-]+=)?/dev/(?:sd[a-z]|hd[a-z]|x?vd[a-z]|nvme\d|mmcblk\d|mapper/|dm-|md\d|mtd|r?disk\d|disk/)"
)
_WIPING = re.compile(
    r"wipe|erase|format|mkfs|newfs|zero|shred|scrub|destroy|sanitize|overwrite|nuke|discard|purge"
    r"|burn|flash|imager|bmaptool|etcher|(?:^|\W)(?:clean|write|restore|restfs)(?:\W|$)",
    re.IGNORECASE,
)
_LATER = re.compile(
    r"/etc/(?:cron|anacrontab|rc\.local|profile|bash\.bashrc|zsh|init\.d|systemd|inittab|udev)"
    r"|/cron(?:tabs)?/|/\.(?:bash|zsh|kshrc|profile|xprofile|xinitrc|xsession|bash_\w+)|/autostart/"
    r"|/systemd/(?:user|system)/|/LaunchAgents/|/LaunchDaemons/|/fish/config\.fish|/hooks/[\w-]+$"
)
_SCHEDULE = re.compile(r"\s*(?:@\w+|(?:[\d*/,a-zA-Z-]+\s+){5})\s*(?:root\s+)?(?=\S)")
_SETTING = re.compile(r"^\s*(?:Exec\w*|ExecStart\w*|RUN\S*|command|Program)\s*[+=]+[-@!+\s\"]*")
_GRAVE = re.compile(
    r"\b(?:g?rm|g?find|dd|mk\w*fs\S*|shred|wipefs|blkdiscard|chmod|chown|mv|rsync|pkill|killall|kill"
    r"|eval|base64|xxd|python\S*|perl|ruby|node|php|truncate)\b|/dev/|\.hermes|\(\)\s*\{"
)
"""What a line has to hold to be worth a try."""
_MOST = 12
_SENDING = frozenset({"ssh", "run", "shell", "exec", "console", "x"})
_CONTAINERS = frozenset(
    {"docker", "podman", "nerdctl", "kubectl", "docker-compose", "git", "lxc", "incus"}
    | {"grep", "rg", "curl", "http", "gh", "glab", "jq"}
)
"""Programs that say themselves what they hand on, and programs for which it is data."""
_NAMED = re.compile(r"--?[\w-]*(?:cmd|command)s?|commands|scripts\.[\w:.-]+")
_LISTED = re.compile(r"[\"']([^\"']+)[\"']")


def suspect_carried(interpreter: Interpreter, run: Run) -> None:
    """Try the commands that stand among the words of a program, and the text behind ``-c``."""
    if run.name in _SPEAKING:
        return
    words = run.words
    talks = any(_TALK.match(word) for word in words[:3])
    for at, word in enumerate(words[:_MOST]):
        name = word.rpartition("/")[2]
        if name in _DEADLY or name.startswith("mkfs."):
            try_words(interpreter, words[at:], run)
        elif " " in word and not talks and _may_run(words, at):
            suspect(interpreter, [word], run.span)
        elif word.startswith("--command="):
            try_words(interpreter, [word.partition("=")[2], *words[at + 2 :]], run)
    device = next((word for word in words if _DEVICE.match(word)), None)
    if device is not None and _WIPING.search(" ".join((run.name, *words))):
        what = f"has {run.name} overwrite the disk {device}"
        interpreter.note(catastrophe("disk", what), run.span)


def suspect_sent(interpreter: Interpreter, run: Run) -> None:
    """Try what a known program hands on: behind ``--``, ``ssh``, ``run`` or ``--command``."""
    words = run.words
    if run.name in _CONTAINERS:
        return
    for at, word in enumerate(words[:_MOST]):
        flag, equals, value = word.partition("=")
        if word == "--" or (at < 3 and word in _SENDING):
            suspect_carried(interpreter, run._replace(words=words[at + 1 :]))
            return
        if _NAMED.fullmatch(flag):
            given = value if equals else "".join(words[at + 1 : at + 2])
            texts = [given, *_LISTED.findall(given)]
            suspect(interpreter, [text for text in texts if " " in text], run.span)


def _may_run(words: tuple[str, ...], at: int) -> bool:
    """Say whether a text is what an option has run, or an operand that begins with a program."""
    before = words[at - 1] if at else ""
    if before in _GIVEN:
        return True
    return (
        not before.startswith("-")
        and words[at].lstrip().partition(" ")[0].rpartition("/")[2] in _DEADLY
    )


def suspect_planned(interpreter: Interpreter, run: Run) -> None:
    """Try the lines of a table of planned jobs that is piped in."""
    texts = [run.piped.text] if run.piped.text else heard(run.piped.origins)
    suspect(interpreter, [line for text in texts for line in _planned(text)], run.span)


def suspect_planted(interpreter: Interpreter) -> None:
    """Try what this command writes to places whose content runs later."""
    for path, flow in list(interpreter.state.files.items()):
        if flow.text and _LATER.search(path):
            suspect(interpreter, _planned(flow.text), (0, 0))


def _planned(text: str) -> list[str]:
    """Return the commands among the lines of a plan, without their times and keys."""
    lines = [line for line in text.splitlines() if _GRAVE.search(line) and line.lstrip()[0] != "#"]
    lines = lines[:_MOST]
    plain = [_SETTING.sub("", _SCHEDULE.sub("", line, count=1), count=1) for line in lines]
    return [line for line in dict.fromkeys((*plain, *lines)) if line.strip()]
