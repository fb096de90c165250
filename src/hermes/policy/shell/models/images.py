"""Know whose container images people run: the engine's own, well-known makers', or a stranger's."""

from __future__ import annotations

import re
from posixpath import basename

from hermes.policy.shell.effects import UNKNOWN
from hermes.policy.shell.model import Call
from hermes.policy.shell.models.words import words

_MAKERS = frozenset(
    words(
        """
    library bitnami bitnamilegacy grafana prom hashicorp amazon apache elastic confluentinc minio
    selenium seleniarm localstack mailhog axllent timescale postgis redis redislabs nginxinc
    jupyter tensorflow pytorch nvidia continuumio condaforge mambaorg rocm paketobuildpacks
    gradle cimg circleci drone gitlab gitea sonarsource sonarqube jenkins atlassian portainer
    traefik envoyproxy istio linkerd cilium calico rancher kindest bitwarden vaultwarden
    semgrep returntocorp aquasec anchore checkmarx bridgecrew zricethezav trufflesecurity snyk
    owasp hadolint koalaman mvdan cytopia tonistiigi moby docker linuxserver curlimages alpine
    dpage adminer mcr clickhouse yandex cockroachdb mariadb percona mysql mongodb mongo neo4j
    arangodb surrealdb qdrant chroma chromadb semitechnologies milvusdb opensearchproject
    getmeili typesense valkey dragonflydb memcached edoburu rabbitmq nats eclipse-mosquitto
    emqx openjdk eclipse-temurin adoptopenjdk azul ibmjava microsoft dotnet mono swift rust golang
    node python denoland oven ruby php composer wordpress ghost cypress playwright browserless
    zenika buildkite golangci goreleaser sqlfluff flyway liquibase migrate amacneil sqlc bufbuild
    namely openapitools swaggerapi redocly stoplight postman pandoc texlive plantuml minlag
    squidfunk jekyll hugomods klakegg bretfisher jaegertracing openzipkin otel fluent vectordotdev
    datadog newrelic sentry getsentry argoproj fluxcd helmuser alpine-helm lachlanevenson dtzar
    wiremock mockserver stripe stripemock ollama vllm huggingface n8nio keycloak oryd dexidp
    pgvector ankane supabase hasura postgrest graphile metabase redash superset airflow
    prefecthq dagster apacheairflow budibase unleashorg flagsmith growthbook gotenberg
    """
    )
)
_REGISTRIES = re.compile(
    r"""(?:mcr\.microsoft\.com|registry\.k8s\.io|k8s\.gcr\.io|nvcr\.io/nvidia|docker\.elastic\.co
    |container-registry\.oracle\.com|registry\.access\.redhat\.com|registry\.redhat\.io|cgr\.dev
    |gcr\.io/(?:distroless|google\w*|cloud\w*|kaniko-project|k8s\w*|bazel\w*)
    |public\.ecr\.aws/(?:docker|lambda|aws\w*|amazon\w*|sam|bitnami)
    |quay\.io/(?:prometheus\w*|keycloak|coreos|jetstack|podman|buildah|skopeo|argoproj|minio|centos
        |fedora|jupyter|pypa|ansible|strimzi|operator\w*|cilium|calico|containers|quay|thanos)
    |ghcr\.io/(?:astral-sh|actions|github|super-linter|oxsecurity|aquasecurity|puppeteer|home-assistant
        |open-webui|openai|anthropics|devcontainers|prefix-dev|pypa|rust-cross|cross-rs|gitleaks
        |hadolint|goreleaser|golangci|terraform-linters|renovatebot|mlflow|berriai|linuxserver)
    |.*\.dkr\.ecr\..*\.amazonaws\.com|.*\.azurecr\.io|.*-docker\.pkg\.dev|registry\.gitlab\.com
    |.*\.(?:internal|local|lan|corp))(?:/|$)""",
    re.VERBOSE,
)
"""Registries of makers whose work developers build on, and those that only their owner fills."""
_OWN_TAG = re.compile(
    r"(?i)(?:.*[-_.])?(?:dev|devel|local|test|tests|ci|debug|wip|snapshot|build)(?:[-_.].*)?"
)
_BUILDS = frozenset({"build", "bake", "bud", "tag", "load", "import", "commit", "compose"})


def stranger(call: Call, image: str) -> str | None:
    """Return the image that a container would be made of when nobody here knows its maker."""
    if not image or UNKNOWN in image or image.startswith(("/", ".", "$", "-")):
        return None
    name, tag = _parted(image)
    parts = name.split("/")
    if parts[0] in ("docker.io", "index.docker.io", "registry-1.docker.io"):
        parts = parts[1:]
    if len(parts) == 1 or parts[0].startswith(("localhost", "127.0.0.1")):
        return None
    is_hub = "." not in parts[0] and ":" not in parts[0]
    if (is_hub and parts[0].lower() in _MAKERS) or _REGISTRIES.match(name):
        return None
    if _OWN_TAG.fullmatch(tag) or _is_own(call, name, parts[-1]):
        return None
    return image


def _parted(image: str) -> tuple[str, str]:
    """Return the name of an image and its tag."""
    name = image.partition("@")[0]
    head, colon, tag = name.rpartition(":")
    return (head, tag) if colon and "/" not in tag else (name, "")


def _is_own(call: Call, name: str, last: str) -> bool:
    """Say whether an image is the project's own: called like it, or built by this command."""
    folder = basename(call.cwd.rstrip("/"))
    if folder and last in (folder, f"{folder}-dev"):
        return True
    return any(
        _BUILDS & set(words[1:4]) and any(_parted(word)[0] == name for word in words[1:])
        for words in call.earlier
    )
