"""Programs that fetch code and run it in one go, and those that delete by another name."""

from __future__ import annotations

from hermes.policy.shell.model import Program

PROGRAMS = {
    "rimraf|del-cli|del|trash-cli|shx rm": Program("delete-tree*"),
    "cookiecutter|copier|jbang|scala-cli|earthly|dagger|act|yo|degit|tiged|giget": Program(),
    "kotlin": Program(options={"-e": "code:kotlin"}),
    "jshell": Program(),
    "dc": Program(options={"-e": "text"}),
}

RULES = """
cookiecutter|copier|jbang|scala-cli ... *://*|gh:*|git@* => network-exec: fetches {} and runs it
earthly|dagger|degit ... *://*|github.com/* => network-exec: fetches {} and runs it
copier --trust|--UNSAFE  => network-exec: runs the tasks of a template
dagger -m|--mod          => network-exec: fetches a module and runs it
act|earthly --privileged|--allow-privileged|-P => privilege: gives containers all rights
pre-commit try-repo      => network-exec: fetches hooks from {} and runs them
task|just -t|-f|--taskfile|--justfile=*://*     => network-exec: fetches recipes and runs them
go run *://*             => network-exec: fetches code from {} and runs it
cargo script *://*       => network-exec: fetches code from {} and runs it
java -cp=*://*|-classpath=*://* => network-exec: runs classes from the network
node --import|--loader|-r|--require=http* => network-exec: runs code from the network
zmodload zsh/net/tcp|zsh/net/socket => network-exec: opens raw connections from the shell
"""
