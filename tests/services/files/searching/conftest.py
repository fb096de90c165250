import pytest

from hermes.services.files.searching import Wanted, finding, search


@pytest.fixture(params=["rg", "python"])
def engine(request, monkeypatch):
    """Search with ripgrep, and again without it."""
    if request.param == "python":
        monkeypatch.setattr(finding, "program", lambda: None)
    else:
        assert finding.program() is not None
    return request.param


@pytest.fixture
def put(folder):
    def put(files):
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    return put


@pytest.fixture
def look(work, engine):
    def look(pattern, *, work=work, seconds=30.0, is_stopped=lambda: False, **wanted):
        return search(work, Wanted(pattern, **wanted), seconds, is_stopped)

    return look


@pytest.fixture
def lines(look):
    def lines(pattern, **wanted):
        return [(hit["path"], hit["line"]) for hit in look(pattern, **wanted)["matches"]]

    return lines
