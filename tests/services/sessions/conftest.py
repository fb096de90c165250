import pytest

from hermes.services.sessions import Sessions


@pytest.fixture
def sessions(tmp_path):
    kept = Sessions(tmp_path / "state.db")
    yield kept
    kept.close()
