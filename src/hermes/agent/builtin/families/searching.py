"""Text inside files: search it, find definitions and usages, count it."""

from __future__ import annotations

import re

from hermes.agent.builtin.answers import told
from hermes.agent.builtin.names import HERE, LANGUAGES, NOT_FOLDERS, VAGUE
from hermes.agent.builtin.said import Said
from hermes.agent.builtin.steps import Hands, Steps, Unsure, quote, shell, want

_LEADS = (
    r"(?:search|grep|rg|ack|scan|look|hunt|find|locate|check)(?:\s+(?:case[ "
    r"-]insensitive(?:ly)?|hard-?coded|-\w+|up|everywhere|around|recursively))*"
    r"(?:\s+(?:(?:in|through|inside)\s+)?(?:(?:the|all|my|our|this|every)\s+)*"
    r"(?:whole\s+)?(?:code(?:base)?|files?|project|repo(?:sitory)?|source|"
    r"folder|tree))?(?:\s+for)?\s+"
)
_NOISE = (
    r"(?:(?:all|any|every|each|the|a|an|some|of|for|where|lines?|files?|places?|"
    r"comments?|code|word|words|string|text|term|phrase|"
    r"pattern|function|method|class|variable|symbol|constant|usages?|uses?|"
    r"occurrences?|instances?|mentions?|"
    r"references?|calls?|imports?|hits?|matches|to|with|that|which|mention(?:ing)?"
    r"|contain(?:s|ing)?|"
    r"is|are|we|it|says?|saying|definition|declaration|regex|module|called|named|"
    r"match(?:ing)?|only)\s+)*"
)
_END = (
    r"(?=\s*(?:[?!.]+\s*$|$|\s(?:in|inside|under|within|across|through|"
    r"throughout|from|among|anywhere|everywhere|here|"
    r"ignoring|regardless|case|left|only|just|inside|recursively|please|still|"
    r"remaining|statements?|comments?\b|markers?\b|is "
    r"defined|are defined|is declared|is implemented|(?:gets? )?defined|"
    r"(?:is|are|get|gets)\s+(?:called|used|imported|defined|declared|implemented|"
    r"mentioned|set|referenced)|used|called)\b))"
)
_TERM = r"(?P<term>⟦\d+⟧|[^\s⟦][^⟦]*?)"
_FORMS = (
    (
        r"\bhow\s+(?:(?:is|are|does|do)\s+)?(?:the\s+)?(?:(?:function|method|class|variable)\s+)?"
        r"(?P<term>⟦\d+⟧|\w+)\s+(?:(?:function|method|class|variable)\s+)?(?:(?:is|are|gets?)\s+)?"
        r"(?:defined|declared|implemented|written)\b"
    ),
    (
        r"\b(?:functions?|methods?|class(?:es)?|variables?|constants?|symbols?)\s+(?:that\s+(?:is|are)\s+)?"
        r"(?:called|named)\s+(?P<term>⟦\d+⟧|\w+)"
    ),
    (
        r"\b(?:places?|spots?|lines?|code)\s+(?:where|in which|that|which)\s+(?:we\s+|i\s+|it\s+)?"
        r"(?:use|call|create|import|set|define|raise|catch|log|print|mention|contain)?s?\s*"
        rf"{_NOISE}{_TERM}(?:\s+(?:is|are|gets?)\s+\w+|\s+(?:in|inside)\s.*)?[.?!]*$"
    ),
    rf"\btests?\s+(?:cover|test|use|check|call|exercise|touche?)s?\s+{_NOISE}{_TERM}[.?!]*$",
    (
        r"^(?:in\s+)?(?:which|what)\s+(?:file|module|place)\s+(?:is|are|has|have|holds|contains|"
        rf"defines|does)\s+{_NOISE}{_TERM}(?:\s+(?:class|function|method|variable|constant|in|live|"
        r"located|defined|declared|implemented|come from))*[?.!]*$"
    ),
    (
        rf"^how many\s+(?:times\s+)?{_NOISE}{_TERM}(?:\s+(?:are|is|do|does))?(?:\s+there)?"
        r"\s+(?:in|inside|within)\s+(?:the\s+|file\s+)*⟦\d+⟧[.?!]*$"
    ),
    (
        rf"\blines?\s+(?:that\s+)?(?:start|begin)(?:s|ning|ing)?\s+with\s+(?:the\s+(?:word|text)\s+)?"
        rf"(?P<start>⟦\d+⟧|\S+?){_END}"
    ),
    rf"\blines?\s+(?:that\s+)?end(?:s|ing)?\s+(?:with|in)\s+(?P<end>⟦\d+⟧|\S+?){_END}",
    (
        rf"\bwhat\s+(?:does|do|is)\s+(?:the\s+)?(?:function|method|class|variable)"
        rf"\s+{_TERM}(?:\s+(?:do|for))?[?.]*$"
    ),
    (
        rf"^(?:does|do|did|is|are|can)\s+{_NOISE}{_TERM}\s+(?:ever\s+|still\s+|also\s+)?"
        rf"(?:appear|occur|show up|exist|come up|be found)\b"
    ),
    (
        rf"\blines?\s+(?:containing|with|matching|mentioning|that (?:contain|mention|match|have|"
        rf"say)s?)\s+{_NOISE}{_TERM}{_END}"
    ),
    (
        rf"\blines?\s+(?:in|of)\s+⟦\d+⟧\s+"
        rf"(?:have|has|contain|mention|match|use|say)\w*\s+{_NOISE}{_TERM}{_END}"
    ),
    rf"^(?:is|are)\s+{_NOISE}{_TERM}\s+(?:still\s+|ever\s+|actually\s+)?(?:used|mentioned|referenced|imported|called|defined)\b",
    rf"⟦\d+⟧\s+(?:contain|mention|use|include|have|import|call|reference|say)s?\s+{_NOISE}{_TERM}{_END}",
    (
        r"^(?:grep|rg|ack)\s+(?:-\w+\s+)*(?P<term>⟦\d+⟧|(?!for\b|in\b)[^\s-]\S*)\s+(?P<where>⟦\d+⟧|"
        r"(?!in\b|for\b)\S+)$"
    ),
    (
        rf"\b(?:scan|search|grep|check|look|go|comb|hunt)\s+(?:(?:in|through|inside|"
        rf"all|the|my|our|over|at|of)\s+)*(?P<where>⟦\d+⟧|(?!case)[\w.-]+)\s+(?:(?:folder|"
        rf"directory|dir|files?|code|module)\s+)?for\s+{_NOISE}{_TERM}{_END}"
    ),
    (
        rf"\b(?:if|whether)\s+(?:there\s+(?:is|are|'s)|we\s+have|i\s+have)"
        rf"\s+{_NOISE}{_TERM}(?:\s+(?:statements?|calls?|left|remaining|still))*"
        rf"{_END}"
    ),
    (
        rf"\bhow (?:often|many times)(?:\s+(?:do|does|is|are|did|the))*"
        rf"\s+{_NOISE}{_TERM}\s+(?:appears?|occurs?|shows?|comes?|used|mentioned|called|in)"
        rf"\b"
    ),
    (
        rf"\bwhere\s+(?:(?:do|does|did|is|are)\s+)?(?:we|i|you|they|it|(?:the |this |"
        rf"our )?(?:code|app|program|project)|this)?\s*(?:the\s+)?(?:talk to|connect "
        rf"to|depend on|refer to|print|set|define|use|call|log|raise|import|throw|"
        rf"read|write|handle)s?\s+{_NOISE}{_TERM}{_END}"
    ),
    (
        rf"\b(?:what|which|who|anything|anyone|anybody|files?|something|code|"
        rf"functions?|modules?|nobody|we|i|tests?)\s+(?:(?:that|which|still|also|"
        rf"actually|all|do|does|here)\s+)*(?:mentions?|contains?|containing|"
        rf"mentioning|uses?|using|calls?|calling|imports?|importing|references?|"
        rf"includes?|have|has|say|says|depends on|depend on|relies on|invokes?|with)"
        rf"\s+{_NOISE}{_TERM}{_END}"
    ),
    (
        rf"\b(?:usages?|uses|occurrences?|instances?|mentions?|references?|calls?|"
        rf"callers|imports)\s+(?:of|to|for)\s+{_NOISE}{_TERM}{_END}"
    ),
    rf"\b(?:definition|declaration|implementation|signature)\s+(?:of|for)\s+{_NOISE}{_TERM}{_END}",
    rf"\bwhere(?:'s| is| are)\s+{_NOISE}{_TERM}{_END}",
    rf"\b{_LEADS}{_NOISE}{_TERM}{_END}",
    (
        rf"\bhow (?:many|often)\s+(?:times\s+)?(?:do(?:es)?\s+)?"
        rf"{_NOISE}{_TERM}(?:\s+(?:are|do|is|appear|occur|show|in|there)\b|[?.]*$)"
    ),
    rf"\b(?:any|count|list|show|find)(?:\s+(?:me|the|all|any))*\s+{_NOISE}{_TERM}{_END}",
)
_TAIL = re.compile(
    r"(?:\s+(?:functions?|methods?|class|variable|comments?|calls?|module|string|files?|"
    r"statements?|anywhere|everywhere|somewhere|in|there|here|still|left|only|at all|"
    r"recursively|please|exactly|"
    r"(?:and |with |including )(?:the |their |its |show )*(?:line numbers?|lines?|context|"
    r"file ?names?|numbers?|paths?)(?: and (?:line numbers?|file ?names?|paths?))?|"
    r"as an? (?:regex|regular expression|pattern|word|whole word)|"
    r"case[- ]?(?:in)?sensitive(?:ly)?|ignoring case|ignore case))+$",
    re.IGNORECASE,
)
"""What says how to search, behind what to search for."""
_DEFINED = r"\b(?:def|class|function|func|fn|const|let|var|type|struct|interface|enum|trait)\s+"


def search_text(said: Said, hands: Hands) -> Steps:
    """Search text in files; a definition that is not found is searched as a plain name."""
    found = said.find(*_FORMS) or {}
    term = _anchored(found) or _term(said, found.get("term", ""))
    if not term:
        raise Unsure("What text should I search for?")
    path = _where(said, term, found.get("where", ""))
    level = _LEVELS.fullmatch(term)
    term = level[1] if level else _SORTS.get(term.lower(), term)
    is_defined = (said.has("define") or _asks_meaning(said)) and re.fullmatch(
        r"\w+", term
    ) is not None
    is_regex = "regular expression" in said.low or _is_regex(term, said)
    is_plain = re.search(r"[\\^$.|?*+()\[\]{}]", term) is not None and not is_regex
    mode = (
        "count"
        if said.has("count") or re.match(r"how often", said.low)
        else "files_only"
        if _asks_files(said)
        else None
    )
    args = {
        "path": path,
        "file_glob": said.glob or _language(said) or _of_tests(said),
        "ignore_case": True
        if level or re.search(r"ignor\w+ case|case.?insens|regardless of case|-\w*i\w* ", said.text)
        else None,
        "literal": True if is_plain and not is_defined else None,
        "output_mode": mode,
    }
    first = f"{_DEFINED}{term}\\b" if is_defined else term
    answer = yield hands.pick(
        want("search_files", pattern=first, **args),
        shell(f"grep -rnI --exclude-dir=.git -e {quote(first)} {quote(path)}"),
    )
    if is_defined and not answer.error and not answer.value.get("total", answer.output):
        answer = yield hands.pick(
            want("search_files", pattern=rf"\b{term}\b", **args),
            shell(f"grep -rnIw --exclude-dir=.git -e {quote(term)} {quote(path)}"),
        )
    if mode == "count" and "counts" in answer.value:
        return _counted(term, answer.value["total"], len(answer.value["counts"]))
    return told(answer)


_LEVELS = re.compile(r"(error|warning|exception|failure|traceback|crash|timeout)(?:e?s)", re.I)
"""What people look for in logs, said in the plural, and written there otherwise."""
_SORTS = dict.fromkeys(("emails", "email addresses", "e-mails"), r"[\w.+-]+@[\w-]+\.[\w.]+") | {
    "urls": r"https?://\S+",
    "web addresses": r"https?://\S+",
    "ip addresses": r"\b\d{1,3}(?:\.\d{1,3}){3}\b",
    "ips": r"\b\d{1,3}(?:\.\d{1,3}){3}\b",
}
"""Sorts of text that people search for by their name."""


def _asks_meaning(said: Said) -> bool:
    return (
        re.match(r"what (?:does|do|is) (?:the )?(?:function|method|class)\b", said.low) is not None
    )


def _of_tests(said: Said) -> str | None:
    """Return the glob of tests where it is asked which of them do something."""
    return "*test*" if re.match(r"(?:which|what) tests?\b", said.low) else None


def _language(said: Said) -> str | None:
    """Return the glob of the language whose code is searched: *in the python code*."""
    found = re.search(
        r"\bin\s+(?:all\s+|the\s+|any\s+|our\s+)*([\w+#]+)(?:\s+(?:code|sources?))?\W*$", said.low
    )
    word = found[1] if found else ""
    return LANGUAGES.get(word) if word not in VAGUE else None


_REGEX = re.compile(r"\\[wdsbWDSB]|^\^|\.[*+]|\[[^\]]+\][*+]?|\w\|\w|[\w;:,)]\$$")


def _is_regex(term: str, said: Said) -> bool:
    """Whether a text to search for is a regular expression, by what was said or by its form."""
    return "regex" in said.low or _REGEX.search(term) is not None


_PARTS = (
    (r"\bimport", r"^\s*(?:import|from|require|use|#include)\b"),
    (r"\bclass", r"^\s*(?:export\s+)?(?:class|struct|interface|enum|trait)\s+\w+"),
    (r"\bconstant", r"^[A-Z][A-Z\d_]*\s*="),
    (r"\bdefinition", r"^\s*(?:export\s+)?(?:async\s+)?(?:def|class|function|func|fn)\s+\w+"),
    (r"", r"^\s*(?:export\s+)?(?:async\s+)?(?:def|function|func|fn)\s+\w+"),
)


def definitions(said: Said, hands: Hands) -> Steps:
    """List the functions, classes, constants or imports of a file or folder."""
    pattern = next(form for word, form in _PARTS if re.search(word, said.low))
    named = said.find(r"\b(?:in|of|from|inside|under)\s+(?:the\s+)?(?P<name>⟦\d+⟧|[\w.-]+)")
    word = (named or {}).get("name", "")
    path = said.one("path") or (word if word.lower() not in HERE | NOT_FOLDERS else "") or "."
    mode = "count" if said.has("count") else None
    answer = yield hands.pick(
        want("search_files", pattern=pattern, path=path, output_mode=mode),
        shell(f"grep -rnE --exclude-dir=.git -e {quote(pattern)} {quote(path)}"),
    )
    return told(answer)


def show_counted(said: Said, hands: Hands) -> Steps:
    """Show what was only counted before."""
    for tool, args in reversed(said.past.calls):
        if tool == "search_files":
            shown = {key: value for key, value in args.items() if key != "output_mode"}
            return told((yield hands.pick(want(tool, **shown))))
    raise Unsure("What should I list?")


def _counted(term: str, total: int, files: int) -> str:
    times = "1 time" if total == 1 else f"{total} times"
    return f"{term!r} is there {times} in {files} {'file' if files == 1 else 'files'}."


def _asks_files(said: Said) -> bool:
    return (
        re.match(
            (
                r"(?:what|which|list(?: me)?(?: the)?(?: all)?|show me (?:the )?|find (?:the "
                r"|all )?)\s*files?\b"
            ),
            said.low,
        )
        is not None
    )


def _anchored(found: dict[str, str]) -> str:
    """Return the pattern of lines that begin or end with a text."""
    if "start" in found:
        return f"^{re.escape(found['start'])}"
    return f"{re.escape(found['end'])}$" if "end" in found else ""


def _term(said: Said, term: str) -> str:
    quoted = said.one("quoted", "code")
    if quoted:
        return quoted
    term = _TAIL.sub("", term.strip(" ?.,"))
    several = re.split(r"\s*(?:,|/|\bor\b|\band\b)\s*", term)
    if len(several) > 1 and all(re.fullmatch(r"[\w.-]+", one) for one in several):
        return "|".join(map(_marker, several))
    low = term.lower()
    return "" if low in {"it", "this", "that", "the", "something"} else _marker(term)


def _marker(term: str) -> str:
    """Return a mark that is left in code as it is written there: *todos* becomes ``TODO``."""
    single = term.removesuffix("s").upper()
    return single if single in {"TODO", "FIXME", "HACK", "XXX"} else term


def _where(said: Said, term: str, place: str) -> str:
    if place and place.lower() not in HERE and place.lower() not in NOT_FOLDERS and not said.glob:
        return place.rstrip("/") or "/"
    for path in said.all("path"):
        if path != term:
            return path.rstrip("/") or "/"
    folder = said.folder
    return folder if folder and folder.lower() != term.lower() else "."
