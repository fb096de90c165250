"""Composite and platform toolsets: data over the tools and folders beside this file."""

from __future__ import annotations

from hermes.runtime.toolsets import Toolset

_READ_FILES = ("directory_list", "file_diff", "read_file", "search_files")

_READ_WEB = (
    "dns_lookup",
    "html_extract",
    "link_checker",
    "rss_reader",
    "web_crawl",
    "web_extract",
    "web_search",
)

CORE = (
    "audio_transcribe",
    "browser_back",
    "browser_click",
    "browser_close",
    "browser_console",
    "browser_dialog",
    "browser_get_images",
    "browser_navigate",
    "browser_press",
    "browser_screenshot",
    "browser_scroll",
    "browser_snapshot",
    "browser_type",
    "browser_vision",
    "clarify",
    "cronjob",
    "delegate_task",
    "directory_list",
    "execute_code",
    "ha_call_service",
    "ha_get_state",
    "ha_list_entities",
    "ha_list_services",
    "http_request",
    "image_generate",
    "memory",
    "mixture_of_agents",
    "patch",
    "pdf_extract",
    "process",
    "read_file",
    "search_files",
    "send_message",
    "session_search",
    "skill_manage",
    "skill_view",
    "skills_categories",
    "skills_list",
    "system_info",
    "terminal",
    "text_to_speech",
    "todo",
    "vision_analyze",
    "web_extract",
    "web_search",
    "write_file",
)

# Whoever can reach a webhook can put words into the prompt, so nothing here has an effect.
_UNTRUSTED = ("clarify", "vision_analyze", "web_extract", "web_search")

_SCENARIOS = (
    Toolset(
        "debugging",
        "Find and mend faults: shell, processes, web and files.",
        ("process", "terminal"),
        ("file", "web"),
    ),
    Toolset(
        "safe",
        "Web, images and reading files; no shell, no writing.",
        _READ_FILES,
        ("image_gen", "vision", "web"),
    ),
    Toolset(
        "coding",
        "Write software: files, shell, code, Git, plans and the web.",
        (
            "clarify",
            "database_query",
            "delegate_task",
            "docker_manage",
            "git_operations",
            "memory",
            "session_search",
            "skill_view",
            "skills_list",
            "todo",
            "web_extract",
            "web_search",
        ),
        ("code", "file", "terminal"),
    ),
    Toolset(
        "research",
        "Find, read and weigh sources, and write down what they say.",
        (
            "chart_generate",
            "clarify",
            "delegate_task",
            "memory",
            "pdf_extract",
            "session_search",
            "spreadsheet",
            "todo",
            "vision_analyze",
            "write_file",
            *_READ_FILES,
        ),
        ("browser", "web"),
    ),
    Toolset(
        "readonly",
        "Look at everything, change nothing.",
        (
            "audio_transcribe",
            "clarify",
            "ha_get_state",
            "ha_list_entities",
            "ha_list_services",
            "pdf_extract",
            "session_search",
            "skill_view",
            "skills_categories",
            "skills_list",
            "system_info",
            "vision_analyze",
            *_READ_FILES,
            *_READ_WEB,
        ),
    ),
)

_DOMAINS = (
    Toolset(
        "system-tools", "The machine: shell, processes and system.", (), ("system", "terminal")
    ),
    Toolset("network-tools", "The network: web, HTTP, DNS and browser.", (), ("browser", "web")),
    Toolset("file-tools", "Files: read, write, search, compare, pack and watch.", (), ("file",)),
    Toolset("code-tools", "Code: run, lint, format, test and debug.", (), ("code",)),
    Toolset(
        "multimedia-tools",
        "Images, speech, audio and documents.",
        (),
        ("audio", "documents", "image_gen", "tts", "vision"),
    ),
    Toolset(
        "platform-tools",
        "Other systems: Git, Docker, databases, APIs, calendars, mail, chat and the home.",
        (),
        ("homeassistant", "messaging", "platform"),
    ),
)

_PLATFORMS = (
    Toolset("hermes-core", "What every platform below stands on.", CORE),
    Toolset(
        "hermes-cli",
        "A person at a terminal.",
        ("clipboard", "env_manager", "notification", "sleep"),
        ("code", "file", "hermes-core"),
    ),
    Toolset("hermes-telegram", "A chat on Telegram.", (), ("hermes-core",)),
    Toolset("hermes-discord", "A chat on Discord.", (), ("hermes-core",)),
    Toolset("hermes-slack", "A chat on Slack.", (), ("hermes-core",)),
    Toolset("hermes-whatsapp", "A chat on WhatsApp.", (), ("hermes-core",)),
    Toolset(
        "hermes-gateway",
        "All chat platforms together.",
        (),
        ("hermes-discord", "hermes-slack", "hermes-telegram", "hermes-whatsapp"),
    ),
    Toolset(
        "hermes-acp", "An editor over the Agent Client Protocol.", (), ("coding", "hermes-core")
    ),
    Toolset("hermes-api-server", "Programs over the HTTP API.", (), ("hermes-core",)),
    Toolset("hermes-cron", "Scheduled jobs, with nobody watching.", (), ("hermes-core",)),
    Toolset("hermes-webhook", "Untrusted input: search, read and ask only.", _UNTRUSTED),
)

PRESETS: tuple[Toolset, ...] = (*_SCENARIOS, *_DOMAINS, *_PLATFORMS)
