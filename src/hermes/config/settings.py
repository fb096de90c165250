"""Every setting there is. Adding a section is a class here and one line in ``Settings``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hermes.base.optional import load
from hermes.config.declare import Part, Section, Setting
from hermes.config.kinds import CustomToolsets, Flag, Lines, Names, OneOf, Seconds, Text, Whole

if TYPE_CHECKING:
    from pathlib import Path

FILE_NAME = "config.yaml"
DEFAULT_HOME = "~/.hermes"


class Tools(Section):
    """Which tools a model is offered, and how long they may take."""

    __slots__ = ()
    enabled = Setting(("all",), Names(), "Toolsets on offer.")
    disabled = Setting((), Names(), "Toolsets taken away from those on offer.")
    defer = Setting((), Names(), "Toolsets found through tool_search instead of shown up front.")
    defer_over_tokens = Setting(
        0, Whole(), "Defer toolsets when definitions cost more tokens than this; 0 never does."
    )
    timeout_seconds = Setting[float](
        300, Seconds(), "Longest run of a tool with no limit of its own."
    )
    check_ttl_seconds = Setting[float](
        30, Seconds(), "How long the answer of an availability check is remembered."
    )
    max_workers = Setting(64, Whole(minimum=1), "Threads for tools that block.")


class Results(Section):
    """How much of a result a model is shown; the whole is kept on disk."""

    __slots__ = ()
    per_result_chars = Setting(100_000, Whole(minimum=200), "Characters shown of one result.")
    per_turn_chars = Setting(200_000, Whole(minimum=200), "Characters shown of one turn's results.")
    context_tokens = Setting(
        0,
        Whole(),
        "The model's context, to which both limits are scaled; 0 leaves them as they are.",
    )


class Journal(Section):
    """The record of every call in state.db."""

    __slots__ = ()
    enabled = Setting(True, Flag(), "Record calls.")
    capture_arguments = Setting(True, Flag(), "Record their arguments, secrets redacted.")


class Telemetry(Section):
    """OpenTelemetry spans, when the otel extra is installed."""

    __slots__ = ()
    enabled = Setting(
        True, Flag(), "Make a span of every call where the program has set up OpenTelemetry."
    )
    capture_content = Setting(False, Flag(), "Put arguments and results on the spans.")


class Urls(Section):
    """Which addresses tools may reach."""

    __slots__ = ()
    allow_private = Setting(False, Flag(), "Allow loopback and private addresses.")


class Environment(Section):
    """What tools and the programs they start see of the process environment."""

    __slots__ = ()
    pass_names = Setting(
        (), Names(), "Variables that child processes may see although they look secret.", key="pass"
    )


class Permissions(Section):
    """Which calls are allowed."""

    __slots__ = ()
    profile = Setting(
        None,
        Text(),
        "The permission profile in force; without one, the permissions file's default, then "
        "developer.",
    )
    workspace = Setting((), Names(), "Folders to work in, beside the one that a task starts in.")


class Approvals(Section):
    """How people are asked."""

    __slots__ = ()
    mode = Setting(
        "ask",
        OneOf("ask", "smart", "off"),
        "Who answers: ask a person; smart lets a model approve what is low risk; off approves "
        "whatever no rule denies, which is dangerous.",
    )
    timeout_seconds = Setting[float](
        60, Seconds(), "How long a question waits; no answer means no."
    )
    expire_seconds = Setting[float](
        600, Seconds(), "How long a yes is good for, until its call runs."
    )


class Model(Section):
    """What the model behind the tools needs."""

    __slots__ = ()
    strict_schemas = Setting(False, Flag(), "Send schemas in the provider's strict form.")


class Terminal(Section):
    """Where commands run."""

    __slots__ = ()
    environment = Setting(
        "local",
        OneOf("local", "docker", "ssh"),
        "The machine itself, a container of each task's own, or another machine.",
    )


class Docker(Section):
    """Containers for commands, by docker or podman."""

    __slots__ = ()
    image = Setting(None, Text(), "The image; it must have bash and python3.")
    engine = Setting(
        None, Text(), "The program, docker or podman; without one, whichever is found."
    )
    network = Setting(False, Flag(), "Whether containers reach the network.")
    mount_workspace = Setting(
        True, Flag(), "Show the task's folder as /workspace, where it can be changed."
    )
    memory_megabytes = Setting(2_048, Whole(minimum=16), "Memory of a container.")
    processes = Setting(512, Whole(minimum=8), "Processes of a container.")
    cpus = Setting(2, Whole(minimum=1), "Processors of a container.")
    read_only = Setting(False, Flag(), "Keep everything but the workspace and /tmp as it is.")
    user = Setting(None, Text(), "The user in there, as the engine's --user takes it.")


class Ssh(Section):
    """Another machine for commands; what is not said is left to your own ssh settings."""

    __slots__ = ()
    host = Setting(None, Text(), "The machine, by name or as ~/.ssh/config calls it.")
    user = Setting(None, Text(), "The user there.")
    port = Setting(0, Whole(), "The port; 0 leaves it to ssh.")
    identity = Setting(None, Text(), "The file of a private key.")
    config = Setting(None, Text(), "A file of settings in place of ~/.ssh/config.")
    root = Setting(None, Text(), "The folder there that tasks start in; without one, the home.")


class Settings(Section):
    """Everything configured, as one frozen value."""

    __slots__ = ("folder",)
    tools = Part(Tools)
    results = Part(Results)
    journal = Part(Journal)
    telemetry = Part(Telemetry)
    urls = Part(Urls)
    environment = Part(Environment)
    permissions = Part(Permissions)
    approvals = Part(Approvals)
    model = Part(Model)
    terminal = Part(Terminal)
    docker = Part(Docker)
    ssh = Part(Ssh)
    command_allowlist = Setting(
        (), Lines(), "What was approved for good, one rule each; see 'hermes approvals list'."
    )
    toolsets = Setting({}, CustomToolsets(), "Toolsets of your own, by name.")

    folder: str
    """The folder that holds all state; chosen by HERMES_HOME, not by a file inside it."""

    def __init__(self, folder: str, values: Mapping[str, Any] | None = None) -> None:
        super().__init__(values)
        object.__setattr__(self, "folder", folder)

    @property
    def home(self) -> Path:
        """The folder that holds all state, as a path; listing tools has no need of one."""
        path: Path = load("pathlib").Path(self.folder)
        return path

    @property
    def file(self) -> Path:
        """Return where config.yaml is, or would be."""
        return self.home / FILE_NAME

    def as_dict(self) -> dict[str, Any]:
        """Return every setting with its value, home first."""
        return {"home": self.folder, **super().as_dict()}
