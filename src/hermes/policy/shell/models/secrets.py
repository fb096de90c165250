"""Keepers of secrets: vault, op, bw, pass, sops, age, gpg, key rings, certificates, tickets."""

from __future__ import annotations

from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.inside import command
from hermes.policy.shell.models.looking import behind, changes_unless


def _gpg(call: Call) -> Iterator[Effect]:
    """Yield what gpg does with keys; ciphers and signatures of files are its everyday work."""
    if call.has("--export-secret-keys", "--export-secret-subkeys", "--export-secret-key"):
        yield danger("exfiltration", "writes out private keys")
    if call.has("--delete-secret-keys", "--delete-secret-key", "--delete-secret-and-public-key"):
        yield danger("delete", "deletes private keys")
    changes = ("--delete-keys", "--delete-key", "--edit-key", "--import-ownertrust")
    if call.has(*changes, "--lsign-key", "--sign-key"):
        yield danger("privilege", "changes the key ring")
    if call.has("--gen-revoke", "--generate-revocation", "--quick-revoke-uid"):
        yield danger("privilege", "revokes a key")
    if call.has("--send-keys"):
        yield danger("publish", "publishes a key")
    if call.has("-d", "--decrypt", "--decrypt-files") and not call.has("--list-only"):
        yield danger("exfiltration", f"decrypts {' '.join(call.operands) or 'something'}")
    output = call.value("-o", "--output")
    if output and output != "-":
        yield Effect("write", output)
    if output in call.operands:
        yield danger("overwrite", f"writes over {output}")


def _run_with_secrets(call: Call) -> Iterator[Effect]:
    """Yield what a command does that is handed secrets in its environment."""
    words = behind(call, "run", "exec")
    for text in call.values("--command"):
        yield Effect("run", text)
    if words:
        yield command(words)


def _chamber_run(call: Call) -> Iterator[Effect]:
    """Yield what a command does behind ``--``, which parts it from the names of services."""
    words = call.words
    if "--" in words:
        yield command(words[words.index("--") + 1 :])


def _sops(call: Call) -> Iterator[Effect]:
    """Find calls of sops that decrypt."""
    verb = call.operands[0] if call.operands else ""
    if call.has("-d", "--decrypt") or verb in ("decrypt", "edit", "exec-env", "exec-file"):
        yield danger("exfiltration", f"decrypts {' '.join(call.operands) or 'something'}")
    elif verb and verb not in _SOPS_VERBS and not call.has("-e", "--encrypt", "-r", "--rotate"):
        yield danger("exfiltration", f"opens {verb} decrypted")


_SOPS_VERBS = ("encrypt", "updatekeys", "filestatus", "publish", "groups", "rotate", "set")
_VAULT = (
    "-address -namespace -ca-cert -client-cert -client-key -format -field -mount -token -version"
)

PROGRAMS: dict[str, Program] = {
    "vault|bao": Program(
        values=_VAULT,
        dashes="single",
        dry="-help -output-curl-string -output-policy",
        handler=changes_unless(
            """
            status|list|path-help|print|monitor|debug|server
            kv list|metadata
            secrets|auth|policy|audit|plugin list|read|fmt|info|help
            token capabilities
            lease lookup
            operator members|diagnose|usage|key-status
            operator raft list-peers
            namespace list|lookup
            read|unwrap
            kv get
            """,
            "privilege",
            "the vault",
        ),
    ),
    "consul": Program(
        values="-http-addr -token -datacenter -namespace -ca-file -partition",
        dashes="single",
        dry="-help",
        handler=changes_unless(
            """
            members|info|monitor|validate|rtt|debug|watch
            catalog|config|intention|connect|peering list|nodes|services|datacenters|read|check
            acl token|policy|role|auth-method list|read
            kv get|export
            operator raft|autopilot list-peers|get-config|state
            snapshot inspect|save
            agent
            services export
            """,
            where="the cluster",
        ),
    ),
    "op": Program(values="--account --vault --format --fields --session --config --cache"),
    "op run": Program(values="--env-file --account", stops=True, handler=_run_with_secrets),
    "bw": Program(values="--session --organizationid"),
    "pass|gopass": Program(),
    "doppler": Program(values="-p --project -c --config --scope -t --token --format"),
    "doppler run": Program(
        values="-p --project -c --config --command -t --token",
        stops=True,
        handler=_run_with_secrets,
    ),
    "infisical": Program(values="--env --path --projectId --token --format"),
    "infisical run": Program(
        values="--env --path --projectId --token --command", stops=True, handler=_run_with_secrets
    ),
    "chamber exec": Program(handler=_chamber_run),
    "sops": Program(
        values="--age --pgp --kms --gcp-kms --input-type --output-type --config --extract --set",
        options={"--output": "write"},
        handler=_sops,
    ),
    "age|rage": Program(
        "read*", "-r --recipient -R --recipients-file -i --identity", {"-o|--output": "write"}
    ),
    "gpg|gpg2": Program(
        values="-r --recipient -u --local-user --default-key -o --output --homedir --keyserver"
        " --passphrase --passphrase-file --pinentry-mode --keyring",
        handler=_gpg,
    ),
    "ssh-add": Program("read*", values="-t -T -s -e -H -h"),
    "certbot|acme.sh|lego|dehydrated": Program(values="-d --domain --domains -m --email -w"),
    "step": Program(values="--ca-url --root --provisioner --not-after"),
    "mkcert": Program(values="-cert-file -key-file -p12-file", dashes="single"),
    "klist|kdestroy|kinit": Program(),
}

RULES = """
vault|bao read|unwrap => exfiltration: prints the secret {}
vault|bao kv get => exfiltration: prints the secret {}
vault|bao print token => exfiltration: prints a token
vault|bao token lookup => exfiltration: prints a token
vault|bao token create => exfiltration: makes a token
vault|bao operator seal|step-down|rekey|init|generate-root => infrastructure: closes the vault
vault|bao delete => infrastructure: deletes {} from the vault
vault|bao kv delete|destroy|metadata delete => infrastructure: deletes {} from the vault
vault|bao kv metadata delete|put|patch => infrastructure: changes {} in the vault
consul kv delete -recurse => infrastructure: deletes everything below {}
consul keygen => privilege: makes a key of the cluster
consul kv get *secret*|*password*|*token* => exfiltration: prints the secret {}
consul kv get -recurse => exfiltration: prints everything below {}
consul kv export => exfiltration: prints everything that is kept
op read|inject|signin => exfiltration: prints the secret {}
op item get|create|edit|delete|share|move => exfiltration: opens the secret {}
op document get|create|edit|delete => exfiltration: opens the document {}
op user|vault|group|connect|service-account create|delete|edit|suspend => privilege: changes {}
op get|create|edit|delete|forget => exfiltration: opens the secret {}
op run --no-masking => exfiltration: shows secrets to a command
bw get|export|unlock|login|send|receive => exfiltration: opens the secret {}
bw list items => exfiltration: prints all secrets
bw create|edit|delete|move|restore|share|import => privilege: changes secrets: {}
pass|gopass show|grep|otp|cat => exfiltration: prints the secret {}
pass|gopass -c|--clip => exfiltration: copies a secret to the clipboard
pass|gopass rm|remove|delete|mv|move|insert|edit|generate|init|git => privilege: changes secrets: {}
pass|gopass !ls|list|find|search|version|help|show|grep * => exfiltration: prints the secret {}
lpass show|export => exfiltration: prints the secret {}
lpass rm|edit|add|generate|mv|duplicate|passwd|share|import|login => privilege: changes secrets: {}
doppler secrets !set|upload|delete|notes => exfiltration: prints the secrets of the project
doppler secrets set|upload|delete => privilege: changes the secrets of the project
doppler projects|environments|configs delete|create|update|rename|lock => privilege: changes {}
doppler login|logout => privilege: changes who signs in
doppler configure get token => exfiltration: prints a token
doppler configs tokens create => exfiltration: makes a token
infisical secrets !set|delete|folders => exfiltration: prints the secrets of the project
infisical export => exfiltration: prints the secrets of the project
infisical secrets set|delete => privilege: changes the secrets of the project
infisical login|reset => privilege: changes who signs in
chamber read|export|env|find => exfiltration: prints secrets
chamber write|delete|import => privilege: changes secrets
age|rage -d|--decrypt => exfiltration: decrypts {}
keyring get => exfiltration: prints the secret {}
keyring set|del => privilege: changes the secret {}
secret-tool lookup|search => exfiltration: prints a secret
secret-tool store|clear => privilege: changes a secret
kwallet-query|kwalletcli -r|-f => exfiltration: prints a secret
ssh-keygen -y => exfiltration: opens a private key
ssh-keygen -p => privilege: changes the passphrase of a key
openssl rsa|pkey|ec|dsa -in !-pubout|-pubin|-check|-out => exfiltration: prints a private key
openssl pkcs12 -nodes|-noenc !-export => exfiltration: prints a private key
certbot delete|revoke|unregister|rollback => infrastructure: gives up certificates
certbot certonly|renew|run|install|enhance !--dry-run => infrastructure: changes certificates
certbot --nginx|--apache|--standalone => infrastructure: changes certificates
acme.sh --issue|--revoke|--remove|--install-cert|--renew => infrastructure: changes certificates
lego|dehydrated run|renew|revoke|-c => infrastructure: changes certificates
step ca init|revoke|certificate|renew|rekey|token|bootstrap => privilege: changes certificates
step certificate install|uninstall => privilege: changes whom this machine trusts
step ssh certificate|login|config|proxycommand => privilege: makes keys
step crypto jwe|key decrypt|format => exfiltration: opens a key
mkcert -install|-uninstall => privilege: changes whom this machine trusts
kinit|kdestroy * => privilege: changes the tickets of this machine
kinit -k|-R|-kt => privilege: changes the tickets of this machine
kadmin|kadmin.local|ktutil => privilege: changes who may sign in
htpasswd -b|-p|-n => exfiltration: shows a password
ykman ... reset|delete|change-*|set-* => privilege: changes a security key
git-crypt unlock|export-key|lock => exfiltration: opens secrets of the repository
git-secret reveal|cat|hide|removeperson|tell => exfiltration: opens secrets of the repository
blackbox_decrypt_all_files|blackbox_cat|blackbox_edit_start => exfiltration: decrypts files
berglas access|exec => exfiltration: prints the secret {}
teller show|export|env|yaml|sh => exfiltration: prints secrets
dotenv-vault pull|push|decrypt|open|keys => exfiltration: opens secrets of the project
dotenvx decrypt|get|keypair => exfiltration: prints secrets of the project
ejson decrypt => exfiltration: decrypts {}
credstash get|getall => exfiltration: prints secrets
summon|envconsul|envchain => exfiltration: hands secrets to a command
"""
