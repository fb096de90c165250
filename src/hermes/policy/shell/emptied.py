"""Tell when a redirect loses what a file held, or puts into one what does not belong there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.models.throwaway import is_scratch, is_work

_SILENT = frozenset({":", "true", "sudo", "env", "nohup", "timeout", "command", "nice", "time"})
_SAYS_NOTHING = (["cat", "/dev/null"], ["echo", "-n"], ["echo", ""], ["printf", ""])


def loss(words: Sequence[str], path: str) -> Effect | None:
    """Return what is lost when the output of a command replaces a file."""
    is_nothing = list(words[-2:]) in _SAYS_NOTHING or all(
        word in _SILENT or "=" in word or word.isdecimal() or (at == len(words) and word == "echo")
        for at, word in enumerate(words, 1)
    )
    if (is_nothing and is_work(path)) or (path in words[1:] and words[0] != "echo"):
        return danger("delete", f"empties {path}")
    if words[:1] == ["yes"] and path == "/dev/null":
        return danger("service", "keeps a processor busy without end")
    if "git" in words and words[-1].endswith(f":{path}"):
        return danger("history-rewrite", f"replaces {path} by an older state")
    return None


def kept(origins: frozenset[str], path: str) -> Iterator[Effect]:
    """Yield what is wrong with keeping an output in a file, by where the output came from."""
    is_device = path.startswith("/dev/")
    if "environment" in origins and not is_device:
        yield danger("exfiltration", f"writes every variable into {path}")
    if "secret" in origins and is_scratch(path) and path.rpartition("/")[2] != "null":
        yield danger("exfiltration", f"leaves a secret in {path}")
    if "endless" in origins and not is_device:
        yield danger("service", f"writes into {path} until the disk is full")
    if path.startswith(("/dev/tcp/", "/dev/udp/")) and "/127." not in path:
        yield danger("exfiltration", "writes into a raw network connection")
