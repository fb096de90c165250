"""Services that show or send things: tunnels, app stores, payments, messages, reports."""

from __future__ import annotations

from hermes.policy.shell.model import Program
from hermes.policy.shell.models.inside import by_ssh
from hermes.policy.shell.models.looking import changes_unless

PROGRAMS: dict[str, Program] = {
    "fastlane": Program(values="--env"),
    "eas": Program(
        values="-p --platform -e --profile --environment --branch --channel -m --message --id",
        handler=changes_unless(
            """
            build --local
            build:list|build:view|build:configure|build:inspect|build:run|build:dev|whoami
            account:view
            project:info|project:init|init|config|diagnostics|device:list|channel:list|channel:view
            branch:list|branch:view|update:list|update:view|update:configure|env:list|env:pull
            submit:list|webhook:list|credentials|open|analytics|metadata:lint|metadata:pull
            """,
            "publish",
            "what users of the app get",
        ),
    ),
    "expo": Program(values="--port -p --platform --output-dir"),
    "sentry-cli": Program(
        values="-o --org -p --project --auth-token --url --log-level -r --release --dist",
        handler=changes_unless(
            """
            info
            projects|releases|organizations|issues|events|deploys|monitors|repos list|info
            releases propose-version
            sourcemaps explain|inject|resolve
            debug-files|dif check|find|bundle-sources|print-sources
            """,
            "publish",
            "what sentry knows",
        ),
    ),
    "stripe": Program(
        values="--api-key --project-name -p --color -d --data -l --limit --forward-to -e --events",
        handler=changes_unless(
            """
            listen|get|status|samples|open|docs|resources|community|feedback|serve
            logs tail
            config --list
            trigger !--live
            * list|retrieve|search
            * * list|retrieve|search
            """,
            "infrastructure",
            "what customers pay",
        ),
    ),
    "twilio": Program(
        values="-p --profile -o -l",
        handler=changes_unless(
            "*:list|*:fetch|plugins|debugger|profiles:*|autocomplete|plugins:*|config:*",
            "publish",
            "what twilio does",
        ),
    ),
    "shopify": Program(
        values="-s --store --path -e --environment -t --theme",
        handler=changes_unless(
            """
            app|hydrogen dev|build|info|init|generate|config|logs|function|env|list|check|link
            app|hydrogen preview|shortcut|codegen|upgrade|webhook|import-extensions|debug
            theme dev|list|check|pull|init|info|console|package|open|language-server|serve|profile
            whoami|search|commands|plugins|kitchen-sink|upgrade
            """,
            "publish",
            "the shop",
        ),
    ),
    "ngrok": Program(
        values="--config --region --log --domain --hostname --authtoken --url",
        handler=changes_unless(
            """
            diagnose|update
            config check|upgrade
            api * list|get
            """,
            "publish",
            "who can reach this machine",
        ),
    ),
    "cloudflared": Program(values="--url --name --config --hostname --logfile --loglevel"),
    "cloudflared tunnel": Program(
        values="--url --name --config --hostname --credentials-file --protocol --edge-ip-version"
    ),
    "tailscale": Program(
        values="--socket",
        handler=changes_unless(
            """
            status|ip|ping|netcheck|whois|bugreport|licenses|metrics|debug|nc|ssh|syspolicy
            lock|funnel|serve|dns|drive|exit-node|switch status|list|query
            switch --list
            """,
            "publish",
            "who can reach this machine",
        ),
    ),
    "tailscale ssh": Program(stops=True, handler=by_ssh),
}

RULES = """
fastlane ... release|deploy|beta|alpha|deliver|pilot|supply|upload* => publish: publishes the app
fastlane ... testflight|production|prod|distribute|publish|submit* => publish: publishes the app
fastlane ... match|cert|sigh|produce|nuke|register_* => privilege: changes keys of the app
expo publish|upload:*|build:*|push:* => publish: publishes the app
expo login|register => privilege: signs in
sentry-cli login => privilege: signs in and stores a token
stripe config --list => exfiltration: prints keys
stripe login => privilege: signs in and stores a key
cloudflared tunnel !list|info|login|cleanup|validate => publish: opens this machine to the internet
cloudflared tunnel delete|cleanup|create|route => infrastructure: changes tunnels: {}
cloudflared tunnel login|token => privilege: signs in to tunnels
cloudflared login => privilege: signs in to tunnels
cloudflared service install|uninstall => persistence: installs a tunnel that starts by itself
cloudflared --url|--hello-world => publish: opens this machine to the internet
cloudflared access token => exfiltration: prints a token
tailscale up|down|set|logout|login => service: changes the private network of this machine
tailscale file cp => exfiltration: sends files to another machine: {}
lt|localtunnel -p|--port => publish: opens this machine to the internet
zrok share|reserve|enable => publish: opens this machine to the internet
expose share|tunnel => publish: opens this machine to the internet
devtunnel host => publish: opens this machine to the internet
frpc|chisel|inlets|pagekite|tunnelto|playit|boringproxy|rathole|gost => publish: opens a tunnel
onionshare|onionshare-cli => exfiltration: sends {} to others
datadog-ci !version|--version => publish: reports to datadog
"""
