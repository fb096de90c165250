"""What is understood of commands that run, or copy, somewhere else."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes.policy.paths import Places
from hermes.policy.shell.effects import UNKNOWN, Effect
from hermes.policy.shell.model import Program, alternatives, told_apart
from hermes.policy.shell.models import (
    clouds_aws,
    clouds_azure,
    clouds_google,
    clouds_others,
    clusters,
    clusters_tools,
    configuration,
    containers,
    infrastructure,
    machines,
    platforms,
    publishing,
    secrets,
    stores,
)
from hermes.policy.shell.models.inside import in_cluster, in_container, in_service
from hermes.policy.shell.models.looking import behind, changes_unless
from hermes.policy.shell.models.mounts import rights
from hermes.policy.shell.models.transfers import copies, starting, with_colon
from hermes.policy.shell.state import Place
from hermes.policy.shell.understanding import understand

PLACE = Place("/home/dev/app", Places(("/home/dev/app",), "/home/dev", "/home/dev/.hermes"))
FAMILIES = (
    clouds_aws, clouds_azure, clouds_google, clouds_others, clusters, clusters_tools, configuration,
    containers, infrastructure, machines, platforms, publishing, secrets, stores,
)  # fmt: skip
NAMES = sorted(
    {name for family in FAMILIES for key in family.PROGRAMS for name in alternatives(key)}
)
WORDS = [
    "--",
    "-",
    "-v",
    "-v=",
    "--mount",
    "a:b",
    ":",
    "exec",
    "run",
    "--env",
    "=",
    "'",
    "x=y",
    UNKNOWN,
]
PLAIN = Program()


def call(text, program=PLAIN):
    name, *words = shlex.split(text)
    return told_apart(name, words, program)


def kinds(effects):
    return [effect.category or effect.kind for effect in effects]


@settings(max_examples=400)
@given(
    st.sampled_from(NAMES),
    st.lists(st.sampled_from(WORDS) | st.text(max_size=8), max_size=7),
)
def test_no_words_break_the_understanding_of_a_program(name, words):
    command = f"{name} {shlex.join(words)}"

    assert understand(command, PLACE).commands is not None


@given(st.lists(st.text(max_size=10), max_size=6))
def test_no_words_break_the_look_inside(words):
    for judge in (in_container, in_service, in_cluster):
        assert all(isinstance(effect, Effect) for effect in judge(words))


def test_a_call_that_no_line_matches_changes_something():
    judge = changes_unless("get|describe\nconfig view")

    assert kinds(judge(call("x get pods"))) == []
    assert kinds(judge(call("x config view"))) == []
    assert kinds(judge(call("x config set"))) == ["infrastructure"]
    assert kinds(judge(call("x delete get"))) == ["infrastructure"]


def test_a_call_without_operands_or_for_help_changes_nothing():
    judge = changes_unless("get")

    assert [kinds(judge(call(text))) for text in ("x", "x --flag", "x help delete")] == [[], [], []]


def test_subcommands_are_taken_off_in_their_order():
    assert behind(call("docker container run run"), "container", "run") == ("run",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s3 cp a s3://b", ["read", "exfiltration"]),
        ("s3 cp s3://a s3://b", ["infrastructure"]),
        ("s3 cp s3://a b", ["net", "write"]),
        ("s3 cp s3://a .", ["net"]),
        ("s3 mv s3://a .", ["net", "infrastructure"]),
        ("s3 sync s3://a b --delete", ["net", "write", "delete", "delete"]),  # by word and by path
        (f"s3 cp a {UNKNOWN}", ["read", "exfiltration"]),
        ("s3 cp a", []),
    ],
)
def test_the_direction_of_a_copy_decides(text, expected):
    judge = copies(starting("s3://"), skip=1)

    assert kinds(judge(call(text))) == expected


def test_a_remote_has_a_colon_and_a_path_has_none():
    assert [with_colon(name) for name in ("r:b", "./a:b", "/a", "~/b:c")] == [
        True,
        False,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("-v /:/host", ["privilege"]),
        ("-v data:/data", []),
        ("-v /home/dev/app:/app", []),
        ("-v /home/dev:/h", ["privilege"]),
        ("-v /home/dev/other:/o", ["write"]),
        ("-v /home/dev/other:/o:ro", ["read"]),
        ("-v /etc/localtime:/etc/localtime:ro", []),
        ("-v /home/dev/.cache/pip:/c", []),
        ("--mount type=bind,src=/,dst=/h", ["privilege"]),
        ("--mount type=volume,src=data,dst=/d", []),
        ("--privileged=false", []),
        ("--pid host", ["privilege"]),
        ("--cap-add sys_admin", ["privilege"]),
        ("--cap-add NET_BIND_SERVICE", []),
        ("--device /dev/dri", []),
        ("--device /dev/sda", ["privilege"]),
        ("--security-opt no-new-privileges", []),
        ("--restart always", ["persistence"]),
    ],
)
def test_what_a_container_is_given_decides(options, expected):
    program = Program(values="-v --mount --pid --cap-add --device --security-opt --restart")
    given_ = call(f"docker {options} image", program)._replace(
        cwd="/home/dev/app", home="/home/dev"
    )

    assert kinds(rights(given_)) == expected


@pytest.mark.parametrize("inner", ["ls /", "cat /etc/hosts", "sh", "sh -c 'ps aux | grep x'"])
def test_looking_around_on_a_remote_machine_is_no_danger(inner):
    assert [one for one in in_cluster(shlex.split(inner)) if one.category] == []


@pytest.mark.parametrize("inner", ["touch x", "env", "sh -c 'ls; reboot'", "cat /run/secrets/x"])
def test_doing_something_on_a_remote_machine_is_a_danger(inner):
    assert [one for one in in_cluster(shlex.split(inner)) if one.category] != []


@pytest.mark.parametrize(
    "command",
    [
        "docker run --rm -v $PWD:/w alpine sh -c 'rm -rf /w/node_modules'",
        "docker run --rm -v $PWD:/app -w /app node sh -c 'rm -rf node_modules && npm ci'",
        "docker run --rm -v $PWD:/s ubuntu bash -c 'apt-get update && rm -rf /var/lib/apt/lists/*'",
        "docker run --rm alpine rm -rf /etc",
        "docker run --rm -v pgdata:/data -v $PWD:/backup alpine tar czf /backup/x.tgz /data",
        "kubectl get secret x -o=name",
        "gcloud compute ssh vm -- uptime",
        "kubectl --context kind-dev apply -f k8s/",
        "aws --endpoint-url http://localhost:4566 s3 mb s3://x",
    ],
)
def test_what_stays_in_a_container_or_an_emulator_is_no_danger(categories, command):
    assert categories(command) == set()


@pytest.mark.parametrize(
    "command",
    [
        "docker run -v $PWD:/app app rm -rf /app/.git",
        "docker run --rm -v $PWD:/app -w /app node sh -c 'rm -rf *'",
        "docker run --rm -v $PWD:/w ubuntu sh -c 'apt-get update && rm -rf /w/src'",
        "docker exec web bash -c 'cd /srv && rm -rf uploads; apt-get update'",
        "docker exec db sh -c 'for t in a b; do psql -c \"DROP TABLE $t\"; done'",
        "kubectl --context kind-dev delete ns x",
        "kubectl exec -i db-0 -- psql -U x < dump.sql",
        "docker run --rm -v pgdata:/data alpine sh -c 'rm -rf /data/*'",
        "docker run --rm --volumes-from db -v $PWD:/backup ubuntu tar xf /backup/b.tar -C /",
        "docker run -itv /:/host alpine",
        "docker run -v=/:/host alpine",
        "docker exec -itu root web rm -rf /x",
        "kubectl exec -itn prod web -- rm -rf /x",
        "kubectl get -o=yaml secret db",
        "gcloud compute ssh vm -- sudo rm -rf /data",
        "docker $CMD web",
        "sudo docker system prune -af",
        "xargs -n1 kubectl delete pod < pods.txt",
        "docker ps -q | xargs docker stop",
        "bash -c 'kubectl delete ns prod'",
    ],
)
def test_what_reaches_out_of_a_container_is_a_danger(categories, command):
    assert categories(command) != set()
