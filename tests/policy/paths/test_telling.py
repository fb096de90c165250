import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.environments.inside.searching import Telling
from hermes.policy.paths import Places
from hermes.policy.paths.machine_files import SOCKETS
from hermes.policy.paths.open_files import STATE_SECRETS
from hermes.policy.paths.program_secrets import PROGRAM_SECRETS
from hermes.policy.paths.secret_files import SECRETS
from hermes.policy.paths.telling import telling_names
from hermes.policy.paths.text import judge_text

PLACES = Places(("/work",), "/home/me", "/home/me/.hermes")
PATTERNS = [
    pattern for group in (*SOCKETS, *SECRETS, *PROGRAM_SECRETS) for pattern in group.patterns
]
tells = Telling(*telling_names())


def is_concern(path):
    return judge_text("read", path, PLACES, is_recursive=False) is not None


def is_missed(path):
    """Say whether a file is a concern that neither its name nor its folder tells of."""
    return is_concern(path) and not tells(path) and not is_concern(f"{path.rpartition('/')[0]}/x")


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("filling", ["", "x", "Abc-1"])
def test_every_rule_is_told_by_a_name_or_a_folder(pattern, filling):
    body = pattern.removesuffix("$").replace("*", filling).replace("?", "y")
    body = body.replace("~", "/home/me", 1) if body.startswith("~") else body
    for path in (body if body.startswith("/") else f"/work/d/{body}", f"/work/{body.lstrip('/')}"):
        assert not is_missed(path)
        assert not is_missed(path.upper() if path.startswith("/work") else path)
        assert not is_missed(f"{path}/below/it")


@pytest.mark.parametrize("pattern", STATE_SECRETS)
def test_hermes_own_secrets_are_told(pattern):
    name = pattern.replace("*", "x")
    assert not is_missed(f"/home/me/.hermes/{name}")


words = st.sampled_from([
    "a", "b.py", ".config", "secrets", "token", "auth", "key", "id_rsa", ".env", "x.pem", "json",
    ".json", ".txt", "credentials", "-", "_", ".", "my", "oauth", "api", "cookies", ".db", "passwd",
])  # fmt: skip
names = st.lists(words, min_size=1, max_size=4).map("".join).filter(lambda name: name.strip("."))


@given(st.sampled_from(["/work", "/home/me", "/home/me/.hermes", "/etc", "/srv"]),
       st.lists(names, min_size=1, max_size=4))  # fmt: skip
def test_no_combination_is_missed(root, parts):
    assert not is_missed("/".join((root, *parts)))


@given(st.lists(st.lists(names, min_size=1, max_size=3).map("/".join), max_size=6))
def test_many_are_told_as_one_by_one(paths):
    assert tells.among(paths) == list(filter(tells, paths))


@pytest.mark.parametrize("path", ["src/app.py", "README.md", "a/b.json", "package.json", "main.go"])
def test_ordinary_names_tell_nothing(path):
    assert not tells(path)
