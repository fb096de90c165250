"""Describe the package managers of JavaScript and the tools that release packages."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.packages_known import is_known_js
from hermes.policy.shell.models.scripts_named import task
from hermes.policy.shell.models.surroundings import environment
from hermes.policy.shell.models.words import words

_RUN = words("run run-script rum urn")
_INSTALL = words("install i in ins inst isntall add update up upgrade ci link ln uninstall un rm")
_REGISTRIES = ("registry.npmjs.org", "registry.yarnpkg.com", "npm.pkg.github.com", "localhost")
_MIRRORS = ("127.0.0.1", "registry.npmmirror.com", "jsr.io")
_FOREIGN = ("http://", "https://", "git+", "git://", "git@", "github:", "gitlab:", "gist:", "ssh:")
_TRUSTED = ("https://registry.npmjs.org/", "https://registry.yarnpkg.com/")
_GITHUB = re.compile(r"(?!packages/|libs?/|apps/|modules/|vendor/)[\w-]+/[\w.-]+(?:#.+)?$")
_TOOLS = words(
    """
    prisma knex sequelize sequelize-cli typeorm drizzle-kit mikro-orm lerna changeset
    semantic-release release-it np gh-pages rimraf del-cli nx vercel netlify wrangler firebase
    serverless sls sst cdk supabase eas db-migrate node-pg-migrate migrate-mongo concurrently
    cross-env nodemon docusaurus ng
    """
)
_BUILTIN = words(
    """
    add install i remove rm upgrade up update why list ls info view outdated audit init create dlx
    exec run test start config cache link unlink pack publish version workspace workspaces global
    set import dedupe npm plugin x pm build-binary licenses store env setup root bin prune rebuild
    login logout owner tag team access patch fetch approve-builds
    """
)


def npm(call: Call) -> Iterator[Effect]:
    """Yield what npm and its likes do beyond their rules."""
    operands = call.operands
    if not operands:
        return
    yield from _foreign_registry(call)
    first = operands[0]
    if first in ("workspace", "workspaces") and call.name == "yarn":
        operands = operands[1 if first == "workspaces" else 2 :]
        first = operands[0] if operands else ""
        operands = operands[1:] if first == "foreach" else operands
        first = operands[0] if operands else ""
    if first in _RUN:
        yield from _script(call, operands[1:])
    elif first in ("init", "create", "innit") and len(operands) > 1:
        yield from _template(operands[1])
    elif first in _INSTALL:
        yield from _fetched(operands[1:])
    elif call.name == "pnpm" and first == "deploy" and len(operands) > 1:
        return  # copies a package into a folder
    elif call.name != "npm" and first and first not in _BUILTIN:
        yield from _script(call, operands)


def _script(call: Call, operands: tuple[str, ...]) -> Iterator[Effect]:
    """Yield what a script of the project reaches, or the tool that it is named after."""
    if not operands:
        return
    if operands[0] in _TOOLS:
        words_behind = call.words[call.words.index(operands[0]) :]
        yield Effect("run", shlex.join(word for word in words_behind if word != "--"))
    else:
        yield from task(operands[0], operands[1:], environment(call))


def _fetched(packages: tuple[str, ...]) -> Iterator[Effect]:
    for package in packages:
        bare = package[1:].partition("@")[2]
        if package.startswith(_TRUSTED):
            continue
        if package.startswith(_FOREIGN) or bare.startswith(_FOREIGN) or _GITHUB.match(package):
            yield danger("network-exec", f"installs and may run code from {package}")


def _template(package: str) -> Iterator[Effect]:
    """Yield the danger of ``npm init NAME``, which fetches and runs ``create-NAME``."""
    name = package if package.startswith("@") else f"create-{package}"
    if not is_known_js(name):
        yield danger("network-exec", f"fetches and runs the package {name}")


def _foreign_registry(call: Call) -> Iterator[Effect]:
    for address in call.values("--registry"):
        host = address.partition("://")[2].partition("/")[0].partition(":")[0]
        if host and host not in (*_REGISTRIES, *_MIRRORS):
            yield danger("network-exec", f"takes packages from the registry {host}")


def execute(call: Call) -> Iterator[Effect]:
    """Yield the danger of running a package that is fetched for the purpose."""
    if call.has("--no-install", "--no"):
        return
    operands = () if call.has("-c", "--call") else call.operands
    while operands[:1] in (("exec",), ("x",), ("dlx",), ("create",), ("init",)):
        operands = operands[1:]
    for package in (*call.values("-p", "--package"), *operands[:1]):
        if not is_known_js(package):
            yield danger("network-exec", f"fetches and runs the package {package}")
            return


def _executed(call: Call) -> Iterator[Effect]:
    """Yield what ``yarn exec`` runs: one text, or a command in words."""
    rest = call.operands[1:]
    if rest:
        yield Effect("run", rest[0] if len(rest) == 1 else shlex.join(rest))


def _behind_settings(call: Call) -> Iterator[Effect]:
    """Yield the command behind ``NAME=value`` words."""
    rest = [
        word for at, word in enumerate(call.operands) if not _is_setting(call.operands[: at + 1])
    ]
    if rest:
        yield Effect("run", shlex.join(rest))


def _is_setting(words_so_far: tuple[str, ...]) -> bool:
    return all(re.match(r"\w+=", word) for word in words_so_far)


def _served(call: Call) -> Iterator[Effect]:
    """Yield the danger of serving another folder, or of running a task that reaches others."""
    for operand in call.operands:
        if call.name in ("run-s", "run-p"):
            yield from task(operand)
        elif operand.startswith(("/", "~", "..")) and not operand.startswith(
            ("/tmp/", call.cwd or "/tmp/")
        ):
            yield danger("publish", f"serves {operand} to the network")


_COMMON = "--prefix --registry --workspace --tag --otp --loglevel --cache --userconfig --location"
_EXEC = Program(
    "command", "-p --package", options={"-c|--call": "run"}, stops=True, handler=execute
)

PROGRAMS = {
    "npm": Program(values=f"{_COMMON} -w -C", handler=npm),
    "npm exec|x": _EXEC,
    "npm explore": Program("text command", stops=True),
    "npm pack": Program(options={"--pack-destination": "write"}),
    "npx|bunx|pnpx": _EXEC,
    "yarn|yarnpkg": Program(values=f"{_COMMON} --cwd --modules-folder --mutex", handler=npm),
    "yarn|yarnpkg dlx": _EXEC,
    "yarn|yarnpkg exec": Program(stops=True, handler=_executed),
    "rimraf|del-cli": Program("delete-tree*", "--max-retries --retry-delay"),
    "cross-env|cross-env-shell|env-cmd": Program(
        values="-f --file -e --environments -r --rc-file", stops=True, handler=_behind_settings
    ),
    "http-server|serve|live-server|run-s|run-p": Program(
        values="-p --port -l -a -c -s -d -S", handler=_served
    ),
    "pnpm": Program(values=f"{_COMMON} -C --dir -F --filter --reporter", handler=npm),
    "pnpm dlx": _EXEC,
    "pnpm exec": Program("command", stops=True),
    "bun": Program(
        values=f"{_COMMON} --cwd -c --config --filter -r --preload --env-file",
        options={"-e|--eval|-p|--print": "code:node"},
        handler=npm,
    ),
    "bun x": _EXEC,
    "corepack": Program(),
    "lerna|changeset|release-it|np|semantic-release|nx|turbo|rush|auto": Program(),
    "release-please|standard-version|ncu|nvm|fnm|volta|n|jsr": Program(),
}

RULES = """
npm|pnpm|bun install|i|add|update|up|upgrade|uninstall|un|remove|rm|link|ci -g|--global \
    => overwrite: changes the packages of the whole machine: {}
npm|pnpm install|i|add|update|up|uninstall|un|remove|rm --location=global \
    => overwrite: changes the packages of the whole machine: {}
yarn|yarnpkg global add|remove|upgrade => overwrite: changes the packages of the whole machine: {}
npm|pnpm|yarn|yarnpkg|bun publish => publish: publishes the package for everybody
npm|pnpm unpublish           => publish: takes {} away from everybody who depends on it
npm|pnpm deprecate|undeprecate => publish: changes what everybody sees of {}
npm|pnpm|yarn|yarnpkg owner|author add|rm|remove => publish: changes who owns the package {}
npm|pnpm|yarn|yarnpkg dist-tag|dist-tags|tag add|set|rm|remove \
    => publish: changes what others install: {}
npm|yarn|yarnpkg access set|public|restricted|grant|revoke|edit|2fa-required|2fa-not-required \
    => publish: changes who may reach the package
npm|yarn|yarnpkg team|org|hook create|destroy|add|rm|remove|set|update => publish: changes {}
npm|pnpm token create|revoke|delete => publish: changes the tokens of the registry
npm|pnpm|yarn|yarnpkg login|adduser|add-user|logout|signup => persistence: changes the stored login
npm profile set|enable-2fa|disable-2fa => publish: changes the profile at the registry
npm trust|stage              => publish: changes what may be published
yarn|yarnpkg npm publish|login|logout => publish: changes the registry or the login to it
yarn|yarnpkg npm tag add|remove => publish: changes what others install
npm|pnpm config|c set|delete|rm|edit !--location=project \
    => persistence: changes the settings of every project
npm|pnpm set                 => persistence: changes the settings of every project
npm|pnpm|yarn config|c get *_auth*|*authToken*|*token*|*password* \
    => exfiltration: shows the token of the registry
npm|yarn link|ln             => overwrite: links a package for the whole machine
npm get *auth*|*token*       => exfiltration: shows the token of the registry
npm token list               => exfiltration: shows the tokens of the registry
yarn|yarnpkg config set --home|-H => persistence: changes the settings of every project
yarn|yarnpkg config set *egistry*|*roxy*|*ssl*|*Ssl*|*uth*|*oken*|npmRegistryServer|yarnPath \
    => persistence: changes where packages come from
yarn|yarnpkg plugin import *://* => network-exec: runs code from {}
yarn|yarnpkg set version *://* => network-exec: runs code from {}
npm pkg set scripts.pre*|scripts.post*|scripts.install*|scripts.prepare* \
    => persistence: plants a script that installing runs
pnpm setup                   => persistence: changes the shell's start files
pnpm env use|add|remove|rm -g|--global => overwrite: changes the machine's node
bun upgrade                  => overwrite: replaces the package manager
pnpm self-update             => overwrite: replaces the package manager
corepack enable|disable|cache !--install-directory => overwrite: changes the machine's node
corepack install|up|use|prepare -g|--global|--activate \
    => overwrite: changes the machine's package managers
lerna publish                => publish: publishes the packages for everybody
changeset publish|tag        => publish: publishes the packages for everybody
release-it|np|semantic-release|auto !--no-publish|-d => publish: releases the package for everybody
nx release !--skip-publish|-d => publish: releases the packages for everybody
rush publish !--pack         => publish: publishes the packages for everybody
jsr publish                  => publish: publishes the package for everybody
release-please release-pr|github-release => publish: opens releases on the code host
ncu|npm-check-updates -g|--global => overwrite: changes the packages of the whole machine
volta|fnm install|uninstall|default|pin => overwrite: changes the machine's node
n *.*|lts|latest|rm|prune|uninstall|stable => overwrite: changes the machine's node
nvm uninstall|alias|unalias  => overwrite: changes the machine's node
"""
