"""Frames come out as they went in, however they are cut on their way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.services.scripting.framing import Reader, Unreadable, framed

FRAMES = st.lists(st.tuples(st.sampled_from([b"c", b"a", b"o"]), st.binary(max_size=50)))


@given(FRAMES, st.lists(st.integers(1, 20)))
def test_frames_survive_any_cut(frames, cuts):
    data = b"".join(framed(kind, content) for kind, content in frames)
    heard = []
    reader = Reader(lambda kind, content: heard.append((kind, content)))
    for cut in [*cuts, len(data) + 1]:
        part, data = data[:cut], data[cut:]
        reader.feed(part)
    assert heard == frames


def test_a_frame_beyond_all_measure_is_refused_before_it_comes():
    with pytest.raises(Unreadable):
        Reader(lambda kind, content: None).feed(b"\xff\xff\xff\xffc")
