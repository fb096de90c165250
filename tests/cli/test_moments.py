import time
from datetime import UTC, datetime, timedelta

import pytest

from hermes.cli.command import Usage
from hermes.cli.moments import clock, moment, took

NOW = datetime(2030, 5, 6, 12, 30, 1, tzinfo=UTC)


def test_ages_and_times_are_understood():
    assert moment(None) is None
    assert abs(time.time() - 600 - moment("10m")) < 60
    assert abs(time.time() - 86_400 - moment("1d")) < 60
    assert moment("2030-01-31T12:00+00:00") == 1_896_091_200


@pytest.mark.parametrize("text", ["soon", "10", "m", "2030-13-01", ""])
def test_other_words_are_refused(text):
    with pytest.raises(Usage):
        moment(text)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, ""),
        (0.0, "0.0 ms"),
        (0.00042, "0.4 ms"),
        (0.00994, "9.9 ms"),
        (0.00996, "10 ms"),
        (0.1763, "176 ms"),
        (0.9994, "999 ms"),
        (0.9996, "1.0 s"),
        (12.34, "12.3 s"),
        (59.94, "59.9 s"),
        (59.96, "1 min 0 s"),
        (125, "2 min 5 s"),
        (3_725, "1 h 2 min"),
    ],
)
def test_a_duration_is_as_precise_as_a_person_wants_it(seconds, words):
    assert took(seconds) == words


@pytest.mark.parametrize(
    ("ago", "words"),
    [
        (timedelta(minutes=5), "12:25:01"),
        (timedelta(days=1), "May 05 12:30"),
        (timedelta(days=200), "2029-10-18"),
    ],
)
def test_a_moment_is_told_as_shortly_as_its_age_allows(ago, words):
    assert clock(NOW - ago, NOW) == words
