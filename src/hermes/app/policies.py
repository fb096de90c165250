"""Put the policy together that judges calls: a profile, and where things are."""

from __future__ import annotations

import os
from collections.abc import Mapping

from hermes.app.profiles import default_profile
from hermes.config.settings import Settings
from hermes.policy.permissions import Profile
from hermes.runtime.call_policy import CallPolicy, Surroundings


def policy_of(
    settings: Settings, environment: Mapping[str, str], profile: Profile | None
) -> CallPolicy:
    """Return what judges calls by a profile; without one, by the shipped default."""
    home = environment.get("HOME") or os.path.expanduser("~")  # noqa: PTH111 - a text is wanted
    around = Surroundings(
        os.path.abspath(home),  # noqa: PTH100 - a text is wanted
        settings.folder,
        tuple(_folder(each, home) for each in settings.permissions.workspace),
        settings.urls.allow_private,
    )
    return CallPolicy(profile or default_profile(), around)


def _folder(text: str, home: str) -> str:
    if text == "~" or text.startswith("~/"):
        text = home + text[1:]
    return os.path.abspath(text)  # noqa: PTH100 - a text is wanted
