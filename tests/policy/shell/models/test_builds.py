import pytest

from hermes.policy.paths.places import Places
from hermes.policy.shell.state import Place
from hermes.policy.shell.understanding import understand

PLACE = Place("/home/dev/app", Places(("/home/dev/app",), "/home/dev", "/home/dev/.hermes"))

HARMLESS = [
    "make",
    "make test",
    "make -j4 release",
    "make -n deploy",
    "make clean",
    "make -C docs html",
    "make VERBOSE=1 install DESTDIR=./stage",
    "make help",
    "make test-destroy",
    "make release-notes",
    "just build release",
    "just test",
    "just --list",
    "task lint",
    "rake test",
    "rake -T",
    "rake -n db:migrate",
    "cmake --build build --target server -j 8",
    "cmake --install build --prefix ./stage",
    "cmake -S . -B build",
    "ninja -C build",
    "bazel test //...",
    "bazel run //:gazelle",
    "pytest -k 'drop_table or force_push' -q",
    "gulp build",
    "make docker-build",
]
DANGEROUS = [
    ("make install", "overwrite"),
    ("make install PREFIX=/usr/local", "overwrite"),
    ("make deploy", "publish"),
    ("make publish", "publish"),
    ("make deploy-prod", "publish"),
    ("make -C infra deploy", "publish"),
    ("make uninstall", "overwrite"),
    ("make db-reset", "database"),
    ("make destroy", "publish"),
    ("just deploy", "publish"),
    ("task deploy", "publish"),
    ("task release", "publish"),
    ("rake release", "publish"),
    ("cmake --install build", "overwrite"),
    ("cmake --build build --target install", "overwrite"),
    ("ninja -C build install", "overwrite"),
    ("bazel run //deploy:prod.apply", "publish"),
    ("gulp deploy", "publish"),
    ("make docker-push-release", "publish"),
]


@pytest.mark.parametrize("command", HARMLESS)
def test_builds_in_everyday_use_asks_nothing(command):
    assert understand(command, PLACE).findings == ()


@pytest.mark.parametrize(("command", "category"), DANGEROUS)
def test_builds_says_what_is_dangerous(command, category):
    findings = understand(command, PLACE).findings

    assert category in {finding.category for finding in findings}
