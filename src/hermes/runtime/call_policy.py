"""Judge calls by a permission profile: what a call would do, and whether its rules allow that."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes.base.errors import Denied
from hermes.base.optional import load
from hermes.policy.need import Deed, plain_needs
from hermes.policy.permissions import Profile
from hermes.policy.subjects import (
    ALL_ELSE,
    Inferred,
    Subject,
    may_have_subjects,
    subjects_of,
)
from hermes.policy.verdict import ALLOWED, Verdict

if TYPE_CHECKING:
    from hermes.policy.urls import UrlRules
    from hermes.runtime.context import PathCheck, Task, UrlCheck, Verb
    from hermes.runtime.entry import ToolEntry

Kind = tuple[tuple[str, ...], tuple[str, ...]]
"""The permissions and the names of a tool: what some rules go by alone."""
_MOST_REMEMBERED = 10_000


class Surroundings(NamedTuple):
    """Where calls are judged: the person's home, hermes's own, and further folders to work in."""

    home: str = "/"
    state: str = "/nonexistent"
    folders: tuple[str, ...] = ()
    allows_private: bool = False
    """Whether addresses of this machine and of private networks are open."""


class Described(NamedTuple):
    """A call as it is judged, whether or not its tool is registered."""

    tool: tuple[str, ...]
    permissions: tuple[str, ...]
    arguments: Mapping[str, Any]
    declared: Mapping[str, str] | None
    cwd: str
    workspace: str
    subjects: tuple[Subject, ...]
    """The paths, commands and addresses among the arguments."""

    @classmethod
    def of(
        cls,
        names: tuple[str, ...],
        permissions: tuple[str, ...],
        arguments: Mapping[str, Any],
        declared: Mapping[str, str] | None,
        folders: tuple[str, str],
    ) -> Described:
        """Return a call with its subjects; ``folders`` are where it works and its workspace."""
        subjects = subjects_of(arguments, declared)
        return cls(names, permissions, arguments, declared, *folders, subjects)


class CallPolicy:
    """Judge calls by one profile; another profile is another policy, so nothing outlives it."""

    __slots__ = ("_connecting", "_plain", "profile", "surroundings")

    def __init__(self, profile: Profile, surroundings: Surroundings | None = None) -> None:
        self.profile = profile
        self.surroundings = surroundings or Surroundings()
        self._plain: dict[Kind, bool] = {}
        self._connecting: dict[Kind, tuple[UrlRules, ...]] = {}

    def under(self, profile: Profile) -> CallPolicy:
        """Return the policy of another profile in the same surroundings."""
        return CallPolicy(profile, self.surroundings)

    def clears(self, entry: ToolEntry) -> bool:
        """Say whether every call of a tool may run, whatever its arguments are."""
        if callable(entry.permissions) or entry.starts_programs:
            return False
        if any(name.startswith(("file:", "network:")) for name in entry.permissions):
            return False  # which files and addresses it comes to is judged when it does
        if may_have_subjects(entry.spec().parameters, declared_subjects(entry)):
            return False
        return self._is_plain(entry.permissions, names_of(entry))

    def judge(self, call: Described) -> Verdict:
        """Return the verdict over a call."""
        is_plain = self._is_plain(call.permissions, call.tool)
        if is_plain and not call.subjects:
            return ALLOWED
        deed = self.deed_of(call)
        if is_plain and not deed.findings and self._needs_only(call.permissions, deed):
            return ALLOWED
        return self.profile.judge_deed(deed)

    def without_denied(self, call: Described) -> Described:
        """Return a call without those of its subjects that are denied and that it can do without.

        When it comes to one of these, that is judged, and denied, by itself.
        """
        spared = [one for one in call.subjects if one.is_spared]
        if len(spared) < 2:
            return call
        denied = {
            one for one in spared if self.judge(call._replace(subjects=(one,))).decision == "deny"
        }
        if len(denied) == len(set(spared)):
            return call
        return call._replace(subjects=tuple(one for one in call.subjects if one not in denied))

    def path_check(self, call: Described, *, is_free: bool) -> PathCheck:
        """Return what judges the paths that a call comes to when it runs.

        What the arguments of a call that somebody has to allow lead to now, it may use: whoever
        allows it is asked about that. A file that is used by the very path that was allowed before,
        and has no other name, is what was judged.
        """
        used = _named(call) if is_free else set()
        known = frozenset() if is_free else _led_to(call, self.surroundings.home)

        def check(verb: Verb, path: str, *, is_sole: bool = False) -> None:
            if is_sole and (verb, path) in used:
                return
            kind = f"path:{verb}"
            about = call._replace(
                permissions=(f"file:{verb}",),
                arguments={"path": path},
                declared={"path": kind},
                subjects=(Subject("path", kind, path),),
            )
            verdict = self.judge(about)
            if verdict.decision == "allow" or (verdict.decision == "ask" and path in known):
                if verb == "read":
                    used.add((verb, path))
                return
            hint = "It is not what was judged before; name the file itself."
            raise Denied(f"{path}: {verdict.reason}", hint=hint, rule=verdict.rule)

        return check

    def url_check(self, call: Described, *, is_free: bool) -> UrlCheck:
        """Return what judges the addresses that a call comes to when it runs.

        Where somebody has to allow an address, the hosts of the call's own arguments were allowed.
        An address is judged by its text, so one of a call that was allowed as it is needs no
        second look; what its host resolves to is judged by the rules that are given.
        """
        allowed: frozenset[str] = _addresses(call) if is_free else frozenset()

        def check(url: str) -> tuple[UrlRules, ...]:
            if url in allowed:
                return self._url_rules(call)
            subjects = (Subject("url", "url", url),)
            about = call._replace(
                arguments={"url": url}, declared={"url": "url"}, subjects=subjects
            )
            verdict = self.judge(about)
            if verdict.decision == "deny" or (
                verdict.decision == "ask"
                and not _is_same_host(url, call)
                and not self._is_asked_as_a_whole(call, verdict)
            ):
                hint = "It is not what was judged before; ask for that address itself."
                if verdict.decision == "deny":
                    hint = f"The rule is {verdict.rule!r}; only the user can change it."
                raise Denied(f"{url[:200]}: {verdict.reason}", hint=hint, rule=verdict.rule)
            return self._url_rules(call)

        return check

    def _url_rules(self, call: Described) -> tuple[UrlRules, ...]:
        key = (call.permissions, call.tool)
        found = self._connecting.get(key)
        if found is None:
            _make_room(self._connecting)
            found = self._connecting[key] = self.profile.url_rules(
                *key, allows_private=self.surroundings.allows_private
            )
        return found

    def _is_asked_as_a_whole(self, call: Described, verdict: Verdict) -> bool:
        """Say whether whoever allowed a call that names no address answered this question too."""
        if call.declared is None or ALL_ELSE not in call.declared or verdict.findings:
            return False
        return self.judge(call).rule == verdict.rule

    def has_path_rules(self, call: Described) -> bool:
        """Say whether rules look at which file a call reads, beyond what such files hold."""
        return not self._is_plain(("file:read",), call.tool)

    def deed_of(self, call: Described) -> Deed:
        """Return what a call would do."""
        if not call.subjects:
            needs = plain_needs(call.permissions, call.declared)
            return Deed(call.tool, needs, arguments=call.arguments)
        around = self.surroundings
        deeds = load("hermes.policy.deeds")
        found: Deed = deeds.deed_of(
            deeds.Asked(
                call.tool,
                call.permissions,
                call.arguments,
                call.declared,
                deeds.place(call.cwd, (call.workspace, *around.folders), around.home, around.state),
                around.allows_private,
                call.subjects,
            )
        )
        return found

    def _needs_only(self, permissions: tuple[str, ...], deed: Deed) -> bool:
        """Say whether a call needs no more than its permissions: any path, any open address."""
        return all(
            (not need.permission or need.permission in permissions)
            and (need.kind in ("", "path") or (need.kind == "url" and self._is_open(need.subject)))
            for need in deed.needs
        )

    def _is_open(self, url: str) -> bool:
        """Say whether an address is open to everybody, without a word about its host."""
        urls = load("hermes.policy.urls")
        rules = urls.UrlRules(self.surroundings.allows_private)
        is_open: bool = urls.judge(url, rules).decision == "allow"
        return is_open

    def _is_plain(self, permissions: tuple[str, ...], tool: tuple[str, ...]) -> bool:
        key = (permissions, tool)
        found = self._plain.get(key)
        if found is None:
            _make_room(self._plain)
            found = self._plain[key] = self.profile.is_plain(permissions, tool)
        return found


def _make_room(remembered: dict[Kind, Any]) -> None:
    if len(remembered) > _MOST_REMEMBERED:
        remembered.clear()


def _addresses(call: Described) -> frozenset[str]:
    """Return the addresses among a call's arguments."""
    return frozenset(one.text for one in call.subjects if one.kind == "url")


def _named(call: Described) -> set[tuple[str, str]]:
    """Return the paths to read or write among a call's arguments, whole, and which it is."""
    return {
        (one.kind[5:], one.text if one.text[:1] == "/" else f"{call.cwd}/{one.text}")
        for one in call.subjects
        if one.kind in ("path:read", "path:write")
    }


def _is_same_host(url: str, call: Described) -> bool:
    """Say whether an address is on a host that the call's own arguments name."""
    urls = load("hermes.policy.urls")

    def host(text: str) -> tuple[str, int] | None:
        try:
            target = urls.parse(text)
        except urls.Refused:
            return None
        return target.host, target.port

    wanted = host(url)
    return wanted is not None and any(
        one.kind == "url" and host(one.text) == wanted for one in call.subjects
    )


def _led_to(call: Described, home: str) -> frozenset[str]:
    """Return what the paths among a call's arguments lead to now."""
    paths = (one.text for one in call.subjects if one.kind.startswith("path"))
    texts = [text for text in paths if "\0" not in text]
    if home:
        texts = [f"{home}{text[1:]}" if text[:2] in ("~", "~/") else text for text in texts]
    return frozenset(
        os.path.realpath(f"{call.cwd}/{text}" if text[:1] != "/" else text) for text in texts
    )


def described(
    entry: ToolEntry, arguments: dict[str, Any], permissions: tuple[str, ...], task: Task
) -> Described:
    """Return a call of a registered tool as it is judged."""
    folders = (str(task.cwd), task.root)
    return Described.of(names_of(entry), permissions, arguments, declared_subjects(entry), folders)


def names_of(entry: ToolEntry) -> tuple[str, ...]:
    """Return all names that rules may call a tool by."""
    return (entry.name, *(alias.name for alias in entry.aliases))


def declared_subjects(entry: ToolEntry) -> Mapping[str, str] | None:
    """Return what a tool's arguments are declared to be; None when names have to tell."""
    if not entry.paths:
        return entry.subjects
    paths = dict.fromkeys(entry.paths, "path")
    return Inferred(paths) if entry.subjects is None else {**paths, **entry.subjects}
