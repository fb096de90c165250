"""``hermes model``: which models can be asked, which one is, and whether it answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes.app.models import BUILTIN, Found, find_models, nothing_found, provider_of
from hermes.base.errors import HermesError
from hermes.base.optional import load
from hermes.cli import output
from hermes.cli.command import JSON, Command, Group, argument
from hermes.config.environment import snapshot
from hermes.config.load import home_folder, variable
from hermes.config.load import load as load_settings
from hermes.config.settings import FILE_NAME
from hermes.llm.catalog import Facts, look_up

if TYPE_CHECKING:
    from argparse import Namespace

    from hermes.app.model_trials import Trial

_KEY = "model.name"
_BUILTIN = Found("hermes", "Built in: an offline demo brain", ("builtin",), "built in")


def list_models(options: Namespace) -> int:
    """Print every model that can be asked, the chosen one marked."""
    settings, environment = load_settings(), snapshot()
    found = find_models(settings, environment)
    chosen = settings.model.name or (found[0].name if found else None)
    if options.all and found:
        found = _whole(
            found, load("hermes.app.model_trials").offered_now(found, settings, environment)
        )
    rows = [_told(one, model, chosen) for one in [*found, _BUILTIN] for model in one.models]
    if chosen and all(row["name"] != chosen for row in rows):
        rows.insert(0, _chosen(chosen))
    if options.json:
        output.print_json(rows)
        return 0
    output.print_table(("model", "", "takes", "$ in/out", "found by"), map(_row, rows))
    if not found and output.is_terminal():
        output.print_note(nothing_found().hint or "")
    return 0


def _whole(found: list[Found], told: list[Any]) -> list[Found]:
    """Return the providers with what they told; one that told nothing stays as it was."""
    for one, answer in zip(found, told, strict=True):
        if not isinstance(answer, Found):
            output.print_note(f"{one.provider}: {answer.message}")
    return [a if isinstance(a, Found) else one for one, a in zip(found, told, strict=True)]


def _told(one: Found, model: str, chosen: str | None) -> dict[str, Any]:
    name = f"{one.provider}:{model}"
    facts = look_up(model)
    return {
        "name": name,
        "provider": one.provider,
        "model": model,
        "about": one.about,
        "source": one.source,
        "chosen": name == chosen,
        "window": facts.window or None,
        "price": _price(facts),
    }


def _price(facts: Facts) -> dict[str, float] | None:
    price = facts.price
    return {"input": price.input, "output": price.output} if price else None


def _chosen(name: str) -> dict[str, Any]:
    """Return the row of a chosen model that was not found just now."""
    provider, _, model = name.partition(":")
    return {
        **_told(Found(provider, "", (model,), "config"), model, None),
        "name": name,
        "chosen": True,
    }


def _row(row: dict[str, Any]) -> tuple[str, ...]:
    price = row["price"]
    return (
        row["name"],
        "chosen" if row["chosen"] else "",
        f"{row['window']:,}" if row["window"] else "-",
        f"{price['input']:g}/{price['output']:g}" if price else "-",
        row["source"],
    )


def set_model(options: Namespace) -> int:
    """Write the model into config.yaml."""
    name = options.name if options.name == BUILTIN else provider_of(options.name)
    file = Path(home_folder(None, snapshot())) / FILE_NAME
    load("hermes.config.edit").set_value(file, _KEY, name)
    if options.json:
        output.print_json({"key": _KEY, "value": name, "file": str(file)})
    elif output.is_terminal():
        output.write(f"{_KEY} = {name}  ({file})")
    if snapshot().get(variable(_KEY)):
        output.print_note(f"{variable(_KEY)} is set and has the last word")
    _warn(name)
    return 0


def _warn(name: str) -> None:
    """Say what is still missing before the model can be asked."""
    try:
        load("hermes.app.models").open_model(name, load_settings(), snapshot())
    except HermesError as error:
        output.print_note(f"{error.message}. {error.hint or ''}".strip())


def test_model(options: Namespace) -> int:
    """Ask a model to call a tool, and return 1 if it did not answer or not call it."""
    trial: Trial = load("hermes.app.model_trials").try_now(
        options.name, load_settings(), snapshot()
    )
    if options.json:
        output.print_json({**trial._asdict(), "usage": trial.usage._asdict()})
    else:
        output.print_facts(_facts(trial))
    return 0 if trial.calls_tools else 1


def _facts(trial: Trial) -> list[tuple[str, str]]:
    usage = trial.usage
    cost = "price not known" if usage.dollars is None else f"${usage.dollars:.6f}"
    tools = "called the tool" if trial.calls_tools else f"no call, it said: {trial.said[:200]!r}"
    return [
        ("model", trial.name),
        ("tools", tools),
        ("first sign", f"{trial.first_seconds:.2f} s"),
        ("whole answer", f"{trial.seconds:.2f} s"),
        ("tokens", f"{usage.input:,} in, {usage.output:,} out ({cost})"),
        ("takes", f"{trial.window:,} tokens" if trial.window else "not known"),
    ]


_NAME_HELP = "The model as provider:model."
ENTRY = Group(
    "model",
    "List the models that can be asked, choose one, and try it.",
    (
        Command(
            "list",
            "List the models that can be asked: by keys in the environment and servers here.",
            list_models,
            (
                argument("--all", help="Ask services for all their models.", action="store_true"),
                JSON,
            ),
            ("hermes model list", "hermes model list --all --json"),
        ),
        Command(
            "set",
            "Choose the model.",
            set_model,
            (argument("name", help=_NAME_HELP, metavar="NAME"), JSON),
            ("hermes model set anthropic:claude-sonnet-5-5", "hermes model set ollama:qwen3"),
        ),
        Command(
            "test",
            "Ask a model to call a tool; exit code 1 when it does not.",
            test_model,
            (
                argument("name", help=f"{_NAME_HELP} Without it, the chosen one.", nargs="?"),
                JSON,
            ),
            ("hermes model test", "hermes model test openai:gpt-6.1-sol --json"),
        ),
    ),
)
