"""Programs that fetch code and run it in one go, and those that delete by another name."""

from __future__ import annotations

from collections.abc import Iterator

from hermes.policy.shell.effects import Effect
from hermes.policy.shell.model import Call, Program


def _dc(call: Call) -> Iterator[Effect]:
    """Yield the commands that dc runs behind an exclamation mark."""
    for text in call.values("-e", "--expression"):
        if text.startswith("!"):
            yield Effect("run", text[1:])


def _ipfs(_call: Call) -> Iterator[Effect]:
    yield Effect("net", "ipfs")


PROGRAMS = {
    "rimraf|del-cli|del|trash-cli|shx rm": Program("delete-tree*"),
    "cookiecutter|copier|jbang|scala-cli|earthly|dagger|act|yo": Program(),
    "degit|tiged|giget|gitpick": Program("net write", values="-t", gives="network"),
    "ipfs get": Program("write", options={"-o|--output": "write"}, handler=_ipfs),
    "ipfs cat": Program("net*", gives="network"),
    "irm|iwr": Program("net*", gives="network"),
    "iex": Program(values="-S -r -e"),
    "kotlin": Program(options={"-e": "code:kotlin"}),
    "dc": Program(values="-e", handler=_dc),
}

RULES = """
cookiecutter|copier|jbang|scala-cli ... *://*|gh:*|git@* => network-exec: fetches {} and runs it
earthly|dagger ... *://*|github.com/* => network-exec: fetches {} and runs it
copier --trust|--UNSAFE  => network-exec: runs the tasks of a template
dagger -m|--mod          => network-exec: fetches a module and runs it
act|earthly --privileged|--allow-privileged|-P => privilege: gives containers all rights
pre-commit uninstall     => privilege: removes the checks before each commit
husky|lefthook uninstall => privilege: removes the checks before each commit
pre-commit try-repo      => network-exec: fetches hooks from {} and runs them
task|just -t|-f|--taskfile|--justfile=*://*     => network-exec: fetches recipes and runs them
go run *://*             => network-exec: fetches code from {} and runs it
cargo script *://*       => network-exec: fetches code from {} and runs it
java -cp=*://*|-classpath=*://* => network-exec: runs classes from the network
node --import|--loader|-r|--require=http* => network-exec: runs code from the network
jupyter labextension|serverextension install => network-exec: installs {} into the notebook
cpan-upload|cpanm-upload => publish: publishes {} for everybody
pack build --publish => publish: publishes the image {}
tweet|t|toot update|post|set => publish: tells the world {}
keepassxc-cli show|export|clip => exfiltration: prints a password
docker-credential-desktop|docker-credential-pass get => exfiltration: prints a password
docker-credential-osxkeychain|docker-credential-secretservice get => exfiltration: prints a password
zmodload zsh/net/tcp|zsh/net/socket => network-exec: opens raw connections from the shell
husky add|set * => persistence: plants a command that runs before each commit
npm set-script => persistence: plants a command in the project's scripts
"""
