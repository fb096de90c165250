"""A terminal that is small enough to be understood, and refuses what a chat must not send."""

import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios

import pytest

from hermes.cli.chat.greeting import MARK

_TOKEN = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])|(\x1b.?)|([\s\S])")


class Terminal:
    """Rows of text with a cursor; styles are kept beside it, anything else unknown is an error."""

    def __init__(self, columns=60, lines=20):
        self.columns, self.lines = columns, lines
        self.rows = [""]
        self.row = self.column = 0
        self.styles = []
        self.is_cursor_hidden = False

    encoding = "utf-8"

    def isatty(self):
        return True

    def flush(self):
        pass

    def fileno(self):
        raise OSError

    def write(self, text):
        for number, letter, escape, char in _TOKEN.findall(text):
            if escape:
                raise AssertionError(f"unknown escape {escape!r} in {text!r}")
            if letter:
                self._control(number, letter)
            else:
                self._put(char)

    def _control(self, number, letter):
        if letter == "A":
            self.row = max(self.row - int(number or 1), 0)
        elif letter == "J" and number == "":
            self.rows[self.row] = self.rows[self.row][: self.column]
            del self.rows[self.row + 1 :]
        elif letter == "m":
            self.styles.append(number)
        elif (number, letter) in (("?25", "l"), ("?25", "h")):
            self.is_cursor_hidden = letter == "l"
        else:
            raise AssertionError(f"unknown control {number}{letter}")

    def _put(self, char):
        if char == "\r":
            self.column = 0
        elif char == "\n":
            self.row += 1
            self.column = 0
            if self.row == len(self.rows):
                self.rows.append("")
        else:
            assert char.isprintable() or char == "\ufe0f", f"{char!r} reached the terminal"
            row = self.rows[self.row].ljust(self.column)
            self.rows[self.row] = row[: self.column] + char + row[self.column + 1 :]
            self.column += 1

    @property
    def text(self):
        """What is on it, without the empty rows at its end."""
        return "\n".join(row.rstrip() for row in self.rows).rstrip("\n")


@pytest.fixture
def terminal():
    return Terminal()


SECONDS = 20
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\r")


class Talk:
    """The chat on a terminal: type, wait for what is seen, and leave."""

    def __init__(self, words, environ, folder, columns=80):
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        self._leader = leader
        self.raw = b""
        self._read_to = 0
        self.process = subprocess.Popen(
            [sys.executable, "-m", "hermes", *words],
            env=environ,
            cwd=folder,
            stdin=follower,
            stdout=follower,
            stderr=follower,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(follower, termios.TIOCSCTTY, 0),
        )
        os.close(follower)

    @property
    def seen(self):
        """Everything that was shown, without colours and movements."""
        return _ESCAPES.sub("", self.raw.decode("utf-8", "replace"))

    def see(self, text):
        """Wait until a text is shown that was not waited for before."""
        while text not in self.seen[self._read_to :]:
            assert self._read(), f"{text!r} never came: {self.seen[self._read_to :]!r}"
        self._read_to = self.seen.index(text, self._read_to) + len(text)

    def type(self, keys):
        os.write(self._leader, keys.encode())

    def say(self, text):
        """Wait for the prompt and send a line."""
        self.see(MARK.strip())
        self.type(f"{text}\r")

    def leave(self, keys="\x04"):
        """Leave, and return the exit code."""
        self.see(MARK.strip())
        self.type(keys)
        return self.end()

    def end(self):
        """Wait for the end, and return the exit code."""
        while self._read():
            pass
        return self.process.wait(SECONDS)

    def _read(self):
        if not select.select([self._leader], [], [], SECONDS)[0]:
            return False
        try:
            chunk = os.read(self._leader, 65536)
        except OSError:  # Linux says so when the other end is closed
            return False
        self.raw += chunk
        for _ in range(chunk.count(b"\x1b[6n")):  # it asks where the cursor is
            os.write(self._leader, b"\x1b[1;1R")
        return bool(chunk)

    def close(self):
        self.process.kill()
        self.process.wait(SECONDS)
        os.close(self._leader)


@pytest.fixture
def script(tmp_path):
    """Return a function that writes a script and returns the name of its model."""

    def write(*steps):
        file = tmp_path / "script.json"
        file.write_text(json.dumps({"steps": list(steps)}))
        return f"scripted:{file}"

    return write


@pytest.fixture
def folder(tmp_path):
    """Return the folder that the chat works in."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.txt").write_text("one\ntwo\n")
    return folder


@pytest.fixture
def talk(environ, folder):
    """Return a function that opens the chat; whatever is still open is closed."""
    opened = []

    def start(*words, columns=80, **variables):
        opened.append(Talk(words, environ | variables, folder, columns))
        return opened[-1]

    yield start
    for each in opened:
        each.close()
