"""A path that was judged is judged again when it is used, by what it leads to then."""

import os

import pytest

from hermes import Runtime
from hermes.base.errors import Denied
from hermes.policy.permissions import Profile
from hermes.runtime.call_policy import described


@pytest.fixture
def check(tmp_path, monkeypatch):
    """Return what judges the paths of a call that reads notes.txt, and the folder it works in."""
    home, work = tmp_path / "home", tmp_path / "home" / "work"
    work.mkdir(parents=True)
    (home / ".ssh").mkdir()
    (home / ".ssh" / "id_ed25519").write_text("a key")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "state"))
    with Runtime(cwd=work) as rt:
        entry = rt.registry.get("read_file")
        call = described(entry, {"path": "notes.txt"}, ("file:read",), rt.task())
        yield rt.gate.policy.path_check(call, is_free=True), work


def test_a_file_that_became_another_name_of_a_secret_is_refused(check):
    judge, work = check
    os.link(work.parent / ".ssh" / "id_ed25519", work / "notes.txt")
    with pytest.raises(Denied):
        judge("read", str(work / "notes.txt"), is_sole=False)


def test_the_file_that_was_named_and_has_no_other_name_is_read(check):
    judge, work = check
    (work / "notes.txt").write_text("notes")
    judge("read", str(work / "notes.txt"), is_sole=True)


def test_where_a_link_leads_is_refused_although_it_has_no_other_name(check):
    judge, work = check
    with pytest.raises(Denied):
        judge("read", str(work.parent / ".ssh" / "id_ed25519"), is_sole=True)


def test_what_may_be_written_and_not_read_is_replaced(tmp_path, monkeypatch):
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "state"))
    (tmp_path / "notes.txt").write_text("old")
    with Runtime(cwd=tmp_path) as rt:
        rt.gate.profile = Profile("mine", allow=("file:write",))
        assert '"denied"' in rt.call_sync("read_file", {"path": "notes.txt"})
        answer = rt.call_sync("write_file", {"path": "notes.txt", "content": "new"})
    assert '"error"' not in answer
    assert (tmp_path / "notes.txt").read_text() == "new"
