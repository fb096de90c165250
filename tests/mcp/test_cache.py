import pytest

from hermes.config.servers import server_of
from hermes.mcp.cache import Cache, Known, identity_of, stamp_of
from hermes.mcp.definitions import ServerDefinitions, ToolDefinition

TOOL = ToolDefinition("a", description="A.", input_schema={"type": "object"})
KNOWN = Known(ServerDefinitions({"name": "s"}, tools=(TOOL,)), (TOOL,), (("b", "changed"),))


def test_what_is_known_survives_a_start(tmp_path):
    Cache(str(tmp_path)).write("S", 1, (2, 3), KNOWN)
    assert Cache(str(tmp_path)).read("s", 1, (2, 3)) == (KNOWN, True)
    assert Cache(str(tmp_path)).read("s", 1, (9, 9)) == (KNOWN, False)
    assert Cache(str(tmp_path)).read("s", 7, (2, 3)) == (None, False)
    assert (tmp_path / "s.bin").stat().st_mode & 0o077 == 0


def test_tools_that_were_cleaned_are_kept_as_they_are_offered(tmp_path):
    known = KNOWN._replace(admitted=(TOOL._replace(description="Clean."),))
    Cache(str(tmp_path)).write("s", 1, (0, 0), known)
    assert Cache(str(tmp_path)).read("s", 1, (0, 0)) == (known, True)


@pytest.mark.parametrize("damage", [b"", b"\0" * 3, b"garbage", None])
def test_a_damaged_file_is_as_good_as_none(tmp_path, damage):
    cache = Cache(str(tmp_path))
    cache.write("s", 1, (0, 0), KNOWN)
    file = tmp_path / "s.bin"
    file.write_bytes(file.read_bytes()[:-5] if damage is None else damage)
    assert cache.read("s", 1, (0, 0)) == (None, False)


def test_forgetting_removes_the_file(tmp_path):
    cache = Cache(str(tmp_path))
    cache.write("s", 1, (0, 0), KNOWN)
    assert cache.stamp("s") != (0, 0)
    cache.forget("s")
    cache.forget("s")
    assert cache.stamp("s") == stamp_of(str(tmp_path / "none")) == (0, 0)


def test_the_identity_of_a_server_holds_no_values_of_its_variables():
    one = server_of("s", {"command": "x", "env": {"TOKEN": "first"}})
    assert identity_of(one) == identity_of(server_of("s", {"command": "x", "env": {"TOKEN": "2"}}))
    assert identity_of(one) != identity_of(server_of("s", {"command": "y", "env": {"TOKEN": "2"}}))


def test_no_secret_reaches_the_cache(runtime_of, home, monkeypatch):
    from tests.mcp.conftest import plain

    monkeypatch.setenv("PLAIN_TOKEN", "very-secret-value")
    runtime = runtime_of({"plain": plain(env={"GIVEN_TOKEN": "${PLAIN_TOKEN}"})})
    answer = runtime.call_sync("mcp-plain:environment", {})
    assert "GIVEN_TOKEN" in answer
    runtime.close()
    for file in home.rglob("*"):
        if file.is_file() and "results" not in file.parts:
            assert b"very-secret-value" not in file.read_bytes(), file
