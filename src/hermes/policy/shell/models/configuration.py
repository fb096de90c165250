"""Configuration of many machines: ansible, chef, puppet, salt, bolt."""

from __future__ import annotations

from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models import tasks
from hermes.policy.shell.models.inside import text_in_cluster
from hermes.policy.shell.models.looking import changes_unless

_ANSIBLE = """
-i --inventory --inventory-file -l --limit -u --user -e --extra-vars -m --module-name -a --args -f
--forks -M --module-path -t --tags --skip-tags --vault-id --vault-password-file --private-key
--key-file -c --connection -T --timeout
--become-user --become-method --start-at-task --ssh-common-args
"""
_REHEARSALS = "--check -C --syntax-check --list-hosts --list-tasks --list-tags"
_COMMANDS = ("command", "shell", "raw", "script", "win_shell", "win_command")
_LOOKERS = """
ping setup debug stat gather_facts find getent win_ping assert package_facts service_facts wait_for
slurp uri
"""
_LOOKING = frozenset(_LOOKERS.split())
_SALT = """
* test.*|grains.get|grains.item|grains.items|grains.ls|sys.*|status.*|disk.*|network.*|state.show_*
* pkg.list_*|pkg.version|pkg.latest_version|service.status|service.get_all|ps.*|user.list_users
* cp.list_*|file.stats|file.exists|cmd.which|mine.get|match.*|config.get|jobs.*|saltutil.running
* state.apply|state.highstate|state.sls ... test=True|test=true
* cmd.run|cmd.shell|cmd.run_all|cmd.script
"""


def _module(call: Call) -> Iterator[Effect]:
    """Yield what an ad-hoc task does on the machines that it is sent to."""
    if not call.operands:
        return
    module = (call.value("-m", "--module-name") or "command").rpartition(".")[2]
    arguments = call.value("-a", "--args") or ""
    yield from tasks.changed(module, arguments)
    if module == "win_shell":
        yield Effect("code", arguments, what="powershell")
    if module in _COMMANDS:
        yield from text_in_cluster(tasks.command_text(arguments))
    elif module not in _LOOKING:
        yield danger("infrastructure", f"changes machines with the module {module}")
    if call.has("-b", "--become", "-K", "--ask-become-pass") and module not in _LOOKING:
        yield danger("privilege", "runs a task with the rights of root")


def _playbook(call: Call) -> Iterator[Effect]:
    """Find playbooks that are played."""
    if call.operands:
        yield danger("infrastructure", f"plays {call.operands[0]} on its machines")


def _salt(call: Call) -> Iterator[Effect]:
    """Yield what a salt function does on the machines that it is sent to."""
    words = call.operands
    if len(words) > 2 and words[1] in ("cmd.run", "cmd.shell", "cmd.run_all"):
        yield from text_in_cluster(words[2])
    yield from tasks.minion("".join(words[1:2]), words[2:])
    yield from _ON_MINIONS(call)


def _salt_call(call: Call) -> Iterator[Effect]:
    """Yield what a salt function does here."""
    yield from _salt(call._replace(operands=("*", *call.operands)) if call.operands else call)


def _everywhere(call: Call) -> Iterator[Effect]:
    """Yield what a command does on each of many machines."""
    yield from text_in_cluster(" ".join(call.operands))


def _bolt(call: Call) -> Iterator[Effect]:
    """Yield what bolt runs on its targets."""
    if call.operands[:2] == ("command", "run"):
        yield from text_in_cluster(" ".join(call.operands[2:3]))
    yield from _ON_TARGETS(call)


def _knife_ssh(call: Call) -> Iterator[Effect]:
    """Yield what a command does on the nodes that a search finds."""
    for text in call.operands[2:3]:
        yield from text_in_cluster(text)


_ON_MINIONS = changes_unless(_SALT, where="the machines")
_ON_TARGETS = changes_unless(
    """
    inventory|task|plan|module|group|project|guide|policy|lookup show|list|init|new
    lookup|secret
    """,
    where="the machines",
)
_KNIFE = (
    "-c --config -k --key -u --user -s --server-url -E --environment -F --format -z -a -x -P -o"
)

PROGRAMS: dict[str, Program] = {
    "cssh|clusterssh|tmux-cssh": Program(options={"-a|--action|-c": "run"}),
    "pssh|parallel-ssh|pdsh|clush|dsh|mussh": Program(
        values="-h -H -w -l -p -o -e -t -x -g -m -f -u -O -I --hosts --host --user --machine",
        stops=True,
        handler=_everywhere,
    ),
    "ansible": Program(values=_ANSIBLE, dry=_REHEARSALS, handler=_module),
    "ansible-playbook": Program(values=_ANSIBLE, dry=_REHEARSALS, handler=_playbook),
    "ansible-navigator run": Program(values=_ANSIBLE, dry=_REHEARSALS, handler=_playbook),
    "ansible-lint|ansible-doc|ansible-config|ansible-inventory|ansible-test|molecule": Program(
        values="-i --inventory -c --config-file -p -s --scenario-name"
    ),
    "ansible-galaxy|ansible-vault|ansible-pull|ansible-console": Program(values=_ANSIBLE),
    "knife": Program(
        values=_KNIFE,
        handler=changes_unless(
            """
            * list|show|bulk_show|search|diff|status
            * * list|show
            search|status|diff|list|show|deps|configure
            cookbook create|site|test|metadata
            ssl check|fetch
            """,
            where="the chef server",
        ),
    ),
    "knife ssh": Program(values=_KNIFE, handler=_knife_ssh),
    "chef-client|chef-solo|chef-apply|cinc-client": Program(
        values="-e --execute", dry="-W --why-run", handler=tasks.declared
    ),
    "puppet": Program(
        values="--modulepath --environment --hiera_config --confdir --vardir -e --execute --server",
        dry="--noop",
        handler=tasks.declared,
    ),
    "salt|salt-ssh": Program(
        values="-c --config-dir -t --timeout -l --log-level --out -b --batch -I", handler=_salt
    ),
    "salt-call": Program(
        values="-c --config-dir -l --log-level --out --file-root --pillar-root", handler=_salt_call
    ),
    "salt-run": Program(
        values="-c -t --out -l",
        handler=changes_unless(
            "jobs.*|manage.status|manage.up|manage.down|manage.versions|fileserver.*|doc.*|survey.*",
            where="the machines",
        ),
    ),
    "bolt": Program(
        values="-t --targets -n --nodes -u --user -p --password -i --inventoryfile -m -q",
        dry="--noop",
        handler=_bolt,
    ),
}

RULES = """
ansible-vault view|decrypt|edit => exfiltration: decrypts {}
ansible-vault rekey => privilege: changes the password of {}
ansible-pull => network-exec: fetches a playbook and plays it
ansible-console => infrastructure: opens a console to many machines
ansible-galaxy role|collection publish|import|delete|remove|setup => publish: changes galaxy: {}
ansible-galaxy publish|import|delete|login|setup => publish: changes galaxy: {}
ansible-inventory --list --vault-password-file|--ask-vault-pass|--vault-id => exfiltration: decrypts
ansible-navigator exec => infrastructure: runs a command on the machines
chef-client|chef-solo|chef-apply|cinc-client => privilege: reconfigures this machine
knife data bag show --secret|--secret-file => exfiltration: decrypts the data bag {}
knife vault show|decrypt => exfiltration: decrypts {}
berks upload|apply => publish: uploads cookbooks
chef push|push-archive|delete-policy|clean-policy-* => infrastructure: changes the chef server
chef-server-ctl|chef-automate cleanse|uninstall|org-delete|user-delete => infrastructure: deletes {}
puppet apply|agent|device|catalog|plugin|filebucket !--noop => privilege: reconfigures this machine
puppet resource * * ... *=* => privilege: changes this machine: {}
puppet cert|ca clean|revoke|sign|destroy|generate|reinventory => privilege: changes certificates: {}
puppet node clean|deactivate|purge => infrastructure: removes the node {}
puppet module install|upgrade|uninstall|build => network-exec: changes the modules of puppet: {}
puppet ssl clean|bootstrap|submit_request => privilege: changes certificates
puppet config set|delete => privilege: changes the configuration of puppet
puppetserver ca clean|revoke|sign|setup|generate|import => privilege: changes certificates: {}
r10k deploy|puppetfile !check|display => infrastructure: deploys modules: {}
salt-key -A|-a|-d|-D|-r|-R|--accept*|--delete*|--reject* => privilege: changes who may join
salt-cloud -d|-p|-P|-m|--destroy|--profile|--map => infrastructure: changes machines of a cloud
salt * pillar.items|pillar.get|pillar.item|pillar.raw => exfiltration: prints secrets of machines
salt-cp => infrastructure: copies files to many machines
pssh|parallel-ssh|pdsh|clush|dsh|mussh|prsync|pscp => infrastructure: reaches many machines: {}
fab !-l|--list => infrastructure: runs a task on machines: {}
cfengine|cf-agent => privilege: reconfigures this machine
nixops destroy|delete|deploy|reboot|stop|ssh-for-each => infrastructure: changes machines
deploy-rs * => infrastructure: changes machines
colmena|morph apply|deploy|reboot => infrastructure: changes machines
"""
