"""Describe message queues, streams and job runners."""

from __future__ import annotations

from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.looking import changes_unless

_LOCAL = ("localhost", "127.0.0.1", "kafka:", "broker:", "redpanda:")


def _producer(call: Call) -> Iterator[Effect]:
    """Yield the danger of sending messages to a cluster that is not on this machine."""
    if call.name in ("kcat", "kafkacat") and not call.has("-P"):
        return
    servers = call.values("-b", "--bootstrap-server", "--broker-list", "-brokers")
    if not all(server.startswith(_LOCAL) for server in servers):
        yield danger("infrastructure", f"sends messages to {' '.join(servers)}")


_rabbit = changes_unless(
    """
    list_*|status|cluster_status|environment|report|ping|node_health_check|version|help
    list|show|export|check_*|runtime_*|memory_breakdown|os_env|maybe_stuck|observer|list-*
    authenticate_user|await_startup|await_online_nodes|hash_password|directories|is_*
    """,
    "infrastructure",
    "the message broker",
)
_redpanda = changes_unless(
    """
    cluster info|health|status|metadata
    cluster config|partitions|license get|list|status|info|export
    topic list|describe|consume|describe-storage
    group list|describe
    acl list
    registry
    version|generate|help
    profile list|current|print
    container status
    """,
    "infrastructure",
    "the cluster",
)
_TOPIC = "--bootstrap-server --zookeeper --topic --group --command-config --broker-list --config"
_KAFKA = Program(values=f"{_TOPIC} --partitions --replication-factor --add-config --entity-name")

PROGRAMS = {
    "rabbitmqctl|rabbitmqadmin|rabbitmq-plugins|rabbitmq-diagnostics|rabbitmq-queues": Program(
        values="-n --node -p --vhost -H --host -P --port -u --username --password -N -V -f",
        handler=_rabbit,
    ),
    "kafka-topics|kafka-topics.sh|kafka-configs|kafka-configs.sh": _KAFKA,
    "kafka-consumer-groups|kafka-consumer-groups.sh|kafka-acls|kafka-acls.sh": _KAFKA,
    "kafka-console-producer|kafka-console-producer.sh": _KAFKA._replace(handler=_producer),
    "kafka-console-consumer|kafka-console-consumer.sh": _KAFKA,
    "kafka-reassign-partitions|kafka-reassign-partitions.sh": _KAFKA,
    "kcat|kafkacat": Program(
        values="-b -t -p -o -c -e -K -k -D -H -X -G -f -F -s -r -d", handler=_producer
    ),
    "rpk": Program(values="-X --brokers --profile --config -p", handler=_redpanda),
    "nats": Program(values="-s --server --creds --user --password --context"),
    "pulsar-admin|celery|rq|temporal|tctl|faktory": Program(values="-A --app -b --broker"),
}

RULES = """
kafka-topics|kafka-topics.sh --delete|--alter => infrastructure: deletes or changes topics
kafka-configs|kafka-configs.sh --alter => infrastructure: changes the cluster's settings
kafka-consumer-groups|kafka-consumer-groups.sh --delete|--delete-offsets \
    => infrastructure: deletes consumer groups
kafka-consumer-groups|kafka-consumer-groups.sh --reset-offsets --execute \
    => infrastructure: moves where consumers read
kafka-acls|kafka-acls.sh --add|--remove => infrastructure: changes who may reach topics
kafka-delete-records|kafka-delete-records.sh => infrastructure: deletes messages
kafka-reassign-partitions|kafka-reassign-partitions.sh --execute => infrastructure: moves partitions
kafka-leader-election|kafka-leader-election.sh => infrastructure: changes the cluster's leaders
kafka-streams-application-reset|kafka-streams-application-reset.sh --execute|--force \
    => infrastructure: resets a stream application
kafka-server-stop|kafka-server-stop.sh|zookeeper-server-stop|zookeeper-server-stop.sh \
    => service: stops the broker
kafka-storage|kafka-storage.sh format => infrastructure: formats the broker's storage
nats stream|str rm|delete|purge|edit|rmm|restore|cluster => infrastructure: deletes or changes {}
nats consumer|con rm|delete|edit|pause => infrastructure: deletes or changes {}
nats kv|object|obj rm|del|delete|purge|put|add => infrastructure: deletes or changes {}
nats account|server purge|raft|config|restore|backup => infrastructure: changes the server
nats publish|pub|request|req * => infrastructure: sends messages to {}
pulsar-admin * delete*|create*|set-*|remove-*|unload => infrastructure: deletes or changes {}
pulsar-admin * terminate|clear-backlog*|skip*|reset-*|grant*|revoke* \
    => infrastructure: deletes or changes {}
celery purge|control|amqp    => infrastructure: throws away or changes waiting jobs
rq empty|suspend             => infrastructure: throws away waiting jobs
temporal|tctl workflow|schedule|batch|namespace terminate|term|cancel|reset|delete|signal|update \
    => infrastructure: changes running workflows
temporal operator namespace|search-attribute|cluster delete|remove|update|create \
    => infrastructure: changes the cluster
"""
