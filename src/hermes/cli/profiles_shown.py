"""Show permission profiles: which there are, which is in force, and what one says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from hermes.app.profiles import PERMISSIONS_FILE, default_profile, known_profiles
from hermes.cli import output
from hermes.policy.permissions import Profile, choose, settled

if TYPE_CHECKING:
    from hermes.app import Runtime


def listed(runtime: Runtime) -> list[dict[str, Any]]:
    """Return every profile with where it comes from and whether it is in force."""
    known = known_profiles(runtime.settings)
    chosen = runtime.profile or default_profile()
    file = str(runtime.settings.home / PERMISSIONS_FILE)
    return [
        {
            "name": name,
            "in_force": profile == chosen,
            "from": file if name in known.own else "shipped",
            "description": profile.description,
        }
        for name, profile in sorted(known.by_name.items())
    ]


def print_list(rows: list[dict[str, Any]]) -> None:
    """Print the profiles as a table, the one in force marked."""
    if output.is_terminal():
        head = ("profile", "", "from", "about")
        output.print_table(head, [_row(each, mark="in force") for each in rows])
    else:
        output.print_table((), [_row(each, mark="in force") for each in rows])


def _row(each: dict[str, Any], *, mark: str) -> tuple[str, ...]:
    return each["name"], mark if each["in_force"] else "", each["from"], each["description"]


def rules(runtime: Runtime, name: str) -> dict[str, Any]:
    """Return what one profile says.

    Raises:
        ConfigError: there is no such profile.
    """
    known = known_profiles(runtime.settings)
    file = runtime.settings.home / PERMISSIONS_FILE
    profile = choose(name, known.by_name, file)
    return {
        "name": name,
        "in_force": profile == (runtime.profile or default_profile()),
        "from": str(file) if name in known.own else "shipped",
        **_told(profile),
        **settled(profile),
    }


def _told(profile: Profile) -> dict[str, Any]:
    return {
        "description": profile.description,
        "extends": [each.name for each in profile.narrows],
        "allow": list(profile.allow),
        "deny": list(profile.deny),
        "approval_required": list(profile.ask),
        "restrictions": {
            permission: {
                key: dict(value) if key in ("max", "regex") else list(value)
                for key, value in limits._asdict().items()
                if value or (value == () and key.startswith("allowed"))
            }
            for permission, limits in profile.restrictions
        },
        "tools": {name: _tool(rules) for name, rules in profile.tools},
        "headless": profile.is_headless,
    }


def _tool(profile: Profile) -> dict[str, Any]:
    told = _told(profile)
    kept = ("allow", "deny", "approval_required", "restrictions")
    return {key: told[key] for key in kept if told[key]}


def print_rules(profile: dict[str, Any]) -> None:
    """Print one profile as named facts."""
    output.print_facts(list(_facts(profile)))


def _facts(profile: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in profile.items():
        if isinstance(value, bool):
            if value or name == "in_force":
                yield name.replace("_", " "), "yes" if value else "no"
        elif isinstance(value, dict):
            for inner, content in value.items():
                told = content if isinstance(content, str) else output.as_json(content)
                yield f"{name} {inner}", told
        elif value:
            yield name, ", ".join(value) if isinstance(value, list) else str(value)
