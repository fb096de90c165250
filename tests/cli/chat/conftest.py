"""A terminal that is small enough to be understood, and refuses what a chat must not send."""

import re

import pytest

_TOKEN = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])|(\x1b.?)|([\s\S])")


class Terminal:
    """Rows of text with a cursor; styles are kept beside it, anything else unknown is an error."""

    def __init__(self, columns=60, lines=20):
        self.columns, self.lines = columns, lines
        self.rows = [""]
        self.row = self.column = 0
        self.styles = []
        self.is_cursor_hidden = False

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
