"""Virtual machines and local clusters: lxc, vagrant, virsh, VBoxManage, kind, minikube."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.inside import in_service, named
from hermes.policy.shell.models.looking import behind, changes_unless


def _inside(*subcommands: str) -> Callable[[Call], Iterator[Effect]]:
    """Return a handler for a subcommand that runs its operands behind a machine's name."""

    def judge(call: Call) -> Iterator[Effect]:
        words = behind(call, *subcommands)[1:]
        yield from in_service(words[1:] if words[:1] == ("--",) else words)

    return judge


def _mounted(call: Call) -> Iterator[Effect]:
    """Find folders of the machine that are handed in whole."""
    for word in call.operands[1:]:
        path = word.partition("source=")[2] if "source=" in word else word.partition(":")[0]
        if path in ("/", "/etc", "/root", "/home", "~", call.home) and path:
            yield danger("privilege", f"gives a guest the machine's {path}", path)


def _copied(call: Call) -> Iterator[Effect]:
    """Yield what is read and written where operands are settings."""
    for key, _, value in (operand.partition("=") for operand in call.operands):
        if key in ("if", "of"):
            yield Effect("read" if key == "if" else "write", value)


_VIRSH = """
list|dominfo|domstate|dumpxml|domblklist|domiflist|domifaddr|domstats|domid|domname|domuuid|start
net-list|net-info|net-dumpxml|pool-list|pool-info|pool-dumpxml|vol-list|vol-info|vol-path|vol-dumpxml
snapshot-list|snapshot-info|snapshot-dumpxml|nodeinfo|nodecpumap|nodememstats|sysinfo|capabilities
domcapabilities|hostname|uri|version|iface-list|nwfilter-list|secret-list|console|vncdisplay|ttyconsole
domdisplay|vcpuinfo|vcpucount|domblkinfo|domblkstat|domifstat|dommemstat|domjobinfo|domtime|help|quit
"""

PROGRAMS: dict[str, Program] = {
    "lxc|incus": Program(values="--project -c --config -t --type -n --network -s --storage -p"),
    "lxc|incus exec": Program(
        values="--project --env --cwd --user --group --mode", handler=_inside("exec")
    ),
    "lxc|incus config": Program(handler=_mounted),
    "vagrant": Program(values="--machine-readable"),
    "vagrant ssh|winrm": Program(options={"-c|--command": "run"}),
    "virsh": Program(
        values="-c --connect -d --debug -l --log",
        handler=changes_unless(_VIRSH, where="virtual machines"),
    ),
    "VBoxManage|vboxmanage": Program(),
    "qemu-img info|check|compare|map|measure": Program("read*", "-f -F -O --output --object"),
    "qemu-img create": Program("write text*", "-f -F -b -o -u --object"),
    "qemu-img convert": Program("read* write", "-f -O -o -B -t -T -S -m -s -l --object"),
    "qemu-img dd": Program(values="-f -O", handler=_copied),
    "vagrant ssh": Program(options={"-c|--command": "run"}),
    "kind": Program(values="--name --image --config --kubeconfig --loglevel -v --wait"),
    "minikube": Program(values="-p --profile --driver --cpus --memory -n --nodes -v --addons"),
    "minikube mount": Program(handler=_mounted),
    "minikube ssh": Program(values="-p --profile -n"),
    "k3d": Program(values="-c --config -a --agents -s --servers -p --port -v --volume -i --image"),
    "colima": Program(values="-p --profile -c --cpu -m --memory -d --disk -r --runtime -V --mount"),
    "colima nerdctl": Program(stops=True, handler=named("nerdctl")),
    "limactl": Program(values="--log-level --name"),
    "limactl shell": Program(stops=True),
    "multipass": Program(values="-c --cpus -d --disk -m --memory -n --name"),
    "multipass exec": Program(handler=_inside("exec")),
}

RULES = """
lxc|incus delete|rm => infrastructure: deletes the machines {}
lxc|incus stop|restart|pause --all => infrastructure: stops every machine
lxc|incus restore|publish|rebuild|import|move|mv => infrastructure: changes the machine {}
lxc|incus snapshot delete|restore => infrastructure: changes snapshots of {}
lxc|incus image delete|copy|edit|alias => infrastructure: changes images: {}
lxc|incus storage|network|profile|project|remote delete|remove|rm => infrastructure: deletes {}
lxc|incus storage|network|profile|project|remote edit|set|unset => infrastructure: changes {}
lxc|incus storage volume|bucket delete|edit|set => infrastructure: changes {}
lxc|incus config trust|edit => privilege: changes who may drive the machine: {}
lxc|incus config set ... security.* => privilege: weakens the confinement of a machine
lxc|incus launch|init|create -c=security.*|--config=security.* => privilege: weakens a machine
lxc|incus config device add ... disk => privilege: gives a guest folders of the machine: {}
lxc-destroy|lxc-stop|lxc-snapshot|lxc-freeze => infrastructure: stops or removes a container
vagrant destroy => infrastructure: destroys the virtual machine {}
vagrant snapshot delete|restore|pop => infrastructure: throws away a state of the machine
vagrant box remove --all|-f|--force => infrastructure: removes the box {}
vagrant share|connect => publish: opens the virtual machine to others
vagrant cloud publish|box|version|provider|auth !search => publish: changes boxes of the cloud
vagrant plugin install|update|repair|uninstall => network-exec: changes the plugins of vagrant: {}
vagrant login|push => publish: sends the project to a remote
virsh secret-get-value => exfiltration: prints a secret
VBoxManage|vboxmanage unregistervm|discardstate|modifyvm|modifymedium => infrastructure: changes {}
VBoxManage|vboxmanage closemedium --delete => infrastructure: deletes the disk {}
VBoxManage|vboxmanage controlvm * poweroff|reset|acpipowerbutton => infrastructure: stops a machine
VBoxManage|vboxmanage snapshot * delete|restore|restorecurrent => infrastructure: changes snapshots
VBoxManage|vboxmanage natnetwork|hostonlyif|extpack|storageattach => infrastructure: changes {}
VBoxManage|vboxmanage sharedfolder add --hostpath=/|--hostpath=/etc => privilege: opens the machine
qemu-img resize|commit|rebase|amend => infrastructure: changes a disk image in place: {}
qemu-img snapshot -d|-a => infrastructure: throws away a state of the disk image
qemu-img check -r => infrastructure: repairs a disk image in place: {}
qemu-nbd => disk: attaches a disk image: {}
kind delete => infrastructure: deletes a local cluster: {}
minikube delete => infrastructure: deletes a local cluster
minikube tunnel => privilege: routes the network into a cluster
k3d cluster|node|registry delete|rm|del => infrastructure: deletes a local cluster: {}
colima delete|prune => infrastructure: deletes the machine that runs the containers
limactl delete|remove|rm|factory-reset|prune|edit => infrastructure: deletes the machine {}
limactl snapshot delete|apply => infrastructure: throws away a state of the machine
multipass delete|purge|restore => infrastructure: deletes the machine {}
orb|orbctl delete|reset => infrastructure: deletes the machine {}
wsl --unregister => infrastructure: deletes a Linux installation
wsl.exe --unregister => infrastructure: deletes a Linux installation
prlctl|tart|utmctl delete|destroy|stop|reset|unregister => infrastructure: deletes the machine {}
qm|pct destroy|stop|reset|shutdown|rollback|set|migrate|delsnapshot => infrastructure: changes {}
vmrun deleteVM|stop|reset|revertToSnapshot|deleteSnapshot => infrastructure: changes {}
"""
