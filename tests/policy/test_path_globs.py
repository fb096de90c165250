"""Path patterns of profiles: variables, wildcards, links, and git's own opinion."""

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes.policy.path_globs import fault, is_covered, is_touched
from hermes.policy.paths import UNKNOWN, Places

PLACES = Places(("/ws", "/other"), "/home/me", "/home/me/.hermes", ("/tmp",))


def covered(path, pattern):
    return is_covered(path, [pattern], PLACES, is_deleted=True)


def test_a_folder_counts_with_what_it_holds_unless_it_is_deleted():
    assert is_covered("/ws", ["${workspace}/**"], PLACES)
    assert not is_covered("/ws", ["${workspace}/**"], PLACES, is_deleted=True)
    assert not is_covered("/", ["${workspace}/**"], PLACES)
    assert not is_covered("/ws", ["/ws/*.py", "/ws/a/**"], PLACES)


@pytest.mark.parametrize(
    ("pattern", "inside", "outside"),
    [
        ("/ws/**", ["/ws/a", "/ws/a/b"], ["/ws", "/wsx/a", "/", "/x/ws/a"]),
        ("/ws", ["/ws", "/ws/a/b"], ["/wsx", "/"]),
        ("/ws/*.py", ["/ws/a.py", "/ws/a.py/b"], ["/ws/a/b.py", "/ws/a.pyc"]),
        ("/ws/**/b", ["/ws/b", "/ws/a/b", "/ws/a/c/b"], ["/ws/ab", "/b"]),
        ("**/.env", ["/.env", "/ws/.env", "/ws/a/.env"], ["/ws/.envrc", "/ws/x.env"]),
        ("*.pem", ["/k.pem", "/ws/a/k.pem"], ["/ws/k.pem2"]),
        ("build/", ["/ws/build", "/ws/build/a", "/x/build"], ["/ws/builds"]),
        ("src/*.c", ["/ws/src/a.c", "/other/src/a.c"], ["/x/src/a.c", "/ws/a/src/a.c"]),
        ("./notes", ["/ws/notes", "/ws/notes/a"], ["/x/notes"]),
        ("${workspace}/**", ["/ws/a", "/other/a"], ["/x"]),
        ("${home}/x", ["/home/me/x"], ["/home/you/x"]),
        ("~/x", ["/home/me/x"], ["/root/x"]),
        ("${scratch}/**", ["/tmp/x"], ["/var/tmp/x"]),
        ("/ws/?.[ch]", ["/ws/a.c", "/ws/b.h"], ["/ws/a.x", "/ws/ab.c", "/ws//.c"]),
        ("/ws/[!a]", ["/ws/b"], ["/ws/a"]),
        ("/ws/a+b(c)", ["/ws/a+b(c)"], ["/ws/aab(c)"]),
    ],
)
def test_patterns_are_read_as_in_gitignore(pattern, inside, outside):
    assert [path for path in inside if not covered(path, pattern)] == []
    assert [path for path in outside if covered(path, pattern)] == []


def test_a_link_out_of_an_allowed_folder_is_not_covered(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "in" / "link").symlink_to(tmp_path / "out")
    allowed = [f"{tmp_path}/in/**"]
    assert is_covered(f"{tmp_path}/in/a", allowed, PLACES)
    assert not is_covered(f"{tmp_path}/in/link/a", allowed, PLACES)


def test_a_pattern_below_a_link_covers_what_the_link_leads_to(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    allowed = [f"{tmp_path}/link/**"]
    assert is_covered(f"{tmp_path}/link/a", allowed, PLACES)
    assert is_covered(f"{tmp_path}/real/a", allowed, PLACES)


def test_a_denied_path_is_found_behind_a_link_and_in_any_case(tmp_path):
    (tmp_path / "secrets").mkdir()
    (tmp_path / "s").symlink_to(tmp_path / "secrets")
    denied = [f"{tmp_path}/secrets/**"]
    assert is_touched(f"{tmp_path}/s/key", denied, PLACES, is_deleted=False)
    assert is_touched(f"{tmp_path}/SECRETS/key", denied, PLACES, is_deleted=False)
    assert not is_touched(f"{tmp_path}/sea/key", denied, PLACES, is_deleted=False)


@pytest.mark.parametrize(
    ("path", "is_deleted", "touched"),
    [
        ("/ws/.env", False, True),
        ("/ws/.en*", False, True),
        ("/ws/*", False, True),
        (f"/ws/{UNKNOWN}", False, True),
        (f"/ws/a{UNKNOWN}/x", False, True),
        ("/ws/s*/key", False, True),
        ("/ws/b*/key", False, False),
        ("/ws", False, False),
        ("/ws", True, True),
        ("/ws/src", True, False),
    ],
)
def test_what_a_path_may_stand_for_counts_for_denied_ones(path, is_deleted, touched):
    denied = ["/ws/.env", "/ws/secrets/**"]
    assert is_touched(path, denied, PLACES, is_deleted=is_deleted) is touched


def test_the_shells_star_leaves_out_what_begins_with_a_dot():
    assert not is_touched("/ws/*", ["/ws/.env"], PLACES, is_deleted=False)


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("", "no path"),
        ("/", "no path"),
        ("a\0b", "NUL"),
        ("${x}/a", "unknown variable ${x}"),
        ("${home/a", "closing brace"),
        ("/a/[b", "without its ]"),
        ("/a[/b]", "without its ]"),
    ],
)
def test_a_pattern_that_cannot_be_used_is_told(pattern, words):
    assert words in fault(pattern)


_NAMES = st.sampled_from(["a", "b", "ab", "a.c", ".e", "*", "?", "a*", "*.c", "[ab]", "**"])
_PATTERNS = st.lists(_NAMES, min_size=1, max_size=4).map("/".join)
_PATHS = st.lists(st.sampled_from(["a", "b", "ab", "a.c", ".e"]), min_size=1, max_size=4)


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    folder = tmp_path_factory.mktemp("repository").resolve()
    subprocess.run(["git", "init", "-q", str(folder)], check=True, timeout=20)
    return folder


@settings(max_examples=60)
@given(_PATTERNS, st.lists(_PATHS, min_size=1, max_size=20))
def test_git_ignores_just_what_a_pattern_covers(repository, pattern, paths):
    (repository / ".git" / "info" / "exclude").write_text(f"/{pattern}\n")
    names = ["/".join(path) for path in paths]
    ran = subprocess.run(
        ["git", "-C", str(repository), "check-ignore", "--no-index", "--stdin"],
        input="\n".join(names),
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    ignored = set(ran.stdout.splitlines())
    places = Places((str(repository),), "/home/me", "/home/me/.hermes")
    covered = {
        name
        for name in names
        if is_covered(f"{repository}/{name}", [f"{repository}/{pattern}"], places, is_deleted=True)
    }
    assert covered == ignored


@given(st.text(min_size=1, max_size=30), st.text(max_size=30))
def test_no_pattern_and_no_path_breaks_the_matcher(pattern, path):
    if fault(pattern) is None:
        flat = "/" + path.replace("\0", "")
        is_touched(flat, [pattern], PLACES, is_deleted=True)
        if is_covered(flat, [pattern], PLACES):
            assert is_touched(flat, [pattern], PLACES, is_deleted=False)
