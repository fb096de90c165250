from hypothesis import given
from hypothesis import strategies as st

from hermes.services.files.searching.fuzzy import best

PATHS = [
    "src/hermes/services/files/searching/ripgrep.py", "src/hermes/services/files/reading.py",
    "src/hermes/tools/file/read_file.py", "tests/tools/file/test_read_file.py", "README.md",
    "docs/reference/tools.md", "src/app/UserController.ts", "src/app/users.ts", "config.py",
    "myconfig.py",
]  # fmt: skip


def first(pattern):
    return best(pattern, PATHS)[0]


def test_the_likeliest_file_comes_first():
    assert first("readfile") == "src/hermes/tools/file/read_file.py"
    assert first("ripgrep") == "src/hermes/services/files/searching/ripgrep.py"
    assert first("readme") == "README.md"
    assert first("uc") == "src/app/UserController.ts"
    assert first("config.py") == "config.py"
    assert first("docs tools") == "docs/reference/tools.md"


def test_a_file_without_the_letters_is_none():
    assert best("zzz", PATHS) == []
    assert best("  ", PATHS) == []


@given(st.text("abc/", max_size=5), st.lists(st.text("abc/.", min_size=1, max_size=9)))
def test_all_and_only_paths_with_the_letters_in_order_come(pattern, paths):
    def has_letters(path):
        rest = iter(path)
        return all(letter in rest for letter in pattern)

    wanted = sorted(filter(has_letters, paths)) if pattern else []
    assert sorted(best(pattern, paths)) == wanted
