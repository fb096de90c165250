"""The values a tool file is read into; frozen, and free of any secret's value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from hermes.base.messages import Json
from hermes.runtime.boundary import Wants
from hermes.runtime.yaml_tools.spec.json_path import Step

Location = Literal["path", "query", "header", "body"]
Method = Literal["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"]
Format = Literal["json", "text", "lines"]
AuthKind = Literal["none", "bearer", "basic", "header", "query"]

LOCATIONS: tuple[Location, ...] = ("path", "query", "header", "body")
MAX_BYTES = 2_000_000
METHODS: tuple[Method, ...] = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")


@dataclass(frozen=True, slots=True)
class Secret:
    """The name of the environment variable that holds a value; read at the moment of the call."""

    env: str


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a tool: its JSON Schema, and where its value goes."""

    name: str
    schema: dict[str, Json]
    required: bool = False
    location: Location | None = None
    allow_options: bool = False

    @property
    def is_always_set(self) -> bool:
        """Whether every call has a value for it."""
        return self.required or self.schema.get("default") is not None

    @property
    def enum(self) -> tuple[Json, ...] | None:
        """The only values it may have, or None when any fits."""
        values = self.schema.get("enum")
        return tuple(values) if isinstance(values, list) else None


@dataclass(frozen=True, slots=True)
class Auth:
    """How a request proves who sends it, by names of environment variables only."""

    kind: AuthKind = "none"
    name: str = ""
    secrets: tuple[Secret, ...] = ()


@dataclass(frozen=True, slots=True)
class Response:
    """What of an answer becomes the result."""

    format: Format = "json"
    path: tuple[Step, ...] = ()
    max_chars: int | None = None
    max_bytes: int = MAX_BYTES


@dataclass(frozen=True, slots=True)
class Retries:
    """When and how often a request is sent again."""

    attempts: int = 1
    on: tuple[int, ...] = ()
    backoff_seconds: float = 0.5


@dataclass(frozen=True, slots=True)
class HttpAction:
    """A request template."""

    origin: str
    path: str
    address_query: str
    method: Method
    auth: Auth = Auth()
    headers: dict[str, Json] = field(default_factory=dict)
    query: dict[str, Json] = field(default_factory=dict)
    body: Json = None
    retries: Retries = Retries()


@dataclass(frozen=True, slots=True)
class CommandAction:
    """A program and its arguments; an argument that is a tuple is a group, left out as a whole."""

    argv: tuple[str | tuple[str, ...], ...]
    cwd: str | None = None
    env: dict[str, str | Secret] = field(default_factory=dict)
    stdin: str | None = None
    success_codes: tuple[int, ...] = (0,)
    wants: Wants = field(default_factory=Wants)


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool as a file declares it."""

    name: str
    description: str
    toolset: str
    parameters: tuple[Parameter, ...]
    action: HttpAction | CommandAction
    response: Response
    permissions: tuple[str, ...]
    effects: frozenset[str]
    timeout_seconds: float
    tags: tuple[str, ...] = ()
    emoji: str = ""
    secrets: tuple[str, ...] = ()
    file: str = ""
    line: int = 1

    def schema(self) -> dict[str, Json]:
        """Return the JSON Schema of the arguments."""
        required = [item.name for item in self.parameters if item.required]
        schema: dict[str, Json] = {
            "type": "object",
            "properties": {item.name: item.schema for item in self.parameters},
            "additionalProperties": False,
        }
        if required:
            schema["required"] = required
        return schema

    def values(self, arguments: dict[str, Json]) -> dict[str, Json]:
        """Return the value of every parameter that has one: given, else the default."""
        return {
            item.name: arguments.get(item.name, item.schema.get("default"))
            for item in self.parameters
            if item.name in arguments or item.schema.get("default") is not None
        }
