"""Small calculations: with the numbers that were said, or with a column of a table."""

from __future__ import annotations

import re

from hermes.agent.builtin.answers import told
from hermes.agent.builtin.said import Said
from hermes.agent.builtin.steps import Hands, Steps, Unsure, quote, shell

_PROGRAMS = (
    (
        r"\b(?:sum|total|add(?: up)?)\b(?: of)?(?: all)?(?: the)?(?: numbers| integers)?"
        r"(?: from| between)? (\d+) (?:to|through|up to) (\d+)\b",
        "sum(range({0}, {1} + 1))",
    ),
    (r"\bfactorial of (\d{1,3})\b|\b(\d{1,3}) factorial\b", "__import__('math').factorial({0})"),
    (r"\bis (\d{1,9}) (?:a )?prime\b", "all({0} % n for n in range(2, int({0}**0.5) + 1))"),
)
"""Sums that are not written with signs, and the Python that works them out."""
_WORDS = (
    (r"(?<=\d),(?=\d{3}\b)", ""),
    (r"\bsquare root of\s+([\d.]+)", r"(\1)**0.5"),
    (r"\bsqrt\s*(?:of\s+|\()([\d.]+)\)?", r"(\1)**0.5"),
    (r"([\d.]+)\s*(?:%|percent|per cent)\s+of\s+([\d.]+)", r"\2*\1/100"),
    (r"\bsum of\s+([\d.]+)\s+and\s+([\d.]+)", r"\1+\2"),
    (r"\b(?:add|plus)\s+([\d.]+)\s+(?:and|to|with)\s+([\d.]+)", r"\1+\2"),
    (r"\bsubtract\s+([\d.]+)\s+from\s+([\d.]+)", r"\2-\1"),
    (r"\bmultiply\s+([\d.]+)\s+(?:by|with|and)\s+([\d.]+)", r"\1*\2"),
    (r"\bdivide\s+([\d.]+)\s+by\s+([\d.]+)", r"\1/\2"),
    (r"\s+(?:to the power of|raised to|to the)\s+", "**"),
    (r"\s*\bsquared\b", "**2"),
    (r"\s*\bcubed\b", "**3"),
    (r"\s+(?:divided by|over)\s+", "/"),
    (r"\s+(?:multiplied by|times)\s+|\s*[\u00d7\u00b7]\s*|(?<=[\d)])\s*x\s*(?=[\d(])", "*"),
    (r"\s+plus\s+", "+"),
    (r"\s+minus\s+|\u2212", "-"),
    (r"\s+(?:mod|modulo)\s+", "%"),
    (r"÷", "/"),
    (r"\^", "**"),
)
_TERM = re.compile(r"[(\d.][\d\s.+*/%()-]*[\d)]")
_LONGEST_POWER = 200
_COLUMN = (
    r"\bcolumn\s+(?:called\s+|named\s+)?(?P<name>⟦\d+⟧|(?!in\b|of\b|from\b)[\w-]+)",
    r"(?P<name>⟦\d+⟧|[\w-]+)\s+(?:column|field|values?)\b",
    (
        r"\b(?:total|sum|average|mean|max(?:imum)?|min(?:imum)?|highest|lowest|largest|smallest)"
        r"\s+(?:up\s+)?(?:of\s+)?(?:the\s+|all\s+|all the\s+)*(?P<name>[\w-]+)\s+(?:in|of|from)\b"
    ),
)
_FIGURES = (
    (r"\b(?:average|mean|avg)\b", "sum(v) / len(v)"),
    (r"\b(?:max|maximum|highest|largest|biggest)\b", "max(v)"),
    (r"\b(?:min|minimum|lowest|smallest)\b", "min(v)"),
)


def term_of(text: str) -> str:
    """Return the term in a text as Python writes it, or nothing where there is none."""
    for form, program in _PROGRAMS:
        match = re.search(form, text, re.IGNORECASE)
        if match:
            return program.format(*filter(None, match.groups()))
    for form, instead in _WORDS:
        text = re.sub(form, instead, text, flags=re.IGNORECASE)
    found = max(_TERM.findall(text), key=len, default="").strip()
    is_term = re.search(r"[\d)]\s*(?:\*\*|[-+*/%])\s*[\d(.]", found) is not None
    powers = [int(one) for one in re.findall(r"\*\*\s*(\d+)", found)]
    return found if is_term and max(powers, default=0) <= _LONGEST_POWER else ""


def calculate(said: Said, hands: Hands) -> Steps:
    """Work out a term with Python, in the terminal."""
    term = term_of(said.text)
    if not term:
        raise Unsure("What should I calculate? Write it with numbers, such as 17 * 23.")
    answer = yield hands.pick(shell(f"python3 -c {quote(f'print({term})')}"))
    result = answer.output.strip()
    return f"{term} = {result}" if result else told(answer)


def column(said: Said, hands: Hands) -> Steps:
    """Sum up a column of a table, or tell its average, highest or lowest value."""
    path = said.one("path")
    found = said.find(*_COLUMN)
    if path is None or found is None:
        raise Unsure("Which column of which file?")
    figure = next((form for word, form in _FIGURES if re.search(word, said.low)), "sum(v)")
    program = (
        "import csv, sys; v = [float(r[sys.argv[2]]) for r in csv.DictReader(open(sys.argv[1])) "
        f"if r[sys.argv[2]]]; print({figure})"
    )
    command = f"python3 -c {quote(program)} {quote(path)} {quote(found['name'])}"
    return told((yield hands.pick(shell(command))))
