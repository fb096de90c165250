"""The settings of MCP servers: how each is reached, what of it is offered, and how far it goes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NoReturn

from hermes.base.optional import load
from hermes.base.text import nearest
from hermes.config.declare import Part, Section, Setting
from hermes.config.kinds import (
    Flag,
    Kind,
    Mistyped,
    Names,
    OneOf,
    Seconds,
    Servers,
    Text,
    Whole,
    shown,
)

HIDDEN = "***"
"""Stands in listings for a value that may be secret."""

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-.")
_LONGEST_NAME = 48


class Texts(Kind["tuple[str, ...]"]):
    """A list of texts; numbers are taken as they are written."""

    words = "a list of texts"

    def check(self, value: Any) -> tuple[str, ...]:
        """Return the texts of a list."""
        if isinstance(value, (str, Mapping)) or not isinstance(value, (list, tuple)):
            raise self.refuse(value)
        return tuple(_as_text(item, self) for item in value)


class TextsByName(Kind[Mapping[str, str]]):
    """Texts by name; numbers and flags are taken as they are written."""

    words = "a mapping of names to texts"

    def check(self, value: Any) -> Mapping[str, str]:
        """Return the texts as a frozen mapping."""
        if not isinstance(value, Mapping):
            raise self.refuse(value)
        return MappingProxyType({str(name): _as_text(text, self) for name, text in value.items()})


class Maybe(Kind["bool | None"]):
    """True or false, or left to others."""

    words = "true or false"

    def check(self, value: Any) -> bool | None:
        """Return a boolean, or nothing."""
        return None if value is None else Flag().check(value)


class ToolChoice(Section):
    """Which tools of a server are offered."""

    __slots__ = ()
    include = Setting((), Names(), "Tools to offer, by name or pattern (get_*); without any, all.")
    exclude = Setting((), Names(), "Tools never to offer, by name or pattern.")
    resources = Setting(True, Flag(), "Offer tools that list and read the server's resources.")
    prompts = Setting(True, Flag(), "Offer tools that list and fetch the server's prompts.")


class Sampling(Section):
    """How far a server may ask your model."""

    __slots__ = ()
    enabled = Setting(False, Flag(), "Whether the server may ask at all; you approve each time.")
    model = Setting("", Text(), "The model that answers; without one, the agent's own.")
    max_tokens = Setting(4_096, Whole(minimum=1), "Tokens of one answer at most.")
    per_minute = Setting(10, Whole(minimum=1), "Questions in a minute at most.")
    allowed_models = Setting((), Names(), "Models that the server may wish for; none: no wishes.")


class SignIn(Section):
    """Who hermes is to a server that one signs in to; without a word, it registers itself."""

    __slots__ = ()
    client_id = Setting("", Text(), "The client that was registered for hermes by hand.")
    client_secret = Setting("", Text(), "Its secret, best as ${VAR}; without one, it has none.")
    metadata_url = Setting("", Text(), "The https address of a document that describes the client.")
    port = Setting(0, Whole(), "The loopback port that the browser comes back to; 0: a free one.")


class ServerSettings(Section):
    """One MCP server: a program that is started, or an address that is connected to.

    Values may hold ``${VAR}``; ``hermes.config.interpolating.resolved`` puts in what they stand
    for, at the moment of use. What is shown of a server holds no secret.
    """

    __slots__ = ()
    command = Setting(None, Text(), "The program that is started and spoken to on its streams.")
    args = Setting((), Texts(), "Its arguments.")
    env = Setting({}, TextsByName(), "Variables that it has beyond the few that are safe.")
    cwd = Setting(None, Text(), "The folder that it starts in; without one, the task's.")
    url = Setting(None, Text(), "The address of a server that runs elsewhere.")
    transport = Setting("http", OneOf("http", "sse"), "How it is spoken to at its address.")
    headers = Setting({}, TextsByName(), "Headers that go along with each request.")
    auth = Setting("", OneOf("", "oauth"), "How one signs in: not at all, or by oauth.")
    oauth = Part(SignIn)
    timeout = Setting[float](300, Seconds(), "How long a call may take.")
    connect_timeout = Setting[float](60, Seconds(), "How long connecting may take.")
    enabled = Setting(True, Flag(), "Whether the server is used.")
    eager = Setting(False, Flag(), "Connect at the start and not by the first call.")
    tools = Part(ToolChoice)
    parallel = Setting(True, Flag(), "Whether calls may run at once.")
    sampling = Part(Sampling)
    elicitation = Setting(True, Flag(), "Whether the server may ask you questions.")
    roots = Setting(True, Flag(), "Whether the server is told the task's folder.")
    sandbox = Setting[bool | None](
        None, Maybe(), "Run it inside the sandbox; without a word, as the profile says."
    )
    advisories = Setting(
        "warn",
        OneOf("warn", "ask", "refuse", "off"),
        "What becomes of a package that cannot be checked for malware before its first start.",
    )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ServerSettings):
            return NotImplemented
        return dict(self.values) == dict(other.values)

    __hash__ = Section.__hash__

    @property
    def is_local(self) -> bool:
        """Say whether the server is a program of this machine."""
        return self.command is not None

    def as_dict(self) -> dict[str, Any]:
        """Return every setting with its value, without what may be secret."""
        made = super().as_dict()
        hide = load("hermes.config.interpolating").hidden
        made["env"] = hide(self.env)
        made["headers"] = hide(self.headers)
        made["args"] = hide(self.args)
        made["url"] = hide(self.url)
        made["oauth"]["client_secret"] = hide({"secret": self.oauth.client_secret})["secret"]
        return made


def servers_of(value: Any) -> Mapping[str, ServerSettings]:
    """Return the servers of a mapping as frozen values.

    Raises:
        Mistyped: says which key of which server is wrong.
    """
    if not isinstance(value, Mapping):
        raise Mistyped(f"expected {Servers.words}, got {shown(value)}")
    made: dict[str, ServerSettings] = {}
    for name, body in value.items():
        _check_name(str(name), made)
        made[str(name)] = server_of(str(name), body)
    return MappingProxyType(made)


def server_of(name: str, body: Any) -> ServerSettings:
    """Return the settings of one server as a file gives them.

    Raises:
        Mistyped: says which key of which server is wrong.
    """
    if not isinstance(body, Mapping):
        raise Mistyped(
            f"{name}: expected {{command, args, …}} or {{url, headers, …}}, got {shown(body)}"
        )
    settings = ServerSettings(_values(f"{name}.", body, ServerSettings))
    _check_way(name, settings)
    return settings


def _values(prefix: str, body: Mapping[Any, Any], section: type[Section]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in body.items():
        member = section.members.get(key)
        if member is None:
            _refuse_unknown(prefix, str(key), section)
        elif value is None:
            continue
        elif isinstance(member, Part):
            if not isinstance(value, Mapping):
                words = f"a section with {', '.join(member.section.members)}"
                raise Mistyped(f"{prefix}{key}: expected {words}, got {shown(value)}")
            found[key] = _values(f"{prefix}{key}.", value, member.section)
        else:
            try:
                found[key] = member.kind.check(value)
            except Mistyped as error:
                raise Mistyped(f"{prefix}{key}: {error}") from None
    return found


def _refuse_unknown(prefix: str, key: str, section: type[Section]) -> NoReturn:
    near = nearest(key, section.members, limit=1)
    fix = f"did you mean {near[0]!r}?" if near else f"it takes {', '.join(section.members)}"
    raise Mistyped(f"{prefix}{key}: unknown setting; {fix}")


def _check_way(name: str, settings: ServerSettings) -> None:
    if settings.command is None and settings.url is None:
        raise Mistyped(f"{name}: needs a 'command' to start or a 'url' to connect to")
    if settings.command is not None and settings.url is not None:
        raise Mistyped(f"{name}: has both 'command' and 'url'; keep one of them")
    if settings.url is not None and not settings.url.startswith(("http://", "https://", "$")):
        raise Mistyped(f"{name}.url: expected an http or https address, got {shown(settings.url)}")
    if settings.command is not None and (settings.headers or settings.auth):
        raise Mistyped(f"{name}: 'headers' and 'auth' belong to a server with a 'url'")


def _check_name(name: str, others: Mapping[str, Any]) -> None:
    if not is_name(name):
        raise Mistyped(
            f"{name!r} cannot name a server; a name has letters, digits, '-', '_' and '.', begins "
            f"with a letter or digit, and has {_LONGEST_NAME} characters at most"
        )
    same = [other for other in others if other.lower() == name.lower()]
    if same:
        raise Mistyped(f"{name!r} and {same[0]!r} differ only in their case; rename one of them")


def is_name(name: str) -> bool:
    """Say whether a text can name a server."""
    letters = name.lower()
    return (
        0 < len(letters) <= _LONGEST_NAME
        and letters[0] not in "_-."
        and _LETTERS.issuperset(letters)
    )


def _as_text(value: Any, kind: Kind[Any]) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return str(value)
    raise kind.refuse(value)
