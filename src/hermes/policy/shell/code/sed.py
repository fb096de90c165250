"""Tell what sed scripts do: files that they read and write, and commands that they run."""

from __future__ import annotations

from hermes.policy.shell.effects import Effect, danger

_CALM_FILES = frozenset(("/dev/stdout", "/dev/stderr"))


def effects(code: str) -> list[Effect]:
    """Return what a sed script does besides editing what passes through."""
    reader = _Script(code)
    reader.read()
    return reader.found


class _Script:
    """A sed script that is read command by command."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.at = 0
        self.found: list[Effect] = []

    def read(self) -> None:
        """Read every command of the script."""
        while self.at < len(self.code):
            sign = self.code[self.at]
            if sign.isspace() or sign in ";{}!0123456789,~+$IM":
                self.at += 1
            elif sign == "#":
                self.line()
            elif sign == "/":
                self.delimited()
            elif sign == "\\":
                self.at += 1
                self.delimited()
            else:
                self.at += 1
                self.command(sign)

    def command(self, sign: str) -> None:
        """Read the rest of one command."""
        if sign == "s":
            self.substitution()
        elif sign == "y":
            self.delimited()
            self.at -= 1
            self.delimited()
        elif sign in "wW":
            self.file("write", self.line())
        elif sign in "rR":
            self.file("read", self.line())
        elif sign == "e":
            self.run(self.line())
        elif sign in "aic":
            self.text()
        elif sign in ":btT":
            self.word()

    def substitution(self) -> None:
        """Read ``s/…/…/flags`` after its letter."""
        self.delimited()
        self.at -= 1
        new = self.delimited()
        while self.at < len(self.code):
            flag = self.code[self.at]
            if flag == "w":
                self.at += 1
                self.file("write", self.line())
                return
            if flag == "e":
                self.run("")
                self.run(new.replace("\\", ""))
            if not flag.isalnum():
                return
            self.at += 1

    def delimited(self) -> str:
        """Read from one delimiter to the next, and return what stands between."""
        if self.at >= len(self.code):
            return ""
        sign, start = self.code[self.at], self.at + 1
        at = start
        while at < len(self.code) and self.code[at] != sign:
            at += 2 if self.code[at] == "\\" else 1
        self.at = at + 1
        return self.code[start:at]

    def line(self) -> str:
        """Read to the end of the line."""
        end = self.code.find("\n", self.at)
        end = len(self.code) if end < 0 else end
        text = self.code[self.at : end]
        self.at = end
        return text.strip()

    def text(self) -> None:
        """Read the text of a, i and c, which goes on after a backslash at the end of a line."""
        while self.line().endswith("\\") and self.at < len(self.code):
            self.at += 1

    def word(self) -> None:
        """Read a label."""
        while self.at < len(self.code) and self.code[self.at] not in ";\n}":
            self.at += 1

    def file(self, kind: str, path: str) -> None:
        """Remember a file."""
        path = path.strip(" '\"")
        if path and path not in _CALM_FILES:
            self.found.append(Effect("write" if kind == "write" else "read", path))

    def run(self, command: str) -> None:
        """Remember a command, or that lines of the input are run."""
        command = command.strip()
        if command and command != "}":
            self.found.append(Effect("run", command))
        else:
            self.found.append(danger("opaque", "runs lines of its input as commands"))
