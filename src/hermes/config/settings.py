"""Every setting there is. Adding a section is a class here and one line in ``Settings``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hermes.base.optional import load
from hermes.config.agent_sections import Agent, Clarify, Delegation, Memory, Mixture
from hermes.config.browser_section import Browser
from hermes.config.code_section import Code
from hermes.config.declare import Part, Section, Setting
from hermes.config.kinds import (
    CustomToolsets,
    Flag,
    Lines,
    Name,
    Names,
    OneOf,
    Seconds,
    Servers,
    Text,
    Whole,
)
from hermes.config.model_section import Model
from hermes.config.serving_section import McpServe
from hermes.config.web_section import Web

if TYPE_CHECKING:
    from pathlib import Path

    from hermes.config.servers import ServerSettings

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


class Checkpoints(Section):
    """What is kept so that changes can be undone."""

    __slots__ = ()
    enabled = Setting(True, Flag(), "Keep what tools overwrite and delete.")
    commands = Setting(
        "dangerous",
        OneOf("off", "dangerous", "all"),
        "Before which commands the workspace is kept: those that delete or overwrite in it or "
        "cannot be understood, all, or none.",
    )
    max_total_megabytes = Setting(
        2_000, Whole(minimum=1), "Room for it all; the oldest goes first."
    )
    max_file_megabytes = Setting(100, Whole(minimum=1), "Larger files are not kept.")
    keep_days = Setting(7, Whole(minimum=1), "Days after which a checkpoint is dropped.")


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


class Terminal(Section):
    """Where commands run."""

    __slots__ = ()
    environment = Setting(
        "local", Name(), "The backend, one of those that 'hermes env list' shows."
    )
    idle_seconds = Setting(
        1_800,
        Whole(),
        "After so long without a command the shell or container of a task is closed; the next "
        "command finds its state. 0 never closes it.",
    )


class Docker(Section):
    """Containers for commands, by docker or podman."""

    __slots__ = ()
    image = Setting(None, Text(), "The image; it must have bash and python3.")
    engine = Setting(
        None, Text(), "The program, docker or podman; without one, whichever is found."
    )
    network = Setting(
        False, Flag(), "Whether containers reach the network, where the profile leaves it open."
    )
    mount_workspace = Setting(
        True, Flag(), "Show the task's folder as /workspace, where it can be changed."
    )
    mounts = Setting((), Names(), "Further folders to show, each as /source:/target[:rw].")
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


class Singularity(Section):
    """Instances for commands, by apptainer or singularity: no daemon, as clusters have it."""

    __slots__ = ()
    image = Setting(
        None, Text(), "A .sif file, a folder or docker://NAME; it must have bash and python3."
    )
    program = Setting(
        None, Text(), "The program, apptainer or singularity; without one, whichever is found."
    )
    mount_workspace = Setting(
        True, Flag(), "Show the task's folder as /workspace, where it can be changed."
    )
    binds = Setting((), Names(), "Further folders to show, each as /source:/target[:rw].")
    overlay = Setting(
        None, Text(), "A folder or image that keeps what is written; without one, it is in memory."
    )
    scratch = Setting(
        None, Text(), "A folder for /tmp and /var/tmp, such as the node's scratch disk."
    )
    network = Setting(
        False, Flag(), "Whether instances reach the network, where the profile leaves it open."
    )
    fakeroot = Setting(False, Flag(), "Be root in there, where this user has a range of users.")
    memory_megabytes = Setting(0, Whole(), "Memory of an instance; 0 leaves it to the scheduler.")
    processes = Setting(0, Whole(), "Processes of an instance; 0 leaves it to the scheduler.")


class Daytona(Section):
    """Sandboxes of Daytona for commands; the key is DAYTONA_API_KEY in the environment."""

    __slots__ = ()
    snapshot = Setting(None, Text(), "The snapshot of a sandbox; without one, Daytona's own.")
    image = Setting(None, Text(), "An image in place of a snapshot; it must have bash and python3.")
    network = Setting(False, Flag(), "Whether sandboxes reach the network.")
    cpus = Setting(1, Whole(minimum=1), "Processors of a sandbox made from an image.")
    memory_gigabytes = Setting(1, Whole(minimum=1), "Memory of a sandbox made from an image.")
    disk_gigabytes = Setting(3, Whole(minimum=1), "Disk of a sandbox made from an image.")
    idle_minutes = Setting(
        15, Whole(), "When an idle sandbox is stopped, its files kept; 0 never stops it."
    )
    keep_hours = Setting(
        168, Whole(minimum=1), "When Daytona deletes a stopped sandbox that hermes left behind."
    )
    target = Setting(None, Text(), "The region; without one, the organisation's own.")
    root = Setting("workspace", Text(), "The folder that tasks start in, below the home there.")


class Modal(Section):
    """Sandboxes of Modal for commands; the token is where Modal's own command keeps it."""

    __slots__ = ()
    image = Setting(
        None,
        Text(),
        "An image of a registry, or one that Modal keeps (im-…), with bash and python3; "
        "without one, Debian.",
    )
    network = Setting(False, Flag(), "Whether sandboxes reach the network.")
    millicpus = Setting(
        500, Whole(minimum=125), "Thousandths of a processor that are reserved; one may be used."
    )
    memory_megabytes = Setting(1_024, Whole(minimum=128), "Memory of a sandbox.")
    idle_minutes = Setting(
        15, Whole(), "When an idle sandbox is kept as an image and terminated; 0 lets it run."
    )
    lifetime_hours = Setting(24, Whole(minimum=1), "When Modal ends a sandbox in any case.")
    keep_hours = Setting(168, Whole(minimum=1), "How long the files of an idle task are kept.")
    region = Setting(None, Text(), "The region; without one, Modal chooses.")
    app = Setting("hermes", Text(), "The app of Modal that sandboxes belong to.")
    root = Setting("/workspace", Text(), "The folder there that tasks start in.")


class Settings(Section):
    """Everything configured, as one frozen value."""

    __slots__ = ("folder",)
    tools = Part(Tools)
    results = Part(Results)
    journal = Part(Journal)
    checkpoints = Part(Checkpoints)
    telemetry = Part(Telemetry)
    urls = Part(Urls)
    environment = Part(Environment)
    permissions = Part(Permissions)
    approvals = Part(Approvals)
    model = Part(Model)
    terminal = Part(Terminal)
    code = Part(Code)
    web = Part(Web)
    browser = Part(Browser)
    docker = Part(Docker)
    ssh = Part(Ssh)
    singularity = Part(Singularity)
    daytona = Part(Daytona)
    modal = Part(Modal)
    agent = Part(Agent)
    memory = Part(Memory)
    clarify = Part(Clarify)
    delegation = Part(Delegation)
    mixture = Part(Mixture)
    mcp_serve = Part(McpServe)
    command_allowlist = Setting(
        (), Lines(), "What was approved for good, one rule each; see 'hermes approvals list'."
    )
    toolsets = Setting({}, CustomToolsets(), "Toolsets of your own, by name.")
    mcp_servers = Setting[Mapping[str, "ServerSettings"]](
        {}, Servers(), "MCP servers whose tools are offered, by name."
    )

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
