"""Which paths ask, which are refused and which are fine, by their text alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes.policy.paths import UNKNOWN, Places, concern
from hermes.policy.shell import effects

PLACES = Places(("/w/app",), "/home/dev", "/home/dev/.hermes")


def listed(name):
    return (Path(__file__).parent / f"{name}.txt").read_text("utf-8").split()


FINE = None
SECRET = ("ask", "exfiltration")
CHANGED = ("ask", "overwrite")
LOST = ("ask", "delete")
PLANTED = ("ask", "persistence")
HIDDEN = ("ask", "obfuscation")


def decide(verb, path, *, is_recursive=False, places=PLACES, cwd="/w/app"):
    found = concern(verb, path, places, cwd, is_recursive=is_recursive)
    return found and (found.decision, found.category)


def test_the_unknown_part_is_written_as_the_effects_of_commands_write_it():
    assert UNKNOWN == effects.UNKNOWN


@pytest.mark.parametrize("path", listed("read_freely"))
def test_what_is_not_secret_is_read_freely(path):
    assert decide("read", path) is FINE


@pytest.mark.parametrize("path", listed("secret"))
def test_secrets_are_not_read_unasked(path):
    assert decide("read", path) == SECRET


@pytest.mark.parametrize(
    "path",
    [
        *("~/.config/gh/hosts.yml.bak", "~/.netrc~", "~/.netrc.old", "~/.aws/credentials.1"),
        *("~/.pgpass.orig.bak", "secrets.yaml.backup", ".secrets.yaml.swp"),
        *("/etc\u2215shadow", "/mnt/c/Users/bob/notes.txt", "/mnt/d/users/bob/.netrc"),
    ],
)
def test_copies_disguises_and_homes_of_another_system_count_as_what_they_are(path):
    assert decide("read", path) == SECRET


@pytest.mark.parametrize(
    "path", ["README.md.bak", "/mnt/c/Windows/x", "a.old", "x~", "/mnt/data/x"]
)
def test_copies_of_ordinary_files_are_ordinary(path):
    assert decide("read", path) is FINE


@pytest.mark.parametrize("path", ["/var/run/docker.sock", "/run/user/1000/keyring/ssh"])
def test_doors_to_more_rights_are_not_touched_unasked(path):
    assert decide("read", path) == decide("write", path) == ("ask", "privilege")


@pytest.mark.parametrize("folder", ["~", "/", "/home", "~/.config", "/proc", "~/*", "/*"])
def test_everything_in_a_place_of_secrets_is_not_read_unasked(folder):
    assert decide("read", folder, is_recursive=True) == SECRET


@pytest.mark.parametrize(
    "folder", [".", "..", "src", "~/other", "/etc", "/usr", "/var/log", "/w/x"]
)
def test_everything_elsewhere_is_read_freely(folder):
    assert decide("read", folder, is_recursive=True) is FINE


@pytest.mark.parametrize("path", listed("written_freely"))
def test_the_workspace_and_scratch_are_written_freely(path):
    assert decide("write", path) is FINE


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        *(
            (path, CHANGED)
            for path in ("/etc/hosts", "/usr/bin/x", "/boot/x", "/opt/x", "/lib64/x")
        ),
        *(
            (path, CHANGED)
            for path in ("/root/x", "/home/bob/x", "~/notes", "/data/x", "../x", "/")
        ),
        *((path, CHANGED) for path in ("/proc/self/root/tmp/x", "/proc/1/cwd/x", "~/*", "/etc/*")),
        *((path, PLANTED) for path in ("~/.bashrc", "~/.zshenv", "~/.profile", "~/.config/fish/x")),
        *((path, PLANTED) for path in ("~/.ssh/authorized_keys", "~/.ssh/x", "/etc/cron.d/x")),
        *((path, PLANTED) for path in ("/etc/crontab", "/var/spool/cron/dev", "/etc/systemd/x")),
        *((path, PLANTED) for path in ("~/.config/systemd/user/x", "~/.config/autostart/x")),
        *((path, PLANTED) for path in ("~/Library/LaunchAgents/x", "~/.gitconfig", "~/.npmrc")),
        *((path, PLANTED) for path in ("~/.config/pip/pip.conf", "~/.aws/credentials", "~/.netrc")),
        *((path, PLANTED) for path in ("~/.local/bin/x", "~/bin/x", "/etc/profile.d/x")),
        *((path, PLANTED) for path in ("/etc/ld.so.preload", "/etc/sudoers", "/etc/passwd")),
        *((path, PLANTED) for path in ("/etc/shadow", "/etc/pam.d/x", "~/.vimrc", "~/.claude/x")),
        *(
            (path, PLANTED)
            for path in (".git/hooks/x", ".git/config", ".git/info/x", ".GIT/Hooks/x")
        ),
        *((path, PLANTED) for path in (".git/modules/a/config", "sub/.git/hooks/x", ".git")),
        *(
            (path, PLANTED)
            for path in (".github/workflows/ci.yml", ".gitlab-ci.yml", "Jenkinsfile")
        ),
        *((path, PLANTED) for path in (".circleci/config.yml", ".husky/x", ".vscode/tasks.json")),
        *((path, PLANTED) for path in (".idea/x", ".envrc", ".mcp.json", ".claude/x", ".cursor/x")),
        *(
            (path, PLANTED)
            for path in (".hermes/x", "AGENTS.md", "x.pth", "hermes_permissions.yaml")
        ),
        *(
            (path, PLANTED)
            for path in (".git/hooks./x", ".git /hooks/x", ".g\u0131t/../.git/hooks/x")
        ),
        *((path, PLANTED) for path in ("x.git/hooks/post-receive", "GIT~1/config", ".vimrc")),
        *((path, PLANTED) for path in (".git/rebase-merge/git-rebase-todo", ".envrc.local")),
        *((path, PLANTED) for path in (".git::$INDEX_ALLOCATION/config", ".git/config::$DATA")),
        *(
            (path, PLANTED)
            for path in (".npmrc", "web/.npmrc", ".yarnrc.yml", ".cargo/config.toml")
        ),
        *((path, PLANTED) for path in (".pre-commit-config.yaml", "lefthook.yml", ".gitmodules")),
        *((path, PLANTED) for path in (".bashrc", ".profile", ".pdbrc", ".Rprofile", "mise.toml")),
        *((path, PLANTED) for path in (".vscode/x", ".hg/hgrc", ".netrc", ".tekton/x", ".run/x")),
        *((path, PLANTED) for path in (".opencode/x", "opencode.json", ".kiro/x", ".goosehints")),
        *((path, ("ask", "history-rewrite")) for path in (".git/refs/heads/main", ".git/HEAD")),
        *((path, ("ask", "history-rewrite")) for path in (".git/lfs/x", "x.git/refs/heads/main")),
        *((path, ("deny", "privilege")) for path in ("$HERMES_HOME/x", "${HERMES_HOME}/x")),
        *(
            (path, ("ask", "privilege"))
            for path in ("/proc/sys/kernel/core_pattern", "/sys/kernel/x")
        ),
        *(
            (path, ("deny", "privilege"))
            for path in ("~/.hermes/x", "~/.hermes", "~/.hermes/a/../b")
        ),
        *((path, ("deny", "disk")) for path in ("/dev/sda", "/dev/nvme0n1", "/dev/disk/by-id/x")),
        *((path, ("deny", "disk")) for path in ("/dev/mapper/vg-root", "/dev/vda1", "/dev/sd*")),
        *((path, ("ask", "disk")) for path in ("/dev/loop0", "/dev/kmsg", "/dev/input/event0")),
        ("/dev/tcp/10.0.0.1/80", SECRET),
    ],
)
def test_what_is_written_elsewhere_or_runs_later_asks(path, expected):
    assert decide("write", path) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        *((path, FINE) for path in ("src/app.py", "*.pyc", "/tmp/x", "a/b.txt", ".git/index.lock")),
        *((path, FINE) for path in (".npmrc", ".yarnrc.yml", "AGENTS.md")),
        *((path, LOST) for path in ("/w/app", ".", "*", "./*", "src/*", "~/notes", "/etc/hosts")),
        *((path, LOST) for path in ("/tmp", "/tmp/*", "/var/tmp", "~/.bashrc", "/home/bob/x")),
        *((path, ("ask", "history-rewrite")) for path in (".git", ".GIT", ".git/refs/heads/x")),
        *((path, ("deny", "delete")) for path in ("/", "~", "/home", "/home/bob", "/usr", "/etc")),
        *((path, ("deny", "privilege")) for path in ("~/.hermes", "~/.hermes/state.db")),
    ],
)
def test_deleting_asks_for_what_is_lost(path, expected):
    assert decide("delete", path) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        *((path, FINE) for path in ("build", "node_modules", "dist/*", ".venv", "docs/_build")),
        *(
            (path, FINE)
            for path in ("target/debug", "__pycache__", "app.egg-info", "/tmp/x", ".next")
        ),
        *((path, FINE) for path in ("my-build", "test_output", "cmake-build-debug", "/tmp/foo*")),
        *((path, LOST) for path in ("src", "tests", "*", "./*", "..", "data")),
        *((path, LOST) for path in ("~/Pictures", "/var/lib/postgresql", "/opt/x", "~/.cache")),
        *((path, LOST) for path in (f"~/{UNKNOWN}", f"/{UNKNOWN}")),
        *((path, ("deny", "delete")) for path in ("/", "/*", "~", "~/", "~/*", "$HOME", "/home/*")),
        *(
            (path, ("deny", "delete"))
            for path in ("/usr", "/etc/", "//", "/../..", "/usr/*", "/root")
        ),
        *((path, ("deny", "delete")) for path in ("../../home/dev", "~root", "~/.*", "/w/../home")),
        *(
            (path, ("ask", "opaque"))
            for path in (UNKNOWN, f"{UNKNOWN}/*", f"{UNKNOWN}/build", "~-/x")
        ),
    ],
)
def test_deleting_a_folder_asks_for_work_and_is_refused_for_homes_and_the_machine(path, expected):
    assert decide("delete", path, is_recursive=True) == expected


@pytest.mark.parametrize("verb", ["read", "write", "delete"])
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a\0b", ("deny", "obfuscation")),
        ("x" * 5_000, ("deny", "obfuscation")),
        ("a\nb", HIDDEN),
        ("a\x1b[2Jb", HIDDEN),
        ("\u202etxt.exe", HIDDEN),
        ("a\u200bb", HIDDEN),
        ("a\ud800", HIDDEN),
        ("\uff0e\uff0e/x", HIDDEN),
        ("\u2025/x", HIDDEN),
        ("..\uff0f..\uff0fx", HIDDEN),
        (".. /x", HIDDEN),
        ("..\\..\\x", HIDDEN),
        ("%2e%2e/x", HIDDEN),
        ("..%2fx", HIDDEN),
        ("%252e%252e%252fx", HIDDEN),
        ("..\u2215x", HIDDEN),
        ("..\u2044x", HIDDEN),
        ("..;/x", HIDDEN),
        ("..%00/x", ("deny", "obfuscation")),
        ("a\u3164.py", HIDDEN),
        ("C:\\x", HIDDEN),
        ("c:/x", HIDDEN),
        ("\\\\server\\share", HIDDEN),
        ("$OLDPWD/x", ("ask", "opaque")),
        ("${X:-/etc}/x", ("ask", "opaque")),
        ("$(pwd)/../x", ("ask", "opaque")),
        ("`pwd`/../x", ("ask", "opaque")),
        ("%APPDATA%\\x", ("ask", "opaque")),
    ],
)
def test_disguised_paths_ask(verb, path, expected):
    assert decide(verb, path) == expected


@pytest.mark.parametrize(
    "path", ["100%.txt", "a%20b", "naïve.py", "日本語.md", "a b.txt", "x…", "👩\u200d💻"]
)
def test_unusual_names_are_fine(path):
    assert decide("write", path) is FINE


@pytest.mark.parametrize(
    "name",
    [
        "~/.\u0455sh",
        "~/.ssh\u3000/id_rsa",
        "~/.\uff53sh/id_rsa",
        "~/.ssh./id_rsa",
        "~/.\u017fsh/id_rsa",
    ],
)
def test_variants_of_protected_names_count_as_them(name):
    expected = FINE if "\u0455" in name else SECRET  # a Cyrillic letter is another name
    assert decide("read", name) == expected


@pytest.mark.parametrize(
    "path",
    [
        *("/proc/self/cwd/../../etc/x", "/proc//self/./cwd/../x", "/proc/1/root/../etc/passwd"),
        *("/proc/thread-self/fd/3/../x", "/dev/fd/3/../x", "/tmp/../proc/self/root/../x"),
    ],
)
def test_a_way_through_a_process_is_seen_although_the_text_steps_up_again(path):
    assert decide("read", path) == SECRET
    assert decide("write", path) == CHANGED


@pytest.mark.parametrize(
    "path", [" /etc/hosts", "/etc/hosts ", "\u00a0/etc/hosts", "'/etc/hosts'", "\\etc\\hosts"]
)
def test_a_path_that_a_careless_program_would_read_differently_counts_as_both(path):
    assert decide("write", path) == CHANGED


@pytest.mark.parametrize("start", ["file:", "$PWD", "~+"])
def test_a_beginning_that_a_simple_program_takes_as_a_name_counts_as_both(start):
    assert decide("write", f"{start}/../../w/app/x") == CHANGED


def test_homes_beside_ours_are_other_users_homes():
    places = Places(("/srv/home/dev/app",), "/srv/home/dev", "/srv/home/dev/.hermes", ("/srv",))
    for path in ("/srv/home/bob/x", "~bob/x", "../../bob/x"):
        assert decide("read", path, places=places, cwd="/srv/home/dev/app") == SECRET
        assert decide("write", path, places=places, cwd="/srv/home/dev/app") == CHANGED
    planted = decide("write", "/srv/home/bob/.bashrc", places=places)
    assert planted == PLANTED


@pytest.mark.parametrize("folder", ["/proc/self", "/proc/1", "/proc/1/task/1"])
def test_everything_of_a_process_is_not_read_unasked(folder):
    assert decide("read", folder, is_recursive=True) == SECRET
    assert decide("read", folder) is FINE


def test_what_cannot_be_known_is_read_and_written_without_asking():
    for path in (UNKNOWN, f"{UNKNOWN}/x", "~-"):
        assert decide("read", path) is FINE
        assert decide("write", path) is FINE
    assert decide("write", "x", cwd=UNKNOWN) is FINE


def test_the_deepest_place_decides():
    nested = Places(("/home/dev/.hermes/ws", "/home/dev"), "/home/dev", "/home/dev/.hermes")
    assert decide("write", "/home/dev/.hermes/ws/x", places=nested) is FINE
    assert decide("write", "/home/dev/.hermes/x", places=nested) == ("deny", "privilege")
    assert decide("write", "/home/dev/x", places=nested) is FINE
    assert decide("write", "/home/dev/.bashrc", places=nested) == PLANTED
    assert decide("delete", "/home/dev", places=nested, is_recursive=True) == ("deny", "delete")


def test_a_workspace_at_the_root_does_not_own_the_machine():
    whole = Places(("/",), "/home/dev", "/home/dev/.hermes")
    assert decide("write", "/project/x", places=whole) is FINE
    assert decide("write", "/etc/hosts", places=whole) == CHANGED
    assert decide("delete", "/", places=whole, is_recursive=True) == ("deny", "delete")


def test_changing_every_file_of_the_machine_is_refused():
    assert decide("write", "/", is_recursive=True) == ("deny", "overwrite")


def test_the_sentence_says_what_is_done_to_what_and_shows_no_control_characters():
    found = concern("read", "~/.ssh/id_rsa", PLACES, "/w/app")
    assert found.what == "reads a private key: ~/.ssh/id_rsa"
    assert concern("write", "a\x1b]0;x", PLACES, "/w/app").what == (
        "names a path with hidden characters: a\\u001b]0;x"
    )
