"""Storage and work clusters, and what deploys to them: ceph, gluster, pcs, ray, argo, okteto."""

from __future__ import annotations

from hermes.policy.shell.model import Program
from hermes.policy.shell.models.inside import by_ssh
from hermes.policy.shell.models.looking import changes_unless


def _cluster(looks: str, values: str = "") -> Program:
    return Program(values=values, handler=changes_unless(looks, where="a cluster"))


PROGRAMS: dict[str, Program] = {
    "ceph": _cluster(
        """
        status|health|df|versions|features|report|time-sync-status|log|fsid|quorum_status
        osd|mon|mgr|mds|pg|fs|orch|crash|device|balancer stat|status|tree|df|dump|ls|info|perf
        osd pool ls|stats|get
        osd find|metadata|blocked-by|utilization
        orch host|ps|device ls
        auth ls|list|get
        config dump|get|show|ls|log
        """,
        "-c --conf -n --name -k --keyring -f --format --cluster",
    ),
    "rados": _cluster(
        "ls|lspools|df|stat|listxattr|listomapkeys|list-inconsistent-pg|get", "-p --pool -c"
    ),
    "rbd": _cluster(
        """
        ls|list|info|status|du|showmapped|diff|children|watch|perf
        snap|device|lock|mirror|trash|namespace ls|list|info|status
        """,
        "-p --pool -c --image --id",
    ),
    "radosgw-admin": _cluster("* list|info|stats|show|status|get", "--uid --bucket"),
    "gluster": _cluster(
        """
        volume info|status|list|get|profile|heal
        peer status
        pool list
        snapshot list|info|status
        """
    ),
    "pcs": _cluster(
        """
        status|config
        resource|stonith|constraint|property|cluster|node|quorum status|config|list|show
        """
    ),
    "crm": _cluster(
        """
        status
        configure show|verify
        resource|node|ra|cluster status|show|list|info|health
        """
    ),
    "crm_resource|crm_mon": Program(),
    "ray": _cluster(
        "status|list|logs|memory|timeline|start|stop|get|summary|microbenchmark|metrics"
    ),
    "microk8s": _cluster(
        "status|inspect|kubectl|helm|helm3|config|version|istioctl|ctr|start|stop"
    ),
    "k0s": _cluster("status|version|config|kubectl|sysinfo|airgap|validate"),
    "kn": _cluster("* list|describe|list-types", "-n --namespace --context --kubeconfig"),
    "ko": _cluster("version|deps|build", "-f --filename --platform -t --tags"),
    "argo": _cluster(
        """
        list|get|logs|lint|watch|wait|version|auth
        template|cron|cluster-template|archive list|get|lint
        """,
        "-n --namespace -o --output -l --context --kubeconfig",
    ),
    "tkn": _cluster("* list|ls|describe|desc|logs|version", "-n --namespace --context"),
    "databricks": _cluster(
        """
        * list|get|ls|list-*|get-*|cat|export|export-dir|describe|validate|summary|env|me|profiles
        bundle init|schema|generate
        """,
        "-p --profile -t --target -o --output",
    ),
    "tsh": _cluster(
        "ls|status|apps|db|kube|clusters|version|env|ssh|bench|logout", "--proxy --user -l"
    ),
    "tsh ssh": Program(values="--proxy --user -l -p --cluster", stops=True, handler=by_ssh),
    "dvc": Program(values="-r --remote -j --jobs -R -f --file"),
}

RULES = """
ceph auth get|get-key|print-key|export => exfiltration: prints keys of the cluster
crm_resource --cleanup|-C|--delete|-D|--move|-M|--ban|-B => infrastructure: changes a cluster
crm_standby|crm_node|stonith_admin -R|-F|-B|-v|--reboot|--fence => infrastructure: changes {}
sacctmgr add|create|modify|delete|remove|dump|load => infrastructure: changes accounts of a cluster
microk8s config => exfiltration: prints the credentials of the cluster
microk8s kubectl delete|apply|create|scale|drain|exec => infrastructure: changes the cluster
ko build !--local|-L|--push=false => publish: pushes images
databricks auth|tokens|secrets token|create|get-secret => exfiltration: prints credentials
tsh login => privilege: signs in to machines
tsh scp => exfiltration: copies files between machines: {}
dvc push => exfiltration: uploads data to a store
dvc gc|destroy => delete: deletes data that only dvc keeps
buildctl build --output=*push=true*|-o=*push=true* => publish: pushes an image
okteto|devspace|garden|kluctl|waypoint deploy|purge|destroy|delete => infrastructure: deploys {}
okteto|devspace up|down|dev|reset => infrastructure: changes a cluster
werf converge|dismiss|cleanup|host|bundle => infrastructure: changes a cluster
tanka|tk apply|prune => infrastructure: changes a cluster
kapp deploy|delete|app-group => infrastructure: changes a cluster: {}
vcluster|loft|rosa|ocm|subctl create|delete|pause|edit|join => infrastructure: changes {}
telepresence connect|intercept|replace|wiretap|helm|uninstall => infrastructure: reroutes a cluster
dapr init|uninstall|upgrade -k|--kubernetes => infrastructure: changes a cluster
cmctl renew|approve|deny|upgrade|x => infrastructure: changes certificates of a cluster
operator-sdk run|cleanup|olm => infrastructure: changes a cluster
kubefedctl|kubespray join|unjoin|federate => infrastructure: changes a cluster
aws-iam-authenticator token => exfiltration: prints a token of the cluster
kubelogin|kubectl-oidc_login get-token => exfiltration: prints a token of the cluster
gke-gcloud-auth-plugin !--version => exfiltration: prints a token of the cluster
amtool silence add|expire|import|update => infrastructure: silences alarms
amtool alert add => infrastructure: raises an alarm
grafana-cli|grafana admin|cli reset-admin-password|admin => privilege: changes who signs in
grafana-cli plugins install|update|remove|uninstall => network-exec: changes the plugins of grafana
swa deploy => publish: deploys {}
gitlab-runner register|unregister|install|uninstall|stop|restart => service: changes a runner: {}
jenkins-cli delete-*|restart|safe-restart|shutdown|build|groovy => infrastructure: changes {}
sf|sfdx project deploy|delete => infrastructure: changes an org
sf|sfdx force:source:deploy|force:source:push|force:org:delete => infrastructure: changes an org
sf|sfdx org delete|create|login => infrastructure: changes an org
sf|sfdx data|apex delete|update|upsert|import|run => database: changes data of an org
sf|sfdx org display --verbose => exfiltration: prints a token
earthly --push => publish: pushes images
dagger call ... publish|deploy => publish: pushes images
rke2-uninstall.sh|rke2-killall.sh => infrastructure: removes the cluster
"""
