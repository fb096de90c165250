"""Describe tools that build, test and check a project: harmless but for what leaves it."""

from __future__ import annotations

from collections.abc import Iterator

from hermes.policy.shell.effects import UNKNOWN, Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.scripts_named import task
from hermes.policy.shell.models.words import words

_INSTALLS = words("install uninstall install-strip install-bin install-exec install-data")
_RELEASE_BUILDS = words("release debug")
_VERSIONS = {"VERSION", "TAG", "BUMP", "V", "LEVEL", "PART", "TYPE", "version", "tag"}


def make(call: Call) -> Iterator[Effect]:
    """Yield what the targets of a makefile reach, by their names."""
    settings = dict(word.split("=", 1) for word in call.operands if "=" in word)
    targets = [word for word in call.operands if "=" not in word]
    for folder in call.values("-C", "--directory"):
        if folder.startswith(("/", "~")):
            yield Effect("write", folder)
    yield from _recipes(call, "-f", "--file", "--makefile")
    if settings.get("SHELL"):
        yield Effect("run", settings["SHELL"])
    for target in targets:
        if target in _INSTALLS:
            yield from _installation(target, settings)
        elif target not in _RELEASE_BUILDS or _VERSIONS & settings.keys():
            yield from task(target)


def _recipes(call: Call, *flags: str) -> Iterator[Effect]:
    """Yield the danger of a file of tasks that is not the project's."""
    for file in call.values(*flags):
        if "://" in file or file.startswith("/tmp/"):
            yield danger("network-exec", f"runs tasks of {file}, which is not the project's")
        elif file.startswith("/dev/fd/"):
            yield Effect("script", file)


def _installation(target: str, settings: dict[str, str]) -> Iterator[Effect]:
    place = settings.get("DESTDIR") or settings.get("PREFIX") or settings.get("prefix")
    if place is not None:
        if not place.startswith(UNKNOWN):
            yield Effect("write", place)
        return
    yield danger("overwrite", f"make {target} changes programs of the machine")


def runner(call: Call) -> Iterator[Effect]:
    """Yield what the tasks of a task runner reach, by their names."""
    if call.has("--list", "-l", "--summary", "--show", "-s", "--evaluate", "--choose"):
        return
    for flag in {"-c", "--command"} & set(call.words) if call.name == "just" else ():
        yield Effect("run", "\0" + "\0".join(call.words[call.words.index(flag) + 1 :]))
        return
    yield from _recipes(call, "-f", "--justfile", "-t", "--taskfile")
    names = [word for word in call.operands if "=" not in word]
    for name in names[:1] if call.name in ("just", "mask") else names:
        yield from task(name)


def _cmake(call: Call) -> Iterator[Effect]:
    if call.has("-E"):
        at = call.words.index("-E") + 1 if "-E" in call.words else 0
        verb, rest = call.words[at : at + 1], call.words[at + 1 :]
        if verb == ("remove_directory",):
            yield from (Effect("delete", path, is_recursive=True) for path in rest)
        elif verb and verb[0] in ("rm", "remove", "copy", "rename", "tar", "env", "time"):
            name = {"remove": "rm", "copy": "cp", "rename": "mv"}.get(verb[0], verb[0])
            yield Effect("run", "\0" + "\0".join((name, *rest)))
        return
    if call.has("--install") and not call.has("--prefix"):
        yield danger("overwrite", "installs programs on the machine")
    for target in call.values("--target", "-t"):
        if target in _INSTALLS:
            yield danger("overwrite", "installs programs on the machine")
        else:
            yield from task(target)


def _ninja(call: Call) -> Iterator[Effect]:
    for target in call.operands:
        if target in _INSTALLS:
            yield danger("overwrite", "installs programs on the machine")
        else:
            yield from task(target)


_JUST = Program(
    values="-f --justfile -d --working-directory --set --dotenv-path -t --taskfile --dir -C"
    " --shell --output",
    dry="-n --dry -p --list --list-all",
    handler=runner,
)

PROGRAMS = {
    "make|gmake|bmake|remake": Program(
        values="-C --directory -f --file --makefile -I --include-dir -o -W --eval -j",
        dry="-n --just-print --recon -q --question -p",
        handler=make,
    ),
    "just|task|go-task|mask|mage|xc": _JUST,
    "grunt|gulp|jake|cake|nps|ant-tasks": Program(
        values="-f --gulpfile --gruntfile --cwd", dry="-T --tasks --tasks-simple", handler=runner
    ),
    "cmake": Program(
        values="-S -G -D -T -A -j --parallel --config --preset -C -U",
        options={"--prefix": "write", "-B|--build|--install": "text", "--target|-t": "text"},
        handler=_cmake,
    ),
    "ninja|samu|meson": Program(
        values="-f -j -k -l -t",
        options={"-C": "text", "--destdir": "write"},
        dry="-n",
        handler=_ninja,
    ),
    "bazel|bazelisk|buck|buck2|pants": Program(
        values="--config --compilation_mode -c --test_output --jobs --output_base --bazelrc"
    ),
    "java": Program(
        values="-cp -classpath --class-path --module-path -p -m --module",
        options={"-jar": "script"},
        dashes="single",
        stops=True,
    ),
    "scons|waf": Program(dry="-n"),
    "ctest|pytest|py.test|jest|vitest|mocha|tsc|eslint|prettier|ruff|black|mypy|flake8": Program(),
    "pylint|isort|pyright|coverage|shellcheck|shfmt|hadolint|golangci-lint|gofmt": Program(),
    "goimports|rubocop|rspec|phpunit|phpstan|pest|clang-tidy|cppcheck|yamllint": Program(),
    "tflint|pre-commit|lefthook|husky|webpack|rollup|esbuild|vite|next|nuxt": Program(),
}

RULES = """
bazel|bazelisk run ... *deploy*|*publish*|*push*|*release*|*:apply|*.apply|*.delete \
    => publish: runs {}, which reaches others
buck|buck2|pants run|publish ... *deploy*|*publish*|*push*|*release* \
    => publish: runs {}, which reaches others
java -jar=*bfg*              => history-rewrite: rewrites the whole history
pants publish                => publish: publishes {}
scons|waf install|uninstall  => overwrite: changes programs of the machine
meson install !--destdir|--destdir=* => overwrite: installs programs on the machine
earthly --push               => publish: pushes what it builds
docusaurus|ng deploy         => publish: publishes the site
"""
