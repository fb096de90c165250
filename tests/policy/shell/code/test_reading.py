import importlib.util
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes.policy.shell.code.reading import effects_of
from hermes.policy.shell.effects import Effect

_SPEC = importlib.util.spec_from_file_location("code_cases", Path(__file__).with_name("cases.py"))
_CASES = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(_CASES)

LANGUAGES = (
    "python", "perl", "ruby", "node", "php", "awk", "sed", "lua", "r", "sql", "mongo", "redis",
    "powershell", "osascript", "tcl", "make",
)  # fmt: skip
PIECES = (
    "system(", "exec ", "open(", "'", '"', "`", "/", "\\", "{", "}", "(", ")", "[", "]", "$x", "#{",
    "${", "\n", ";", "|", ">", "=", "print ", "import os", "eval(", "s/", "q(", "%w(", "<<EOF",
    "drop table ", "delete from ", "$$", "--", "/*", "*/", "def f():\n  ", "lambda: ", "f(", "a.b",
    "getline", "1e9", "\x00", "\ufffc", "é", "chr(10**9)", "'a'*9**9", "x = x + x\n",
    "require('fs')", "-EncodedCommand QUJD", ".shell ", "\\!", "do shell script ", "\t@rm ",
    "$(shell ", "%d", ",",
)  # fmt: skip


def brief(effect: Effect) -> str:
    if effect.category:
        return f"!{effect.category} {effect.what}"
    is_tree = effect.kind == "delete" and effect.is_recursive
    kind = "tree" if is_tree else effect.kind
    return f"{kind} {effect.target}"


def agrees(seen: str, expected: str) -> bool:
    if not expected.startswith("!"):
        return seen == expected
    category, _, part = expected.partition(" ")
    return seen.startswith(f"{category} ") and part in seen


@pytest.mark.parametrize(("language", "code", "expected"), _CASES.CASES)
def test_code_is_told_by_what_it_does(language, code, expected):
    seen = sorted(brief(effect) for effect in effects_of(language, code))
    wanted = sorted(expected.split("; ")) if expected else []

    assert len(seen) == len(wanted), seen
    assert all(map(agrees, seen, wanted)), seen


def test_a_script_that_edits_the_workspace_only_reads_and_writes_there():
    script = """
import re, json
from pathlib import Path

ROOT = Path("src")

def rewrite(path):
    text = path.read_text()
    new = re.sub(r"old_name", "new_name", text)
    if new != text:
        path.write_text(new)
        return True
    return False

changed = [p for p in ROOT.rglob("*.py") if rewrite(p)]
data = json.loads(Path("config.json").read_text())
data["names"] = [str(p) for p in changed]
with open("config.json", "w") as out:
    json.dump(data, out, indent=2)
print(f"{len(changed)} files changed")
"""
    kinds = {effect.kind for effect in effects_of("python", script)}
    targets = {effect.target for effect in effects_of("python", script)}

    assert kinds == {"read", "write"}
    assert targets == {"src/**/*.py", "config.json"}


@pytest.mark.parametrize("language", LANGUAGES)
@given(pieces=st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=12)), max_size=40))
@settings(max_examples=60, deadline=None)
def test_no_text_makes_a_reader_raise(language, pieces):
    assert isinstance(effects_of(language, "".join(pieces)), tuple)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("piece", ["(", "f(", "system(", '"', "a=b;", "print ", "q(", "/", "$("])
def test_absurd_code_finishes(language, piece):
    assert isinstance(effects_of(language, piece * (60_000 // len(piece))), tuple)


@pytest.mark.parametrize("language", LANGUAGES)
def test_more_code_than_can_be_read_is_opaque(language):
    assert [effect.category for effect in effects_of(language, "x;" * 500_000)] == ["opaque"]
