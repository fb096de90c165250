"""The one noun of the runtime: a tool, however it was declared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from hermes.schema.exact import exact

T = TypeVar("T")
Schema = dict[str, Any]
Arguments = dict[str, Any]
Handler = Callable[..., Any]
PerCall = Callable[[Arguments], Iterable[str]]

HARMLESS = frozenset({"none", "read"})
"""Effects that change nothing: such calls run together and are journaled off the hot path."""

UNORDERED = HARMLESS | {"network"}
"""Effects that need no order among the calls of one message."""


class Lazy(Generic[T]):
    """Make a value on first use and keep it; a failure is not kept."""

    __slots__ = ("_make", "_value")

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._value: T | None = None

    def __call__(self) -> T:
        """Return the value, which is never None."""
        value = self._value
        if value is None:
            value = self._value = self._make()
        return value


class Spec:
    """What a tool takes: words for the model, a JSON Schema, and how values become objects."""

    __slots__ = ("checker", "converters", "description", "exact", "parameters", "wants_context")

    def __init__(
        self,
        description: str,
        parameters: Schema,
        *,
        converters: Mapping[str, Callable[[Any], Any]] | None = None,
        wants_context: bool = False,
    ) -> None:
        self.description = description
        self.parameters = parameters
        self.converters = converters or {}
        self.wants_context = wants_context
        self.checker: Any = None
        """The compiled validator, once a call needed it."""
        self.exact: Callable[[object], bool] = self._compile

    def _compile(self, value: object) -> bool:
        self.exact = exact(self.parameters) or _never
        return self.exact(value)


def _never(_: object) -> bool:
    return False


class Alias(NamedTuple):
    """Another name for a tool, which may bring arguments of its own or rename some."""

    name: str
    preset: Mapping[str, Any] = {}
    rename: Mapping[str, str] = {}

    def apply(self, arguments: Any) -> Any:
        """Return the arguments as the tool itself would have been given them."""
        if not isinstance(arguments, dict) or not (self.preset or self.rename):
            return arguments
        renamed = {self.rename.get(key, key): value for key, value in arguments.items()}
        return {**self.preset, **renamed}


class By(NamedTuple):
    """Words that depend on one argument, such as the permissions of a tool with an ``action``."""

    parameter: str
    choices: Mapping[str, tuple[str, ...]]
    otherwise: str | None = None
    """The value that counts when the argument is left out."""

    def __call__(self, arguments: Arguments) -> tuple[str, ...]:
        """Return the words for these arguments; for a value nobody foresaw, all of them."""
        found = self.choices.get(str(arguments.get(self.parameter, self.otherwise)))
        return self.all() if found is None else found

    def all(self) -> tuple[str, ...]:
        """Return every word there is, sorted."""
        return tuple(sorted({word for words in self.choices.values() for word in words}))


def by(parameter: str, otherwise: str | None = None, /, **choices: str | Iterable[str]) -> By:
    """Say which permissions or effects a call has by the value of one of its arguments.

    ``otherwise`` is the argument's default.
    """
    return By(
        parameter,
        {
            value: (words,) if isinstance(words, str) else tuple(words)
            for value, words in choices.items()
        },
        otherwise,
    )


class Given(NamedTuple):
    """Words that a call has always, and those that come with some of its arguments."""

    always: tuple[str, ...]
    with_argument: Mapping[str, tuple[str, ...]]
    """Those of an argument that is given and not empty."""
    by_value: tuple[By, ...] = ()

    def __call__(self, arguments: Arguments) -> tuple[str, ...]:
        """Return the words for these arguments."""
        found = dict.fromkeys(self.always)
        for name, words in self.with_argument.items():
            if arguments.get(name):
                found |= dict.fromkeys(words)
        for each in self.by_value:
            found |= dict.fromkeys(each(arguments))
        return tuple(found)

    def all(self) -> tuple[str, ...]:
        """Return every word there is, sorted."""
        words = {*self.always, *(word for some in self.with_argument.values() for word in some)}
        return tuple(sorted(words.union(*(each.all() for each in self.by_value))))


def given(*always: str, by_value: Iterable[By] = (), **with_argument: str | Iterable[str]) -> Given:
    """Say which permissions or effects a call has always, and which with an argument."""
    return Given(
        always,
        {
            name: (words,) if isinstance(words, str) else tuple(words)
            for name, words in with_argument.items()
        },
        tuple(by_value),
    )


class ToolEntry(NamedTuple):
    """A tool as the registry holds it; frozen, so a call in flight keeps the entry it started with.

    A NamedTuple because every start pays for this module: a dataclass would cost more to import
    than all tools together.
    """

    name: str
    toolset: str
    load: Lazy[Handler]
    """Gives the handler; built-in tools are imported by their first call."""
    spec: Lazy[Spec]
    is_async: bool = False
    raw: bool = False
    """The handler takes ``(args, **kw)`` instead of keyword arguments."""
    aliases: tuple[Alias, ...] = ()
    permissions: tuple[str, ...] | PerCall = ()
    effects: frozenset[str] | PerCall | None = None
    """None means undeclared."""
    parallel: bool | None = None
    """None means: as the effects allow."""
    paths: tuple[str, ...] = ()
    """Parameters that name files; calls that write order themselves by these."""
    subjects: Mapping[str, str] | None = None
    """Which parameters are commands, paths, addresses or code; None means: as their names say."""
    timeout_seconds: float | None = None
    max_result_size_chars: int | None = None
    check_fn: Callable[[], Any] | None = None
    requires_env: tuple[str, ...] = ()
    requires_bin: tuple[str, ...] = ()
    requires_extra: str | None = None
    dynamic_schema_overrides: Callable[[], Mapping[str, Any]] | None = None
    described_by: Callable[[Any], str] | None = None
    """Gives its words for a model by what is on offer beside it, an ``Offered``."""
    unwrap: Callable[[Arguments], tuple[str, Any]] | None = None
    """Gives the call inside this call, which is judged and run in its place."""
    starts_programs: bool = False
    """Its calls start processes, which matters where no sandbox works."""
    announced_late: bool = False
    """Its handler has the call written to the journal, by ``ctx.announced()``: before its first
    effect, and not before it begins."""
    tried_at_once: bool = False
    """Its handler is first called where nothing may be waited for, and raises ``WouldWait`` when
    it has to."""
    reveals: bool = False
    """It finds or calls tools that are not shown; offered only when there are such tools."""
    tags: tuple[str, ...] = ()
    emoji: str = ""
    source: str = "python"
    title: str = ""
    """Its name for people; without one, they see the name itself, made readable."""
    output_schema: Mapping[str, Any] | None = None
    """The JSON Schema that its answers keep to, where it promises one."""
    destructive: bool | None = None
    """Whether it may take something away that was there; None means: nobody says."""
    idempotent: bool | None = None
    """Whether a second call with the same arguments changes nothing more; None: nobody says."""

    @classmethod
    def of(
        cls,
        *,
        name: str,
        toolset: str,
        handler: Handler,
        description: str,
        parameters: Schema,
        raw: bool = True,
        **traits: Any,
    ) -> ToolEntry:
        """Make an entry from a ready handler and a ready JSON Schema."""
        spec = Spec(description, parameters)
        return cls(name, toolset, Lazy(lambda: handler), Lazy(lambda: spec), raw=raw, **traits)

    @property
    def handler(self) -> Handler:
        """The function that does the work."""
        return self.load()

    @property
    def description(self) -> str:
        """Words for the model."""
        return self.spec().description

    @property
    def parameters(self) -> Schema:
        """The JSON Schema of the arguments."""
        return self.spec().parameters

    @property
    def has_needs(self) -> bool:
        """Whether the tool can be unavailable at all."""
        return bool(self.check_fn or self.requires_env or self.requires_bin or self.requires_extra)

    def permissions_of(self, arguments: Arguments) -> tuple[str, ...]:
        """Return the permissions that this very call needs."""
        needed = self.permissions
        return tuple(needed(arguments)) if callable(needed) else needed

    def effects_of(self, arguments: Arguments) -> frozenset[str] | None:
        """Return the effects of this very call, or None when the tool declares none."""
        effects = self.effects
        return frozenset(effects(arguments)) if callable(effects) else effects

    def all_permissions(self) -> tuple[str, ...]:
        """Return every permission that a call may need, for people to read."""
        return _all_words(self.permissions)

    def all_effects(self) -> tuple[str, ...]:
        """Return every effect that a call may have, for people to read."""
        return _all_words(self.effects or ())


def _all_words(words: Any) -> tuple[str, ...]:
    if isinstance(words, (By, Given)):
        return words.all()
    return ("depends on the arguments",) if callable(words) else tuple(sorted(words))
