"""Which command does which work in which kind of project."""

from __future__ import annotations

import re
from typing import NamedTuple


class Project(NamedTuple):
    """A kind of project: the file that shows it, and its commands."""

    sign: str
    test: str = ""
    lint: str = ""
    types: str = ""
    format: str = ""
    build: str = ""
    install: str = ""


PROJECTS = (
    Project("uv.lock", install="uv sync"),
    Project(
        "pyproject.toml",
        "python -m pytest -q",
        "ruff check .",
        "mypy .",
        "ruff format .",
        "python -m build",
        "pip install -e .",
    ),
    Project("pytest.ini", "python -m pytest -q", "ruff check ."),
    Project("tox.ini", "python -m pytest -q", "ruff check ."),
    Project(
        "setup.cfg",
        "python -m pytest -q",
        "ruff check .",
        "mypy .",
        "ruff format .",
        "python -m build",
        "pip install -e .",
    ),
    Project(
        "setup.py",
        "python -m pytest -q",
        "ruff check .",
        "mypy .",
        "ruff format .",
        "python -m build",
        "pip install -e .",
    ),
    Project(
        "requirements.txt",
        "python -m pytest -q",
        "ruff check .",
        "mypy .",
        "ruff format .",
        "",
        "pip install -r requirements.txt",
    ),
    Project(
        "package.json",
        "npm test",
        "npx eslint .",
        "npx tsc --noEmit",
        "npx prettier --write .",
        "npm run build",
        "npm install",
    ),
    Project(
        "Cargo.toml",
        "cargo test",
        "cargo clippy",
        "cargo check",
        "cargo fmt",
        "cargo build",
        "cargo fetch",
    ),
    Project(
        "go.mod",
        "go test ./...",
        "go vet ./...",
        "go build ./...",
        "gofmt -w .",
        "go build ./...",
        "go mod download",
    ),
    Project("pom.xml", "mvn test", "", "", "", "mvn package", "mvn install"),
    Project("build.gradle", "./gradlew test", "", "", "", "./gradlew build", ""),
    Project(
        "Gemfile", "bundle exec rake test", "bundle exec rubocop", "", "", "", "bundle install"
    ),
    Project("composer.json", "vendor/bin/phpunit", "", "", "", "", "composer install"),
    Project(
        "mix.exs",
        "mix test",
        "mix credo",
        "mix dialyzer",
        "mix format",
        "mix compile",
        "mix deps.get",
    ),
    Project("Makefile", "make test", "make lint", "", "make format", "make", "make install"),
    Project("makefile", "make test", "make lint", "", "make format", "make", "make install"),
    Project("justfile", "just test", "just lint", "", "just format", "just build", ""),
    Project(
        "CMakeLists.txt",
        "ctest --test-dir build",
        "",
        "",
        "",
        "cmake -B build && cmake --build build",
        "",
    ),
    Project("conftest.py", "python -m pytest -q"),
    Project("tests", "python -m pytest -q", "ruff check ."),
    Project("Dockerfile", build="docker build ."),
    Project("*.py", "python -m pytest -q", "ruff check .", "mypy .", "ruff format ."),
    Project("src", lint="ruff check .", types="mypy ."),
)
"""Tried in this order."""


def chosen(kind: str, names: str) -> str | None:
    """Return the command for a kind of work, by the names of the files in the project's folder."""
    for project in PROJECTS:
        command = str(getattr(project, kind))
        form = re.escape(project.sign).replace(r"\*", r"[\w.-]*")
        if command and re.search(rf"(?:^|\s){form}(?=[\s/]|$)", names):
            return command
    return None
