"""What installs into clusters and manages them: helm, argocd, flux, istioctl, nomad, eksctl."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hermes.policy.shell.effects import Effect
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.inside import in_cluster
from hermes.policy.shell.models.looking import behind, changes_unless

_KUBE = """
-n --namespace --context --kubeconfig --kube-context --kube-apiserver --kube-token --kube-as-user
--cluster --name -s --server -c
"""
_FILES = "-f --values --set --set-string --set-file --set-json --version --repo -o --output -e"
_FILES += " --environment -l --selector --file -t --timeout --since --tail --address --region"


def _tool(looks: str, values: str = "") -> Program:
    handler = changes_unless(looks, where="a cluster")
    return Program(values=f"{_KUBE} {_FILES} {values}", handler=handler)


def _runs(*subcommands: str) -> Callable[[Call], Iterator[Effect]]:
    """Return a handler for a subcommand that runs its operands behind the first one elsewhere."""

    def judge(call: Call) -> Iterator[Effect]:
        words = behind(call, *subcommands)[1:]
        yield from in_cluster(words[1:] if words[:1] == ("--",) else words)

    return judge


PROGRAMS: dict[str, Program] = {
    "helm|helm3": _tool(
        """
        list|ls|status|template|lint|history|search|show|inspect|env|dependency|dep|verify|diff
        create|package|pull|fetch|test|repo|get
        registry logout
        plugin list
        secrets view|dec|decrypt
        """
    ),
    "helmfile": _tool(
        "list|template|diff|lint|build|deps|fetch|repos|status|show-dag|write-values|cache|init"
    ),
    "kustomize": Program(values=_FILES),
    "argocd": _tool(
        """
        app get|list|diff|history|logs|manifests|resources|wait
        cluster|repo|proj|account|cert|repocreds|context|appset|gpg get|list|can-i|get-user-info
        account can-i|get-user-info|list|get
        admin dashboard|notifications|settings
        version|context
        """,
        "--grpc-web-root-path --auth-token --config --header",
    ),
    "flux": _tool(
        "get|logs|check|tree|diff|events|stats|trace|export|build|version|envsubst|debug"
    ),
    "istioctl": _tool(
        "analyze|proxy-status|ps|proxy-config|pc|version|describe|experimental|x|validate|manifest"
        "|verify-install|dashboard|authz|admin|bug-report|profile|precheck|tag"
    ),
    "linkerd": _tool(
        "check|stat|top|tap|edges|routes|viz|version|identity|diagnostics|inject|uninject|profile"
        "|install|upgrade|uninstall|jaeger|multicluster"
    ),
    "velero": _tool(
        """
        get|describe|version|bug|debug|client
        backup|restore|schedule|backup-location|snapshot-location|repo|plugin get|describe|logs
        """
    ),
    "kubeadm": _tool(
        """
        version
        config print|images|validate|view
        certs check-expiration
        upgrade plan|diff
        token list
        """
    ),
    "k3s|rke2": _tool("check-config|token|etcd-snapshot|crictl|ctr|kubectl"),
    "nomad": _tool(
        """
        status|version|ui|monitor|fmt|plan|validate|inspect|logs|agent-info|check
        job status|plan|validate|inspect|history|allocs|deployments|init|tag
        node status
        alloc status|logs|fs|checks
        deployment list|status
        server members
        operator api|metrics|utilization|debug
        eval|namespace|volume|plugin|quota|service|var status|list|info|inspect
        acl policy|token|role list|info|self
        """,
        "-address -namespace -region -token -ca-cert -client-cert -client-key",
    )._replace(dashes="single", dry="-help"),
    "nomad exec": Program(
        values="-address -namespace -region -token -task -job -e",
        dashes="single",
        stops=True,
        handler=_runs("exec"),
    ),
    "nomad alloc": Program(dashes="single"),
    "nomad alloc exec": Program(
        values="-address -namespace -region -token -task -e",
        dashes="single",
        stops=True,
        handler=_runs("alloc", "exec"),
    ),
    "rancher": _tool(
        """
        clusters|cluster ls
        nodes|node ls
        projects|project|namespaces|namespace|apps|app|catalog|settings|context ls
        ps|inspect|context|server|wait|kubectl
        """
    ),
    "kops": _tool(
        """
        get|version|validate|toolbox
        update cluster !--yes|-y
        rolling-update cluster !--yes|-y
        delete cluster|ig !--yes|-y
        """,
        "--state",
    ),
    "eksctl": _tool("get|info|version|utils|completion", "--profile -p"),
    "skaffold": _tool(
        "build|dev|debug|diagnose|render|init|schema|config|lint|fix|inspect|test|version|options"
    ),
    "tilt": _tool(
        "up|ci|version|logs|get|describe|doctor|status|args|analytics|verify-install|alpha"
    ),
    "kubeseal": Program(values=_KUBE),
    "clusterctl": _tool("describe|get|generate|version|config|alpha", "--infrastructure"),
    "talosctl": _tool(
        """
        version|get|list|ls|read|logs|dmesg|health|services|service|stats|disks|dashboard|processes
        containers|memory|mounts|time|validate|gen|config|inspect|netstat|events|usage|du
        """,
        "--nodes --endpoints --talosconfig -e",
    ),
    "cilium|hubble": _tool(
        "status|config|connectivity|hubble|observe|version|list|sysdump|context"
    ),
    "kubeone|k0sctl|rke": _tool("version|status|config|kubeconfig|init|document"),
    "calicoctl": _tool("get|version|node|ipam|cluster|validate"),
}

RULES = """
helm|helm3 repo|plugin remove|rm|uninstall => infrastructure: removes {} from helm
helm|helm3 plugin install|update => network-exec: installs programs from the network: {}
helm|helm3 secrets view|dec|decrypt => exfiltration: decrypts {}
helm|helm3 get values -a|--all => exfiltration: prints the settings of {} with its secrets
helm|helm3 get all|hooks => exfiltration: prints the settings of {} with its secrets
helm|helm3 push|cm-push|s3 => publish: uploads the chart {}
helm|helm3 registry login => publish: signs in to the registry {}
argocd login|relogin => privilege: signs in to argocd
argocd account generate-token|update-password|bcrypt => exfiltration: makes credentials
argocd admin initial-password => exfiltration: prints the password of argocd
nomad operator api -X => infrastructure: changes the cluster
nomad var get => exfiltration: prints the secret {}
rancher login => privilege: signs in to a cluster
rancher token => exfiltration: prints a token
kops export|get kubeconfig|secrets --admin => exfiltration: writes out credentials of the cluster
eksctl utils associate-*|update-*|write-*|enable-*|set-* => infrastructure: changes the cluster
k3s token => exfiltration: prints or changes the token of the cluster
k3s etcd-snapshot delete|prune => infrastructure: deletes backups of the cluster
k3s-uninstall.sh|k3s-agent-uninstall.sh|k3s-killall.sh => infrastructure: removes the cluster
kubeadm token list|create => exfiltration: prints tokens of the cluster
talosctl service * stop|restart|start => infrastructure: changes {}
kubeseal --recovery-unseal => exfiltration: decrypts sealed secrets
etcdctl del|put|txn|compaction|defrag|move-leader => infrastructure: changes {}
etcdctl snapshot restore => infrastructure: changes {}
velero schedule|backup|restore delete => infrastructure: deletes backups: {}
"""
