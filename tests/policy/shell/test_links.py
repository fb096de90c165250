"""Symbolic links: where they lead is what is read and written."""

import pytest
from tests.policy.shell.conftest import PLACE

from hermes.policy.shell.state import Place
from hermes.policy.shell.understanding import understand


def findings(command, place=PLACE):
    return [found.category for found in understand(command, place).findings]


@pytest.mark.parametrize(
    "command",
    [
        "ln -sf ~/.bashrc b && echo x >> b",
        "ln -s ~/.ssh/authorized_keys k; tee -a k < x.pub",
        "ln -s ~/.profile p && cp new.sh p",
    ],
)
def test_what_is_written_through_a_link_goes_where_it_leads(command):
    assert findings(command)


def test_a_link_that_is_replaced_is_not_written_through():
    assert findings("ln -s src/a.py b && ln -sf src/c.py b && mv d b") == []


@pytest.mark.parametrize(
    "command",
    [
        "tar chf out.tar docs",
        "tar -h -czf out.tgz docs",
        "rsync -aL docs/ out/",
        "cp -rL docs out",
        "zip -r out.zip docs",
    ],
)
def test_a_copy_of_what_links_lead_to_reads_it(tmp_path, command):
    keys = tmp_path / "home/.ssh"
    keys.mkdir(parents=True)
    (keys / "id_rsa").write_text("key")
    docs = tmp_path / "home/app/docs"
    docs.mkdir(parents=True)
    place = Place(str(docs.parent), PLACE.places._replace(home=str(tmp_path / "home")))
    place = place._replace(places=place.places._replace(workspace=(str(docs.parent),)))
    (docs / "a.md").write_text("x")
    (docs / "b.md").symlink_to("a.md")
    assert findings(command, place) == []
    (docs / "note.txt").symlink_to(keys / "id_rsa")
    assert "exfiltration" in findings(command, place)


@pytest.mark.parametrize(
    "command", ["tar cf out.tar docs", "cp -r docs out", "zip -ry out.zip docs"]
)
def test_a_copy_of_the_links_themselves_reads_nothing_behind_them(tmp_path, command):
    docs = tmp_path / "app/docs"
    docs.mkdir(parents=True)
    (docs / "note.txt").symlink_to("/home/dev/.ssh/id_rsa")
    place = Place(str(docs.parent), PLACE.places._replace(workspace=(str(docs.parent),)))
    assert findings(command, place) == []


def test_services_are_not_shown_where_their_settings_are_kept(tmp_path):
    place = Place(str(tmp_path), PLACE.places._replace(workspace=(str(tmp_path),)))
    assert findings("docker compose config", place) == []
    (tmp_path / ".env").write_text("PASSWORD=x")
    assert findings("docker compose config", place) == ["exfiltration"]
    assert findings("docker compose config --services", place) == []
