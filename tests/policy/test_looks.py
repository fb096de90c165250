import pytest

from hermes.policy.deeds import Asked, deed_of, place
from hermes.policy.looks import only_fetches, only_looks


def deed(command, permissions=("terminal:execute",)):
    where = place("/work/app", ("/work/app",), "/home/dev", "/home/dev/.hermes")
    return deed_of(
        Asked(("terminal",), permissions, {"command": command}, {"command": "command"}, where)
    )


@pytest.mark.parametrize(
    "command",
    [
        "true", "ls -la src", "git status", "cat README.md | head -5 | wc -l", "grep -rn TODO src",
        "find . -name '*.py'", "git log --oneline -5 && git diff", "echo hi",
        "test -f x || echo no",
    ],
)  # fmt: skip
def test_looking_is_known_as_such(command):
    assert only_looks(deed(command))


@pytest.mark.parametrize(
    "command",
    [
        "touch x", "echo hi > x", "cat a >> b", "find . -name '*.pyc' -delete", "rm x",
        "find . -exec rm {} +", "make", "./run.sh", "pytest", "python -c 'print(1)'", "sort -o a b",
        "git commit -m x", "git checkout -- .", "git", "ls; unknown-program", "ls $(touch x)",
        "curl https://example.com", "sed -i s/a/b/ x", "eval \"$X\"", "ls | tee x",
        "cat ~/.ssh/id_rsa",
        "FOO=$(make) ls", "command rm x", "ls 'unclosed",
    ],
)  # fmt: skip
def test_whatever_else_it_does_counts(command):
    assert not only_looks(deed(command))


def test_more_permissions_than_looking_takes_are_not_looking():
    assert not only_looks(deed("ls", ("terminal:execute", "danger:sandbox")))


@pytest.mark.parametrize(
    ("permissions", "fetches"),
    [
        (["network:fetch"], True),
        (["network:search", "network:lookup", "file:read"], True),
        (["network:fetch", "network:send"], False),
        (["network:fetch", "file:write"], False),
        (["terminal:execute"], False),
        ([], False),
    ],
)
def test_a_call_that_only_fetches_sends_and_changes_nothing(permissions, fetches):
    assert only_fetches(permissions) is fetches
