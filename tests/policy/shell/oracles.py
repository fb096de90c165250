"""Other readers of shell text, to hold ours against: bash itself and shfmt."""

from __future__ import annotations

import json
import subprocess

from hermes.policy.shell.grammar.nodes import (
    Arithmetic,
    Block,
    Channel,
    Substitution,
    Text,
    Variable,
)
from hermes.policy.shell.grammar.parse import parse


def bash_accepts(command):
    """Say whether bash can parse a command."""
    answer = subprocess.run(
        ["bash", "-n", "-O", "extglob"], input=command.encode(), capture_output=True, check=False
    )
    return answer.returncode == 0


def shfmt_programs(command):
    """Return the first word of every simple command as shfmt reads it, or None if it cannot."""
    answer = subprocess.run(
        ["shfmt", "-ln", "bash", "--to-json"],
        input=command.encode(),
        capture_output=True,
        check=False,
    )
    if answer.returncode != 0:
        return None
    return sorted(_calls(json.loads(answer.stdout)))


def _calls(node):
    if isinstance(node, list):
        for item in node:
            yield from _calls(item)
    elif isinstance(node, dict):
        if node.get("Type") == "CallExpr" and node.get("Args"):
            yield _shfmt_word(node["Args"][0])
        elif node.get("Type") == "DeclClause":
            yield node["Variant"]["Value"]
        elif node.get("Type") == "LetClause":
            yield "let"
        for value in node.values():
            yield from _calls(value)


def _shfmt_word(word):
    """Return a word that is written out; "?" stands for one that is not."""
    texts = []
    for part in word.get("Parts", []):
        if part["Type"] == "DblQuoted" and not part.get("Dollar"):
            texts.append(_shfmt_word(part))
        elif part["Type"] == "Lit" or (part["Type"] == "SglQuoted" and not part.get("Dollar")):
            texts.append(part.get("Value", "").replace("\\", ""))
        else:
            return "?"
    return "?" if "?" in texts else "".join(texts)


def agree(theirs, ours):
    """Say whether two readers found the same programs, as far as they are written out."""
    if len(theirs) != len(ours):
        return False
    return sorted(w for w in theirs if w != "?") == sorted(
        w for w in ours if w in theirs and w != "?"
    )


def our_programs(script):
    """Return the first word of every simple command as our parser reads it."""
    return sorted(_in_script(script))


def _in_script(script):
    for pipeline in script.pipelines:
        for command in pipeline.commands:
            yield from _in_command(command)


def _in_command(command):
    if isinstance(command, Block):
        for body in command.bodies:
            yield from _in_script(body)
        words = command.words
    else:
        if command.words:
            yield _our_word(command.words[0])
        words = [*command.words]
        for assignment in command.assignments:
            words += [assignment.value] if assignment.value else []
            words += assignment.items or ()
            if "$(" in assignment.subscript:
                yield from _in_parts(
                    parse(f"x {assignment.subscript[1:-1]}").pipelines[0].commands[0].words[1].parts
                )
    for word in words:
        yield from _in_parts(word.parts)
    for redirect in command.redirects:
        yield from _in_parts(redirect.target.parts)
        for body in redirect.body:
            yield from _in_parts(body.parts)


def _in_parts(parts):
    for part in parts:
        if isinstance(part, Substitution | Channel):
            yield from _in_script(part.script)
        elif isinstance(part, Variable):
            if part.subscript and "$(" in part.subscript:
                yield from _in_parts(_words_of(part.subscript))
            if part.argument:
                yield from _in_parts(part.argument.parts)
        elif isinstance(part, Arithmetic):
            yield from _in_parts(part.inner.parts)


def _words_of(text):
    """Return the parts of a subscript, which is kept as text."""
    return parse(f"x {text}").pipelines[0].commands[0].words[1].parts


def _our_word(word):
    if all(isinstance(part, Text) for part in word.parts):
        return "".join(part.text for part in word.parts).replace("\\", "")
    return "?"
