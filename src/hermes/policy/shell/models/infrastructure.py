"""Infrastructure as code: terraform, tofu, terragrunt, pulumi, cdk, sam, serverless, packer."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.looking import both, changes_unless

_TERRAFORM_LOOKS = """
init|plan|validate|fmt|show|output|graph|providers|version|get|console|metadata|modules|test
state list|show
workspace list|show|select
env list|select
"""
_TERRAFORM_VALUES = """
-var -var-file -target -replace -out -state -state-out -backup -backend-config -lock-timeout
-parallelism -generate-config-out -plugin-dir -from-module -exclude -filter
"""
_PULUMI_LOOKS = """
preview|pre|logs|about|whoami|version|schema|new|install|console|convert|gen-completion
stack !rm|init|rename|import|change-secrets-provider|unselect|tag
stack ls|output|graph|history|select|export|tag
stack tag ls|get
config !rm|rm-all|refresh
plugin ls|install
package get-schema|gen-sdk|add|info
policy ls|new|validate-config
org get-default
env ls|get|version|diff
deployment settings
project ls
state edit !--yes
"""

_SECRET = re.compile(r"passw|secret|token|private|kubeconfig|credential", re.IGNORECASE)


def _secret_output(call: Call) -> Iterator[Effect]:
    """Find calls that print secrets, which only the plain form of an output hides."""
    verb, *names = call.operands or ("",)
    if verb in ("output", "show") and call.has("-json") and not names:
        yield danger("exfiltration", "prints all values with the secrets among them")
    for name in names[:1]:
        if verb == "output" and _SECRET.search(name):
            yield danger("exfiltration", f"prints the secret output {name}")


def _tool(looks: str, values: str = "") -> Program:
    return Program(values=values, handler=changes_unless(looks, where="what is deployed"))


_TERRAFORM = Program(
    values=f"{_TERRAFORM_VALUES} -chdir",
    dashes="single",
    dry="-help",
    handler=both(changes_unless(_TERRAFORM_LOOKS, where="what is deployed"), _secret_output),
)

PROGRAMS: dict[str, Program] = {
    "terraform|tofu|tf": _TERRAFORM,
    "terragrunt": Program(
        values="--terragrunt-working-dir --terragrunt-config --working-dir --config --log-level"
        " --queue-include-dir --queue-exclude-dir --terragrunt-log-level --filter --parallelism"
        f" {_TERRAFORM_VALUES}",
        dashes="single",
        dry="-help",
        handler=changes_unless(
            f"""{_TERRAFORM_LOOKS}
            run-all|run plan|validate|output|init|show|fmt|providers|graph
            run state list|show
            plan-all|validate-all|output-all|hclfmt|hclvalidate|graph-dependencies|render-json|render
            validate-inputs|terragrunt-info|find|list|dag|info|hcl|catalog|scaffold
            stack generate|output|clean
            """,
            where="what is deployed",
        ),
    ),
    "pulumi": _tool(
        _PULUMI_LOOKS,
        "-s --stack -C --cwd --color -e --exec-kind --tracing -v --verbose -t --target -m --message"
        " -c --config --config-file -p --parallel --diff-json",
    )._replace(dry="--preview-only"),
    "cdk": _tool(
        "synth|synthesize|ls|list|diff|doctor|init|docs|notices|metadata|acknowledge|ack|context",
        "-a --app -c --context --profile -o --output --plugin --toolkit-stack-name"
        " -l --language --proxy --role-arn -r",
    ),
    "cdktf": _tool("synth|get|init|diff|plan|list|output|convert|debug|validate", "-a --app"),
    "cdk8s": _tool("synth|init|import"),
    "sam": _tool(
        """
        build|validate|local|init|logs|list|traces|docs
        pipeline init
        """,
        "--profile --region --config-file --config-env -t --template",
    ),
    "serverless|sls": _tool(
        """
        offline|package|info|print|logs|metrics|create|doctor|support|generate-event|slstats|studio
        invoke local
        deploy list
        plugin list|search
        dynamodb start|install
        """,
        "-s --stage -r --region -c --config --aws-profile -f --function --param --org --app -p",
    ),
    "sst": _tool("diff|shell|version|init|install|build|diagnostic", "--stage"),
    "copilot": _tool(
        """
        svc|job|env|app|pipeline|task|storage ls|show|logs|status|package
        docs|version
        """,
        "-n --name -e --env -a --app",
    ),
    "packer": Program(
        values="-var -var-file -only -except -on-error -parallel-builds",
        dashes="single",
        dry="-help",
        handler=changes_unless(
            "init|validate|fmt|inspect|console|version|plugins|fix|hcl2_upgrade",
            where="machine images",
        ),
    ),
    "crossplane": _tool(
        """
        render|version
        beta|alpha render|trace|validate|top|convert
        xpkg build|init|extract
        """
    ),
    "openstack": _tool(
        """
        * list|show
        * * list|show
        * * * list|show
        """,
        "--os-cloud --os-region-name --os-project-name --os-username --os-password --os-auth-url",
    ),
    "juju": _tool(
        "status|models|controllers|clouds|show-*|list-*|debug-log|whoami|info|find|version|machines"
        "|users|regions|storage|spaces|subnets|offers|secrets|actions|diff-bundle|model-config",
        "-m --model -c --controller",
    ),
    "bosh": _tool(
        "deployments|vms|instances|stemcells|releases|logs|tasks|task|manifest|env|environment|errands"
        "|events|locks|disks|configs|config|cloud-config|runtime-config|cpi-config|diff-config|variables"
        "|int|interpolate|create-release|init-release|generate-job",
        "-e --environment -d --deployment -n --client --client-secret --ca-cert",
    ),
}

RULES = """
terraform|tofu|tf|terragrunt init -migrate-state|-force-copy => infrastructure: moves the state
terraform|tofu|tf|terragrunt init -from-module=*:*|-from-module=*.com* => network-exec: fetches {}
terraform|tofu|tf|terragrunt destroy => infrastructure: destroys what is deployed
terraform|tofu|tf|terragrunt apply -destroy => infrastructure: destroys what is deployed
terraform|tofu|tf|terragrunt state pull => exfiltration: prints the state with its secrets
terraform|tofu|tf workspace select *prod*|*live* => infrastructure: turns to production
terraform|tofu|tf login => privilege: signs in and stores a token
terragrunt destroy-all|apply-all => infrastructure: changes everything that is deployed
pulumi stack|config --show-secrets => exfiltration: prints the secrets of the stack
pulumi stack export --show-secrets => exfiltration: prints the secrets of the stack
pulumi stack tag set|rm => infrastructure: changes the stack
pulumi config get|env --show-secrets => exfiltration: prints the secret {}
pulumi config env rm|add => infrastructure: changes the stack's environments
pulumi env open|get --show-secrets => exfiltration: prints the secrets of an environment
pulumi env open => exfiltration: prints the secrets of an environment
pulumi config set -s=*prod*|--stack=*prod* => infrastructure: changes production
pulumi destroy => infrastructure: destroys what is deployed
serverless|sls invoke local --docker-arg => privilege: changes the container of a function
aws-nuke|cloud-nuke !--dry-run => infrastructure: deletes everything in an account
aws-nuke run|nuke --no-dry-run => infrastructure: deletes everything in an account
infracost auth login => privilege: signs in and stores a token
atlantis unlock => infrastructure: removes a lock
tfmigrate apply => infrastructure: moves the state
"""
