"""Microsoft's cloud: az, azcopy, azd, func."""

from __future__ import annotations

from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.inside import text_in_cluster
from hermes.policy.shell.models.looking import both, changes_unless
from hermes.policy.shell.models.transfers import copies, starting

_VERBS = (
    "list|show|list-*|show-*|get-*|exists|check-*|wait|query|validate|what-if|summarize|logs"
    "|is-*|version|browse|preview"
)
_LOOKS = f"""
find|feedback|interactive|survey|ssh
* {_VERBS}
* * {_VERBS}
* * * {_VERBS}
* * * * {_VERBS}
account set
bicep build|lint|decompile|format|install|upgrade
config get|set
configure
extension list|list-available|show
graph query
rest
storage blob|file|fs download|download-batch|url
storage copy
acr repository list|show|show-tags|show-manifests
acr manifest list|show|list-metadata
webapp|functionapp log tail|download|show
webapp up --dryrun
monitor log-analytics|app-insights query
devops|pipelines|repos|boards|artifacts list|show|query
repos pr list|show|checkout
artifacts universal download
aks browse|check-acr
"""
_GLOBAL = """
--subscription -o --output --query -g --resource-group -n --name -l --location --ids --account-name
-m --method --uri --url -u --body -b --headers -s --source -d --destination -c --container-name
--vault-name --file -f --auth-mode --scripts --command-id
"""


def _request(call: Call) -> Iterator[Effect]:
    """Find bare requests that do more than look."""
    method = (call.value("-m", "--method") or "get").lower()
    if call.operands[:1] == ("rest",) and method not in ("get", "head", "options"):
        yield danger("infrastructure", f"sends a {method.upper()} request to the cloud")


def _run_command(call: Call) -> Iterator[Effect]:
    """Yield what a script does on the machine that it is sent to."""
    if "run-command" in call.operands[:3]:
        for script in call.values("--scripts"):
            yield from text_in_cluster(script)


_BLOB = starting("https://", "http://")

PROGRAMS: dict[str, Program] = {
    "az": Program(
        values=_GLOBAL,
        dry="-h",
        handler=both(changes_unless(_LOOKS, where="the cloud"), _request, _run_command),
    ),
    "azcopy": Program(
        values="--output-level --output-type --log-level",
        handler=changes_unless(
            """
            list|env|doc
            jobs list|show
            """,
            where="the store",
        ),
    ),
    "azcopy copy|cp|c|sync|s|sc": Program(
        values="--from-to --exclude-path --include-path --exclude-pattern --include-pattern",
        handler=copies(_BLOB, skip=1),
    ),
    "azd": Program(
        values="-C --cwd -e --environment",
        handler=changes_unless(
            """
            init|show|monitor|package|restore|version|config|template
            env list|get-values|get-value|select|new|refresh|set
            auth status
            """,
            where="the cloud",
        ),
    ),
    "func": Program(
        handler=changes_unless(
            "start|host|init|new|templates|extensions|pack|settings|logs|version|list"
        )
    ),
}

RULES = """
az keyvault secret show|download|backup => exfiltration: prints the secret {}
az keyvault key|certificate download|backup => exfiltration: writes out a key of the cloud
az account get-access-token => exfiltration: prints a token
az ad sp create-for-rbac => exfiltration: makes credentials
az ad app|sp credential reset => exfiltration: makes credentials
az ... keys list|show => exfiltration: prints keys
az ... list-keys|list-admin-keys|list-query-keys|show-connection-string => exfiltration: prints keys
az ... connection-string|credential show|list => exfiltration: prints keys
az ... list-connection-strings|list-publishing-*|list-credentials => exfiltration: prints keys
az ... generate-sas|get-sas => publish: makes a link that opens a store
az aks get-credentials => overwrite: changes which cluster kubectl speaks to
az aks get-credentials --admin|-a => exfiltration: writes out keys of the cluster
az account set --subscription=*prod*|-s=*prod*|-n=*prod* => infrastructure: turns to production
az ... appsettings list => exfiltration: prints the settings of an application
az acr login => privilege: signs in to a registry
az login|logout => privilege: changes who signs in
az group delete => infrastructure: deletes a whole group of resources
az storage blob|file|fs upload|upload-batch|sync|directory => exfiltration: uploads files
az storage copy => exfiltration: copies files between stores
azcopy remove|rm => infrastructure: deletes {}
azcopy login => privilege: signs in to the cloud
azd env get-values => exfiltration: prints the values of an environment
azd down => infrastructure: deletes what is deployed
azd auth token => exfiltration: prints a token
func azure|kubernetes|durable|deploy => publish: changes what is deployed
func settings decrypt => exfiltration: decrypts settings
func azure functionapp fetch-app-settings => exfiltration: writes out settings
"""
