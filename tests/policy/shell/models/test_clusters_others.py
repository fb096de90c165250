"""What storage and work clusters are understood to do."""

from __future__ import annotations

import pytest

from hermes.policy.paths import Places
from hermes.policy.shell.state import Place
from hermes.policy.shell.understanding import understand

PLACE = Place("/home/dev/app", Places(("/home/dev/app",), "/home/dev", "/home/dev/.hermes"))


def categories(command):
    return {finding.category for finding in understand(command, PLACE).findings}


DANGEROUS = [
    ("ceph osd pool delete x x --yes-i-really-really-mean-it", "infrastructure"),
    ("ceph osd out 1", "infrastructure"),
    ("ceph osd purge 1", "infrastructure"),
    ("rbd rm pool/img", "infrastructure"),
    ("rbd snap purge pool/img", "infrastructure"),
    ("rados rmpool x x --yes-i-really-really-mean-it", "infrastructure"),
    ("rados -p x rm obj", "infrastructure"),
    ("gluster volume stop x", "infrastructure"),
    ("gluster volume delete x", "infrastructure"),
    ("pcs resource delete x", "infrastructure"),
    ("pcs cluster destroy --all", "infrastructure"),
    ("pcs node standby n1", "infrastructure"),
    ("crm resource stop x", "infrastructure"),
    ("ray down cluster.yaml -y", "infrastructure"),
    ("ray up c.yaml", "infrastructure"),
    ("microk8s reset", "infrastructure"),
    ("k0s reset", "infrastructure"),
    ("argo submit x.yaml", "infrastructure"),
    ("argo delete --all", "infrastructure"),
    ("tkn pipeline delete x", "infrastructure"),
    ("databricks clusters delete x", "infrastructure"),
    ("databricks fs rm -r dbfs:/x", "infrastructure"),
    ("tsh ssh root@h rm -rf /x", "delete"),
    ("dvc push", "exfiltration"),
    ("dvc gc -w", "delete"),
    ("okteto destroy", "infrastructure"),
    ("werf dismiss", "infrastructure"),
    ("kapp delete -a x", "infrastructure"),
    ("vcluster delete x", "infrastructure"),
    ("aws-iam-authenticator token -i x", "exfiltration"),
    ("amtool silence add x", "infrastructure"),
    ("sf project deploy start", "infrastructure"),
    ("earthly --push +build", "publish"),
]

HARMLESS = [
    "ceph -s",
    "ceph status",
    "ceph osd tree",
    "ceph df",
    "rbd ls pool",
    "rados df",
    "gluster volume info",
    "pcs status",
    "crm status",
    "ray status",
    "microk8s status",
    "argo list",
    "tkn pipelinerun list",
    "databricks clusters list",
    "tsh ls",
    "dvc pull",
    "dvc status",
    "earthly +test",
]


@pytest.mark.parametrize(("command", "category"), DANGEROUS)
def test_clusters_of_other_kinds_that_do_harm_are_found(command, category):
    assert category in categories(command)


@pytest.mark.parametrize("command", HARMLESS)
def test_clusters_of_other_kinds_of_every_day_are_not_asked_about(command):
    assert categories(command) == set()
