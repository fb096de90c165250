from hypothesis import given
from hypothesis import strategies as st

from hermes.services.files import windows
from hermes.services.files.disk import Found
from hermes.services.files.windows import Index, last_lines, window

CONTENT = st.lists(st.sampled_from([b"a", b"bb", b"\n", b"\r\n", b"\r", b"xyz" * 9]), max_size=40)


class InMemory:
    """A file that is bytes, and counts how many were asked for."""

    def __init__(self, data, name="f"):
        self.data, self.asked = data, 0
        self.found = Found(f"/{name}", "file", len(data), 0o644, 1, hash(data))

    def read(self, offset, size):
        part = self.data[offset : offset + size]
        self.asked += len(part)
        return part


def plain(data):
    """Return the lines of bytes in the plainest way."""
    lines = data.split(b"\n")
    return lines if lines[-1] else lines[:-1]


def texts(found):
    return [line.data + b"\r" * line.has_return for line in found.lines]


@given(CONTENT, st.integers(0, 12), st.integers(1, 12), st.integers(1, 9))
def test_a_window_is_what_a_plain_split_gives(monkeypatch_module, parts, first, most, block):
    monkeypatch_module.setattr(windows, "_BLOCK", block)
    data = b"".join(parts)
    found = window(InMemory(data), first, most, Index())
    assert texts(found) == plain(data)[first : first + most]
    assert found.total == len(plain(data))


@given(CONTENT, st.integers(1, 12), st.integers(1, 12), st.integers(1, 9))
def test_the_last_lines_are_those_of_a_plain_split(monkeypatch_module, parts, back, most, block):
    monkeypatch_module.setattr(windows, "_BLOCK", block)
    data = b"".join(parts)
    first, found = last_lines(InMemory(data), back, most, Index())
    assert texts(found) == plain(data)[-back:][:most]
    assert first == max(0, len(plain(data)) - back)


@given(CONTENT, st.integers(1, 12), st.integers(1, 12))
def test_the_last_lines_of_a_file_too_large_to_count_have_no_number(
    monkeypatch_module, parts, back, most
):
    data = b"".join(parts)
    with monkeypatch_module.context() as patch:
        patch.setattr(windows, "COUNTED_BYTES", -1)
        first, found = last_lines(InMemory(data), back, most, Index())
    assert texts(found) == plain(data)[-back:][:most]
    assert first == (0 if len(plain(data)) <= back else -1)


@given(CONTENT, st.lists(st.integers(0, 40), max_size=6), st.integers(1, 5))
def test_what_is_remembered_of_a_file_changes_no_answer(monkeypatch_module, parts, asked, every):
    monkeypatch_module.setattr(windows, "_BLOCK", 4)
    monkeypatch_module.setattr(windows, "_MARK_EVERY", every)
    file, index = InMemory(b"".join(parts)), Index()
    for first in asked:
        assert texts(window(file, first, 3, index)) == plain(file.data)[first : first + 3]


def test_the_head_of_a_large_file_is_all_that_is_read():
    file = InMemory(b"line\n" * 8_000_000)
    found = window(file, 0, 10, Index())
    assert (len(found.lines), found.total, found.at_least) == (10, None, 10)
    assert file.asked <= 1 << 20


def test_a_second_look_into_a_large_file_starts_near_by(monkeypatch):
    monkeypatch.setattr(windows, "COUNTED_BYTES", 0)
    file, index = InMemory(b"line\n" * 8_000_000), Index()
    window(file, 7_000_000, 3, index)
    before = file.asked
    assert texts(window(file, 7_000_000, 3, index)) == [b"line"] * 3
    assert file.asked - before < 20 << 20


def test_one_endless_line_costs_little_memory():
    found = window(InMemory(b"x" * 50_000_000), 0, 5, Index())
    assert (found.lines[0].size, len(found.lines[0].data), found.total) == (50_000_000, 16_000, 1)


def test_a_changed_file_is_looked_at_anew():
    index = Index()
    assert texts(window(InMemory(b"a\nb\n"), 0, 9, index)) == [b"a", b"b"]
    assert texts(window(InMemory(b"c\n"), 0, 9, index)) == [b"c"]
