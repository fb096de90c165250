"""The settings of the model."""

from __future__ import annotations

from hermes.config.declare import Section, Setting
from hermes.config.kinds import Flag, Name, OneOf, Seconds, Text, Whole


class Model(Section):
    """Which model is asked, and how patiently."""

    __slots__ = ()
    name = Setting(
        None,
        Text(),
        "The model as provider:model; without one, the first that 'hermes model list' shows.",
    )
    base_url = Setting(
        None, Text(), "The address of a compatible service of your own, for custom:MODEL."
    )
    key_variable = Setting(
        None, Text(), "The environment variable that holds the key for base_url."
    )
    effort = Setting(
        "default",
        OneOf("default", "none", "minimal", "low", "medium", "high", "xhigh", "max"),
        "How hard the model thinks, in the words of its provider.",
    )
    tool_calls = Setting(
        "auto",
        Name(),
        "How tools are called: native, text, a dialect of text such as hermes, or auto: native, "
        "and text where the model has no other way.",
    )
    window = Setting(
        0, Whole(), "Tokens that the model takes, where nobody else knows; 0 finds out."
    )
    timeout_seconds = Setting[float](
        120, Seconds(), "How long the model may be silent before it is asked again."
    )
    answer_seconds = Setting[float](1_800, Seconds(), "Longest time for one answer.")
    tries = Setting(
        4, Whole(minimum=1), "How often a question is put when the service fails in passing."
    )
    strict_schemas = Setting(False, Flag(), "Send schemas in the provider's strict form.")
