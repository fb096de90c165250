"""Google's cloud: gcloud, gsutil, bq, firebase's siblings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.inside import in_cluster, text_in_cluster
from hermes.policy.shell.models.looking import both, changes_unless
from hermes.policy.shell.models.transfers import copies, starting, with_colon

_VERBS = (
    "list|describe|get-iam-policy|get-value|search|get-server-config|get-health|lookup|list-*"
    "|get-serial-port-output|tail-serial-port-output|search-all-*|get-ancestors|get-operation|wait"
    "|describe-*|get-ancestors-iam-policy|print-settings|get-effective-*|analyze-*|check-upgrade"
)
_LOOKS = f"""
info|version|topic|cheat-sheet|feedback|emulators|survey|docker
* {_VERBS}
* * {_VERBS}
* * * {_VERBS}
* * * * {_VERBS}
* * * * * {_VERBS}
config get|set|unset
config configurations list|describe|activate
logging read|tail
alpha|beta emulators
alpha|beta logging read|tail
* logs read|tail
* * logs read|tail
alpha|beta * logs read|tail
builds log
compute ssh|config-ssh|start-iap-tunnel
alpha|beta compute ssh
compute scp
storage ls|cat|du|hash
source repos clone
spanner databases ddl describe
pubsub subscriptions pull !--auto-ack
dns record-sets export
* policies lint
"""
_GLOBAL = """
--project --account --configuration --format --verbosity --impersonate-service-account --region
--zone --filter --limit --billing-project --flags-file --location --cluster --organization --folder
--command --ssh-key-file --ssh-flag --sort-by --page-size --access-token-file
"""
_STATEMENT = re.compile(
    r"\b(?:delete|drop|insert|update|merge|truncate|create|alter|grant|revoke|export|call)\b", re.I
)


def _over_ssh(call: Call) -> Iterator[Effect]:
    """Yield what a command does on the machine that it is sent to."""
    words = call.operands
    if "ssh" in words[:3]:
        yield from text_in_cluster(call.value("--command") or "")
        yield from in_cluster(words[words.index("ssh") + 2 :])


def _query(call: Call) -> Iterator[Effect]:
    """Find queries that change tables."""
    text = re.sub(r"'[^']*'|\"[^\"]*\"|--[^\n]*", "", " ".join(call.operands[1:]))
    text = text or (call.piped.text or "")
    found = _STATEMENT.search(text)
    if found:
        yield danger("database", f"changes tables: {found[0].upper()}")


_GS = starting("gs://", "s3://")

PROGRAMS: dict[str, Program] = {
    "gcloud": Program(
        values=_GLOBAL,
        dry="-h --validate-only",
        handler=both(changes_unless(_LOOKS, where="the cloud"), _over_ssh),
    ),
    "gcloud storage|compute": Program(values=_GLOBAL),
    "gcloud storage cp|mv|rsync": Program(values=_GLOBAL, handler=copies(_GS, skip=2)),
    "gcloud compute scp": Program(values=_GLOBAL, handler=copies(with_colon, skip=2)),
    "gsutil": Program(
        values="-o -h -u -i",
        handler=changes_unless(
            """
            ls|cat|du|stat|hash|version|test|perfdiag
            acl|iam|cors|lifecycle|versioning|logging|label|defacl|web|ubla|pap|rpo|retention get
            notification|hmac list
            """,
            where="the store",
        ),
    ),
    "gsutil cp|mv|rsync": Program(
        values="-o -h -u -i -x -z", dry="-n", handler=copies(_GS, skip=1)
    ),
    "bq": Program(
        values="--project_id --dataset_id --location --format --job_id",
        dry="--dry_run",
        handler=changes_unless(
            "ls|show|head|wait|info|shell|query|get-iam-policy|init", "database", "tables"
        ),
    ),
    "bq query": Program(values="--project_id --location --format -n", handler=_query),
    "gcsfuse|s3fs|goofys|blobfuse2": Program("text write", "-o"),
}

RULES = """
gcloud auth print-* => exfiltration: prints a token
gcloud auth application-default print-* => exfiltration: prints a token
gcloud auth login|activate-*|revoke|configure-docker => privilege: changes who signs in
gcloud auth application-default login|revoke => privilege: changes who signs in
gcloud secrets versions access => exfiltration: prints the secret {}
gcloud secrets delete|create|update => infrastructure: changes the secret {}
gcloud iam service-accounts keys create|upload => exfiltration: makes a key of an account
gcloud kms decrypt|asymmetric-decrypt => exfiltration: decrypts with a key of the cloud
gcloud sql users list|set-password => infrastructure: changes users of a database
gcloud container clusters get-credentials => overwrite: changes which cluster kubectl speaks to
gcloud sql generate-login-token => exfiltration: prints a token
gcloud compute reset-windows-password => exfiltration: prints a password
gcloud storage sign-url => publish: makes a link that opens {} to everybody
gcloud config set project *prod*|*live* => infrastructure: turns later commands on production
gcloud services api-keys get-key-string => exfiltration: prints a key
gcloud compute instances delete => infrastructure: deletes the machines {}
gcloud projects delete => infrastructure: deletes the project {}
gcloud storage rm => infrastructure: deletes {}
gcloud storage rsync --delete-unmatched* => infrastructure: deletes {}
gsutil rm|rb => infrastructure: deletes {}
gsutil signurl => publish: makes a link that opens {} to everybody
gsutil rsync -d => infrastructure: deletes what the source lacks: {}
gsutil acl|iam|defacl ch|set => publish: changes who may see {}
bq rm => database: deletes {}
cloud_sql_proxy|cloud-sql-proxy --address=0.0.0.0 => publish: opens a database to the network
"""
