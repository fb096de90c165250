"""What a box is made of, and how it reads on macOS and in the kernel's filter."""

import os
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.environments.sandbox.backend import Unconfined
from hermes.environments.sandbox.box import make_box
from hermes.environments.sandbox.calls import ARCHITECTURES, DENIED
from hermes.environments.sandbox.keepers import Keepers
from hermes.environments.sandbox.landlock import handled_rights, rules
from hermes.environments.sandbox.seatbelt import profile, quoted
from hermes.environments.sandbox.seccomp import Sockets, program


@pytest.fixture
def box(tmp_path):
    (tmp_path / "work" / ".git").mkdir(parents=True)
    return make_box(tmp_path / "work", home=tmp_path / "home", hermes_home=tmp_path / "hermes")


def test_equal_boxes_have_equal_digests_and_a_grant_changes_it(box, tmp_path):
    same = make_box(tmp_path / "work", home=tmp_path / "home", hermes_home=tmp_path / "hermes")
    assert same.digest() == box.digest()
    assert box.granting(network=True).digest() != box.digest()


def test_a_grant_adds_exactly_what_it_names(box, tmp_path):
    hooks = f"{tmp_path}/work/.git/hooks"
    more = box.granting(writable=[hooks, tmp_path / "other"])
    assert set(more.writable) - set(box.writable) == {hooks, f"{tmp_path}/other"}
    assert set(box.protected) - set(more.protected) == {hooks}
    assert more.network == box.network


def test_a_read_only_box_has_nothing_writable(tmp_path):
    made = make_box(tmp_path, home=tmp_path, hermes_home=tmp_path / "h", files="read-only")
    assert made.writable == () == made.protected


def test_the_start_up_files_of_a_writable_home_are_protected(tmp_path):
    made = make_box(tmp_path, home=tmp_path, hermes_home=tmp_path / "h")
    assert f"{tmp_path}/.bashrc" in made.protected
    assert f"{tmp_path}/.ssh" in made.hidden


def test_packages_that_a_project_links_to_are_seen_and_nothing_beside_them(tmp_path):
    home, work = tmp_path / "home", tmp_path / "work"
    parts, other = home / "clone" / "node_modules", home / "other"
    for path in (parts, other / "bin", work):
        path.mkdir(parents=True)
    (other / "pyvenv.cfg").write_text("")
    plain = make_box(work, home=home, hermes_home=tmp_path / "h")
    (work / "node_modules").symlink_to(parts)
    (work / ".venv").symlink_to(other)
    linked = make_box(work, home=home, hermes_home=tmp_path / "h")
    seen = {str(parts), f"{other}/bin", f"{other}/pyvenv.cfg"}
    assert set(linked.readable) - set(plain.readable) == seen
    assert linked.writable == plain.writable


def test_a_link_that_leads_to_no_packages_shows_nothing(tmp_path):
    home, work = tmp_path / "home", tmp_path / "work"
    for path in (home / "notes", work):
        path.mkdir(parents=True)
    plain = make_box(work, home=home, hermes_home=tmp_path / "h")
    for name in ("node_modules", ".venv", "venv"):
        (work / name).symlink_to(home / "notes")
    assert make_box(work, home=home, hermes_home=tmp_path / "h") == plain


@given(st.dictionaries(st.text(min_size=1), st.text()))
def test_only_allowed_variables_are_seen(given_variables):
    made = make_box("/usr", home="/nonexistent", hermes_home="/nonexistent")
    seen = made.environment({**given_variables, "PATH": "/bin", "LC_ALL": "C"})
    assert set(seen) <= {*made.variables, *(name for name in seen if name.startswith("LC_"))}
    assert seen["PATH"] == "/bin"


def test_missing_names_are_kept_while_needed_and_gone_after(box, tmp_path):
    keepers = Keepers(linger_seconds=3600)
    first, second = keepers.take(box), keepers.take(box)
    assert (tmp_path / "work" / ".husky").is_dir()
    keepers.give_back(first)
    keepers.sweep()
    assert (tmp_path / "work" / ".github" / "workflows").is_dir()
    keepers.give_back(second)
    keepers.sweep()
    assert os.listdir(tmp_path / "work") == [".git"]
    assert os.listdir(tmp_path / "work" / ".git") == []


def test_a_kept_folder_that_was_filled_from_outside_stays(box, tmp_path):
    keepers = Keepers(linger_seconds=3600)
    taken = keepers.take(box)
    (tmp_path / "work" / ".vscode" / "tasks.json").write_text("{}")
    keepers.give_back(taken)
    keepers.sweep()
    assert os.listdir(tmp_path / "work" / ".vscode") == ["tasks.json"]


@pytest.mark.parametrize("processor", sorted(ARCHITECTURES))
def test_every_jump_of_the_filter_stays_inside_it(processor):
    text = program(Sockets(internet=True), has_namespaces=False, processor=processor)
    lines = list(struct.iter_unpack("=HBBI", text))
    for at, (code, true, false, _) in enumerate(lines):
        if code & 0x07 == 0x05:
            assert at + 1 + max(true, false) < len(lines)
    assert lines[-1][0] == 0x06


@pytest.mark.parametrize("processor", sorted(ARCHITECTURES))
def test_the_filter_refuses_every_denied_call_and_allows_reading(processor):
    machine = ARCHITECTURES[processor]
    text = program(Sockets(internet=True), has_namespaces=True, processor=processor)
    for name in DENIED:
        if name in machine.numbers:
            assert verdict(text, machine.audit, machine.numbers[name]) == 0x00050001, name
    assert verdict(text, machine.audit, 63) == 0x7FFF0000
    assert verdict(text, 0x40000003, 63) == 0x80000000


def verdict(text, audit, number):
    """Run a filter as the kernel would, with arguments that are all zero."""
    lines = list(struct.iter_unpack("=HBBI", text))
    memory = {0: number, 4: audit}
    at = value = 0
    while True:
        code, true, false, k = lines[at]
        at += 1
        if code == 0x20:
            value = memory.get(k, 0)
        elif code == 0x54:
            value &= k
        elif code == 0x06:
            return k
        else:
            holds = {0x15: value == k, 0x35: value >= k, 0x45: bool(value & k)}[code]
            at += true if holds else false


@pytest.mark.parametrize(
    ("abi", "rights"),
    [(1, 0x1FFF), (2, 0x3FFF), (3, 0x7FFF), (4, 0x7FFF), (5, 0xFFFF), (6, 0xFFFF), (7, 0xFFFF)],
)
def test_each_version_of_landlock_is_asked_for_what_it_knows(box, abi, rights):
    assert handled_rights(abi) == rights
    found = rules(box, sealed=True, own_network=False, abi=abi)
    assert found.handled == (rights, 0, 3 if abi >= 6 else 0)
    assert all(granted & ~rights == 0 for _, granted in found.paths)


def test_no_granted_path_of_landlock_alone_holds_a_protected_or_hidden_one(box, tmp_path):
    (tmp_path / "work" / ".git" / "hooks").mkdir()
    granted = rules(box, sealed=False, own_network=False, abi=7).paths
    hooks = f"{tmp_path}/work/.git/hooks"
    writers = [path for path, rights in granted if rights & 2 and not path.startswith("/dev/")]
    assert not any(hooks == path or hooks.startswith(f"{path}/") for path in writers)
    assert not any("/etc/shadow".startswith(f"{path}/") for path, _ in granted)


def test_the_profile_of_macos_denies_after_it_allows(box, tmp_path):
    text = profile(box)
    allowed = text.index(f'(allow file-read* file-write*\n  (subpath "{tmp_path}/work")')
    protected = text.index("(deny file-write*")
    hidden = text.index("(deny file-read* file-write*")
    assert text.startswith("(version 1)\n(deny default)\n")
    assert allowed < protected < hidden
    assert "network" not in text
    assert "(allow network*)" in profile(box.granting(network=True))


@given(st.text())
def test_no_path_breaks_out_of_its_quotes_in_a_profile(text):
    body = quoted(text)[1:-1]
    assert '"' not in body.replace("\\\\", "").replace('\\"', "")


def test_without_a_sandbox_there_is_a_warning():
    assert Unconfined("no Landlock").warning.startswith("There is no sandbox here: no Landlock.")


def test_the_python_that_runs_hermes_is_seen_where_it_is_kept_at_home(tmp_path, monkeypatch):
    home, venv = tmp_path / "home", tmp_path / "home" / "hermes" / ".venv"
    venv.mkdir(parents=True)
    monkeypatch.setattr("sys.prefix", str(venv))
    box = make_box(tmp_path, home=home, hermes_home=home / ".hermes")
    assert str(venv) in box.readable
    monkeypatch.setattr("sys.prefix", str(home))
    box = make_box(tmp_path, home=home, hermes_home=home / ".hermes")
    assert str(home) not in box.readable


def test_our_own_python_is_seen_where_temporary_files_are_kept(tmp_path, monkeypatch):
    home, venv = tmp_path / "home", tmp_path / "elsewhere" / "venv"
    for folder in (home, venv):
        folder.mkdir(parents=True)
    monkeypatch.setattr("sys.prefix", str(venv))
    assert str(venv) in make_box(tmp_path, home=home, hermes_home=home / ".hermes").readable
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    box = make_box(tmp_path / "work", home=home, hermes_home=home / ".hermes")
    assert str(tmp_path) not in box.readable
