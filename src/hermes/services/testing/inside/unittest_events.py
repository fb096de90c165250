"""Run unittest and tell of every test as it ends. Runs anywhere: nothing of hermes is imported."""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
import unittest
from typing import Any

from hermes.services.testing.inside.measuring import measuring, told

_SKIPPED = ("node_modules", "venv", "__pycache__", "build", "dist", "target")


class Told(unittest.TestResult):
    """A result that prints an object a line."""

    def __init__(self, word: str) -> None:
        super().__init__()
        self._word, self._out = word, os.dup(1)
        self._since = 0.0
        self.buffer = True

    def tell(self, **event: Any) -> None:
        """Print an event."""
        line = f"\x1e{self._word} {json.dumps(event)}\n"
        os.write(self._out, line.encode("utf-8", "replace"))

    def startTest(self, test: Any) -> None:
        """Tell that a test begins."""
        super().startTest(test)
        self._since = time.monotonic()
        self.tell(event="start", test=test.id())

    def addSuccess(self, test: Any) -> None:
        """Tell of a success."""
        self._case(test, "passed")

    def addSkip(self, test: Any, reason: str) -> None:
        """Tell of a test that was not run."""
        self._case(test, "skipped", message=reason)

    def addExpectedFailure(self, test: Any, err: Any) -> None:
        """Tell of a failure that is no news."""
        del err
        self._case(test, "skipped", message="expected to fail")

    def addUnexpectedSuccess(self, test: Any) -> None:
        """Tell of a success that is."""
        super().addUnexpectedSuccess(test)
        self._case(test, "failed", message="it was expected to fail, and did not")

    def addFailure(self, test: Any, err: Any) -> None:
        """Tell of a failure."""
        super().addFailure(test, err)
        self._broken(test, "failed", err)

    def addError(self, test: Any, err: Any) -> None:
        """Tell of an error."""
        super().addError(test, err)
        self._broken(test, "error", err)

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        """Tell of a part of a test that failed."""
        super().addSubTest(test, subtest, err)
        if err is not None:
            is_failure = issubclass(err[0], test.failureException)
            self._broken(subtest, "failed" if is_failure else "error", err)

    def _broken(self, test: Any, outcome: str, err: Any) -> None:
        frames = [each for each in traceback.extract_tb(err[2]) if not _is_inside(each.filename)]
        last = frames[-1] if frames else None
        text = "".join(traceback.format_exception_only(err[0], err[1])).strip()
        buffer = getattr(self, "_stdout_buffer", None)
        self._case(
            test,
            outcome,
            message=text[:3000],
            file=last.filename if last else "",
            line=last.lineno if last else 0,
            lines=["> " + (each.line or "") for each in frames[-3:]]
            + ["E " + each for each in text.splitlines()[-8:]],
            output=buffer.getvalue()[-1000:] if buffer is not None else "",
        )

    def _case(self, test: Any, outcome: str, **more: Any) -> None:
        seconds = time.monotonic() - self._since if self._since else 0.0
        self.tell(event="case", test=test.id(), outcome=outcome, seconds=seconds, **more)


def _is_inside(path: str) -> bool:
    return os.path.dirname(path) == os.path.dirname(unittest.__file__)


def _suite(loader: unittest.TestLoader, target: str) -> unittest.TestSuite:
    """Return the tests of a file, or of all files below a folder, packages or not; each once."""
    files = _files(target) if os.path.isdir(target) else [target]
    found: dict[str, unittest.TestCase] = {}
    for path in files:
        folder, name = os.path.split(path)
        for test in _flat(loader.discover(folder, pattern=name, top_level_dir=_top(folder))):
            found.setdefault(test.id(), test)
    return unittest.TestSuite(found.values())


def _files(folder: str) -> list[str]:
    found = []
    for above, folders, names in os.walk(folder):
        folders[:] = sorted(each for each in folders if each not in _SKIPPED and each[0] != ".")
        found += [os.path.join(above, name) for name in sorted(names) if _is_test(name)]
    return found


def _is_test(name: str) -> bool:
    return name.endswith("_test.py") or (name.startswith("test") and name.endswith(".py"))


def _flat(suite: Any) -> list[Any]:
    if not isinstance(suite, unittest.TestSuite):
        return [suite]
    return [test for each in suite for test in _flat(each)]


def _top(folder: str) -> str:
    """Return the folder that a package is imported from."""
    while os.path.exists(os.path.join(folder, "__init__.py")):
        folder = os.path.dirname(folder)
    return folder


def main() -> int:
    """Run the tests that the arguments name."""
    word, pattern, targets = sys.argv[1], sys.argv[3], sys.argv[4:]
    loader = unittest.TestLoader()
    if pattern:
        loader.testNamePatterns = [pattern if "*" in pattern else f"*{pattern}*"]
    result = Told(word)
    cov = measuring(result.tell, wanted=sys.argv[2] == "coverage")
    suite = unittest.TestSuite(_suite(loader, target) for target in targets)
    result.tell(event="expected", count=suite.countTestCases())
    suite.run(result)
    told(result.tell, cov)
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
