"""Shapes of calls: a yes covers what was on screen, in whatever spelling, and nothing else."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes.policy import deeds
from hermes.policy.need import Deed, Need
from hermes.policy.shapes import host_of, shape_of

HOME, STATE = "/home/me", "/home/me/.hermes"


def shape(cwd, arguments, *, tool="terminal", permissions=("terminal:execute",), declared=None):
    place = deeds.place(str(cwd), (str(cwd),), HOME, STATE)
    asked = deeds.Asked((tool,), permissions, arguments, declared, place)
    return shape_of(deeds.deed_of(asked), permissions, declared, str(cwd))


def run(cwd, command, **more):
    return shape(cwd, {"command": command, **more})


SAME = [
    ("rm -rf a b", "rm -fr ./b"),
    ("rm -r -f a", "rm -rf 'a'"),
    ("rm -rf a b", "rm -rf b a"),
    ("rm a && rm -rf b", "rm -rf b; rm a"),
    ("npm run build --watch", "npm  run 'build' --watch"),
    ("cat a | sh", " cat a | sh "),
    ("touch a b", "touch b"),
]


@pytest.mark.parametrize(("granted", "asked"), SAME)
def test_a_yes_covers_the_same_in_other_words(tmp_path, granted, asked):
    assert run(tmp_path, granted).covers(run(tmp_path, asked))


OTHER = [
    ("rm -rf a", "rm -rf a b"),
    ("rm -rf a", "rm -r a"),
    ("rm a", "rm -rf a"),
    ("rm -rf a b", "rm -rf"),
    ("rm -rf '*'", "rm -rf *"),
    ("rm -rf a", "sudo rm -rf a"),
    ("rm -rf a", "cd sub && rm -rf a"),
    ("cd sub; rm -rf a", "(cd sub); rm -rf a"),
    ("rm -rf a", "X=1 rm -rf a"),
    ("rm -rf a", "rm -rf a > b"),
    ("rm -rf a", "rm -rf a | sh"),
    ("rm -rf a", "./rm -rf a"),
    ("cp a b", "cp b a"),
    ("mv a b c", "mv a b"),
    ("gio move a b", "gio move b a"),
    ("install a b", "install b a"),
    ("chmod 644 a", "chmod 777 a"),
    ("chmod 600 600 777", "chmod 777 600"),
    ("git push origin topic", "git push origin main"),
    ("git push origin topic", "git push --force origin topic"),
    ("git clean -fd a", "git clean -fd"),
    ("npm run build", "npm run deploy"),
    ("mytool -o a b", "mytool a -o b"),
    ("cat a | sh", "cat b | sh"),
    ('echo "$X"', "echo '$X'"),
]


@pytest.mark.parametrize(("granted", "asked"), OTHER)
def test_a_yes_does_not_cover_what_only_looks_alike(tmp_path, granted, asked):
    assert not run(tmp_path, granted).covers(run(tmp_path, asked))


def test_a_yes_holds_in_its_folder_and_with_its_other_arguments(tmp_path):
    (tmp_path / "sub").mkdir()
    granted = run(tmp_path, "npm run build", timeout=5)
    assert granted.covers(run(tmp_path, "npm run build", timeout=5))
    assert not granted.covers(run(tmp_path, "npm run build", timeout=6))
    assert not granted.covers(run(tmp_path, "npm run build"))
    assert not granted.covers(run(tmp_path / "sub", "npm run build", timeout=5))
    assert not run(tmp_path, "ls", workdir="sub").covers(run(tmp_path, "ls", workdir="."))


def test_a_yes_to_a_path_follows_the_links_that_were_there(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).write_text(name)
    link = tmp_path / "link"
    link.symlink_to("one")

    def write(path):
        return shape(tmp_path, {"path": path}, tool="write", permissions=("file:write",))

    granted = write("link")
    assert granted.covers(write("./link")) and granted.covers(write(str(tmp_path / "one")))
    link.unlink()
    link.symlink_to("two")
    assert not granted.covers(write("link"))


def test_a_yes_to_an_address_is_a_yes_to_its_host(tmp_path):
    def fetch(url):
        return shape(tmp_path, {"url": url}, tool="fetch", permissions=("network:fetch",))

    granted = fetch("https://example.org/a")
    assert granted.covers(fetch("https://EXAMPLE.org:443/b?c"))
    for other in ("http://example.org/a", "https://example.org:444/a", "https://example.com/a"):
        assert not granted.covers(fetch(other))


def test_an_address_that_clients_read_differently_is_taken_word_for_word():
    for url in ("https://a@b.org/", "https:/b.org", "https://b.org\\@c.org/", "ftp://b.org"):
        assert host_of(url) == url


def test_permissions_and_plain_arguments_count(tmp_path):
    def call(permissions, **arguments):
        return shape_of(
            Deed(("t",), tuple(map(Need, permissions)), (), arguments), permissions, None, "/"
        )

    granted = call(("a:b",), value=1)
    assert granted.covers(call(("a:b",), value=1))
    assert not granted.covers(call(("a:b", "a:c"), value=1))
    assert not granted.covers(call(("a:b",), value=True))
    assert not granted.covers(call(("a:b",), value=1, more=None))


WORDS = ["a", "b", "../c", "/etc/hosts", "~/.ssh/id_rsa", "-r", "-f", "-rf", "--force", "origin"]
PROGRAMS = [
    "rm", "cp", "mv", "git push", "git reset", "git clean", "npm publish", "chmod 600", "touch",
    "tee", "curl https://example.org", "kubectl delete pod", "sudo rm", "cat", "unknown",
]  # fmt: skip
COMMANDS = st.lists(
    st.builds(
        lambda program, words: " ".join([program, *words]),
        st.sampled_from(PROGRAMS),
        st.lists(st.sampled_from(WORDS), max_size=3),
    ),
    min_size=1,
    max_size=2,
).map(" && ".join)


def effects(call):
    """Return category and target of everything that a person would be shown."""
    return call.findings | call.reaches


@pytest.mark.proves("approve-on-screen")
@settings(max_examples=70)
@given(commands=st.lists(COMMANDS, min_size=40, max_size=40))
def test_a_yes_never_covers_an_effect_that_was_not_on_screen(commands, tmp_path_factory):
    folder = tmp_path_factory.getbasetemp()
    shapes = [run(folder, command) for command in commands]
    pairs = list(itertools.product(shapes, repeat=2))
    assert len(pairs) * 70 > 100_000
    for granted, asked in pairs:
        if granted.covers(asked):
            assert effects(asked) <= effects(granted)
    assert all(each.covers(each) for each in shapes)
