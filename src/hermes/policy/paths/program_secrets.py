"""Which files and folders of well-known programs hold logins, as data."""

from __future__ import annotations

from hermes.policy.paths.groups import Group

_BELOW_HOME = """
    .1password .acme.sh .age .aider .akamai-cli .algorand .android/adbkey .ansible_vault_pass
    .appcenter .aptos .argocd .artifactory .aws-okta .aws-vault .awsvault .b2_account_info
    .bitmonero .borg .boundary .brownie/accounts .cache/huggingface/stored_tokens .cache/keyring
    .cache/rbw .cardano .cassandra .chef .cifs .circleci/cli.yml .civo.json .cloudflared
    .codeium .comet.config .conda/pkgs_tokens .config/.jira .config/.wrangler .config/aerc
    .config/aichat .config/akamai .config/anaconda .config/ansible .config/anthropic
    .config/appcenter .config/argocd .config/atomic .config/attic .config/b2
    .config/b2/account_info .config/bitbucket .config/borg .config/bruno .config/cachix
    .config/certbot .config/chef .config/civo .config/code/user/globalstorage .config/codeberg
    .config/cody .config/copr .config/cosign .config/crush .config/cursor/user/globalstorage
    .config/dagger .config/dart .config/datadog .config/dbeaverdata .config/doppler
    .config/earthly .config/eas .config/eksctl .config/element .config/epiphany .config/equinix
    .config/evolution .config/exercism .config/exoscale .config/fastly .config/filezilla
    .config/freerdp .config/gandi .config/garden .config/geary .config/git-credential-oauth
    .config/gitea .config/goose/secrets.yaml .config/gopass .config/granted .config/hashicorp
    .config/hatch/config.toml .config/helm/registry .config/heroic .config/hexchat
    .config/himalaya .config/httpie/sessions .config/hut .config/ibmcloud .config/infisical
    .config/insomnia .config/insync .config/io.datasette.llm/keys.json .config/isync
    .config/jetbrains/*/c.kdbx .config/jfrog .config/jira .config/joplin .config/joplin-desktop
    .config/kaggle .config/keybase .config/khal .config/lab .config/lab.toml .config/lastpass
    .config/ledger?live .config/lens .config/letsencrypt .config/lexicon .config/lftp
    .config/linear .config/lpass .config/metamask .config/microsoft .config/minecraft
    .config/modal .config/mongodb .config/msmtp .config/mycli .config/neomutt .config/neonctl
    .config/newrelic .config/nextcloud .config/ngrok .config/nix/netrc .config/notion
    .config/nuget .config/obs-studio .config/okta .config/opencode/auth.json .config/openshift
    .config/openstack .config/osc .config/pagerduty .config/pgadmin .config/pgcli
    .config/planetscale .config/postman .config/proton .config/protonvpn
    .config/pypoetry/auth.toml .config/qutebrowser .config/rancher .config/rbw .config/remmina
    .config/replicate .config/restic .config/rhoas .config/rustdesk .config/rustic .config/sendgrid
    .config/sentry .config/skypeforlinux .config/snyk .config/sonar .config/spotify
    .config/stripe .config/supabase .config/surge .config/syncthing .config/tableplus
    .config/tailscale .config/tea .config/teams .config/tigervnc/passwd .config/tkn
    .config/todoist .config/tor .config/transmission-daemon .config/travis .config/turso
    .config/twilio-cli .config/twitch .config/upctl.yaml .config/vault .config/vdirsyncer
    .config/vultr-cli.yaml .config/wandb .config/weechat .config/whatsapp .config/windsurf
    .config/zoomus.conf .consul-token .continue/.env .continue/config.json .continue/config.yaml
    .continuum .cookie .cookies .cosign .cqlshrc .credentials.cifs .crowdin.yml .cursor/mcp.json
    .cvspass .dash .datadog .davfs2/secrets .docker/contexts .docker/trust/private .dogecoin
    .doppler .dropbox .duplicity .earthly .eas .edgerc .eksctl .esmtprc .expo/state.json
    .fastlane .fastly .fedora.cert .filezilla .foundry/keystores .gandi.yaml .gcm
    .gemini/google_accounts.json .getmail .gitcookies .gitea .gnucash .granted .hackage
    .hex/hex.config .httpie/sessions .ibmcloud .infisical .influxdbv2 .ivy2/.credentials .jfrog
    .jira.d .julia/servers .jupyter/jupyter_notebook_config.json .jupyter/migrated .lastpass
    .leapp .lego .lein/credentials.clj .lein/credentials.clj.gpg .lein/profiles.clj .lens .lftp
    .librewolf .litecoin .local/share/crush .local/share/dbeaverdata .local/share/epiphany
    .local/share/git-credential-manager .local/share/gopass .local/share/jupyter/runtime
    .local/share/keybase .local/share/lftp .local/share/lpass .local/share/opencode/auth.json
    .local/share/protonmail .local/share/qutebrowser .local/share/rbw .local/share/remmina
    .local/share/telegramdesktop .local/share/torbrowser .local/share/unity3d
    .local/share/uv/credentials .local/share/weechat .local/state/syncthing .lpass .lynx_cookies
    .mbsyncrc .mc/config.json .mcli .minecraft/launcher_accounts.json .minio .minisign
    .modal.toml .mongodb .namecheap .ncftp .near-credentials .newrelic .ngrok2 .nomad-token
    .notary .now .nuget/nuget .oc .offlineimaprc .okta .osc .oscrc .ovh.conf .packet .pagerduty
    .palemoon .passwd-s3fs .pause .pgadmin .planetscale .postman .pub-cache/credentials.json
    .puppetlabs/etc/code/.token .puppetlabs/token .purple .qwen/oauth_creds.json .rancher .rdp
    .remmina .renviron .restic .restic-password .saml2aws .saml2aws.json .sbt/.credentials
    .sentryclirc .signify .sigstore .smb .smbcredentials .snowflake .snyk .sourcegraph .ssmtprc
    .steam/config .step/secrets .subversion/auth .sui .supabase .surf .surge .tabnine .tor
    .transifexrc .travis .tsh .twilio-cli .vault .vercel .vnc/passwd .vscode-cli .vultr-cli.yaml
    .w3m/cookie .wakatime.cfg .waterfox .weechat .wrangler .zcash .zen
"""

_BELOW_ROOT = """
    /etc/acme /etc/bind/rndc.key /etc/borgmatic /etc/boto.cfg /etc/caddy/certs
    /etc/cifs-credentials /etc/cifs.credentials /etc/cloudflared /etc/credstore
    /etc/credstore.encrypted /etc/davfs2/secrets /etc/dovecot/private /etc/dovecot/users
    /etc/dracut-crypt-ssh /etc/dropbear /etc/duo /etc/exim/passwd.client
    /etc/exim4/passwd.client /etc/fetchmailrc /etc/fwknop /etc/gitlab-runner
    /etc/gitlab/gitlab-secrets.json /etc/google_authenticator /etc/ipsec.d/private
    /etc/ipsec.secrets /etc/iwd /etc/ldap.secret /etc/libnss-ldap.secret /etc/luks /etc/msmtprc
    /etc/muttrc.d/secrets /etc/nslcd.conf /etc/openstack /etc/openvpn /etc/ovh.conf
    /etc/pam_ldap.secret /etc/passwd-s3fs /etc/pki/ca-trust/private /etc/pki/private
    /etc/postfix/sasl /etc/postfix/sasl_passwd /etc/postfix/sasl_passwd.db /etc/pve/priv
    /etc/rclone /etc/redis/users.acl /etc/restic /etc/rndc.key /etc/s3cfg /etc/samba/credentials
    /etc/secrets /etc/smbcredentials /etc/ssl/keys /etc/ssmtp /etc/sssd /etc/swanctl/private
    /etc/tinc /etc/traefik/acme.json /etc/vault /etc/vault.d /etc/vpnc /etc/wpa_supplicant.conf
    /etc/zerotier-one /run/agenix /run/agenix.d /run/keys /run/secrets.d /secrets
    /opt/homebrew/etc/wireguard /usr/local/etc/wireguard
    /usr/local/etc/ssl/private /var/lib/acme /var/lib/caddy /var/lib/cloud/instance
    /var/lib/cloud/instances /var/lib/etcd /var/lib/grafana/grafana.db /var/lib/iwd
    /var/lib/jenkins/credentials.xml /var/lib/jenkins/secrets /var/lib/postgresql/.pgpass
    /var/lib/private /var/lib/rabbitmq/.erlang.cookie /var/lib/rancher /var/lib/samba/private
    /var/lib/tailscale /var/lib/vaultwarden /var/lib/zerotier-one /vault/secrets
"""

PROGRAM_SECRETS = (
    Group(
        "exfiltration",
        "a program's stored login",
        tuple(f"~/{name}" for name in _BELOW_HOME.split()),
    ),
    Group("exfiltration", "a service's stored login", tuple(_BELOW_ROOT.split())),
)
"""What asks before its content is read, beside the keys and logins that everybody has."""
