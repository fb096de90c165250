"""Open the model that was asked for, or the first that is found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from hermes.base.errors import ConfigError
from hermes.base.optional import load
from hermes.base.text import did_you_mean
from hermes.llm.catalog import FREE, look_up
from hermes.llm.endpoint import Endpoint, Patience
from hermes.llm.providers import PROVIDERS, Provider, find_provider

if TYPE_CHECKING:
    from hermes.base.messages import Json
    from hermes.config.settings import Settings
    from hermes.llm.asking import Adapter, HttpModel
    from hermes.llm.contract import Model

BUILTIN = "hermes:builtin"
_OWN = ("hermes", "scripted")
_FAMILIES = {"claude": "anthropic", "gpt": "openai", "gemini": "gemini", "o3": "openai"}
_OPENAI = "api.openai.com"


class Found(NamedTuple):
    """A provider that can be asked now: which of its models are known, and how it was found."""

    provider: str
    about: str
    models: tuple[str, ...]
    source: str
    """The variable that holds its key, the address of a server, or the setting."""

    @property
    def name(self) -> str:
        """Return the model that is asked when nobody chooses, as a person writes it."""
        return f"{self.provider}:{self.models[0]}"


def find_models(
    settings: Settings, environment: Mapping[str, str], *, seconds: float = 0.4
) -> list[Found]:
    """Return who can be asked: the service of the settings, keys in the environment, servers here.

    Servers are looked for on their usual ports, all at once and for no longer than ``seconds``.
    """
    found = []
    if settings.model.base_url:
        models = _serving(settings.model.base_url, seconds)
        found.append(Found("custom", "The service at model.base_url", models, "model.base_url"))
    for one in PROVIDERS:
        variable = _variable(one, environment)
        if variable and one.is_sought:
            found.append(Found(one.name, one.about, (one.model,), variable))
    return [*(one for one in found if one.models), *_servers(environment, seconds)]


def _servers(environment: Mapping[str, str], seconds: float) -> list[Found]:
    places = {one: _place(_url(one, environment)) for one in PROVIDERS if one.is_local}
    wanted = [place for place in places.values() if place]
    answers = load("hermes.llm.finding").find_servers(wanted, seconds=seconds)
    return [
        Found(one.name, one.about, answers[place], f"{place[0]}:{place[1]}")
        for one, place in places.items()
        if place and answers.get(place)
    ]


def _serving(url: str, seconds: float) -> tuple[str, ...]:
    """Return the models of a server without encryption, as one's own are."""
    place = _place(url)
    if place is None or urlsplit(url).scheme != "http":
        return ()
    path = f"{urlsplit(url).path.rstrip('/')}/models"
    answers = load("hermes.llm.finding").find_servers([place], path=path, seconds=seconds)
    models: tuple[str, ...] = answers.get(place, ())
    return models


def _place(url: str) -> tuple[str, int] | None:
    try:
        parts = urlsplit(url)
        return (parts.hostname, parts.port or 80) if parts.hostname else None
    except ValueError:
        return None


def open_model(name: str | None, settings: Settings, environment: Mapping[str, str]) -> Model:
    """Return the model of a name, of the settings, or the first that is found; close it when done.

    Raises:
        ConfigError: nothing is found, the name is unknown, or its key is missing.
    """
    wanted = name or settings.model.name
    if wanted is None:
        found = find_models(settings, environment)
        if not found:
            raise nothing_found()
        wanted = found[0].name
    wanted = provider_of(wanted)
    provider, _, model = wanted.partition(":")
    if provider == "scripted":
        scripted: Model = load("hermes.llm.scripted").Scripted.from_file(model, name=wanted)
        return scripted
    if wanted == BUILTIN:
        builtin: Model = load("hermes.agent.builtin").open_builtin()
        return builtin
    known = find_provider(provider)
    if known is None:
        raise _unknown(wanted)
    return _calling(_open(known, model, settings, environment), known, settings)


def _calling(model: HttpModel, provider: Provider, settings: Settings) -> Model:
    """Return a model with the way in which it calls tools."""
    way = settings.model.tool_calls
    if way == "native" or (way == "auto" and provider.protocol != "chat"):
        return model
    if way == "auto":
        either: Model = load("hermes.llm.calling").EitherWay(model)
        return either
    dialect = "auto" if way == "text" else way
    told: Model = load("hermes.llm.dialects.text_model").TextModel(model, dialect)
    return told


def provider_of(name: str) -> str:
    """Return a name with its provider, which the names of well-known families tell.

    Raises:
        ConfigError: nobody has such models.
    """
    first = name.partition(":")[0]
    if find_provider(first) or first in _OWN:
        return name
    family = first.partition("-")[0]
    if family not in _FAMILIES:
        raise _unknown(name)
    return f"{_FAMILIES[family]}:{name}"


def nothing_found() -> ConfigError:
    """Return the error for a machine on which no model can be asked."""
    return ConfigError(
        "no model was found: no key in the environment, no server on this machine",
        hint="Set a key (export ANTHROPIC_API_KEY=…; OPENAI_API_KEY, GEMINI_API_KEY and more are "
        "known) or start a server such as Ollama.\n"
        "Without either, try the one that is built in: hermes chat --model hermes:builtin",
    )


def _unknown(name: str) -> ConfigError:
    provider, colon, _ = name.partition(":")
    names = [*(one.name for one in PROVIDERS), *_OWN]
    near = did_you_mean(provider, names) if colon else None
    usual = "Write it as provider:model, such as ollama:qwen3; see 'hermes model list'."
    return ConfigError(f"no provider for the model {name!r}", hint=near or usual)


def _open(
    provider: Provider, model: str, settings: Settings, environment: Mapping[str, str]
) -> HttpModel:
    endpoint = endpoint_of(provider, settings, environment)
    model = model or provider.model or _first(provider, endpoint.url)
    facts = look_up(model)
    if provider.is_local:
        facts = facts._replace(window=0, price=FREE)  # the server decides how much it takes
    window = settings.model.window or facts.window
    measuring = None if window else load("hermes.llm.measuring").measure_of(provider.name, model)
    chosen = settings.model
    effort = "" if chosen.effort == "default" else chosen.effort
    adapter = _adapter(provider, endpoint.url)(model, facts, effort=effort, **_options(provider))
    made: HttpModel = load("hermes.llm.asking").HttpModel(
        f"{provider.name}:{model}",
        window,
        adapter,
        endpoint,
        patience=Patience(chosen.timeout_seconds, chosen.answer_seconds, chosen.tries),
        measure=measuring,
        measures=2 if provider.is_local else 1,  # a server may tell more once it has loaded it
    )
    return made


def endpoint_of(provider: Provider, settings: Settings, environment: Mapping[str, str]) -> Endpoint:
    """Return where a provider is asked, and with which key.

    Raises:
        ConfigError: its key or its address is missing.
    """
    url, key = _url(provider, environment), ""
    if provider.name == "custom":
        url = settings.model.base_url or ""
        key = environment.get(settings.model.key_variable or "", "").strip()
        if not url:
            raise ConfigError(
                "custom:MODEL needs the address of its service",
                key="model.base_url",
                hint="Set it: hermes config set model.base_url http://127.0.0.1:8000/v1",
            )
    variable = _variable(provider, environment)
    if provider.key_variables and variable is None and _is_own(provider, url):
        first = provider.key_variables[0]
        raise ConfigError(
            f"{provider.name} needs a key, and {first} is not set",
            hint=f"Set it: export {first}=…; or choose another model: hermes model list",
        )
    key = key or (environment[variable].strip() if variable else "")
    return Endpoint(url, key)


def _is_own(provider: Provider, url: str) -> bool:
    """Say whether a provider is asked where it lives, and not at a stand-in of one's own."""
    return urlsplit(url).hostname == urlsplit(provider.url).hostname


def _variable(provider: Provider, environment: Mapping[str, str]) -> str | None:
    """Return the variable that holds a provider's key, if one does."""
    names = provider.key_variables
    return next((name for name in names if environment.get(name, "").strip()), None)


def _url(provider: Provider, environment: Mapping[str, str]) -> str:
    told = environment.get(provider.url_variable, "").strip() if provider.url_variable else ""
    if not told:
        return provider.url
    if provider.name != "ollama":
        return told
    host = told if "://" in told else f"http://{told}"
    place = _place(host)
    port = (urlsplit(host).port if place else None) or provider.port
    name = place[0] if place and place[0] != "0.0.0.0" else "127.0.0.1"
    return f"{urlsplit(host).scheme}://{name}:{port}/v1"


def _first(provider: Provider, url: str) -> str:
    """Return the first model that a server has.

    Raises:
        ConfigError: it does not answer, or has none.
    """
    models = _serving(url, 1.0)
    if not models:
        raise ConfigError(
            f"{provider.name} names no model, or does not answer at {url}",
            hint=f"Start it, or name the model: {provider.name}:MODEL",
        )
    return models[0]


def _adapter(provider: Provider, url: str) -> Callable[..., Adapter]:
    """Return the class that speaks a provider's protocol; only OpenAI itself has the newer one."""
    protocol = provider.protocol
    if protocol == "responses" and urlsplit(url).hostname != _OPENAI:
        protocol = "chat"
    module, name = {
        "chat": ("hermes.llm.openai_chat", "Chat"),
        "responses": ("hermes.llm.openai_responses", "Responses"),
        "anthropic": ("hermes.llm.anthropic", "Messages"),
        "gemini": ("hermes.llm.gemini", "Gemini"),
    }[protocol]
    made: Callable[..., Adapter] = getattr(load(module), name)
    return made


def _options(provider: Provider) -> dict[str, Json]:
    if provider.protocol == "gemini":
        return {"bend": _bent}
    return {"quirks": provider.quirks} if provider.protocol == "chat" else {}


def _bent(definition: Json) -> Json:
    """Return a definition as Gemini takes it."""
    function = definition["function"]
    render = load("hermes.schema.formats").render
    return render("gemini", function["name"], function["description"], function["parameters"])
