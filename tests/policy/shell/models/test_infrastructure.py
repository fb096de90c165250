"""What infrastructure as code is understood to do."""

from __future__ import annotations

import pytest

from hermes.policy.paths import Places
from hermes.policy.shell.state import Place
from hermes.policy.shell.understanding import understand

PLACE = Place("/home/dev/app", Places(("/home/dev/app",), "/home/dev", "/home/dev/.hermes"))


def categories(command):
    return {finding.category for finding in understand(command, PLACE).findings}


DANGEROUS = [
    ("terraform output -json", "exfiltration"),
    ("terraform apply", "infrastructure"),
    ("terraform apply -auto-approve", "infrastructure"),
    ("terraform apply tfplan", "infrastructure"),
    ("terraform destroy -auto-approve", "infrastructure"),
    ("terraform -chdir=infra destroy", "infrastructure"),
    ("terraform import aws_x.y z", "infrastructure"),
    ("terraform state rm aws_instance.x", "infrastructure"),
    ("terraform state mv a b", "infrastructure"),
    ("terraform state push x", "infrastructure"),
    ("terraform taint x", "infrastructure"),
    ("terraform untaint x", "infrastructure"),
    ("terraform force-unlock -force abc", "infrastructure"),
    ("terraform workspace delete x", "infrastructure"),
    ("terraform workspace new prod", "infrastructure"),
    ("terraform init -migrate-state -force-copy", "infrastructure"),
    ("terraform output -raw db_password", "exfiltration"),
    ("terraform refresh", "infrastructure"),
    ("tofu destroy", "infrastructure"),
    ("terragrunt run-all destroy", "infrastructure"),
    ("terragrunt apply", "infrastructure"),
    ("terragrunt run --all apply", "infrastructure"),
    ("pulumi up -y", "infrastructure"),
    ("pulumi destroy --yes", "infrastructure"),
    ("pulumi stack rm prod -f", "infrastructure"),
    ("pulumi config --show-secrets", "exfiltration"),
    ("pulumi stack output --show-secrets", "exfiltration"),
    ("pulumi refresh -y", "infrastructure"),
    ("pulumi cancel", "infrastructure"),
    ("pulumi state delete urn", "infrastructure"),
    ("pulumi import x", "infrastructure"),
    ("cdk deploy", "infrastructure"),
    ("cdk deploy --all --require-approval never", "infrastructure"),
    ("cdk destroy -f", "infrastructure"),
    ("cdk bootstrap", "infrastructure"),
    ("sam deploy --guided", "infrastructure"),
    ("sam delete", "infrastructure"),
    ("sls deploy", "infrastructure"),
    ("serverless remove --stage prod", "infrastructure"),
    ("sls invoke -f hello", "infrastructure"),
    ("packer build x.pkr.hcl", "infrastructure"),
    ("ansible all -m shell -a 'rm -rf /var/www'", "delete"),
    ("ansible all -b -m shell -a 'reboot'", "service"),
    ("ansible web -m service -a 'name=nginx state=restarted'", "infrastructure"),
    ("ansible all -a 'shutdown -h now'", "service"),
    ("ansible-playbook site.yml", "infrastructure"),
    ("ansible-playbook -i prod deploy.yml --limit web", "infrastructure"),
    ("ansible-vault view secrets.yml", "exfiltration"),
    ("ansible-vault decrypt x.yml", "exfiltration"),
    ("ansible-pull -U https://x", "network-exec"),
    ("knife node delete x -y", "infrastructure"),
    ("knife ssh 'role:web' 'sudo reboot'", "privilege"),
    ("chef-client", "privilege"),
    ("puppet apply x.pp", "privilege"),
    ("puppet agent -t", "privilege"),
    ("salt '*' cmd.run 'rm -rf /'", "delete"),
    ("salt '*' state.apply", "infrastructure"),
    ("salt-key -D", "privilege"),
    ("aws-nuke run --no-dry-run", "infrastructure"),
    ("openstack server delete x", "infrastructure"),
]

HARMLESS = [
    "terraform init",
    "terraform init -upgrade",
    "terraform plan",
    "terraform plan -out=tfplan -var-file=prod.tfvars",
    "terraform plan -destroy",
    "terraform -chdir=infra plan",
    "terraform validate",
    "terraform fmt -recursive",
    "terraform show",
    "terraform output",
    "terraform state list",
    "terraform state show aws_instance.x",
    "terraform workspace list",
    "terraform workspace select dev",
    "terraform graph",
    "terraform providers",
    "terraform destroy -target=module.sandbox --help",
    "terraform apply -help",
    "terraform version",
    "tofu plan",
    "terragrunt plan",
    "terragrunt run-all plan",
    "terragrunt hclfmt",
    "pulumi preview",
    "pulumi stack ls",
    "pulumi stack output",
    "pulumi config",
    "pulumi config set aws:region us-east-1",
    "pulumi whoami",
    "pulumi logs",
    "cdk synth",
    "cdk diff",
    "cdk ls",
    "sam build",
    "sam local invoke",
    "sam validate",
    "sls offline",
    "sls package",
    "sls invoke local -f hello",
    "packer validate x.pkr.hcl",
    "packer fmt .",
    "ansible all -m ping",
    "ansible all --list-hosts",
    "ansible web -a uptime",
    "ansible web -m setup",
    "ansible-playbook site.yml --check",
    "ansible-playbook -i inv site.yml --check --diff",
    "ansible-playbook site.yml --syntax-check",
    "ansible-playbook site.yml --list-tasks",
    "ansible-lint",
    "ansible-doc copy",
    "ansible-inventory --list",
    "ansible-galaxy install -r requirements.yml",
    "ansible-vault encrypt group_vars/x.yml",
    "molecule test",
    "knife node list",
    "puppet parser validate x.pp",
    "puppet apply --noop x.pp",
    "salt '*' test.ping",
    "salt-key -L",
    "openstack server list",
]


@pytest.mark.parametrize(("command", "category"), DANGEROUS)
def test_deployments_that_do_harm_are_found(command, category):
    assert category in categories(command)


@pytest.mark.parametrize("command", HARMLESS)
def test_deployments_of_every_day_are_not_asked_about(command):
    assert categories(command) == set()
