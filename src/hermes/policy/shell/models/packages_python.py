"""Describe the package managers of Python."""

from __future__ import annotations

from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.packages_known import is_known_python
from hermes.policy.shell.models.scripts_named import task

_INDEXES = (
    "pypi.org", "test.pypi.org", "files.pythonhosted.org", "download.pytorch.org", "localhost",
    "127.0.0.1", "pypi.tuna.tsinghua.edu.cn", "mirrors.aliyun.com", "pypi.nvidia.com",
    "storage.googleapis.com", "wheels.vllm.ai",
)  # fmt: skip


def install(call: Call) -> Iterator[Effect]:
    """Yield what installing Python packages does beyond the project."""
    for package in (*call.operands, *call.values("-e", "--editable", "-r", "-c", "--with")):
        if _is_foreign(package):
            yield danger("network-exec", f"installs and runs code from {package}")
    for address in call.values(
        "-i", "--index-url", "--extra-index-url", "--index", "-f", "--find-links"
    ):
        host = address.partition("://")[2].partition("/")[0].rpartition("@")[2].partition(":")[0]
        if host and host not in _INDEXES:
            yield danger("network-exec", f"takes packages from the index {host}")
    if call.has("--user", "--break-system-packages", "--system"):
        yield danger("overwrite", "installs packages outside the project")
    if call.has("--trusted-host", "--allow-insecure-host"):
        yield danger("privilege", "takes packages without checking where they come from")


def _is_foreign(package: str) -> bool:
    address = package.rpartition("@ ")[2] if "@ " in package else package
    if address.startswith(("git+", "hg+", "svn+", "bzr+", "ftp://", "git://", "ssh://")):
        return True
    name, at, rest = package.partition("@")
    if at and rest.startswith(("git+", "http://", "https://")) and "/" not in name:
        return True
    return address.startswith(("http://", "https://")) and "files.pythonhosted.org" not in address


def fetch_and_run(call: Call) -> Iterator[Effect]:
    """Yield the danger of running a package that is fetched for the purpose."""
    sources = call.values("--from", "--spec", "--with", "--pip-args")
    operands = call.operands
    while operands[:1] in (("tool",), ("run",)):
        operands = operands[1:]
    named = call.values("--from", "--spec") or operands[:1]
    for package in (*named, *sources):
        if package.endswith(".py") and "://" not in package:
            continue
        if _is_foreign(package) or (package in named and not is_known_python(package)):
            yield danger("network-exec", f"fetches and runs the package {package}")
            return


def _environment(call: Call) -> Iterator[Effect]:
    """Yield what a conda command does to an environment that is not the project's."""
    verb = call.operands[0] if call.operands else ""
    where = call.value("-n", "--name")
    if where == "base" and verb in ("install", "update", "remove", "uninstall", "upgrade"):
        yield danger("overwrite", "changes the base environment")
    elif any("://" in channel and "anaconda" not in channel for channel in call.values("-c")):
        yield danger("network-exec", f"takes packages from {' '.join(call.values('-c'))}")
    elif call.has("--all") and verb in ("remove", "uninstall"):
        yield danger("delete", f"deletes the environment {where or 'in use'}")


def _tasks(call: Call) -> Iterator[Effect]:
    for name in (*call.operands, *call.values("-e", "-s", "--session", "--sessions")):
        yield from task(name)


def _project_tasks(call: Call) -> Iterator[Effect]:
    yield from install(call)
    if call.operands[:1] == ("run",) and len(call.operands) > 1:
        yield from task(call.operands[1], call.operands[2:])


_PIP = Program(
    values="--python --only-binary --no-binary --progress-bar --timeout --proxy --upgrade-strategy"
    " --platform --python-version --abi --implementation --config-settings -C --log",
    options={
        "-r|--requirement|--requirements|-c|--constraint|--constraints": "read",
        "-t|--target|--prefix|--root|--src|-d|--dest|-w|--wheel-dir": "write",
        "-e|--editable": "text",
        "-i|--index-url|--extra-index-url|--index|-f|--find-links|--trusted-host": "text",
        "-o|--output-file|--report": "write",
    },
    handler=install,
)
_RUN_VALUES = "--with --from --spec --python -p --extra --group --env-file --directory --project"
_FETCH = Program(
    "command", f"{_RUN_VALUES} --index-url --pip-args -i", stops=True, handler=fetch_and_run
)
_RUN = Program("command", f"{_RUN_VALUES} -m --module -C -n --name", stops=True)

PROGRAMS = {
    "pip|pip3": _PIP,
    "uv": Program(values="--directory --project --config-file --cache-dir --color"),
    "uv pip": _PIP,
    "uv add|sync|lock|remove|tree|export|venv|init|build": Program(
        values="--group --extra --python -p --package --index-url --index -i --tag --branch --rev",
        options={"-r|--requirements": "read", "-o|--output-file|--out-dir": "write"},
        handler=install,
    ),
    "uv run": _RUN._replace(handler=_project_tasks),
    "uv tool run": _FETCH,
    "uvx": _FETCH,
    "pipx run": _FETCH,
    "poetry|pdm|hatch|rye|pipenv|pixi": Program(
        values="-C --directory -p --project -G --group -E --extras -e --env -c --config",
        handler=install,
    ),
    "poetry|pdm|hatch|rye|pixi run": _RUN._replace(handler=_project_tasks),
    "conda|mamba|micromamba": Program(
        values="-n --name -c --channel -f --file --solver",
        options={"-p|--prefix": "write"},
        handler=_environment,
    ),
    "conda|mamba|micromamba run": _RUN._replace(values="-n --name -p --prefix --cwd"),
    "tox|nox": Program(values="-e -s --session --sessions -f -c -p", handler=_tasks),
    "invoke|inv|doit|poe|poethepoet|cargo-make": Program(
        values="-c -f -r -H -i --config -C", handler=_tasks
    ),
    "virtualenv|pyvenv": Program("write", "-p --python --prompt"),
    "twine|flit|pyenv|pip-compile|maturin|easy_install|anaconda|setup.py|pipx": Program(),
}

RULES = """
pip|pip3 config set|unset|edit !--site => persistence: changes the settings of every project
uv tool install|uninstall|upgrade => overwrite: changes the tools of the whole machine: {}
pip|pip3 uninstall pip|setuptools|wheel => overwrite: removes the package manager itself
uv python install --default  => overwrite: changes the machine's Python
uv self update               => overwrite: replaces uv itself
uv python uninstall          => overwrite: removes a Python that other projects may use
uv|poetry|pdm|hatch|flit|rye|maturin publish|upload => publish: publishes the package for everybody
uv auth login|logout|token   => persistence: changes the stored login
uv auth token                => exfiltration: shows the token of the index
uv run http://*|https://*    => network-exec: runs a script from {}
uv run --with=*://*|--with=git+* => network-exec: runs code of strangers from the network
setup.py install !--prefix|--root|--home|--dry-run => overwrite: installs on the machine
twine upload|register        => publish: publishes {} for everybody
conda|mamba upload|convert       => publish: publishes {}
anaconda upload|remove|copy|move => publish: changes what others install
setup.py ... upload|register => publish: publishes the package for everybody
pipx install*|uninstall*|inject|reinstall*|upgrade* \
    => overwrite: changes the tools of the whole machine: {}
pipx|conda|mamba ensurepath  => persistence: changes the shell's start files
poetry config *token*|http-basic* => persistence: stores a login for the index
poetry config * * !--local   => persistence: changes the settings of every project
pdm config * * !--local      => persistence: changes the settings of every project
hatch config set             => persistence: changes the settings of every project
poetry|pdm self add|update|remove|install => overwrite: changes the package manager itself
rye|pixi install|uninstall -g|--global => overwrite: changes the tools of the whole machine
pixi global install|uninstall|remove|update|add => overwrite: changes the tools of the whole machine
pixi upload                  => publish: publishes {} for everybody
conda|mamba|micromamba env remove => delete: deletes an environment
conda|mamba|micromamba init  => persistence: changes the shell's start files
micromamba shell init        => persistence: changes the shell's start files
conda|mamba config --set|--add|--append|--prepend|--remove|--remove-key !--env \
    => persistence: changes the settings of every project
conda|mamba|micromamba update|upgrade conda|mamba => overwrite: replaces the package manager
micromamba self-update       => overwrite: replaces the package manager
easy_install                 => overwrite: installs packages outside the project
pyenv global|uninstall       => overwrite: changes the machine's Python
pyenv install                => overwrite: installs a Python for the whole machine
"""
