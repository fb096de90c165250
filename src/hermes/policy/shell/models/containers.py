"""Containers: docker, podman, nerdctl, compose, buildah, skopeo, ctr, crictl."""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterator

from hermes.policy.shell.effects import UNKNOWN, Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.inside import in_service
from hermes.policy.shell.models.looking import behind, changes_unless
from hermes.policy.shell.models.mounts import VALUES, entered, rights, started

_GLOBAL = "--config --context -H --host -l --log-level --tlscacert --tlscert --tlskey --root"
_GLOBAL += " --connection --url --namespace --address --identity --storage-driver -c"
_COMPOSE = "-f --file -p --project-name --profile --project-directory --env-file --ansi --parallel"
_NAMED = "-f --filter --format -t --time --timeout -n --last --since --until --tail -s --signal"
_BUILD = """
-t --tag -f --file --build-arg --target --platform --cache-from --cache-to -o --output --progress
--secret --ssh --label --network --iidfile --add-host --builder --metadata-file --build-context
--allow --attest --provenance --sbom --set -m --memory --shm-size --ulimit --format --isolation
"""
_LOCAL = ("unix://", "npipe://", "default", "desktop-linux", "colima", "orbstack", "rootless")


_KEEPER = re.compile(
    r"^(?:postgres\w*|mysql|mariadb|mongo\w*|redis|database|elasticsearch|rabbitmq|kafka|db)$|prod\b"
)
_HERMES = re.compile(r"(?:\w+[-_])?hermes(?:[-_](?:agent|gateway|\d+))*")
_NAMES_ONLY = (
    "-q", "--quiet", "--services", "--images", "--volumes", "--profiles", "--hash", "--networks",
    "--no-interpolate", "--models", "--environment",
)  # fmt: skip
_VOLUMES = re.compile(r"-[a-z]*v[a-z]*|--volumes")


def _everything(call: Call) -> Iterator[Effect]:
    """Find ``docker stop $(docker ps -q)`` and the like: nobody can say which ones it meets."""
    yield from _remote(call)
    words = behind(call, "container", "stop", "kill", "rm", "rmi", "image", "restart", "pause")
    if any(UNKNOWN in word for word in words):
        yield danger("infrastructure", f"{call.name} acts on containers that a command picks")
    for word in words:
        if _HERMES.fullmatch(word) and call.operands[0] in ("stop", "kill", "pause", "rm"):
            yield danger("process", f"stops the container {word}, and hermes in it")
        if _KEEPER.search(word) and call.operands[0] in ("stop", "kill", "pause", "rm"):
            yield danger("infrastructure", f"stops {word}, which others may need")


def _copied(call: Call) -> Iterator[Effect]:
    """Yield the file that a copy into a container reads, or out of it writes."""
    operands = behind(call, "compose", "container", "cp")
    if any(
        re.search(r":.*(?:/run/secrets|\.env|id_rsa|/etc/shadow)", path) for path in operands[:1]
    ):
        yield danger("exfiltration", "copies secrets out of a container")
    if any(
        re.search(r":.*(?:entrypoint|/etc/|cron|init\.d|/s?bin)", path) for path in operands[1:2]
    ):
        yield danger("persistence", "puts a file where a container runs it later")
    for path, kind in zip(operands[:2], ("read", "write"), strict=False):
        if path != "-" and (":" not in path or path.startswith((".", "/"))):
            yield Effect("read" if kind == "read" else "write", path)


def _remote(call: Call) -> Iterator[Effect]:
    """Find changes to a docker machine that is not this one."""
    if call.operands and call.operands[0].startswith(UNKNOWN):
        yield danger("opaque", f"asks {call.name} for something that cannot be known beforehand")
    place = call.value("-H", "--host", "--context", "--connection", "--url")
    if place and not place.startswith(_LOCAL):
        yield from _ON_REMOTE(call)


def is_address(text: str) -> bool:
    """Say whether a text is an address on the network."""
    return text.startswith(("http://", "https://", "git@", "oci://", "git::"))


def _has_settings(folder: str) -> bool:
    """Say whether a folder keeps a file of settings that compose fills in for its services."""
    return os.path.lexists(f"{folder}/.env")


def _composed(call: Call) -> Iterator[Effect]:
    """Find volumes that go with the services; ``-f`` has another meaning before the subcommand."""
    yield from _remote(call)
    words = call.words
    if any(is_address(value) for value in call.values("-f", "--file")):
        yield danger("network-exec", "runs services that are described on the network")
    if "config" in call.operands[:2] and not call.has(*_NAMES_ONLY) and _has_settings(call.cwd):
        yield danger("exfiltration", "prints the settings of the services, secrets among them")
    if "rm" in words and any(_VOLUMES.fullmatch(word) for word in words[words.index("rm") :]):
        yield danger("infrastructure", "deletes the volumes of the services")


def _service(call: Call) -> Iterator[Effect]:
    yield from _remote(call)
    yield from started(call)


_ON_REMOTE = changes_unless(
    """
    ps|images|logs|inspect|stats|top|version|info|events|port|diff|history|search|ls|list|pull
    compose ps|logs|config|ls|images|top|version|events|port
    container|image|volume|network|service|stack|node|context ls|list|inspect|ps|logs
    system df|info|events
    """,
    where="a remote machine",
)
_INNER = Program(values=f"{VALUES} {_GLOBAL}", stops=True, handler=_service)
_EXEC = Program(values=f"{VALUES} {_GLOBAL}", stops=True, handler=entered)
_PICKED = Program(values=f"{_NAMED} {_GLOBAL}", handler=_everything)

PROGRAMS: dict[str, Program] = {
    "docker|podman": Program(values=_GLOBAL, handler=_remote),
    "nerdctl": Program(values=f"{_GLOBAL} -n", handler=_remote),
    "docker|podman|nerdctl container|image|builder|buildx": Program(values=_GLOBAL),
    "docker|podman|nerdctl run|create": _INNER,
    "docker|podman|nerdctl container run|create": _INNER,
    "docker|podman|nerdctl exec": _EXEC,
    "docker|podman|nerdctl container exec": _EXEC,
    "docker|podman|nerdctl stop|kill|rm|rmi|restart|pause": _PICKED,
    "docker|podman|nerdctl container|image stop|kill|rm|restart|pause": _PICKED,
    "docker|podman|nerdctl container inspect": Program(values=_NAMED, gives="settings"),
    "docker|podman|nerdctl inspect": Program(values=_NAMED, gives="settings"),
    "docker|podman|nerdctl cp": Program(handler=_copied),
    "docker|podman|nerdctl container cp": Program(handler=_copied),
    "docker|podman|nerdctl ps|images|logs|stats|events|top": Program(values=_NAMED),
    "docker|podman|nerdctl save|export": Program(options={"-o|--output": "write"}, gives="file"),
    "docker|podman|nerdctl load": Program(options={"-i|--input": "read"}),
    "docker|podman|nerdctl build": Program(values=_BUILD, options={"-f|--file": "read"}),
    "docker|podman|nerdctl builder|buildx|image build|bake": Program(
        values=_BUILD, options={"-f|--file": "read"}
    ),
    "docker-compose|podman-compose": Program(values=_COMPOSE, handler=_composed),
    "docker|podman|nerdctl compose": Program(values=f"{_COMPOSE} {_GLOBAL}", handler=_composed),
    "docker-compose|podman-compose run": _INNER,
    "docker|podman|nerdctl compose run": _INNER,
    "docker-compose|podman-compose exec": _EXEC,
    "docker|podman|nerdctl compose exec": _EXEC,
    "docker-compose|podman-compose cp": Program(handler=_copied),
    "docker|podman|nerdctl compose cp": Program(handler=_copied),
    "podman|buildah unshare": Program("command", stops=True),
    "buildah": Program(values="--root --storage-driver --log-level"),
    "buildah bud|build": Program(values=_BUILD, options={"-f|--file": "read"}, handler=rights),
    "buildah run": Program(values=VALUES, stops=True, handler=rights),
    "skopeo": Program(values="--policy --command-timeout --registries.d --tmpdir"),
    "ctr": Program(values="-n --namespace -a --address --timeout --connect-timeout"),
    "crictl": Program(values="-r --runtime-endpoint -i --image-endpoint -c --config -t"),
    "crictl exec": Program(
        values="-r -i --name", stops=True, handler=lambda c: in_service(behind(c, "exec")[1:])
    ),
}

_COMPOSE_RULES = """
COMPOSE down -v|--volumes => infrastructure: deletes the volumes of the services
COMPOSE up|create -V|--renew-anon-volumes => infrastructure: replaces volumes with empty ones
COMPOSE up|down|stop|restart|rm|kill -f=*prod*|--file=*prod* => infrastructure: changes production
COMPOSE up|down|stop|restart|rm|kill -p=*prod*|--profile=*prod* => infrastructure: changes {}
COMPOSE push|publish => publish: pushes the images of the services
"""

_ENGINE_RULES = """
ENGINE rm -f|--force|-v|--volumes|-a|--all => infrastructure: removes running containers: {}
ENGINE container rm -f|--force|-v|--volumes|-a => infrastructure: removes running containers: {}
ENGINE rmi -f|--force|-a|--all => infrastructure: removes images that may be in use: {}
ENGINE image rm|remove -f|--force|-a|--all => infrastructure: removes images that may be in use: {}
ENGINE image prune -a|--all => infrastructure: removes every image that no container uses
ENGINE container prune => infrastructure: removes every stopped container
ENGINE volume rm|remove|prune => infrastructure: deletes volumes with their data: {}
ENGINE network rm|remove|prune => infrastructure: removes container networks: {}
ENGINE network disconnect => infrastructure: takes a container off its network: {}
ENGINE system prune|reset|migrate|renumber => infrastructure: removes all that is not running
ENGINE kill !-s|--signal => infrastructure: kills the containers {}
ENGINE container kill !-s|--signal => infrastructure: kills the containers {}
ENGINE stop|kill|pause|restart -a|--all => infrastructure: stops every container
ENGINE update => infrastructure: changes limits or restarts of {}
ENGINE container update => infrastructure: changes limits or restarts of {}
ENGINE push => publish: pushes the image {}
ENGINE image|manifest|artifact push => publish: pushes {}
ENGINE build --push => publish: pushes the built image
ENGINE buildx|builder|image build|b|bake --push => publish: pushes the built image
ENGINE buildx|builder|image build|b|bake --output=*push=true*|-o=*push=true* => publish: pushes {}
ENGINE buildx|builder|image build|b|bake --output=*registry*|-o=*registry* => publish: pushes {}
ENGINE buildx imagetools create => publish: changes tags in a registry
ENGINE build --allow=*insecure* => privilege: lets a build out of its confinement
ENGINE buildx|builder|image build|b|bake --allow=*insecure* => privilege: lets a build escape
ENGINE login => publish: signs in to the registry {} and stores the credentials
ENGINE plugin install|enable|disable|rm|set|upgrade|push => privilege: changes the engine's plugins
ENGINE trust sign|revoke|key|signer => publish: changes signatures of {}
ENGINE context use|rm|create|update|import => infrastructure: changes which machine docker works on
ENGINE import|load http*://* => network-exec: takes an image from the network: {}
ENGINE build http*://*|git@*|github.com* => network-exec: builds code from the network: {}
ENGINE inspect -f=*Env*|--format=*Env* => exfiltration: prints the settings of {}
ENGINE container inspect -f=*Env*|--format=*Env* => exfiltration: prints the settings of {}
ENGINE context export => exfiltration: writes out the keys of a docker machine
ENGINE swarm * => infrastructure: changes or opens the swarm
ENGINE service|stack|node|secret|config create|rm|remove|update => infrastructure: changes {}
ENGINE service|stack|node scale|rollback|deploy|up|down|promote|demote => infrastructure: changes {}
ENGINE checkpoint rm => infrastructure: removes checkpoints of {}
ENGINE sandbox|model|mcp rm|remove|reset|push|package => infrastructure: removes or pushes {}
ENGINE scout push|enroll|config => publish: changes what docker scout knows
"""

_OTHER_RULES = """
podman machine rm|reset|set|os => infrastructure: changes the virtual machine of podman
podman pod rm|prune|kill => infrastructure: removes the pods {}
podman secret inspect --showsecret => exfiltration: shows the secret {}
podman image scp => exfiltration: copies images to another machine
podman kube|play down => infrastructure: removes the pods of {}
podman kube|play play|kube --replace|--down|--force => infrastructure: replaces the pods of {}
podman kube apply => infrastructure: changes a cluster
podman system connection add|remove|default|rename => infrastructure: changes podman's machine
docker-machine rm|kill|stop|create|provision|upgrade|mv|scp => infrastructure: changes machine {}
buildah rm|rmi|prune -a|--all|-f|--force => infrastructure: removes containers or images
buildah push => publish: pushes the image {}
buildah manifest push => publish: pushes {}
buildah|skopeo login => publish: signs in to the registry {}
skopeo delete => infrastructure: deletes {} from a registry
skopeo copy ... docker://* => publish: copies an image to a registry
skopeo sync --dest=docker => publish: pushes images
ctr containers|container|c|images|image|i rm|remove|delete => infrastructure: removes {}
ctr tasks|task|t rm|remove|delete|kill => infrastructure: ends {}
ctr snapshots|snapshot|namespaces|ns|content|leases rm|remove|delete => infrastructure: removes {}
ctr images|image|i|content push => publish: pushes {}
ctr run|container|containers|c --privileged|--mount => privilege: opens the machine to a container
crictl rm|rmi|rmp|stop|stopp|runp|create|start|update => infrastructure: changes a node: {}
nsenter => privilege: enters another process's view of the machine
runc|crun|youki kill|delete|run|exec|create|start|update => privilege: drives containers: {}
dockerd|containerd => service: starts the container engine
ecs-cli down|delete|rm|stop|scale|up|push|create|compose => infrastructure: changes an ECS cluster
cosign sign|attest|attach|upload|copy|clean => publish: changes signatures in a registry: {}
crane push|delete|copy|cp|tag|append|mutate|rebase|flatten => publish: changes a registry: {}
crane auth login|token => publish: signs in to a registry
regctl image|tag|manifest|blob|artifact copy|delete|put|import|rm => publish: changes a registry: {}
oras push|attach|tag|cp|copy|delete|login => publish: changes a registry: {}
oras manifest|blob|repo push|delete => publish: changes a registry: {}
apptainer|singularity push|sign => publish: pushes the image {}
distrobox|toolbox rm|rmi -f|--force|-a|--all => infrastructure: removes containers: {}
"""

RULES = (
    _ENGINE_RULES.replace("ENGINE", "docker|podman|nerdctl")
    + _COMPOSE_RULES.replace("COMPOSE", "docker|podman|nerdctl compose")
    + _COMPOSE_RULES.replace("COMPOSE", "docker-compose|podman-compose")
    + _OTHER_RULES
)
