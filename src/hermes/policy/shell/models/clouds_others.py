"""Smaller clouds: oci, ibmcloud, aliyun, doctl, hcloud, linode-cli, scw, vultr-cli."""

from __future__ import annotations

from hermes.policy.shell.model import Program
from hermes.policy.shell.models.looking import changes_unless
from hermes.policy.shell.models.transfers import copies, starting


def _cloud(verbs: str, others: str = "", values: str = "") -> Program:
    """Return a program of which calls only look that end in one of some verbs."""
    depths = "\n".join(f"{'* ' * depth}{verbs}" for depth in range(1, 5))
    handler = changes_unless(f"{depths}\n{others}", where="the cloud")
    return Program(values=values, handler=handler)


PROGRAMS: dict[str, Program] = {
    "oci": _cloud(
        "list|get|list-*|get-*|head|summarize-*|bulk-download|search|validate-*|describe",
        """
        search|setup
        os object get|list|head
        session validate
        """,
        "--profile --config-file --region --output --query --auth -c --compartment-id",
    ),
    "ibmcloud|ic": _cloud(
        "list|ls|show|get|list-*|versions|locations|flavors|plans|tags|workers|subnets|zones",
        """
        target|regions|plugins|api|catalog|config
        resource|account|cf|cr|is|ks|oc|sl|iam|plugin !create|delete|rm|add|remove|update|push
        ks|oc cluster config
        """,
        "-r -g -o -c -q",
    ),
    "aliyun": _cloud(
        "Describe*|List*|Get*|Query*|Check*|Search*|Count*|describe*|list*|get*",
        """
        oss ls|stat|cat|du|hash
        configure list|get|switch
        """,
        "--profile --region --mode --output",
    ),
    "aliyun oss": Program(),
    "aliyun oss cp|sync": Program(handler=copies(starting("oss://"), skip=2)),
    "ossutil|ossutil64|coscli|obsutil|tccli": _cloud(
        "Describe*|List*|Get*", "ls|stat|cat|du|hash|version", "-c --config-file -e --endpoint"
    ),
    "doctl": _cloud(
        "list|get|ls|list-*|get-*|ratelimit|status|logs|show|propose|validate",
        """
        version|account|balance
        auth list|switch
        apps logs|list-*|get|propose
        apps spec get|validate
        compute ssh
        kubernetes cluster kubeconfig show
        invoice|billing-history
        """,
        "-c --config --context -t --access-token -o --output --format -u --api-url",
    ),
    "hcloud": _cloud(
        "list|describe|metrics|list-*",
        """
        server ssh|ip
        context list|active|use
        """,
        "-o --output --context --config",
    ),
    "linode-cli": _cloud(
        "list|view|ls|*-list|*-view|types|kernels|list-*|show-*|get-*|du|stats*",
        "show-users",
        "--as-user --format --region --type --image",
    ),
    "scw": _cloud(
        "list|get|ls|list-*|get-*|wait|ping",
        """
        info|version|config|feedback
        instance server ssh
        """,
        "-p --profile -c --config -o --output",
    ),
    "vultr|vultr-cli": _cloud("list|get|info|ls|bandwidth|version", "version", "--config -o"),
    "exo|upctl|civo|nova|glance|tsuru|yc|metal": _cloud(
        "list|show|get|ls|info|describe|list-*|get-*|*.info|find|about|ls|version"
    ),
    "govc": _cloud("info|ls|find|about", "ls|about|find|tree|*.info|*.ls|events|tasks|metric.*"),
    "flarectl|cfcli": _cloud("list|l|ls|get|info|zones|ips|user"),
}

RULES = """
oci secrets secret-bundle get|get-* => exfiltration: prints a secret
oci iam * create|upload => privilege: makes credentials
oci session authenticate|refresh => privilege: signs in to the cloud
oci kms crypto decrypt => exfiltration: decrypts with a key of the cloud
oci db autonomous-database generate-wallet => exfiltration: writes out credentials
ibmcloud|ic login|logout => privilege: changes who signs in
ibmcloud|ic iam oauth-tokens => exfiltration: prints a token
ibmcloud|ic iam api-key-create|service-api-key-create => exfiltration: makes a key
ibmcloud|ic ... delete|*-delete|*-rm|*-create|*-update|*-push => infrastructure: changes the cloud
ibmcloud|ic cf push|delete|restage|restart|stop|scale|set-env|ssh => publish: deploys {}
ibmcloud|ic cr image-rm|namespace-rm|login|image-prune-untagged => infrastructure: changes images
ibmcloud|ic resource service-key* => exfiltration: prints a key
ibmcloud|ic secrets-manager secret* => exfiltration: prints a secret
aliyun configure set => privilege: changes the credentials of this machine
aliyun kms Decrypt|GetSecretValue => exfiltration: prints a secret
aliyun sts AssumeRole => exfiltration: prints credentials
doctl auth init|remove|token => privilege: changes who signs in
doctl databases|database|db connection|user get|connection => exfiltration: prints credentials
doctl databases|database|db connection => exfiltration: prints credentials
doctl kubernetes|k8s cluster kubeconfig show => exfiltration: prints credentials
doctl registry login|docker-config => exfiltration: makes credentials of a registry
hcloud server request-console|reset-password|enable-rescue => privilege: opens the machine {}
linode-cli profile|account token-create|*-secret* => exfiltration: makes credentials
linode-cli obj put|rm|rb|mb|setacl|signurl => exfiltration: changes a store
linode-cli ... *-creds-view|*-credentials-view => exfiltration: prints credentials
linode-cli lke kubeconfig-view => exfiltration: prints credentials
scw secret version access => exfiltration: prints a secret
scw iam api-key create => exfiltration: makes a key
scw config dump|set|unset|destroy|delete => privilege: changes the credentials of this machine
scw k8s kubeconfig get => exfiltration: prints credentials
scw login|init => privilege: signs in to the cloud
yc iam create-token => exfiltration: prints a token
yc lockbox payload get => exfiltration: prints a secret
"""
