"""What words mean: reads the vocabulary that the rules of the families are written in."""

from __future__ import annotations

import re
from pathlib import Path

from hermes.agent.builtin.names import LANGUAGES

_VOCABULARY = Path(__file__).parent / "vocabulary.txt"

_PREFIX = re.compile(r"^(?:auto|re)-?")
_BARE = re.compile(r"<([^>]+)>")


class Vocabulary:
    """The vocabulary, ready to be looked up."""

    def __init__(self) -> None:
        self.words: dict[str, set[str]] = {}
        phrases: list[tuple[str, str]] = []
        for line in _VOCABULARY.read_text("utf-8").splitlines():
            if line.startswith("#"):
                continue
            concept, _, rest = line.partition(": ")
            single, *more = rest.split("|")
            for word in _BARE.findall(single):
                if " " in word:
                    phrases.append((word, concept))
                else:
                    self.words.setdefault(word, set()).add(concept)
            for word in _BARE.sub("", single).split():
                for form in _forms(word.lower()):
                    self.words.setdefault(form, set()).add(concept)
            phrases += [(phrase.strip(), concept) for phrase in more if phrase.strip()]
        self.phrases = [
            (re.compile(rf"(?<!\w){re.escape(phrase)}(?!\w)"), concept)
            for phrase, concept in phrases
        ]
        self.by_letter: dict[str, list[str]] = {}
        for word in (*self.words, *LANGUAGES):
            if len(word) > 3 and word.isalpha():
                self.by_letter.setdefault(word[0], []).append(word)

    def meanings(self, text: str) -> tuple[frozenset[str], ...]:
        """Return what each known word of a lower-case text can mean, alone or in a phrase."""
        phrases = [
            (match.span(), concept)
            for phrase, concept in self.phrases
            for match in phrase.finditer(text)
        ]
        found = []
        for match in re.finditer(r"[\w'+#-]+", text):
            word = match.group()
            known = self._known(word)
            inside = {
                concept
                for (start, end), concept in phrases
                if start <= match.start() and match.end() <= end
            }
            if known or inside:
                found.append(frozenset(known | inside))
        return tuple(found)

    def _known(self, word: str) -> set[str]:
        """Return what a word means; *autoformat* and *re-run* mean what is done."""
        plain = _PREFIX.sub("", word)
        return (
            self.words.get(word)
            or self.words.get(word.strip("'-"))
            or (self.words.get(plain) if len(plain) > 2 else None)
            or set()
        )


def _forms(word: str) -> set[str]:
    """Return a word with the usual English endings."""
    forms = {word}
    if len(word) < 3 or not word.isalpha():
        return forms
    if word.endswith("y") and word[-2] not in "aeiou":
        return forms | {word[:-1] + "ies", word[:-1] + "ied", word + "ing"}
    forms.add(word + ("es" if word.endswith(("s", "x", "ch", "sh")) else "s"))
    stem = word[:-1] if word.endswith("e") else word
    forms |= {stem + "ed", stem + "ing"}
    if re.search(r"[^aeiou][aeiou][bdgklmnprt]$", word):
        forms |= {word + word[-1] + "ed", word + word[-1] + "ing"}
    return forms
