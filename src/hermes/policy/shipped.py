"""The profiles that hermes brings along, in the form in which a person would write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

DEFAULT = "developer"
"""The profile in force when nobody chooses one."""

PACKAGE_HOSTS = (
    "pypi.org", "files.pythonhosted.org", "registry.npmjs.org", "registry.yarnpkg.com",
    "crates.io", "static.crates.io", "index.crates.io", "proxy.golang.org", "sum.golang.org",
    "rubygems.org", "index.rubygems.org", "repo.maven.apache.org", "repo1.maven.org",
    "plugins.gradle.org", "packagist.org", "deb.debian.org", "archive.ubuntu.com",
    "security.ubuntu.com", "dl-cdn.alpinelinux.org", "formulae.brew.sh",
)  # fmt: skip
"""What ``${package_hosts}`` stands for."""

CODE_HOSTS = (
    "github.com", "codeload.github.com", "raw.githubusercontent.com",
    "objects.githubusercontent.com", "release-assets.githubusercontent.com", "gitlab.com",
    "bitbucket.org",
)  # fmt: skip
"""What programs reach besides packages, where a profile names no hosts."""

PROFILES: Mapping[str, Mapping[str, Any]] = {
    "developer": {
        "description": "Work in the workspace freely; ask for what reaches outside, or cannot be "
        "undone.",
        "allow": ["*"],
        "approval_required": ["danger:*"],
        "sandbox": {"fs": "workspace-write", "net": "proxy", "on_missing": "ask"},
    },
    "trusted": {
        "description": "Ask nothing; what wipes the machine or hermes's own rules stays denied.",
        "allow": ["*"],
        "sandbox": {"fs": "workspace-write", "net": "on", "on_missing": "allow"},
    },
    "headless": {
        "description": "As developer, where nobody can answer: what would be asked is denied.",
        "extends": "developer",
        "headless": True,
    },
    "readonly": {
        "description": "Look at everything that is no secret and change nothing.",
        "allow": [
            "*:read", "*:list", "*:search", "*:lookup", "*:fetch", "terminal:execute",
        ],
        "deny": ["file:write", "file:delete", "network:send", "danger:*"],
        "sandbox": {"fs": "read-only", "net": "proxy", "on_missing": "deny"},
    },
    "readonly_research": {
        "description": "Search and fetch the web and read files; no commands, no changes.",
        "allow": ["network:search", "network:fetch", "file:read"],
        "deny": ["file:write", "file:delete", "terminal:execute"],
    },
    "full_developer": {
        "description": "Everything but changed variables; files are written below /workspace and "
        "/tmp only.",
        "allow": ["*"],
        "deny": ["env:write"],
        "restrictions": {
            "file:write": {
                "allowed_paths": ["/workspace/**", "/tmp/**"],
                "denied_paths": ["/workspace/.env", "/workspace/secrets/**"],
            },
            "terminal:execute": {"denied_commands": ["rm -rf /", ":(){ :|:& };:"]},
        },
    },
    "production_deploy": {
        "description": "Look at the repository and run containers, each after a question.",
        "allow": ["git:read", "docker:run", "network:fetch"],
        "deny": ["terminal:execute", "file:delete"],
        "approval_required": ["docker:run", "database:write"],
    },
}  # fmt: skip
