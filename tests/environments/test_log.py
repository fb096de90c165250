"""The log of a background command: read by cursor, bounded, followed without a gap."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.environments import log as logs
from hermes.environments.log import Log, Part


@pytest.fixture
def log(tmp_path):
    made = Log(tmp_path / "log")
    yield made
    made.close()


def test_a_cursor_gives_what_is_new(log):
    log.feed(0, b"one\n")
    first = log.read(0, 100)
    log.feed(1, b"two\n")
    assert first == Part(b"one\n", 0, 4, 4)
    assert log.read(first.end, 100) == Part(b"two\n", 4, 8, 8)
    assert log.read(8, 100) == Part(b"", 8, 8, 8)


def test_a_part_says_whether_more_follows(log):
    log.feed(0, b"0123456789")
    assert log.read(2, 3) == Part(b"234", 2, 5, 10)
    assert log.read(2, 3).is_cut
    assert not log.read(5, 100).is_cut
    assert log.read(99, 5) == Part(b"", 10, 10, 10)
    assert log.read(-5, 2) == Part(b"01", 0, 2, 10)


@given(st.lists(st.binary(min_size=1, max_size=30), max_size=40))
def test_a_rolling_log_keeps_the_newest_and_its_places(tmp_path_factory, parts):
    patch = pytest.MonkeyPatch()
    patch.setattr(logs, "_LARGEST", 32)
    log = Log(tmp_path_factory.mktemp("log") / "log")
    for part in parts:
        log.feed(0, part)
    everything = b"".join(parts)
    kept = log.read(0, 1000)
    assert kept.data == everything[kept.start :]
    assert kept.end == kept.total == len(everything)
    assert len(kept.data) >= min(32, len(everything))
    assert log.path.stat().st_size <= 64 + 30
    log.close()
    patch.undo()


def test_who_follows_hears_all_that_came_and_comes(log):
    heard = []
    log.feed(0, b"before")
    log.follow(heard.append)
    log.feed(1, b"after")
    assert heard == [b"before", b"after"]


def test_the_end_of_each_stream_is_at_hand(log):
    log.feed(0, b"x" * 10_000)
    log.feed(1, b"err")
    assert (len(log.last(0)), log.last(1)) == (4_096, b"err")


def test_a_closed_log_is_gone_and_takes_more_without_harm(log):
    log.feed(0, b"x")
    log.close()
    log.close()
    log.feed(0, b"late")
    assert not log.path.exists()
    assert log.read(0, 10).data == b""


def test_a_log_does_not_follow_a_link(tmp_path):
    (tmp_path / "target").write_text("kept")
    (tmp_path / "log").symlink_to(tmp_path / "target")
    with pytest.raises(OSError):
        Log(tmp_path / "log")
    assert (tmp_path / "target").read_text() == "kept"
