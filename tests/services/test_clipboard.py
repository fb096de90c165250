import asyncio

import pytest

from hermes.base.errors import InvalidArguments, TimedOut, Unavailable
from hermes.services import clipboard as module
from hermes.services.clipboard import MAX_BYTES, Clipboard

NO_DESKTOP = {"PATH": "/usr/bin:/bin"}


def read(board, task="t"):
    return asyncio.run(board.read(task))


def write(board, text, task="t"):
    return asyncio.run(board.write(task, text))


@pytest.fixture
def programs(tmp_path):
    """Make a folder of stand-in programs; each is a shell script."""

    def make(**scripts):
        for name, script in scripts.items():
            path = tmp_path / name.replace("_", "-")
            path.write_text(f"#!/bin/sh\n{script}\n")
            path.chmod(0o755)
        return f"{tmp_path}:/usr/bin:/bin"

    make.folder = tmp_path
    return make


def test_without_a_desktop_the_clipboard_lives_in_the_process():
    board = Clipboard(NO_DESKTOP, platform="linux")
    assert read(board) == {"text": "", "backend": "process"}
    assert write(board, "grün\n") == {"written_characters": 5, "backend": "process"}
    assert read(board) == {"text": "grün\n", "backend": "process"}


def test_two_tasks_do_not_see_each_others_process_clipboard():
    board = Clipboard(NO_DESKTOP, platform="linux")
    write(board, "mine", "a")
    assert read(board, "b")["text"] == ""
    board.forget("a")
    assert read(board, "a")["text"] == ""


def test_the_process_clipboards_of_many_tasks_stay_bounded():
    board = Clipboard(NO_DESKTOP, platform="linux")
    for number in range(100):
        write(board, str(number), f"task{number}")
    assert read(board, "task0")["text"] == ""
    assert read(board, "task99")["text"] == "99"


def test_a_desktop_without_a_clipboard_program_is_told():
    board = Clipboard({"PATH": "/nowhere", "DISPLAY": ":0"}, platform="linux")
    assert read(board) == {
        "text": "",
        "backend": "process",
        "hint": "The desktop's clipboard is out of reach: install xclip or xsel.",
    }


@pytest.mark.parametrize(
    ("environment", "present", "chosen"),
    [
        (
            {"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"},
            ["wl_paste", "wl_copy", "xclip"],
            module.WAYLAND,
        ),
        ({"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}, ["wl_paste", "xclip"], module.XCLIP),
        ({"DISPLAY": ":0"}, ["wl_paste", "wl_copy", "xclip", "xsel"], module.XCLIP),
        ({"DISPLAY": ":0"}, ["xsel"], module.XSEL),
    ],
)
def test_the_first_pair_of_programs_that_is_there_is_chosen(programs, environment, present, chosen):
    programs(**dict.fromkeys(present, "cat >/dev/null"))
    board = Clipboard({"PATH": str(programs.folder), **environment}, platform="linux")
    assert board._backend() is chosen


def test_macos_uses_its_own_pair(programs):
    kept = programs.folder / "kept"
    path = programs(pbcopy=f"cat >{kept}", pbpaste=f"cat {kept}; echo $LC_CTYPE $SECRET")
    board = Clipboard({"PATH": path, "SECRET": "s3cret"}, platform="darwin")
    assert write(board, "a'b\"c") == {"written_characters": 5, "backend": "pbcopy"}
    assert read(board) == {"text": "a'b\"cUTF-8\n", "backend": "pbcopy"}


def test_an_empty_selection_reads_as_no_text(programs):
    script = 'echo "Error: target TARGETS not available" >&2; exit 1'
    board = Clipboard({"PATH": programs(xclip=script), "DISPLAY": ":0"}, platform="linux")
    assert read(board) == {"text": "", "backend": "xclip"}


def test_a_picture_on_the_clipboard_is_named(programs):
    script = 'printf "TARGETS\\nimage/png\\n"'
    board = Clipboard({"PATH": programs(xclip=script), "DISPLAY": ":0"}, platform="linux")
    with pytest.raises(Unavailable, match="holds no text but image/png"):
        read(board)


def test_a_desktop_that_is_gone_is_an_error_in_its_own_words(programs):
    path = programs(xclip='cat >/dev/null; echo "Error: Can\'t open display: :9" >&2; exit 1')
    board = Clipboard({"PATH": path, "DISPLAY": ":9"}, platform="linux")
    for attempt in (lambda: read(board), lambda: write(board, "x")):
        with pytest.raises(Unavailable, match=r"xclip could not reach .*open display: :9"):
            attempt()


def test_a_huge_clipboard_is_cut(programs):
    script = "head -c 2000000 /dev/zero | tr '\\0' y"
    path = programs(xclip=f'case "$*" in *TARGETS*) echo UTF8_STRING;; *) {script};; esac')
    board = Clipboard({"PATH": path, "DISPLAY": ":0"}, platform="linux")
    got = read(board)
    assert (len(got["text"]), got["truncated"]) == (MAX_BYTES, True)


def test_a_clipboard_program_that_hangs_is_given_up(programs, monkeypatch):
    monkeypatch.setattr(module, "SECONDS", 0.2)
    board = Clipboard({"PATH": programs(xclip="exec sleep 60"), "DISPLAY": ":0"}, platform="linux")
    with pytest.raises(TimedOut):
        read(board)


@pytest.mark.parametrize("text", ["x" * (MAX_BYTES + 1), "\ud800"])
def test_text_that_does_not_fit_is_refused(text):
    with pytest.raises(InvalidArguments):
        write(Clipboard(NO_DESKTOP, platform="linux"), text)
