"""The settings of scripts that call tools."""

from __future__ import annotations

from hermes.config.declare import Section, Setting
from hermes.config.kinds import Names, OneOf, Seconds, Whole


class Code(Section):
    """Scripts that call tools: which tools, and how much one may use."""

    __slots__ = ()
    tools = Setting(
        (
            "web_search",
            "web_extract",
            "read_file",
            "write_file",
            "search_files",
            "patch",
            "terminal",
        ),
        Names(),
        "Tools and toolsets that scripts may call, where they are on offer at all.",
    )
    timeout_seconds = Setting[float](300, Seconds(), "How long a script may run.")
    max_calls = Setting(50, Whole(), "How many tool calls a script may make.")
    stdout_bytes = Setting(
        50_000, Whole(minimum=200), "How much of its output is shown, its beginning and its end."
    )
    stderr_bytes = Setting(10_000, Whole(minimum=200), "How much of its errors is shown.")
    printed_megabytes = Setting(64, Whole(minimum=1), "How much it may print before it is stopped.")
    memory_megabytes = Setting(
        2_048, Whole(), "Memory of each of its processes; 0 leaves the sandbox's own limit."
    )
    processes = Setting(
        256, Whole(), "Its processes and threads; 0 leaves the sandbox's own limit."
    )
    disk_megabytes = Setting(
        1_024, Whole(), "What it may write, in one file and altogether; 0 has no limit."
    )
    backend = Setting(
        "auto",
        OneOf("auto", "python"),
        "What runs scripts: auto takes pydantic-monty, where it is installed, for those that only "
        "put calls together; python never does.",
    )
