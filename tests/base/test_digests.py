import hashlib
import threading

from hermes.base import digests
from hermes.base.digests import Digests, digest_of_text


def test_the_digest_of_a_text_is_that_of_its_bytes():
    assert digest_of_text("grün") == hashlib.sha256("grün".encode()).hexdigest()


def test_the_very_same_text_is_read_once_by_all_threads(monkeypatch):
    read, both, found = [], threading.Barrier(2, timeout=5), []
    monkeypatch.setattr(digests, "digest_of_text", lambda text: read.append(text) or text[:1])
    known, text = Digests(), "a" * 100

    def ask():
        both.wait()
        found.append(known.of(text))

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5)
    assert (found, len(read)) == (["a", "a"], 1)
    assert known.of("b" * 100) == "b"
