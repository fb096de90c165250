"""What keepers of secrets are understood to do."""

from __future__ import annotations

import pytest

from hermes.policy.paths import Places
from hermes.policy.shell.state import Place
from hermes.policy.shell.understanding import understand

PLACE = Place("/home/dev/app", Places(("/home/dev/app",), "/home/dev", "/home/dev/.hermes"))


def categories(command):
    return {finding.category for finding in understand(command, PLACE).findings}


DANGEROUS = [
    ("vault read secret/x", "exfiltration"),
    ("vault kv get secret/prod/db", "exfiltration"),
    ("vault kv get -field=password secret/x", "exfiltration"),
    ("vault kv put secret/x a=b", "privilege"),
    ("vault kv delete secret/x", "privilege"),
    ("vault write auth/x y=z", "privilege"),
    ("vault token create", "exfiltration"),
    ("vault operator seal", "infrastructure"),
    ("vault login x", "privilege"),
    ("vault secrets disable kv", "privilege"),
    ("vault -address=https://v kv get secret/x", "exfiltration"),
    ("consul kv put a b", "infrastructure"),
    ("consul kv delete -recurse x", "infrastructure"),
    ("consul leave", "infrastructure"),
    ("op read op://prod/db/password", "exfiltration"),
    ("op item get x --fields password", "exfiltration"),
    ("op item delete x", "exfiltration"),
    ("op run -- rm -rf ~/work", "delete"),
    ("bw get password x", "exfiltration"),
    ("bw export", "exfiltration"),
    ("bw list items", "exfiltration"),
    ("pass show x", "exfiltration"),
    ("pass email/x", "exfiltration"),
    ("pass -c x", "exfiltration"),
    ("pass rm x", "privilege"),
    ("gopass show x", "exfiltration"),
    ("lpass show --password x", "exfiltration"),
    ("doppler secrets", "exfiltration"),
    ("doppler secrets get X --plain", "exfiltration"),
    ("infisical secrets", "exfiltration"),
    ("sops -d secrets.yaml", "exfiltration"),
    ("sops decrypt x", "exfiltration"),
    ("sops secrets.yaml", "exfiltration"),
    ("age -d -i key.txt x.age", "exfiltration"),
    ("gpg --export-secret-keys --armor", "exfiltration"),
    ("gpg -a --export-secret-keys KEY", "exfiltration"),
    ("gpg --decrypt x.gpg", "exfiltration"),
    ("gpg -d x.gpg", "exfiltration"),
    ("gpg --delete-secret-keys x", "delete"),
    ("gpg --batch --yes --delete-secret-and-public-key x", "delete"),
    ("gpg --send-keys x", "publish"),
    ("chamber read svc key", "exfiltration"),
    ("chamber export svc", "exfiltration"),
    ("aws-vault exec prod -- env", "exfiltration"),
    ("keyring get sys user", "exfiltration"),
    ("security find-generic-password -w -s x", "exfiltration"),
    ("security dump-keychain -d", "exfiltration"),
    ("secret-tool lookup x y", "exfiltration"),
    ("ssh-add -D", "privilege"),
    ("ssh-keygen -y -f ~/.ssh/id_rsa", "exfiltration"),
    ("ssh-keygen -t rsa -f ~/.ssh/id_rsa -N ''", "persistence"),
    ("openssl rsa -in ~/.ssh/id_rsa", "exfiltration"),
    ("certbot delete --cert-name x", "infrastructure"),
    ("certbot renew", "infrastructure"),
    ("mkcert -install", "privilege"),
    ("kinit admin", "privilege"),
    ("docker login", "publish"),
    ("git-crypt unlock", "exfiltration"),
    ("ansible-vault view x", "exfiltration"),
]

HARMLESS = [
    "vault status",
    "vault secrets list",
    "vault kv list secret/",
    "vault policy read x",
    "vault server -dev",
    "consul members",
    "consul kv get x",
    "op whoami",
    "op vault list",
    "op item list",
    "op run --env-file .env -- npm start",
    "bw status",
    "bw sync",
    "pass ls",
    "pass",
    "doppler run -- npm test",
    "doppler setup",
    "infisical run -- npm run dev",
    "sops -e -i secrets.yaml",
    "sops --encrypt x.yaml",
    "age -r age1x -o x.age x",
    "gpg --verify x.sig x",
    "gpg --list-keys",
    "gpg --list-secret-keys",
    "gpg --encrypt -r bob x",
    "gpg --import key.asc",
    "gpg --version",
    "gpg --detach-sign x",
    "ssh-add -l",
    "ssh-keygen -l -f key.pub",
    "ssh-keygen -t ed25519 -f ./deploy_key -N ''",
    "openssl x509 -in cert.pem -noout -text",
    "openssl rand -hex 32",
    "openssl dgst -sha256 x",
    "openssl s_client -connect example.com:443",
    "openssl req -x509 -newkey rsa:2048 -keyout key.pem -out cert.pem -days 365 -nodes",
    "certbot certificates",
    "certbot renew --dry-run",
    "mkcert localhost",
    "step certificate inspect x.crt",
    "klist",
]


@pytest.mark.parametrize(("command", "category"), DANGEROUS)
def test_secrets_that_do_harm_are_found(command, category):
    assert category in categories(command)


@pytest.mark.parametrize("command", HARMLESS)
def test_secrets_of_every_day_are_not_asked_about(command):
    assert categories(command) == set()
