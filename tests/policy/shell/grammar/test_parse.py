"""The parser reads what bash reads, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.policy.corpus import commands
from tests.policy.shell.oracles import agree, bash_accepts, our_programs, shfmt_programs

from hermes.policy.shell.grammar.lexer import NotShell
from hermes.policy.shell.grammar.nodes import Block, Simple, Text
from hermes.policy.shell.grammar.parse import parse

SHARDS = 6


def only(command):
    script = parse(command)
    assert len(script.pipelines) == 1
    assert len(script.pipelines[0].commands) == 1
    return script.pipelines[0].commands[0]


def texts(command):
    return ["".join(part.text for part in word.parts) for word in only(command).words]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("ls -la src", ["ls", "-la", "src"]),
        ("echo 'a b' \"c d\" e\\ f", ["echo", "a b", "c d", "e f"]),
        ("r''m -r'f' x", ["rm", "-rf", "x"]),
        ("echo $'a\\nb\\x41\\u00e9\\101'", ["echo", "a\nbAéA"]),
        ("a \\\n b", ["a", "b"]),
        ("echo a#b # c", ["echo", "a#b"]),
        ("echo !(a|b) @(x|y)*", ["echo", "!(a|b)", "@(x|y)*"]),
    ],
)
def test_words_are_read_as_bash_reads_them(command, words):
    assert texts(command) == words


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("(a; b)", "subshell"),
        ("{ a; }", "group"),
        ("if a; then b; elif c; then d; else e; fi", "if"),
        ("while a; do b; done", "while"),
        ("for x in 1 2; do b; done", "for"),
        ("for ((i=0; i<3; i++)); do b; done", "for"),
        ("for x; do b; done", "for-arguments"),
        ("case x in a|b) c;; *) d;; esac", "case"),
        ("f() { a; }", "function"),
        ("function f { a; }", "function"),
        ("[[ -f a && $b == c ]]", "condition"),
        ("(( a = 1 + 2 ))", "arithmetic"),
        ("coproc a b", "coproc"),
        ("select x in a; do b; done", "for"),
    ],
)
def test_compound_commands_are_told_apart(command, kind):
    block = only(command)
    assert isinstance(block, Block)
    assert block.kind == kind


def test_a_here_document_belongs_to_its_redirect():
    command = only("cat > x <<'EOF' && true\nrm -rf /\nEOF\n".replace(" && true", ""))
    assert isinstance(command, Simple)
    body = command.redirects[1].body[0]
    assert body.parts == (Text("rm -rf /\n", True),)


def test_two_here_documents_of_one_line_keep_their_order():
    script = parse("cat <<A <<-B\na\nA\n\tb\n\tB\nls")
    first = script.pipelines[0].commands[0]
    assert [redirect.body[0].parts[0].text for redirect in first.redirects] == ["a\n", "b\n"]
    assert our_programs(script) == ["cat", "ls"]


def test_substitutions_are_found_wherever_they_stand():
    command = 'a "$(b `c`)" ${x:-$(d)} <(e) $(( $(f) )) > $(g) y=$(h) <<E\n$(i)\nE'
    assert our_programs(parse(command)) == ["a", "b", "c", "d", "e", "f", "g", "h", "i"]


def test_places_are_those_of_the_text():
    command = "ls && rm -rf x | cat"
    pipeline = parse(command).pipelines[1]
    first = pipeline.commands[0]
    assert command[first.start : first.end].strip() == "rm -rf x"


@pytest.mark.parametrize("command", ["a 'b", 'a "b', "a $(b", "(a", "{ a", "if a", "a | | b", ")"])
def test_what_bash_rejects_is_not_shell(command):
    assert not bash_accepts(command)
    with pytest.raises(NotShell):
        parse(command)


def test_nesting_beyond_reason_is_not_understood():
    with pytest.raises(NotShell, match="deeply"):
        parse("$(" * 100 + "a" + ")" * 100)


def test_every_command_of_the_corpus_is_read():
    unread = []
    for command in commands():
        try:
            parse(command)
        except NotShell as error:
            unread.append((command, error.message))
    assert unread == []


@pytest.mark.proves("shell-parser-agrees")
@pytest.mark.parametrize("shard", range(SHARDS))
def test_shfmt_finds_no_command_that_we_do_not(shard, needs_shfmt):
    different = []
    for command in commands()[shard::SHARDS]:
        theirs = shfmt_programs(command)
        if theirs is not None and not agree(theirs, our_programs(parse(command))):
            different.append(command)
    assert different == []


@given(st.text(max_size=300) | st.text("$(){}[]'\"`\\;&|<> \n#!~*?=abc-/", max_size=300))
def test_any_text_is_read_or_refused(text):
    try:
        parse(text)
    except NotShell as error:
        assert 0 <= error.place <= len(text) + 2
