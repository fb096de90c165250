"""Platforms that host applications: heroku, fly, vercel, netlify, wrangler, firebase, supabase."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.inside import command, in_cluster, text_in_cluster
from hermes.policy.shell.models.looking import Handler, behind, both, changes_unless


def _deploys(looks: str) -> Handler:
    return changes_unless(looks, "publish", "what is deployed")


def _bare(call: Call) -> Iterator[Effect]:
    """Find calls without a subcommand, which deploy the folder."""
    if not call.operands:
        yield danger("publish", f"{call.name} deploys this folder")


def _heroku_run(call: Call) -> Iterator[Effect]:
    """Yield what a command does on a machine of the platform."""
    yield from in_cluster(behind(call, "run", "run:detached", "run:inside"))


def _over_ssh(call: Call) -> Iterator[Effect]:
    """Yield what a command does that is handed over with ``-C`` or ``-c``."""
    if "ssh" in call.operands[:1]:
        yield from text_in_cluster(call.value("-C", "--command", "-c") or "")


def _with_remote_settings(call: Call) -> Iterator[Effect]:
    """Yield what a local command does that gets the settings of the platform."""
    words = behind(call, "run")
    if words:
        yield command(words)


def _statement(call: Call) -> Iterator[Effect]:
    """Find statements that change a database of the platform."""
    text = call.value("--command", "-c", "--file", "-q", "--query") or " ".join(call.operands[2:])
    looks = re.match(r"\s*(?:select|with|explain|show|pragma|\\d)", text, re.IGNORECASE)
    if call.operands[:2] == ("d1", "execute") and not looks and not call.has("--local"):
        yield danger("database", "changes a database of the platform")


_APP = "-a --app -r --remote -s --size -c --config -o --org -t --team -e --environment"

PROGRAMS: dict[str, Program] = {
    "heroku": Program(
        values=f"{_APP} -n --num -p --ps -d --dyno",
        handler=_deploys(
            """
            apps|apps:info|info|list|logs|ps|status|addons|addons:info|addons:plans|addons:services
            releases|releases:info|releases:output|domains|domains:info|certs|certs:info|pipelines
            pipelines:info|pipelines:diff|access|features|regions|stack|buildpacks|whoami|plugins
            pg|pg:info|pg:ps|pg:locks|pg:diagnose|pg:backups|pg:backups:info|pg:outliers|pg:bloat
            pg:links|pg:settings|redis|redis:info|auth:whoami|local|local:*|git:remote|git:clone
            open|maintenance|drains|webhooks|members|teams|spaces|labs|labs:info|keys|notifications
            config|config:get|pg:psql|autocomplete|apps:open|apps:errors|ps:type|run
            """
        ),
    ),
    "heroku run|run:detached|run:inside": Program(
        values="-a --app -r --remote -s --size -e --env --type", stops=True, handler=_heroku_run
    ),
    "fly|flyctl": Program(
        values=f"{_APP} -C --command --region -i --image --access-token",
        handler=both(
            _deploys(
                """
                status|logs|info|list|releases|history|regions|platform|doctor|version|dashboard
                open|checks|services|dig|ping|docs|proxy|settings|curl|wireguard
                * list|ls|show|status|check|validate|env|save|view|whoami|logs|docker
                ssh console|issue
                postgres|pg list|config
                """
            ),
            _over_ssh,
        ),
    ),
    "vercel|vc|now": Program(
        values="-A --local-config -Q --global-config -S --scope -t --token --cwd -e --env",
        handler=both(
            _bare,
            _deploys(
                """
                dev|build|ls|list|inspect|logs|log|whoami|link|pull|switch|init|bisect|open|telemetry
                env ls|list
                domains|alias|aliases|certs|dns|project|projects|teams|secrets ls|list|inspect
                integration list|balance
                git connect
                """
            ),
        ),
    ),
    "netlify|ntl": Program(
        values="-s --site --auth -d --dir --filter --context -p --port",
        handler=_deploys(
            """
            dev|dev:exec|build|status|status:hooks|sites:list|sites:search|open|open:*|serve|link
            unlink|watch|switch|recipes|recipes:list|env:list|env:get|functions:list
            functions:serve|functions:create|functions:invoke|functions:build|logs|logs:*|init
            addons:list|blobs:get|blobs:list|types|graph|completion*|lm:info|teams:list
            api list*|get*
            api --list
            """
        ),
    ),
    "wrangler|wrangler2": Program(
        values="-c --config -e --env --name --command --file --binding --namespace-id --preview",
        handler=both(
            _deploys(
                """
                dev|tail|whoami|init|types|docs|check|generate|build|telemetry|setup|preview
                --local
                kv:namespace|kv:key|kv:bulk list|get
                kv|d1|r2|queues|secret|deployments|versions|vectorize list|info|get|view|status
                kv|r2|pages|workflows|d1|queues * list|get|info|describe|status|tail
                d1 insights|export|execute
                d1 migrations list|create
                pages dev|functions
                """
            ),
            _statement,
        ),
    ),
    "firebase": Program(
        values="-P --project --token --only --except --config -j --account --import",
        handler=_deploys(
            """
            emulators:*|serve|projects:list|apps:list|apps:sdkconfig|use|init|login:list|target
            functions:list|functions:log|functions:shell|functions:config:get|functions:secrets:get
            hosting:sites:list|hosting:sites:get|hosting:channel:list|firestore:indexes|open
            firestore:databases:list|firestore:databases:get|database:get|remoteconfig:get
            remoteconfig:versions:list|ext:list|ext:info|experiments:list|setup:*|appdistribution:*:list
            database:instances:list|crashlytics:mappingfile:*|dataconnect:sdk:generate|auth:export
            functions:secrets:access|apphosting:backends:list|internaltesting:*
            """
        ),
    ),
    "supabase": Program(
        values="--workdir --project-ref --profile -f --file -s --schema --db-url --network-id",
        handler=_deploys(
            """
            start|stop|status|init|link|unlink|services|inspect|test|gen|bootstrap|seed|migrations
            db diff|dump|lint|pull|start|test|advisors
            migration new|list|squash|fetch|up
            functions serve|new|list|download
            secrets|projects|orgs|branches|domains|sso|snippets|backups list|get|show|api-keys|info
            storage ls
            """
        ),
    ),
    "railway": Program(
        values="-s --service -e --environment -p --project",
        handler=_deploys(
            "status|logs|list|whoami|docs|link|unlink|open|shell|init|service|variables"
        ),
    ),
    "railway run": Program(
        values="-s --service -e --environment", stops=True, handler=_with_remote_settings
    ),
    "render": Program(
        values="-o --output -s --service",
        handler=_deploys(
            """
            logs|whoami|workspaces
            services|projects|environments|blueprints !delete|create|update|restart|suspend|ssh
            workspace|deploys|jobs|services|workspace current|list|set|instances
            """
        ),
    ),
    "surge": Program(handler=both(_bare, _deploys("list|whoami"))),
    "cf|cf8": Program(
        handler=_deploys(
            """
            apps|app|services|service|routes|domains|orgs|spaces|target|env|logs|events|marketplace
            buildpacks|stacks|quotas|org|space|users|org-users|space-users|api|tasks|service-keys
            security-groups|feature-flags|curl|service-key|oauth-token|a|s|m|t|e|plugins|ssh-code
            """
        )
    ),
    "cf ssh": Program(values="-c --command -i -L", handler=_over_ssh),
    "dokku": Program(
        handler=_deploys("logs|version|ps|*:list|*:report|*:info|*:show|config|config:get|urls|url")
    ),
    "cap": Program(values="-f -r -S -s", dry="-T -n -P -D --tasks"),
    "kamal|mrsk": Program(
        values="-d --destination -c --config-file -h --hosts -r --roles --version",
        handler=_deploys(
            """
            details|audit|config|docs|init|version
            app|accessory|proxy|traefik|server|build|lock|registry|prune details|logs|status|images
            app containers|version|stale_containers
            secrets print|fetch|extract
            build dev
            """
        ),
    ),
    "kamal|mrsk app": Program(values="-d --destination -h --hosts -r --roles"),
    "kamal|mrsk app exec": Program(
        values="-d --destination -h --hosts -r --roles --env",
        handler=lambda call: text_in_cluster(" ".join(behind(call, "app", "exec"))),
    ),
    "modal": Program(
        handler=_deploys(
            """
            run|serve|shell|setup|token
            app|volume|secret|environment|profile|container|queue list|logs|ls|get|current|history
            """
        )
    ),
}

RULES = """
heroku config|config:get => exfiltration: prints the settings of an application
heroku auth:token|authorizations:create => exfiltration: prints a token
heroku apps:destroy|destroy => infrastructure: destroys an application
heroku pg:reset|pg:killall|pg:push|pg:copy|pg:upgrade => database: changes a database
heroku pg:psql -c|--command => database: runs a statement
heroku pg:credentials:url|redis:credentials => exfiltration: prints credentials
heroku run|run:detached|run:inside bash|sh|zsh|console|rails|python|node|psql|irb|iex \
    => infrastructure: opens a shell where the application runs
heroku login|auth:login|keys:add => privilege: changes who signs in
fly|flyctl auth token|docker => exfiltration: prints a token
fly|flyctl tokens create => exfiltration: makes a token
fly|flyctl auth login|logout|signup => privilege: changes who signs in
fly|flyctl apps|machine|machines|volumes|volume destroy|delete => infrastructure: destroys {}
vercel|vc rm|remove => infrastructure: removes deployments: {}
vercel|vc|now env pull => exfiltration: writes the secrets of the project to a file
netlify|ntl sites:delete => infrastructure: deletes the site {}
netlify|ntl env:get => exfiltration: prints the setting {}
netlify|ntl env:list => exfiltration: prints the settings of the site
wrangler|wrangler2 delete => infrastructure: deletes what is deployed
firebase functions:config:get|functions:secrets:access => exfiltration: prints secrets of functions
firebase auth:export => exfiltration: writes out the users
firebase login:ci => exfiltration: prints a token
firebase firestore:delete|database:remove|database:set => database: changes data of the project
supabase stop --no-backup => database: throws away the local database
supabase db reset|push => database: changes the database
supabase projects api-keys => exfiltration: prints keys of the project
railway variables => exfiltration: prints the settings of a service
railway down|delete => infrastructure: removes what is deployed
railway connect => database: opens a database of the platform
surge teardown => infrastructure: removes the site {}
cf env|service-key|oauth-token|ssh-code => exfiltration: prints credentials
cf curl -X|-d => infrastructure: changes the platform
cf delete|delete-* => infrastructure: deletes {}
dokku config|config:get|config:show|config:export => exfiltration: prints settings of {}
cap * => publish: deploys with {}
kamal|mrsk secrets print|fetch => exfiltration: prints secrets
kamal|mrsk remove => infrastructure: removes what is deployed
modal token new|set => privilege: changes who signs in
zappa|chalice deploy|undeploy|update|delete|rollback => publish: changes what is deployed
deployctl|meteor|ember|ionic|convex|partykit|nhost|hasura deploy => publish: deploys {}
huggingface-cli|hf upload|upload-large-folder|login|repo => publish: changes the hub: {}
kaggle datasets|kernels|competitions create|version|push|submit => publish: uploads {}
wandb login|sync|launch|artifact => publish: uploads {}
"""
