import pytest

from hermes.cli.reference import main, pages


def test_pages_are_written_and_found_fresh(tmp_path, capsys):
    assert main(["--folder", str(tmp_path / "new")]) == 0
    names = {"tools.md", "toolsets.md", "config.md", "cli.md"}
    assert {page.name for page in (tmp_path / "new").iterdir()} == names
    assert main(["--folder", str(tmp_path / "new"), "--check"]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("change", ["missing", "stale"])
def test_a_stale_page_fails_the_check_with_a_difference(tmp_path, capsys, change):
    main(["--folder", str(tmp_path)])
    page = tmp_path / "config.md"
    if change == "missing":
        page.unlink()
    else:
        page.write_text(page.read_text().replace("`300`", "`301`"))
    assert main(["--folder", str(tmp_path), "--check"]) == 1
    assert "+" in capsys.readouterr().out
    assert page.exists() == (change == "stale")


def test_pages_do_not_depend_on_the_machine(tmp_path, monkeypatch):
    before = pages()
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("PATH", "")
    assert pages() == before
    assert str(tmp_path) not in "".join(before.values())


def test_pages_tell_of_tools_settings_and_commands():
    made = pages()
    assert "### sleep" in made["tools.md"]
    assert "| `seconds` | number | yes |" in made["tools.md"]
    assert "`system`" in made["toolsets.md"]
    assert "| `tools.timeout_seconds` | a number of seconds above 0 | `300` |" in made["config.md"]
    assert "### hermes tool call" in made["cli.md"]
    assert all(not line.rstrip().endswith("|\\|") for line in made["tools.md"].splitlines())
