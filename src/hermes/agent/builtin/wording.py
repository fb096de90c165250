"""Clean what a person typed: politeness off, slips of the finger mended."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping

_OPENINGS = re.compile(
    r"""^(?:\W*(?:
    hey|hi|hello|hermes|ok|okay|so|well|um+|uh|yo|alright|right|actually|
    quick(?:ly)?(?:\ question)?|
    please|pls|plz|kindly|just|now|also|first(?=,)|dear|greetings|
    (?:can|could|would|will)\ (?:you|u|ya)
    (?:\ please|\ pls|\ kindly|\ just|\ quickly|\ maybe|\ help\ me)*|
    (?:can|could|may)\ (?:i|we)\ (?=see|get|have|look)|
    i(?:'d|\ would)\ (?:like|love)\ (?:you\ )?(?:to)?|i\ (?:want|need|wanna)\ (?:you\ )?(?:to\ )?|
    i(?:'m|\ am)\ (?:trying|looking)\ to|would\ you\ mind|do\ me\ a\ favou?r\ and|
    help\ me(?:\ to)?|let(?:'s|s|\ us)|go\ ahead\ and|you\ (?:should|must)|
    i\ was\ wondering\ (?:if\ you\ could)?|wondering(?:\ if\ you\ could)?|
    we\ (?:need|have|want)\ to|i\ have\ to|time\ to|any\ chance\ you\ (?:can|could)|
    (?:do\ you\ think\ )?you\ (?:can|could)|mind|gimme(?=\ )
    )(?:[,!.:]+\s*|\s+))+""",
    re.IGNORECASE | re.VERBOSE,
)
_CLOSINGS = re.compile(
    r"""(?:[\s,.!]+(?:
    please|pls|plz|thanks(?:\ (?:a\ lot|so\ much|in\ advance))?|thank\ you|thx|ty|cheers|
    for\ me|if\ (?:you|that)(?:'s|\ is|\ can|\ could|\ don't\ mind)?(?:\ possible|\ ok(?:ay)?)?|
    real\ quick|quickly|right\ now|would\ you|will\ you|ok(?:ay)?|mate|man|dude|buddy|
    when\ you\ (?:can|have\ time)|asap|again)
    )+[\s.!?]*$""",
    re.IGNORECASE | re.VERBOSE,
)
_MENDED = {
    "serach": "search", "seach": "search", "searhc": "search", "foldr": "folder",
    "fodler": "folder",
    "direcotry": "directory", "directroy": "directory", "fiel": "file", "fiels": "files",
    "flie": "file", "flies": "files", "shwo": "show", "sohw": "show", "lsit": "list",
    "lits": "list",
    "reed": "read", "raed": "read", "craete": "create", "cretae": "create", "delte": "delete",
    "remvoe": "remove", "comit": "commit", "comits": "commits", "commmit": "commit",
    "teh": "the", "hte": "the", "waht": "what", "whats": "what's", "wheres": "where's",
    "hwo": "how", "mcuh": "much", "rember": "remember", "remeber": "remember", "rpelace": "replace",
    "wiht": "with", "wth": "with", "abotu": "about", "taht": "that", "adn": "and", "fro": "for",
    "runn": "run", "tets": "tests", "tesst": "tests", "biggst": "biggest", "mem": "memory",
    "whos": "who's", "gimme": "give me", "wanna": "want to", "lemme": "let me", "u": "you",
    "ur": "your", "w/": "with", "dirs": "folders", "plz": "please", "pls": "please",
    "cant": "can't", "dont": "don't", "im": "i'm", "ive": "i've", "howmany": "how many",
}  # fmt: skip
_HOLDER = re.compile(r"(⟦\d+⟧)")
_WORD = re.compile(r"[^\W\d]+(?:'[^\W\d]+)?|w/")
Slip = Callable[[str, str], bool]
_COMMON = frozenset(
    """
    about above after again also always another back because been being below between both cache
    came come could data does done down each else even ever every form from function good great had
    have hear help here home hour idea into item just keep kind know large later least left less
    like line live long look made main make many more most much must name near need never next nice
    none note once only onto other over page part parse past pause place plan point port post price
    rate real rest right same seem send server should side since site some soon
    sort such sure take team than that their them then there these they thing
    think this those three through today together
    true type under until upon user very want ward week well went were what when where which while
    will wise with word work world would year your yours tabs spaces milk mail rent bread care bank
    """.split()
)


def cleaned(text: str) -> str:
    """Return a request without greetings and politeness around it."""
    text = " ".join(text.replace("\u2019", "'").split()) if "\n" not in text else text.strip()
    shorter = _OPENINGS.sub("", text, count=1)
    shorter = _CLOSINGS.sub("", shorter, count=1)
    return shorter.strip(" ,") or text


def with_verb(shape: str, known: Collection[str], near: Mapping[str, list[str]]) -> str:
    """Return a text whose first word, most often a verb, is mended more boldly than the rest."""
    first, space, rest = shape.partition(" ")
    if not space or _HOLDER.search(first) or not first.isalpha():
        return shape
    return mended(first, known, near, _is_other) + space + rest


def _is_other(word: str, other: str) -> bool:
    """Whether a word is a slip for another one, and no form of it: *stage* is not *staged*."""
    return is_slip(word, other) and not other.startswith(word) and not word.startswith(other)


def mended(shape: str, known: Collection[str], near: Mapping[str, list[str]], slip: Slip) -> str:
    """Return a text with slips mended in words that are not marks; spacing stays."""

    def mend(match: re.Match[str]) -> str:
        word = match.group()
        low = word.lower()
        if low in _MENDED:
            return _MENDED[low]
        if len(low) < 5 or low in known or low in _COMMON or word != low:
            return word
        best = [other for other in near.get(low[0], ()) if slip(low, other)]
        return best[0] if best and len({one[:4] for one in best}) == 1 else word

    return "".join(
        part if _HOLDER.fullmatch(part) else _WORD.sub(mend, part) for part in _HOLDER.split(shape)
    )


def is_swap(word: str, other: str) -> bool:
    """Whether two letters next to each other have changed places."""
    at = next((i for i, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), None)
    if at is None or len(word) != len(other):
        return False
    return word[:at] + word[at + 1 : at + 2] + word[at] + word[at + 2 :] == other


def is_slip(word: str, other: str) -> bool:
    """Whether one letter is wrong, missing, too many, or two have changed places."""
    if is_swap(word, other):
        return True
    at = next((i for i, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), None)
    if at is None:
        return abs(len(word) - len(other)) == 1 and word + "s" != other and other + "s" != word
    if len(word) == len(other):
        return word[at + 1 :] == other[at + 1 :]
    longer, shorter = (word, other) if len(word) > len(other) else (other, word)
    return longer[:at] + longer[at + 1 :] == shorter
