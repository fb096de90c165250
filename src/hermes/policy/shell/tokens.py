"""Tell by its name whom a token belongs to: it may go to its owner, and to nobody else."""

from __future__ import annotations

import re
from collections.abc import Iterable

_OWNERS = (
    (re.compile(r"^(?:GH|GITHUB)_"), ("github.com", "githubusercontent.com", "ghcr.io")),
    (re.compile(r"^(?:GITLAB|CI_JOB)_"), ("gitlab",)),
    (re.compile(r"^(?:NPM|NODE_AUTH)_"), ("npmjs.org", "npmjs.com", "npm.pkg.github.com")),
    (re.compile(r"^(?:PYPI|TWINE)_"), ("pypi.org",)),
    (re.compile(r"^AWS_(?:SECRET|SESSION|ACCESS)_"), ("amazonaws.com", "aws.amazon.com")),
    (re.compile(r"^OPENAI_"), ("openai.com", "openai.azure.com")),
    (re.compile(r"^(?:ANTHROPIC|CLAUDE)_"), ("anthropic.com",)),
    (re.compile(r"^(?:GEMINI|GOOGLE)_"), ("googleapis.com", "google.com")),
    (re.compile(r"^(?:HF|HUGGINGFACE|HUGGING_FACE)_"), ("huggingface.co",)),
    (re.compile(r"^STRIPE_"), ("stripe.com",)),
    (re.compile(r"^SLACK_"), ("slack.com",)),
    (re.compile(r"^(?:CF|CLOUDFLARE)_"), ("cloudflare.com",)),
    (re.compile(r"^(?:DO|DIGITALOCEAN)_"), ("digitalocean.com",)),
    (re.compile(r"^HEROKU_"), ("heroku.com", "herokuapp.com")),
    (re.compile(r"^VERCEL_"), ("vercel.com",)),
    (re.compile(r"^NETLIFY_"), ("netlify.com",)),
    (re.compile(r"^SENTRY_"), ("sentry.io",)),
    (re.compile(r"^(?:DD|DATADOG)_"), ("datadoghq.com", "datadoghq.eu")),
    (re.compile(r"^TWILIO_"), ("twilio.com",)),
    (re.compile(r"^SENDGRID_"), ("sendgrid.com",)),
    (re.compile(r"^(?:DOCKER|DOCKERHUB)_"), ("docker.com", "docker.io")),
    (re.compile(r"^LINEAR_"), ("linear.app",)),
    (re.compile(r"^(?:JIRA|ATLASSIAN)_"), ("atlassian.net", "atlassian.com")),
)  # fmt: skip
_SAYS = "secret:"


def origin_of(name: str) -> str:
    """Return the origin that stands for the value of a secret variable."""
    return _SAYS + name


def strays(origins: Iterable[str], hosts: Iterable[str]) -> str | None:
    """Return the name of a token that goes to a host which is not its owner's."""
    for name in (origin[len(_SAYS) :] for origin in origins if origin.startswith(_SAYS)):
        owners = next((hosts for pattern, hosts in _OWNERS if pattern.match(name)), None)
        if owners and not all(any(owner in host for owner in owners) for host in hosts):
            return name
    return None
