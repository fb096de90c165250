"""Which places and variables matter to a sandbox, kept as data."""

from __future__ import annotations

SECRETS_AT_HOME = (
    ".ssh", ".aws", ".azure", ".gnupg", ".kube", ".docker", ".config/gcloud", ".config/gh",
    ".config/hub", ".config/op", ".config/rclone", ".config/doctl", ".config/containers",
    ".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".config/Code",
    ".config/microsoft-edge", ".config/pypoetry", ".config/age", ".config/sops",
    ".config/hermes", ".mozilla", ".thunderbird", ".netrc", "_netrc", ".authinfo", ".npmrc",
    ".yarnrc.yml", ".pypirc", ".gem/credentials", ".cargo/credentials",
    ".cargo/credentials.toml", ".m2", ".gradle/gradle.properties", ".composer/auth.json",
    ".git-credentials", ".config/git/credentials", ".pgpass", ".my.cnf", ".mylogin.cnf",
    ".mongorc.js", ".s3cfg", ".boto", ".vault-token", ".terraformrc", ".terraform.d",
    ".password-store", ".local/share/keyrings", ".local/share/kwalletd", "Library/Keychains",
    "Library/Cookies", "Library/Application Support/Google/Chrome",
    "Library/Application Support/Firefox", ".hermes", ".bash_history", ".zsh_history",
    ".python_history", ".psql_history", ".mysql_history", ".node_repl_history", ".lesshst",
    ".claude", ".codex", ".gemini", ".local/share/uv/credentials", ".config/github-copilot",
    ".config/glab-cli", ".config/hcloud", ".config/openai", ".config/anthropic",
    ".config/heroku", ".config/netlify", ".config/stripe", ".config/wrangler",
    ".config/configstore", ".config/1Password", ".config/Bitwarden", ".config/Slack",
    ".config/discord", ".config/Signal", ".config/snowflake", ".fly", ".wrangler", ".kaggle",
    ".huggingface", ".cache/huggingface/token", ".databrickscfg", ".snowflake", ".vault_pass",
    ".electrum", ".bitcoin", ".ethereum", ".1password", ".nuget/NuGet", ".local/share/fish",
    ".local/share/TelegramDesktop", ".local/share/containers", ".sqlite_history",
    ".rediscli_history", ".irb_history", ".zhistory", ".ipython", ".var/app", "snap",
)  # fmt: skip
"""Under a home: what no command may see unless it was allowed to."""

STARTUP_AT_HOME = (
    ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile",
    ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".config/fish", ".config/autostart",
    ".config/systemd", ".config/environment.d", ".config/git", ".gitconfig", ".vimrc",
    ".config/nvim", ".emacs", ".emacs.d", ".inputrc", ".tmux.conf", ".xinitrc", ".xprofile",
    ".xsession", ".pam_environment", ".local/bin", "bin", ".local/share/applications",
    "Library/LaunchAgents",
)  # fmt: skip
"""Under a home: what runs by itself later, and stays as it is where the home is writable."""

PROTECTED = (
    ".git/hooks", ".git/config", ".git/config.worktree", ".git/commondir", ".git/info",
    ".git/modules", ".github/workflows", ".gitlab-ci.yml", ".circleci", ".husky", ".vscode",
    ".idea", ".devcontainer", ".envrc", ".mcp.json", ".hermes", "hermes_permissions.yaml",
    ".claude", ".cursor", ".codex",
)  # fmt: skip
"""Under a writable root: what others run or obey, so that a command may not write it."""

TOOLCHAINS = (
    ".pyenv", ".cargo/bin", ".cargo/registry", ".cargo/git", ".cargo/env", ".rustup", ".nvm",
    ".volta", ".fnm", ".asdf", ".local/bin", ".local/lib", ".local/share/uv",
    ".local/share/mise", ".local/share/pnpm", ".local/share/fnm", ".sdkman", ".rbenv",
    ".gem/ruby", ".deno/bin", ".bun/bin", ".ghcup", ".opam", ".nimble", ".dotnet", ".goenv",
    "go", "bin", ".npm-global", ".yarn/bin", ".poetry", ".cache/uv", ".cache/pip",
    ".cache/go-build", ".cache/ms-playwright", ".gitconfig", ".config/git/config",
    ".config/git/ignore",
)  # fmt: skip
"""Under a home: programs and settings without secrets, seen read-only in the empty home."""

SECRETS_OF_THE_SYSTEM = (
    "/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers",
    "/etc/sudoers.d", "/etc/ssl/private", "/etc/krb5.keytab", "/etc/security/opasswd",
    "/etc/NetworkManager/system-connections", "/etc/wireguard", "/etc/openvpn", "/etc/docker",
    "/etc/kubernetes", "/etc/rancher", "/etc/letsencrypt", "/etc/ppp", "/etc/cni",
    "/etc/ssh/ssh_host_rsa_key", "/etc/ssh/ssh_host_ecdsa_key", "/etc/ssh/ssh_host_ed25519_key",
    "/var/lib/docker", "/var/lib/containerd", "/var/lib/kubelet", "/var/lib/NetworkManager",
    "/var/lib/sudo", "/var/lib/sss", "/var/lib/private", "/var/run", "/var/backups",
    "/var/mail", "/var/spool", "/var/tmp", "/var/lib/mysql", "/var/lib/postgresql",
    "/var/lib/redis", "/var/lib/lxd", "/var/lib/incus", "/var/lib/libvirt", "/var/snap",
    "/var/lib/cloud", "/var/cache/debconf/passwords.dat", "/etc/netplan", "/etc/wpa_supplicant",
    "/etc/mysql/debian.cnf", "/etc/postfix/sasl_passwd", "/etc/exim4/passwd.client", "/etc/pve",
    "/etc/msmtprc", "/etc/cloudflared", "/etc/vault.d",
)  # fmt: skip

OBEYED_WHEN_NEW = (
    ".git/hooks", ".git/info", ".git/commondir", ".git/config.worktree", ".github/workflows",
    ".gitlab-ci.yml", ".circleci", ".husky", ".vscode", ".idea", ".devcontainer", ".envrc",
    ".mcp.json", ".hermes", ".claude", ".cursor", ".codex",
)  # fmt: skip
"""Of the protected: what may not be created either; hermes itself obeys nothing in a workspace."""

NEVER_SEEN = frozenset((
    "home", "root", "run", "tmp", "proc", "sys", "dev", "boot", "media", "mnt", "lost+found",
    "Users", "Volumes",
))  # fmt: skip
"""Names at the top of the tree that are not shown as they are: private, made anew, or absent."""

OF_THE_SYSTEM = (
    "/usr", "/bin", "/sbin", "/nix", "/gnu", "/snap", "/run/current-system", "/home/linuxbrew",
)  # fmt: skip
"""Where programs are that were installed for everybody."""

NODE_PACKAGES = "node_modules"
ENVIRONMENTS = (".venv", "venv")
PARTS_OF_ENVIRONMENTS = ("bin", "include", "lib", "lib64", "pyvenv.cfg")
"""What is shown of the packages of a project where it only links to them: nothing beside them."""

KERNEL_FILES = ("/proc", "/sys/devices/system", "/sys/fs/cgroup", "/sys/kernel/mm")
"""What is seen of the kernel where the tree is not a new one: no traces, firmware or serials."""

DEVICES = ("null", "zero", "full", "random", "urandom", "tty")

VARIABLES = (
    "PATH", "HOME", "LANG", "LC_*", "TERM", "TMPDIR", "TZ", "USER", "LOGNAME", "SHELL", "CI",
    "COLUMNS", "LINES", "COLORTERM", "NO_COLOR", "FORCE_COLOR",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
    "PIP_CERT", "GIT_SSL_CAINFO",
)  # fmt: skip
"""What a child may see of the environment it is handed; ``*`` stands for any ending."""
