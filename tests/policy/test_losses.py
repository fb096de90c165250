import pytest

from hermes.policy.deeds import Asked, deed_of, place
from hermes.policy.losses import may_lose


def loses(command):
    where = place("/home/me/app", ("/home/me/app",), "/home/me", "/home/me/.hermes")
    asked = Asked(("terminal",), ("terminal:execute",), {"command": command}, None, where)
    return may_lose(deed_of(asked), "/home/me/app")


@pytest.mark.parametrize(
    "command",
    [
        "rm notes.txt",
        "rm -rf .",
        "rm -rf ..",
        "echo x > notes.txt",
        "sed -i s/a/b/ src/main.py",
        "git reset --hard",
        "git clean -fdx",
        "mv a b",
        'eval "$(cat script)"',
        "python3 -c 'import shutil; shutil.rmtree(\"src\")'",
        "find . -name '*.py' -delete",
    ],
)
def test_what_deletes_or_overwrites_in_the_workspace_may_lose_something(command):
    assert loses(command)


@pytest.mark.parametrize(
    "command", ["ls -la", "git status", "grep -rn x .", "pytest -q", "rm -rf node_modules", "cat a"]
)
def test_what_looks_or_deletes_what_is_made_again_loses_nothing(command):
    assert not loses(command)


def test_what_was_not_judged_may_lose_anything():
    assert may_lose(None, "/home/me/app")
