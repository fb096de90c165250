"""Which files look protected by a pattern and are not, as data."""

from __future__ import annotations

OPEN_TO_READ = (
    "*.pub$",
    "~/.ssh/config$",
    "~/.ssh/config.d",
    "~/.ssh/known_hosts$",
    "~/.ssh/known_hosts.old$",
    "~/.ssh/authorized_keys$",
    "~/.aws/config$",
    "~/.gnupg/gpg.conf$",
    "~/.gnupg/gpg-agent.conf$",
    "~/.gnupg/dirmngr.conf$",
    "~/.kube/kubectx",
    "~/.kube/cache",
    "~/.minikube/logs",
    ".env.example$",
    ".env.*.example$",
    ".env.sample$",
    ".env.*.sample$",
    ".env.template$",
    ".env.*.template$",
    ".env.tpl$",
    ".env.dist$",
    ".env.default$",
    ".env.defaults$",
    ".env.schema$",
    ".env.test$",
    ".env.testing$",
    ".env.ci$",
    "example.env$",
    "sample.env$",
    "template.env$",
    "*.example.env$",
    "test.env$",
    "/etc/ssl/certs",
    "/usr/share",
    "/usr/lib",
    "/usr/include",
    "/usr/local/share/ca-certificates",
    "/usr/src",
    "fixtures",
    "__fixtures__",
    "testdata",
    "templates/secret.yaml$",
    "templates/secrets.yaml$",
    "debug.keystore$",
    "site-packages",
    "dist-packages",
    "node_modules",
    "certifi/cacert.pem$",
    "cacert.pem$",
    "cert.pem$",
    "*cert.pem$",
    "*-cert*.pem$",
    "*_cert*.pem$",
    "certificate*.pem$",
    "*.crt.pem$",
    "ca.pem$",
    "ca-*.pem$",
    "*-ca.pem$",
    "*chain.pem$",
    "chain*.pem$",
    "dhparam*.pem$",
    "*public*.pem$",
    "pubkey*.pem$",
    "*.pub.pem$",
    "*public*.key$",
    "*.pub.key$",
)
"""What looks like a secret by one of the patterns above and is none."""

STATE_SECRETS = ("*.db*", "*token*", "*auth*", "*credential*", "*secret*", "*.key*", ".env*")
"""Names below hermes's own home that ask before they are read; the rest is settings and notes."""

OPEN_TO_WRITE = (
    "~/.ssh/known_hosts$",
    ".vscode/.ropeproject",
    ".git/info/exclude$",
)
"""What a pattern above covers and nobody minds."""

NOT_WHEN_DELETED = ("agents.md$", "claude.md$", "*.pth$", "mcp.json$")
"""Protected files whose mere removal plants nothing."""
