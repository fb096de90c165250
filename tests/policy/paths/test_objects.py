"""A path is judged by the object that it names on the disk."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from hermes.policy.paths import UNKNOWN

FINE = None
SECRET = ("ask", "exfiltration")
CHANGED = ("ask", "overwrite")
PLANTED = ("ask", "persistence")
OWN = ("deny", "privilege")


def test_plain_files_of_the_workspace_are_fine(machine):
    for verb in ("read", "write", "delete"):
        assert machine.decide(verb, "src/app.py") is FINE
        assert machine.decide(verb, "src/new.py") is FINE
        assert machine.decide(verb, "new/folder/new.py") is FINE


@pytest.mark.proves("path-object")
def test_a_link_counts_as_what_it_points_to(machine):
    (machine.work / "key").symlink_to(machine.home / ".ssh/id_rsa")
    (machine.work / "rc").symlink_to("../.bashrc")
    (machine.work / "notes").symlink_to(machine.home / "notes.txt")
    (machine.work / "policy").symlink_to(machine.home / ".hermes/config.yaml")
    (machine.work / "inside").symlink_to("src/app.py")
    assert machine.decide("read", "key") == SECRET
    assert machine.decide("write", "rc") == PLANTED
    assert machine.decide("write", "notes") == CHANGED
    assert machine.decide("write", "policy") == OWN
    assert machine.decide("write", "inside") is FINE


def test_a_link_that_leads_nowhere_counts_as_what_would_be_made(machine):
    (machine.work / "later").symlink_to(machine.home / ".ssh/authorized_keys")
    (machine.work / "chain").symlink_to("later")
    (machine.work / "out").symlink_to("../../elsewhere/new")
    assert machine.decide("write", "later") == PLANTED
    assert machine.decide("write", "chain") == PLANTED
    assert machine.decide("write", "out") == CHANGED


def test_a_link_from_the_workspace_to_scratch_is_not_written_through_unasked(machine):
    scratch = machine.base / "scratch"
    (scratch / "file").write_text("x")
    (machine.work / "file").symlink_to(scratch / "file")
    (machine.work / "folder").symlink_to(scratch)
    for path in ("file", "folder/new", "folder/fil*"):
        assert machine.decide("write", path) == CHANGED
    assert machine.decide("delete", "folder/file") == CHANGED
    assert machine.decide("read", "file") is FINE
    assert machine.decide("write", scratch / "file") is FINE


def test_neighbours_of_a_workspace_in_scratch_are_not_scratch(machine):
    outer = str(machine.base.parent)
    inner = machine._replace(places=machine.places._replace(scratch=(outer,)))
    assert inner.decide("write", machine.base / "neighbour/x") == CHANGED
    assert inner.decide("write", "../../../neighbour") == CHANGED
    assert inner.decide("write", f"{outer}/other/x") is FINE
    assert inner.decide("write", "src/app.py") is FINE


def test_a_linked_folder_counts_as_what_it_points_to(machine):
    (machine.work / "out").symlink_to(machine.home)
    assert machine.decide("write", "out/new.txt") == CHANGED
    assert machine.decide("write", "out/.zshrc") == PLANTED
    assert machine.decide("read", "out/.ssh/id_rsa") == SECRET
    assert machine.decide("delete", "out/notes.txt") == ("ask", "delete")
    assert machine.decide("read", "out/.ssh/*") == SECRET
    assert machine.decide("write", f"out/{UNKNOWN}") == CHANGED
    assert machine.decide("delete", "out/", is_recursive=True) == ("deny", "delete")


def test_steps_up_are_taken_where_the_kernel_takes_them(machine):
    (machine.work / "deep").symlink_to(machine.home / ".ssh")
    assert machine.decide("read", "deep/../.netrc") == SECRET
    assert machine.decide("write", "deep/../notes.txt") == CHANGED


def test_a_path_counts_also_as_who_tidies_it_up_would_open_it(machine):
    os.link(machine.home / ".ssh/id_rsa", machine.work / "plain.txt")
    (machine.work / "link").symlink_to("src/deep")
    (machine.work / "src/deep").mkdir()
    for path in ("plain.txt/.", "plain.txt/", "missing/../plain.txt", "link/../plain.txt"):
        assert machine.decide("read", path) == SECRET
        assert machine.decide("write", path) == PLANTED
    assert machine.decide("write", "link/../app.py") is FINE


def test_steps_up_before_a_glob_are_taken_where_the_kernel_takes_them(machine):
    (machine.work / "deep").symlink_to(machine.home / ".ssh")
    (machine.home / "x1").symlink_to(machine.home / ".netrc")
    assert machine.decide("write", "deep/../[n]1/new") == CHANGED
    assert machine.decide("write", "deep/../note*") == CHANGED
    assert machine.decide("read", "deep/../x?") == SECRET


def test_a_name_that_looks_like_a_glob_is_also_taken_as_it_stands(machine):
    (machine.work / "[id].tsx").symlink_to(machine.home / "notes.txt")
    (machine.work / "[slug].tsx").write_text("x")
    assert machine.decide("write", "[id].tsx") == CHANGED
    assert machine.decide("write", "[slug].tsx") is FINE


def test_removing_a_link_removes_only_the_link(machine):
    (machine.work / "key").symlink_to(machine.home / ".ssh/id_rsa")
    (machine.work / "out").symlink_to(machine.home)
    assert machine.decide("delete", "key") is FINE
    assert machine.decide("delete", "out") is FINE


def test_deleting_one_file_in_the_way_of_folders_is_deleting_one_file(machine):
    (machine.work / "LICENSE").write_text("x")
    (machine.work / "data.d").mkdir()
    (machine.work / "out").symlink_to("src")
    for path in ("src/app.py", "LICENSE", "not/there.py", "out"):
        assert machine.decide("delete", path, is_recursive=True) is FINE
    for path in ("src", "data.d", "out/", "not/there"):
        assert machine.decide("delete", path, is_recursive=True) == ("ask", "delete")


def test_links_without_end_ask(machine):
    (machine.work / "one").symlink_to("two")
    (machine.work / "two").symlink_to("one")
    for at in range(200):
        (machine.work / f"link{at}").symlink_to(f"link{at + 1}")
    for path in ("one", "one/x", "link0", "link*"):
        assert machine.decide("write", path) == ("ask", "opaque")
    assert machine.decide("delete", "one") is FINE


def test_globs_are_matched_on_the_disk(machine):
    (machine.work / "a.txt").symlink_to(machine.home / ".netrc")
    (machine.work / "conf").mkdir()
    (machine.work / "conf/credentials.json").write_text("x")
    assert machine.decide("read", "*.txt") == SECRET
    assert machine.decide("read", "conf/*.json") == SECRET
    assert machine.decide("read", "c*/*") == SECRET
    assert machine.decide("read", "src/*") is FINE
    assert machine.decide("read", "*.[!a-z]xt") is FINE
    assert machine.decide("read", f"{machine.home}/.s[r-t]h/id_*") == SECRET


@pytest.mark.proves("path-object")
def test_a_hard_link_to_a_protected_file_is_that_file(machine):
    os.link(machine.home / ".ssh/id_rsa", machine.work / "harmless.txt")
    os.link(machine.home / ".bashrc", machine.work / "notes.md")
    os.link(machine.home / ".hermes/config.yaml", machine.work / "policy.yaml")
    assert machine.decide("read", "harmless.txt") == SECRET
    assert machine.decide("write", "notes.md") == PLANTED
    assert machine.decide("write", "policy.yaml") == OWN
    assert machine.decide("delete", "harmless.txt") is FINE


@pytest.mark.parametrize(
    "name", [".config/gcloud/legacy/adc.json", ".modal.toml", ".gnupg/private-keys-v1.d/x"]
)
def test_a_hard_link_to_any_listed_secret_is_that_secret(machine, name):
    secret = machine.home / name
    secret.parent.mkdir(parents=True, exist_ok=True)
    secret.write_text("x")
    os.link(secret, machine.work / "src/harmless.txt")
    assert machine.decide("read", "src/harmless.txt") == SECRET


def test_a_hard_link_to_a_secret_of_the_workspace_or_of_another_user_is_that_secret(machine):
    other = machine.home.parent / "bob/.ssh/id_rsa"
    other.parent.mkdir(parents=True)
    other.write_text("x")
    (machine.work / ".env").write_text("x")
    os.link(other, machine.work / "one.txt")
    os.link(machine.work / ".env", machine.work / "src/two.txt")
    assert machine.decide("read", "one.txt") == SECRET
    assert machine.decide("read", "src/two.txt") == SECRET


def test_a_hard_link_to_a_start_up_file_is_not_written_even_where_tools_link_files(machine):
    (machine.work / "node_modules").mkdir()
    os.link(machine.home / ".bashrc", machine.work / "node_modules/x.js")
    assert machine.decide("write", "node_modules/x.js") == PLANTED


def test_a_file_with_a_name_elsewhere_asks_but_not_where_tools_link_files(machine):
    os.link(machine.home / "notes.txt", machine.work / "notes")
    package = machine.work / ".venv/lib"
    package.mkdir(parents=True)
    (machine.home / "cached.py").write_text("x")
    os.link(machine.home / "cached.py", package / "app.py")
    assert machine.decide("write", "notes") == CHANGED
    assert machine.decide("read", "notes") == SECRET
    for verb in ("read", "write"):
        assert machine.decide(verb, ".venv/lib/app.py") is FINE


def test_a_workspace_below_a_folder_named_like_a_tools_own_is_judged_like_any_other(machine):
    work = machine.home / "build/app"
    work.mkdir(parents=True)
    os.link(machine.home / "notes.txt", work / "notes")
    inner = machine._replace(work=work, places=machine.places._replace(workspace=(str(work),)))
    assert inner.decide("write", "notes") == CHANGED


def test_a_file_whose_names_all_lie_in_the_workspace_is_fine(machine):
    for folder in ("a/b/c", "node_modules/x"):
        (machine.work / folder).mkdir(parents=True)
        os.link(machine.work / "src/app.py", machine.work / folder / "twin.py")
    for verb in ("read", "write"):
        for path in ("src/app.py", "a/b/c/twin.py", "a/b/c/*.py"):
            assert machine.decide(verb, path) is FINE
    os.link(machine.work / "src/app.py", machine.home / "third.py")
    assert machine.decide("write", "src/app.py") == CHANGED


def test_a_name_deep_in_the_workspace_counts_as_the_protected_file_that_it_is(machine):
    deep = machine.work / "packages/app"
    (deep / ".husky").mkdir(parents=True)
    for name in (".env", ".husky/pre-commit"):
        (deep / name).write_text("x")
    os.link(deep / ".env", machine.work / "src/plain.txt")
    os.link(deep / ".husky/pre-commit", machine.work / "src/plain.sh")
    (machine.work / ".git/config").write_text("x")
    os.link(machine.work / ".git/config", machine.work / "src/settings")
    assert machine.decide("read", "src/plain.txt") == SECRET
    assert machine.decide("write", "src/plain.sh") == PLANTED
    assert machine.decide("write", "src/settings") == PLANTED


def test_pipes_and_sockets_ask_and_nobody_waits(machine):
    os.mkfifo(machine.work / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(machine.work / "door"))
        assert machine.decide("write", "door") == ("ask", "privilege")
    assert machine.decide("read", "pipe") == ("ask", "opaque")
    assert machine.decide("write", "pipe") == ("ask", "opaque")
    assert machine.decide("delete", "pipe") is FINE


def test_links_to_devices_and_processes_count_as_them(machine):
    (machine.work / "null").symlink_to("/dev/null")
    (machine.work / "environment").symlink_to("/proc/self/environ")
    (machine.work / "root").symlink_to("/proc/self/root")
    assert machine.decide("write", "null") is FINE
    assert machine.decide("read", "environment") == SECRET
    assert machine.decide("write", "root/etc/hosts") == CHANGED
    assert machine.decide("read", "root/etc/shadow") == SECRET


def test_places_may_be_named_by_links_and_by_their_real_paths(machine):
    (machine.base / "short").symlink_to(machine.work)
    (machine.base / "me").symlink_to(machine.home)
    linked = machine._replace(
        places=machine.places._replace(
            workspace=(str(machine.base / "short"),),
            home=str(machine.base / "me"),
            state=str(machine.base / "me/.hermes"),
        )
    )
    for root in (machine.work, machine.base / "short"):
        assert linked.decide("write", root / "src/app.py") is FINE
        assert linked.decide("write", root / ".git/hooks/x") == PLANTED
    for home in (machine.home, machine.base / "me"):
        assert linked.decide("read", home / ".netrc") == SECRET
        assert linked.decide("write", home / ".hermes/x") == OWN
    assert linked.decide("read", "~/.ssh/id_rsa") == SECRET


def test_the_workspace_may_itself_lie_in_a_protected_place(machine):
    for name in (".local/bin/tools", ".config/nvim"):
        work = machine.home / name
        work.mkdir(parents=True)
        inner = machine._replace(work=work, places=machine.places._replace(workspace=(str(work),)))
        assert inner.decide("write", "lua/init.lua") is FINE
        assert inner.decide("write", ".claude/settings.json") == PLANTED
    assert inner.decide("write", "~/.local/bin/x") == PLANTED


MOUNTED = """
import sys
from hermes.policy.paths import Places, concern
home, work = sys.argv[1:]
places = Places((work,), home, home + "/.hermes", ())
for verb, path in (("read", "mount/id_rsa_x"), ("read", "file.txt"), ("write", "mount/new"),
                   ("write", "src/app.py"), ("write", "rc.txt")):
    found = concern(verb, path, places, work)
    print(found and found.category)
"""


@pytest.mark.proves("path-object")
def test_a_protected_place_seen_through_a_mount_is_that_place(machine):
    (machine.work / "mount").mkdir()
    for name in ("file.txt", "rc.txt"):
        (machine.work / name).write_text("")
    binds = (("../.ssh", "mount"), ("../.netrc", "file.txt"), ("../.bashrc", "rc.txt"))
    script = " && ".join(f"mount --bind {there} {here}" for there, here in binds)
    command = f'{script} && exec "$0" -c "$1" "$2" "$3"'
    words = [sys.executable, MOUNTED, str(machine.home), str(machine.work)]
    source = str(Path(__file__).parents[3] / "src")
    done = subprocess.run(
        ["unshare", "--mount", "--map-root-user", "sh", "-c", command, *words],
        cwd=machine.work,
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    if "unshare" in done.stderr or "mount:" in done.stderr:
        pytest.skip("this machine lets nobody mount")
    assert done.stdout.split() == [
        "exfiltration",
        "exfiltration",
        "persistence",
        "None",
        "persistence",
    ]
