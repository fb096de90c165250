import pytest

from hermes.services.machine.units import duration, size


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (1536, "1.5 KiB"),
        (1024**2 - 1, "1.0 MiB"),
        (8_372_224_000, "7.8 GiB"),
        (2 * 1024**5, "2.0 PiB"),
        (2 * 1024**6, "2048.0 PiB"),
    ],
)
def test_sizes_read_as_people_write_them(count, text):
    assert size(count) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (59.9, "59 s"),
        (725, "12 min 5 s"),
        (3_600, "1 h 0 min"),
        (273_900, "3 d 4 h"),
    ],
)
def test_times_name_their_two_largest_parts(seconds, text):
    assert duration(seconds) == text
