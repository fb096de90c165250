"""Tell what a build can make again from work that would be lost."""

from __future__ import annotations

import re

_WORDS = frozenset(
    [
        "build",
        "builds",
        "dist",
        "out",
        "output",
        "outputs",
        "target",
        "debug",
        "release",
        "obj",
        "cache",
        "caches",
        "tmp",
        "temp",
        "scratch",
        "coverage",
        "htmlcov",
        "cov",
        "report",
        "reports",
        "log",
        "logs",
        "artifacts",
        "artefacts",
        "generated",
        "gen",
        "autogen",
        "venv",
        "virtualenv",
        "vendor",
        "pods",
        "deriveddata",
        "pycache",
        "egg",
        "site",
        "public",
        "staticfiles",
        "node",
        "modules",
        "sandbox",
        "junk",
        "trash",
        "foo",
        "bar",
        "baz",
        "testdir",
        "tmpdir",
        "wt",
        "worktree",
        "deleteme",
        "demo",
        "old",
        "orig",
        "bak",
    ]
)
_NAMES = frozenset(
    [
        "__pycache__",
        ".benchmarks",
        "builddir",
        "bazel-*",
        "node_modules",
        "bower_components",
        "jspm_packages",
        "elm-stuff",
        "_build",
        "_site",
        "deps",
        "zig-cache",
        "zig-out",
        "storybook-static",
        "playwright-report",
        "test-results",
        "lightning_logs",
        "bin",
        "env",
        ".pytest_cache",
        ".mypy_cache",
        ".ruff_cache",
        ".cache",
        ".tox",
        ".nox",
        ".venv",
        ".eggs",
        ".next",
        ".nuxt",
        ".output",
        ".svelte-kit",
        ".turbo",
        ".parcel-cache",
        ".angular",
        ".gradle",
        ".terraform",
        ".serverless",
        ".aws-sam",
        ".nyc_output",
        ".coverage",
        ".hypothesis",
        ".ipynb_checkpoints",
        ".sass-cache",
        ".jekyll-cache",
        ".docusaurus",
        ".vercel",
        ".netlify",
        ".expo",
        ".dart_tool",
        ".pub-cache",
        ".stack-work",
        ".bundle",
        ".yarn",
        ".pnpm-store",
        ".npm",
        ".vite",
        ".webpack",
        ".swc",
        ".build",
        ".ccls-cache",
        ".clangd",
        ".metals",
        ".bloop",
        ".bsp",
        ".vagrant",
        ".scannerwork",
        ".pytype",
        ".pyre",
        ".tmp",
        ".temp",
        "cmakefiles",
        "pip-wheel-metadata",
        "classes",
        ".svn-base",
    ]
)
_ENDINGS = (".egg-info", ".dist-info", ".xcarchive")
_SPLIT = re.compile(r"[-_.\s*?]+")


def is_regenerable(path: str) -> bool:
    """Say whether a path, relative to its workspace, names what can be made again."""
    return any(_is_made(name) for name in path.lower().split("/"))


def _is_made(name: str) -> bool:
    if name in _NAMES or name.endswith(_ENDINGS):
        return True
    return not _WORDS.isdisjoint(_SPLIT.split(name))


def is_rebuilt(name: str) -> bool:
    """Say whether a folder of this name holds nothing but what programs make again by themselves.

    Narrower than ``is_regenerable``, which is about what a person may mean to delete: a folder of
    this name is never the only place of anybody's work.
    """
    return name in _REBUILT


_REBUILT = frozenset(
    [
        "__pycache__",
        "node_modules",
        "bower_components",
        "jspm_packages",
        "elm-stuff",
        "zig-cache",
        ".zig-cache",
        ".pytest_cache",
        ".mypy_cache",
        ".ruff_cache",
        ".cache",
        ".tox",
        ".nox",
        ".venv",
        ".eggs",
        ".next",
        ".nuxt",
        ".svelte-kit",
        ".turbo",
        ".parcel-cache",
        ".angular",
        ".gradle",
        ".terraform",
        ".nyc_output",
        ".hypothesis",
        ".ipynb_checkpoints",
        ".sass-cache",
        ".jekyll-cache",
        ".docusaurus",
        ".dart_tool",
        ".pub-cache",
        ".stack-work",
        ".pnpm-store",
        ".vite",
        ".swc",
        ".ccls-cache",
        ".clangd",
        ".metals",
        ".bloop",
        ".pytype",
        ".pyre",
        ".import_linter_cache",
    ]
)
