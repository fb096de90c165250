"""Describe databases and their clients."""

from __future__ import annotations

from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.databases_queries import (
    client,
    cypher,
    hbase,
    in_a_file,
    mysql,
    redis,
)
from hermes.policy.shell.models.looking import changes_unless
from hermes.policy.shell.models.surroundings import is_passing


def _dropdb(call: Call) -> Iterator[Effect]:
    for name in call.operands[:1]:
        if not is_passing(name):
            yield danger("database", f"drops the database {name}")


def _mysqladmin(call: Call) -> Iterator[Effect]:
    operands = call.operands
    if "drop" in operands:
        name = "".join(operands[operands.index("drop") + 1 :][:1])
        if not is_passing(name):
            yield danger("database", f"drops the database {name or 'given'}")


def _pg_restore(call: Call) -> Iterator[Effect]:
    name = call.value("-d", "--dbname")
    if call.has("-c", "--clean", "-C", "--create") and name and not is_passing(name):
        yield danger("database", f"drops and replaces what is in {name}")


def _with_drop(call: Call) -> Iterator[Effect]:
    """Yield the danger of a restore or an import that empties collections first."""
    name = call.value("-d", "--db", "--nsInclude")
    if call.has("--drop") and not is_passing(name):
        yield danger("database", f"drops every collection before restoring it {name or ''}".strip())


_PSQL = "-h --host -p --port -U --username -d --dbname -v --set --variable -F -R -P --pset -T"
_QUERY = "-e --execute -q --query -Q --sql -c --command"
_psql = client("sql", "-c --command", "-f --file", "-h --host", "-d --dbname")
_query = client(
    "sql", _QUERY, "-f --file -i --queries-file", "-h --host -S --server", "-d --database -k"
)
_mongo = client("mongo", "--eval", "-f --file", "--host", "-d --db")
_influx = changes_unless(
    """
    ping|query|version|export|repl|setup
    bucket|org|user|auth|task|dashboards|config|secret|stacks|remote|replication|v1 list|ls|find
    task log|run list
    telegrafs|inspect|v1|stacks|template
    """,
    "database",
    "the database",
)
_nodetool = changes_unless(
    """
    status|info|ring|describecluster|tpstats|tablestats|cfstats|netstats|version|gossipinfo|help
    compactionstats|compactionhistory|proxyhistograms|tablehistograms|cfhistograms|listsnapshots
    get*|describering|failuredetector|statusbinary|statusgossip|statusbackup|rangekeysample|flush
    """,
    "database",
    "the cluster",
)
_CLIENT = (
    "-h --host -p --port -u --user -U -P --password -d --database -S --server --url --certs-dir"
    " -w --warehouse --format -k --keyspace --catalog --schema --output-format -C"
)

PROGRAMS = {
    "psql|ysqlsh|pgcli|vsql|nzsql|gsql": Program(
        values=f"{_PSQL} -c --command -f",
        options={"-f|--file": "read", "-o|--output|-L|--log-file": "write"},
        handler=_psql,
    ),
    "createdb|createuser|dropuser|vacuumdb|reindexdb|pg_isready|clusterdb": Program(values=_PSQL),
    "dropdb": Program(values=_PSQL, handler=_dropdb),
    "pg_dump|pg_dumpall": Program(
        values="-h --host -p --port -U --username -d --dbname -n --schema -N -t --table -T -F"
        " --format -j --jobs -Z -l",
        options={"-f|--file": "write"},
    ),
    "pg_restore": Program(
        "read",
        "-h --host -p --port -U --username -d --dbname -n -t -T -j --jobs -F --format -L -l",
        options={"-f|--file": "write"},
        handler=_pg_restore,
    ),
    "pg_basebackup": Program(values=_PSQL, options={"-D|--pgdata": "write"}),
    "initdb": Program("write", "-U -E --locale -A --auth", options={"-D|--pgdata": "write"}),
    "pg_ctl|pg_ctlcluster|pg_dropcluster|pg_createcluster|pg_resetwal": Program(
        values="-D -l -o -m"
    ),
    "pg_rewind|pg_upgrade|pgbench|pgloader|pgbackrest|barman|wal-g|repmgr": Program(),
    "patronictl": Program(values="-c --config-file -d --dcs-url"),
    "mysql|mariadb|mycli|mysqlsh": Program(handler=mysql),
    "mysqladmin|mariadb-admin": Program(
        values="-h --host -u --user -P --port -S --socket --password", handler=_mysqladmin
    ),
    "mysqldump|mariadb-dump|mydumper": Program(
        values="-h --host -u --user -P --port -S -w --where --ignore-table",
        options={"-r|--result-file|-T|--tab|-o|--outputdir": "write"},
    ),
    "mysqlimport|mysqlcheck|mariadb-import|mysql_upgrade|mysql_secure_installation": Program(),
    "mysqld|mysqld_safe|mysql_install_db|myloader|xtrabackup|mariabackup|mysqlbinlog": Program(),
    "sqlite3|sqlite|sqlite-utils|litecli": Program(
        values="-cmd -init -separator -newline -nullvalue -maxsize -mmap -vfs -A",
        options={"-init": "read"},
        dashes="single",
        handler=in_a_file,
    ),
    "duckdb": Program(
        values="-c -s -cmd -init -separator -newline", dashes="single", handler=in_a_file
    ),
    "mongo|mongosh": Program(
        values="--host --port -u --username -p --password --authenticationDatabase --eval -f"
        " --file --tlsCAFile --authenticationMechanism",
        handler=_mongo,
    ),
    "mongodump|mongoexport": Program(
        values="-d --db -c --collection -u -p -h --host --port --uri -q --query -f --fields --type",
        options={"-o|--out": "write"},
    ),
    "mongorestore|mongoimport": Program(
        values="-d --db -c --collection -u -p -h --host --port --uri --type --mode --nsInclude"
        " --nsFrom --nsTo --fields --file --upsertFields",
        handler=_with_drop,
    ),
    "mongod|mongos": Program(values="--dbpath --port --logpath -f --config"),
    "redis-cli|valkey-cli|keydb-cli|dragonfly-cli": Program(
        values="-h -p -a -n -u -i -r --pass --user --pattern -d -D --cluster --eval --count"
        " --cacert --cert --key -s --type",
        options={"--rdb|--functions-rdb": "write"},
        stops=True,
        handler=redis,
    ),
    "cqlsh|ycqlsh|clickhouse-client|sqlcmd|sqlplus|osql|tsql|snowsql|trino|presto": Program(
        values=f"{_CLIENT} {_QUERY} -i --queries-file -f --file",
        options={"-o|--output": "write"},
        handler=_query,
    ),
    "hive|beeline|impala-shell|spark-sql|spanner-cli|usql|db2|isql|isql-fb|snow": Program(
        values=f"{_CLIENT} {_QUERY} -n -i -f --file", handler=_query
    ),
    "clickhouse": Program(),
    "clickhouse client|local": Program(values=f"{_CLIENT} {_QUERY} --queries-file", handler=_query),
    "cockroach": Program(values="--host --url --certs-dir --user -u --database -d"),
    "cockroach sql": Program(values=f"{_CLIENT} {_QUERY}", handler=_query),
    "surreal sql": Program(
        values="-e --endpoint -u -p --ns --db --conn", handler=client("sql", "-x", "", "-x", "--db")
    ),
    "influx": Program(
        values="-host -port -database -username -password -t --token -o --org -b --bucket --host"
        " -c --active-config -n --name -i --id",
        options={"-execute": "code:sql"},
        dashes="single",
        handler=_influx,
    ),
    "nodetool": Program(values="-h --host -p --port -u -pw", handler=_nodetool),
    "cypher-shell": Program(values="-a --address -u -p -d --database --format", handler=cypher),
    "hbase": Program(handler=hbase),
    "bcp|rman|impdp|imp|expdp|dbca|lsnrctl|srvctl": Program(),
    "neo4j|neo4j-admin|couchbase-cli|arangorestore|memcached-tool|memcflush": Program(),
    "arangosh": Program(values="--javascript.execute-string --server.endpoint --server.database"),
    "hdfs|hadoop": Program(dashes="single"),
    "edgedb|gel|litestream|elasticdump|curator|zkCli.sh": Program(),
}

RULES = """
createdb|createuser -h|--host !-h=localhost|-h=127.*|--host=localhost|--host=127.*|-h=/* \
    => database: changes the server of others
createuser|dropuser          => database: changes who may reach the database: {}
pg_ctl stop|restart|promote|kill|unregister => service: stops or changes the database server
pg_ctlcluster * * stop|restart|promote => service: stops or changes the database server
pg_dropcluster|pg_resetwal|pg_rewind|pg_upgrade \
    => database: changes the files of the database server
pgbench -i|--initialize      => database: drops and fills the tables of pgbench
pg_archivecleanup !-n       => database: deletes logs that a restore needs
etcdctl del|put|compact|defrag|txn|move-leader|role|lock \
    => database: changes the cluster's configuration
etcdctl member|user|auth|lease|alarm add|remove|update|promote|delete \
    => database: changes the cluster
etcdctl member|user|auth|lease|alarm grant-role|enable|disable|revoke|disarm \
    => database: changes the cluster
etcdctl|etcdutl snapshot restore => database: replaces the cluster's data
influx -execute=*DROP*|-execute=*drop*|-execute=*DELETE* => database: drops what is in the database
pgloader                     => database: loads and may drop tables
pgbackrest restore|expire|stanza-delete|stop => database: changes the database or its backups
barman delete|recover|switch-wal|keep => database: changes the database or its backups
wal-g delete|backup-fetch|wal-restore => database: changes the database or its backups
patronictl failover|switchover|remove|reinit|restart|pause|edit-config \
    => database: changes the cluster
repmgr standby|primary|node promote|switchover|unregister|rejoin|clone \
    => database: changes the cluster
mysqladmin|mariadb-admin ... shutdown|kill|password => service: stops or changes the database server
mysqladmin|mariadb-admin ... flush-hosts|stop-slave|stop-replica|start-slave \
    => service: stops or changes the database server
mysqlimport|mariadb-import -d|--delete|-r|--replace => database: empties or overwrites tables
mysql_secure_installation|mysql_upgrade => database: changes the database server
mysqld --initialize|--initialize-insecure|--skip-grant-tables \
    => privilege: opens or resets the database server
mysql_install_db             => database: resets the database server
myloader -o|--overwrite-tables => database: drops and replaces tables
xtrabackup|mariabackup --copy-back|--move-back \
    => database: replaces the files of the database server
mongoimport --mode=delete|--mode=upsert => database: changes documents in {}
mongod --shutdown|--repair   => service: stops or changes the database server
cockroach node decommission|drain => database: takes a node out of the cluster
cockroach quit               => service: stops the database server
surreal import               => database: loads {} into the database
neo4j stop|restart           => service: stops the database server
neo4j-admin database|backup|dbms|server load|delete|import => database: changes the graph database
neo4j-admin database|backup|dbms|server restore|set-initial-password|set-default-admin|unbind \
    => database: changes the graph database
neo4j-admin load|restore|import|set-initial-password => database: changes the graph database
couchbase-cli bucket-delete|bucket-flush|rebalance|failover|server-remove|reset-admin-password \
    => database: changes the cluster
arangosh --javascript.execute-string=*drop*|--javascript.execute-string=*remove* \
    => database: deletes what is in the database
arangosh --javascript.execute-string=*truncate*|--javascript.execute-string=*_drop* \
    => database: deletes what is in the database
arangorestore                => database: overwrites collections
memcached-tool * flush_all|settings => database: empties the cache
memcflush                    => database: empties the cache
bcp * in                     => database: loads rows into a table
rman                         => database: changes the database or its backups
impdp|imp                    => database: loads and may replace tables
dbca -deleteDatabase|-silent => database: changes databases
lsnrctl|srvctl stop|remove|relocate|disable => service: stops the database server
hdfs|hadoop dfs|fs -rm|-rmr|-rmdir|-expunge|-truncate|-chmod|-chown \
    => database: deletes or changes {} in the cluster
hdfs|hadoop namenode -format => database: formats the file system of the cluster
edgedb|gel database|branch|instance drop|wipe|destroy|revert|rebase => database: loses data of {}
edgedb|gel restore           => database: replaces the database
elasticdump --output=http*|--deleteOnTarget => database: changes the search index
curator|curator_cli          => database: changes or deletes search indices
elasticsearch-reset-password|elasticsearch-users|elasticsearch-node|elasticsearch-keystore \
    => database: changes the search server
zkCli.sh|zkCli ... delete|deleteall|rmr|set|setAcl => database: changes the cluster's configuration
vacuumdb -f|--full           => database: locks and rewrites tables
sqlpackage /Action:Publish|/a:Publish|/Action:Import|/a:Import => database: changes the database
sqlpackage /Action:*|/a:*    => database: works on the whole database
sstableloader                => database: loads rows into the cluster
slapadd|slapcat -l|-q        => database: loads or prints the whole directory
pig -e=*rm*|-x               => database: deletes or changes data of the cluster
pig -e                       => database: runs a script on the cluster
sqoop export|import-all-tables|merge|eval => database: changes tables of the database
influxd restore              => database: replaces the database
dgraph bulk|live|restore     => database: loads data into the graph database
sqlplus ... @*               => database: runs the script {} in the database
"""
