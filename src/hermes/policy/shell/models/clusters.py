"""Clusters: kubectl, oc, and what speaks to a cluster as they do."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.inside import command, in_cluster, named
from hermes.policy.shell.models.looking import behind, both, changes_unless

_GLOBAL = """
-n --namespace --context --kubeconfig --cluster --user --server -s --token --as --as-group --as-uid
--request-timeout -v --v --cache-dir --certificate-authority --client-certificate --client-key
--password --username --tls-server-name --profile --profile-output --loglevel
"""
_VALUES = f"""{_GLOBAL}
-l --selector -f --filename -k --kustomize -o --output -c --container --field-selector --sort-by
--type -p --patch --patch-file --replicas --image --timeout --for --grace-period --port --env
--labels --overrides --from-literal --from-file --from-env-file --tail --since --since-time -L
--label-columns --template --address --max-log-requests --field-manager --subresource --api-group
--revision --to-revision --current-replicas --resource-version --target-port --restart --schedule
--duration --verb --resource --role --clusterrole --serviceaccount --group --key --cert --limits
"""
_LOOKS = """
get|describe|logs|log|top|explain|diff|cluster-info|api-resources|api-versions|events|kustomize
wait|options|plugin|whoami|projects|project|status|process|port-forward|proxy|ns|ctx|tree|neat
krew list|search|info|version|update
auth can-i|whoami
config view|current-context|get-contexts|get-clusters|get-users|use-context|set-context
rollout status|history
adm top|inspect|must-gather|release|catalog
set|create|run|expose|delete|apply|scale|patch|label|annotate|taint|drain|cordon --local
"""
_SECRET = ("secret", "secrets")

LOCAL = re.compile(r"(?:kind-|k3d-|minikube|docker-desktop|rancher-desktop|colima|orbstack)")


def _changes(call: Call) -> Iterator[Effect]:
    """Find every call that changes the cluster, unless it is a rehearsal."""
    if any(value != "none" for value in call.flags.get("--dry-run", ())):
        return
    if call.operands[:1] != ("delete",) and LOCAL.match(call.value("--context") or ""):
        return
    yield from _KUBECTL(call)


def _secrets(call: Call) -> Iterator[Effect]:
    """Find calls that print the content of secrets."""
    words = call.operands
    kinds = [kind.partition("/")[0].partition(".")[0] for w in words[1:] for kind in w.split(",")]
    shape = (call.value("-o", "--output", "--template") or "").removeprefix("=")
    if words[:1] == ("get",) and any(kind in _SECRET for kind in kinds):
        if call.has("--template") or (shape and not shape.startswith(("name", "wide"))):
            yield danger("exfiltration", "prints secrets of the cluster")
    elif words[:1] == ("get",) and "/secrets" in (call.value("--raw") or " ".join(words)):
        yield danger("exfiltration", "prints secrets of the cluster")


def _opened(call: Call) -> Iterator[Effect]:
    """Find forwards that everybody on the network can use."""
    address = call.value("--address") or ""
    if call.operands[:1] in (("port-forward",), ("proxy",)) and "0.0.0.0" in address:
        yield danger("publish", "opens the cluster to everybody on the network")
    if call.operands[:1] == ("proxy",) and call.has("--disable-filter", "--accept-hosts"):
        yield danger("publish", "opens the cluster's interface without a check")


def _executed(call: Call) -> Iterator[Effect]:
    """Yield what a command does inside a pod."""
    words = behind(call, "exec", "rsh")
    named = 0 if call.has("-f", "--filename") else 1
    inner = words[named:]
    if inner and call.piped.text is None and call.has("-i", "--stdin"):
        yield danger("infrastructure", f"feeds data to {inner[0]} in a pod")
    yield from in_cluster(inner[1:] if inner[:1] == ("--",) else inner)


def _copied(call: Call) -> Iterator[Effect]:
    """Find copies into a pod, and yield the file that a copy out of one writes."""
    operands = behind(call, "cp", "rsync")
    if len(operands) < 2:
        return
    if ":" in operands[-1]:
        yield Effect("read", operands[0])
        yield danger("infrastructure", f"copies files into the pod {operands[-1]}")
    else:
        yield Effect("write", operands[-1])


def _on_node(call: Call) -> Iterator[Effect]:
    """Yield what a shell on a node itself, which sees all of its files, is told to run."""
    if any(word.startswith("node/") for word in call.operands) and "--" in call.words:
        words = call.words[call.words.index("--") + 1 :]
        yield command([re.sub(r"(?<![\w.])/host(?=/|$)", "", word) or "/" for word in words])


_KUBECTL = changes_unless(_LOOKS, where="the cluster")
_KUBE = Program(values=_VALUES, handler=both(_changes, _secrets, _opened))

PROGRAMS: dict[str, Program] = {
    "kubectl|k|oc|kubecolor|microk8s.kubectl": _KUBE,
    "kubectl|k|oc|kubecolor exec|rsh": Program(
        values=f"{_GLOBAL} -c --container -f --filename --pod-running-timeout --shell",
        handler=_executed,
    ),
    "kubectl|k|oc|kubecolor debug": _KUBE._replace(handler=both(_changes, _secrets, _on_node)),
    "kubectl|k|oc|kubecolor cp|rsync": Program(
        values=f"{_GLOBAL} -c --container --retries", handler=_copied
    ),
    "kubectl|oc|kubecolor logs": Program(
        values=f"{_GLOBAL} -l --selector -c --container --tail --since --since-time"
    ),
    "k3s|microk8s|minikube|rancher kubectl": Program(stops=True, handler=named("kubectl")),
    "kubectx|kubens": Program(),
    "stern|kail|kubetail|k9s|kubeval|kubeconform|kube-linter|popeye|kubent|pluto|polaris": Program(
        values=_GLOBAL
    ),
}

RULES = """
kubectl|k|oc|kubecolor delete !--dry-run => infrastructure: deletes {} from the cluster
kubectl|k|oc|kubecolor drain !--dry-run => infrastructure: evicts everything from {}
kubectl|k|oc|kubecolor config view --raw => exfiltration: prints the credentials of clusters
kubectl|k|oc|kubecolor create token|secret|sa !--dry-run => exfiltration: makes credentials: {}
kubectl|k|oc|kubecolor config delete-*|unset => infrastructure: removes access to a cluster
kubectl|k|oc|kubecolor create token => exfiltration: prints a token of {}
kubectl|k|oc|kubecolor debug => privilege: starts a debugging container in {}
kubectl krew install|upgrade|uninstall => network-exec: installs programs from the network: {}
kubectl view-secret|modify-secret => exfiltration: prints secrets of the cluster
kubectl|oc node-shell|node_shell => privilege: opens a root shell on {}
oc whoami -t|--show-token => exfiltration: prints the token of the cluster
oc login => privilege: signs in to a cluster
oc extract => exfiltration: writes out secrets of the cluster: {}
oc serviceaccounts|sa get-token|create-kubeconfig => exfiltration: prints a token of {}
kubectl|k|oc config use-context *prod*|*live* => infrastructure: turns later commands on {}
kubectx *prod*|*live* => infrastructure: turns later commands on production
kubectx|kubens -d => infrastructure: removes access to a cluster: {}
"""
