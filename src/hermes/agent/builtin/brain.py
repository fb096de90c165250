"""Decide what to do: by rules, else by the tool index; ask when unsure; answer at the end."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from hermes.agent.builtin.answers import told
from hermes.agent.builtin.conversation import Conversation
from hermes.agent.builtin.describing import described, met
from hermes.agent.builtin.elsewhere import bare, is_absent, located
from hermes.agent.builtin.families import intents
from hermes.agent.builtin.families.talk import EXAMPLES, WHO, cannot
from hermes.agent.builtin.filling import Filler
from hermes.agent.builtin.followups import continued
from hermes.agent.builtin.likeness import Likeness
from hermes.agent.builtin.ranking import picked, ranked, said_of
from hermes.agent.builtin.rules import STRONG, SURE, Rules, likely
from hermes.agent.builtin.said import Listener, Past, Said
from hermes.agent.builtin.steps import Act, Answer, Hands, Missing, Steps, Unsure, Wanted, want
from hermes.base.messages import Json

_NOTE = (
    "\n\n(hermes:builtin, an offline demo brain. `hermes model list` shows how to get a real one.)"
)
_LENGTH = 2_000
_SHOWN = 40
_IDLE = frozenset({"search_web", "cannot"})
"""What only says that it cannot; a tool that no rule knows may do better."""
_OF_PAGE = ("headings", "links", "summary", "web", "header", "code_of", "tell", "read")
_CHECKS = frozenset({"run_tests", "lint", "type_check", "build"})
_OUTCOME = re.compile(
    r"(?:stop|halt|end) (?:at|on|after|with) |"
    r"(?:show|tell|give|report|list|print|see)(?: me)? (?:the |any |all |only |just |what |which )*"
    r"(?:failures?|errors?|results?|output|outcome|problems?|issues?|warnings?|summary|fails?|"
    r"failed|failing)\b"
)
"""What is asked of a check, and is told by it anyway."""
_OWN_LOOK = frozenset({"read_file"})
"""What is looked for elsewhere by the acts that call it."""
_EXACT = frozenset({"delete_file", "move_file"})
"""What is done only with files that lie where it was said."""
_STRANGE = (TypeError, ValueError, LookupError, AttributeError)


class Decision(NamedTuple):
    """What comes next: a call, or words."""

    call: Wanted | None
    text: str


class Brain:
    """The rules, the vocabulary and the index, made once."""

    def __init__(self, filler: Filler | None = None) -> None:
        self.listener = Listener()
        self.rules = Rules(intents())
        self.likeness = Likeness(self.rules.intents, self.listener)
        self.filler = filler or Filler()

    def decide(self, conversation: Conversation, hands: Hands) -> Decision:
        """Return the next step; the same conversation always gives the same one."""
        steps = self.work(conversation.text[:_LENGTH], conversation.past, hands)
        answers = iter(conversation.answers)
        try:
            wanted = next(steps)
            for answer in answers:
                wanted = steps.send(answer)
        except StopIteration as end:
            text = str(end.value)
            note = _NOTE if conversation.is_first and WHO not in text else ""
            return Decision(None, text + note)
        return Decision(wanted, "")

    def work(self, text: str, past: Past, hands: Hands) -> Steps:
        """Do one request after the other, each knowing what those before it found."""
        words_told: list[str] = []
        is_good = True
        for said in self._apart(text, past):
            if said.when and is_good != (said.when == "good"):
                words_told.append(f"So I did not do the rest: {said.text}")
                break
            known = replace(said, past=past)
            words, calls, results = yield from _recorded(self._one(known, hands))
            past = Past((*past.texts, said.text), (*past.calls, *calls), (*past.results, *results))
            words_told.append(words)
            is_good = not results or _went_well(results[-1])
            if results and (results[-1].get("error") or results[-1].get("files") == []):
                break  # what comes next would work on nothing
        return "\n\n".join(filter(None, words_told))

    def _apart(self, text: str, past: Past) -> Iterator[Said]:
        """Yield the requests in a text, one after the other."""
        for said in self.listener.hear(text, past):
            yield from self._parts(said)

    def _parts(self, said: Said) -> Iterator[Said]:
        """Yield the requests that *and* joins: each must be clear alone, and they must differ."""
        for left, right in self.listener.joints(said):
            first, second = self._kind(left), self._kind(right)
            is_other = first != second or _names_its_own(left, right)
            if first and second and is_other and not _asks_of(first, left, right):
                yield from self._parts(left)
                yield from self._parts(right)
                return
        yield said

    def _kind(self, said: Said) -> str:
        """Return what a request asks for, if it is clear by itself."""
        if ranked(said, self.listener):
            return "ranked"
        phrase = described(said)
        if phrase:
            said = self.listener.put(said, phrase.start, phrase.end, "file.txt")
        found = self.rules.choose(said)[:1]
        return found[0][1].name if found and found[0][0] >= SURE else ""

    def _one(self, said: Said, hands: Hands, *, is_asked: bool = False) -> Steps:
        """Do one request; what is missing is asked for once."""
        try:
            return (yield from self._tried(said, hands))
        except Missing as missing:
            return _missing(missing)
        except _STRANGE:  # a tool may answer anything
            return "I could not make sense of what the tool answered; it is shown above."
        except Unsure as unsure:
            if is_asked or not hands.has("clarify"):
                return unsure.question
            doubt = unsure
        said_so = _said_so((yield _question(doubt)))
        if not said_so:
            return f"{doubt.question} Nobody was there to ask, so I did nothing."
        again = self.listener.hear(f"{said.text} {said_so}", said.past)[0]
        if self.choose(again, hands)[0] is cannot:
            again = self.listener.hear(said_so, said.past)[0]
        return (yield from self._one(again, hands, is_asked=True))

    def _tried(self, said: Said, hands: Hands) -> Steps:
        """Do what fits best; where that lacks something that was not said, what fits next."""
        doubt: Unsure | None = None
        for act, understood in self._options(said, hands):
            steps = act(understood, hands)
            try:
                wanted = next(steps)
            except StopIteration as end:
                return str(end.value)
            except Unsure as unsure:
                doubt = doubt or unsure
                continue
            return (yield from self._followed(act, understood, _resumed(steps, wanted), hands))
        raise doubt or Unsure("What should I do?")

    def _followed(self, act: Act, said: Said, steps: Steps, hands: Hands) -> Steps:
        """Go on with an act; it begins anew if a file named without a folder lies elsewhere."""
        named = None if getattr(act, "__name__", "") in _EXACT else bare(said)
        answer = yield (wanted := next(steps))
        if named and wanted.tool not in _OWN_LOOK and is_absent(named, wanted, answer):
            path = yield from located(named, hands)
            if path and path != named.name:
                return (
                    yield from act(self.listener.put(said, named.start, named.end, path), hands)
                )
        try:
            return (yield from _resumed(steps, steps.send(answer)))
        except StopIteration as end:
            return str(end.value)

    def _options(self, said: Said, hands: Hands) -> Iterator[tuple[Act, Said]]:
        """Yield what may be meant, the best first; what changes something only if it is sure."""
        best = self.choose(said, hands)
        yield best
        for score, intent in self.rules.choose(said):
            enough = STRONG if intent.is_change else SURE
            if score >= enough and intent.act is not best[0]:
                yield intent.act, said

    def choose(self, said: Said, hands: Hands) -> tuple[Act, Said]:
        """Return what to do for a request, and how it is understood."""
        if ranked(said, self.listener) and hands.has("terminal"):
            return self._with_ranked, said
        if described(said) and hands.has("search_files"):
            return self._with_described, said
        return self._by_rules(said, hands)

    def _by_rules(self, said: Said, hands: Hands) -> tuple[Act, Said]:
        """Return what to do by the rules, else by the index."""
        followed = continued(said, self.listener, self.rules)
        for understood in (followed, self.listener.again(followed)):
            found = self.rules.choose(understood)
            if found and found[0][0] >= SURE:
                score, intent = found[0]
                is_free = intent.name in _IDLE
                is_weak = score < STRONG or is_free
                stranger = is_weak and self.filler.stranger(said, hands, is_free=is_free)
                return stranger or intent.act, understood
        alike = self.likeness.choose(self.listener.again(followed))
        if alike and not self.filler.stranger(said, hands):
            return alike.act, followed
        guess = likely(self.rules.choose(followed))
        act = self.filler.choose(said, hands, self.rules)
        return act or (guess.act if guess else _unsure), followed if guess and not act else said

    def _with_ranked(self, said: Said, hands: Hands) -> Steps:
        """Find the file that is the biggest or newest, then do with it what is asked."""
        wanted = ranked(said, self.listener)
        assert wanted is not None
        found = yield from picked(wanted, hands)
        path = found[0][1]
        if wanted.is_shown and hands.has("read_file"):
            read = yield want("read_file", path=path, limit=_SHOWN)
            return f"{said_of(wanted, found)}\n{told(read)}"
        if wanted.is_asked:
            return said_of(wanted, found)
        known = self.listener.put(said, wanted.start, wanted.end, path)
        act, understood = self.choose(known, hands)
        return (yield from act(understood, hands))

    def _with_described(self, said: Said, hands: Hands) -> Steps:
        """Find the file that is described, then do with it what is asked."""
        wanted = described(said)
        assert wanted is not None
        path = yield from met(wanted)
        known = self.listener.put(said, wanted.start, wanted.end, path) if path else said
        act, understood = self._by_rules(known, hands)
        return (yield from act(understood, hands))


def _resumed(steps: Steps, wanted: Wanted) -> Steps:
    """Go on with steps whose first call is known already."""
    try:
        while True:
            wanted = steps.send((yield wanted))
    except StopIteration as end:
        return str(end.value)


def _names_its_own(*parts: Said) -> bool:
    """Whether each of some requests names the files or addresses that it is about."""
    kinds = ("path", "glob", "url", "host", "quoted")
    own = [frozenset(part.all(*kinds)) | ({part.glob, part.folder} - {None}) for part in parts]
    return all(own) and not own[0] & own[1]


def _asks_of(first: str, left: Said, right: Said) -> bool:
    """Whether the second of two requests says what is wanted of what the first one gives."""
    if first in _CHECKS and _OUTCOME.match(right.low):
        return True
    is_own = right.one("url", "host", "path") is not None
    return left.has("@url", "@host") and not is_own and right.has(*_OF_PAGE)


def _went_well(result: Mapping[str, Json]) -> bool:
    is_ended = result.get("exit_code") in {0, None} and result.get("ok") is not False
    return is_ended and not result.get("error")


def _unsure(said: Said, hands: Hands) -> Steps:
    """Ask what is meant."""
    if not re.search(r"\w{2}", said.text) or not hands.tools:
        return f"I did not understand that. {WHO}"
    if not hands.has("clarify"):
        return f"I did not understand that. {WHO} Try: " + " · ".join(EXAMPLES[:4])
    yield from ()  # a generator, as every act is
    raise Unsure("I did not understand that. What should I do, in other words?", *EXAMPLES[:4])


def _question(unsure: Unsure) -> Wanted:
    return want("clarify", question=unsure.question, choices=list(unsure.choices[:4]) or None)


def _said_so(answer: Answer) -> str:
    """Return what the person answered, or nothing when nobody was there."""
    value = answer.value
    for key in ("answer", "user_response", "response", "choice", "result"):
        text = value.get(key)
        if isinstance(text, str) and text and "nobody" not in text.lower():
            return text
    return ""


def _missing(missing: Missing) -> str:
    names = " or ".join(f"`{name}`" for name in dict.fromkeys(missing.tools))
    return (
        f"That needs the tool {names}, which is not on offer here. "
        "`hermes tool list` shows what there is and why; `--toolsets` chooses what is offered."
    )


def _recorded(steps: Steps) -> Generator[Wanted, Answer, tuple[str, list, list]]:  # type: ignore[type-arg]
    """Run steps and return their words with the calls made and what they answered."""
    calls, results = [], []
    try:
        wanted = next(steps)
        while True:
            answer = yield wanted
            calls.append((wanted.tool, wanted.args))
            results.append(answer.value)
            wanted = steps.send(answer)
    except StopIteration as end:
        return str(end.value), calls, results
