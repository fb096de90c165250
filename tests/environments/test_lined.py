"""A program behind a real terminal: its streams are clean, bounded, and end when the host does."""

import contextlib
import fcntl
import os
import pty
import shutil
import struct
import subprocess
import termios
import threading
import zlib

import pytest

from hermes.environments import bootstrap
from hermes.environments.inside.line import Line
from hermes.environments.lined import Lined

EVERY_BYTE = bytes(range(256)) * 300


class Screen:
    """A terminal of this machine with a shell in it."""

    def __init__(self, shell=("/bin/bash", "--norc", "-i"), path="/usr/bin:/bin"):
        self.master, slave = pty.openpty()
        self.shell = subprocess.Popen(
            shell,
            env={"PATH": path, "TERM": "dumb"},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)
        self.program = Lined(self, lambda _: None)
        self.thread = threading.Thread(target=self._show)
        self.thread.start()

    def _show(self):
        with contextlib.suppress(OSError):
            while data := os.read(self.master, 1 << 15):
                self.program.arrive(data)
        self.program.over(self.shell.wait(), "")

    def post(self, data):
        left = memoryview(data)
        while left:
            left = left[os.write(self.master, left) :]

    def kill(self):
        self.shell.kill()

    def release(self):
        pass

    def begin(self, *argv):
        self.post(bootstrap.typed(argv))
        assert self.program.clean.wait(5)
        self.program.begin()
        return self.program

    def close(self):
        self.shell.kill()
        self.thread.join(5)
        os.close(self.master)


@pytest.fixture
def screen():
    screen = Screen()
    yield screen
    screen.close()


def read_all(program, size=None):
    parts = b""
    while data := program.read():
        parts += data
        if size is not None and len(parts) >= size:
            break
    return parts


@pytest.mark.parametrize("shell", ["bash -i -l", "sh -i -l", "zsh -i -l"])
def test_every_byte_goes_through_a_terminal_as_it_is(shell):
    shell = shell.split()
    if shutil.which(shell[0]) is None:
        pytest.skip(f"needs {shell[0]} (apt package {shell[0]}): not installed")
    screen = Screen(shell)
    program = screen.begin("cat")
    writing = threading.Thread(target=program.write, args=(EVERY_BYTE * 10,))
    writing.start()
    got = read_all(program, len(EVERY_BYTE) * 10)
    writing.join(5)
    program.close()
    screen.close()
    assert got == EVERY_BYTE * 10


def test_the_exit_code_and_the_last_words_come_back(screen):
    program = screen.begin("/bin/sh", "-c", "echo out; echo words >&2; exit 7")
    assert read_all(program) == b"out\n"
    assert program.explain() == (7, "words")


def test_a_program_ends_when_its_input_does(screen):
    program = screen.begin("/bin/sh", "-c", "cat; echo bye")
    program.write(b"hello\n")
    program.close()
    assert read_all(program) == b"hello\nbye\n"


def test_a_shell_without_python_says_so():
    screen = Screen(path="/nowhere")
    program = screen.begin("cat")
    assert read_all(program) == b""
    code, words = program.explain()
    screen.close()
    assert code == 127
    assert "python3" in words


def test_a_killed_terminal_is_the_end_of_the_stream(screen):
    program = screen.begin("cat")
    program.kill()
    assert read_all(program) == b""
    program.write(b"to nobody")


def test_a_program_whose_host_is_silent_ends(screen, monkeypatch):
    text = zlib.decompress(bootstrap.line()[9:]).decode()
    short = text.replace("SILENCE_SECONDS = 4 * BEAT_SECONDS", "SILENCE_SECONDS = 0.2")
    assert short != text
    packed = zlib.compress(short.encode())
    sent = b"%09d" % len(packed) + packed
    monkeypatch.setattr("hermes.environments.lined.line", lambda: sent)
    program = screen.begin("/bin/sh", "-c", "cat; exit 5")
    assert read_all(program) == b""
    assert screen.shell.wait(5) == 5


def test_whoever_writes_waits_until_the_other_side_has_read():
    posted = []
    there = Line(lambda _: None)
    here = Line(posted.append)
    writing = threading.Thread(target=here.send, args=(b"x" * (1 << 20),))
    writing.start()
    writing.join(0.2)
    assert writing.is_alive()
    waiting = sum(map(len, posted))
    assert waiting <= (1 << 18) + 1000
    there._post, here._post = here.feed, there.feed
    for message in posted:
        there.feed(message)
    got = 0
    while got < 1 << 20:
        got += len(there.receive())
    writing.join(5)
    assert got == 1 << 20


def test_many_small_messages_wait_as_well():
    posted = []
    here = Line(posted.append)
    writing = threading.Thread(target=lambda: [here.send(b"x") for _ in range(1000)])
    writing.start()
    writing.join(0.2)
    waiting = len(posted)
    here.cut()
    writing.join(5)
    assert waiting == 64


@pytest.mark.parametrize(
    "raw",
    [
        struct.pack(">BI", 0, 1 << 31),
        struct.pack(">BI", 1, 3) + b"abc",
        struct.pack(">BI", 2, 3) + b"{no",
        struct.pack(">BI", 2, 1) + b"7",
        struct.pack(">BI", 2, 50000) + b"[" * 50000,
        (struct.pack(">BI", 0, 1 << 16) + b"x" * (1 << 16)) * 9,
    ],
    ids=["huge", "no counts", "no words", "no object", "too deep", "too much"],
)
def test_what_is_no_message_ends_the_line_and_nothing_else(raw):
    line = Line(lambda _: None)
    line.feed(raw)
    line.feed(raw)
    assert line.is_over.is_set()


def test_last_words_that_somebody_made_up_are_taken_as_text(screen):
    program = screen.begin("cat")
    words = b'{"code": "7", "words": ["odd"]}'
    program.arrive(struct.pack(">BI", 2, len(words)) + words)
    assert program.explain() == (None, "['odd']")
