"""JavaScript by node's own test runner."""

from __future__ import annotations

import base64
import posixpath
import re
from dataclasses import replace

from hermes.base.errors import ToolError
from hermes.environments.programs import Program, Ran
from hermes.environments.projects import Project
from hermes.services.testing.contract import Report, Work, event, take
from hermes.services.testing.inside.reading import source

_TEST = re.compile(r"(?:^|[.\-_])test\.(?:js|mjs|cjs)$|^test-.*\.(?:js|mjs|cjs)$")
_SCRIPT = (".js", ".mjs", ".cjs")


class Node:
    """Tests that node itself runs; told by a reporter of ours as they end."""

    name = "node"
    program = "node"
    install = "install Node.js 20 or newer from https://nodejs.org"
    suffixes: tuple[str, ...] = _SCRIPT

    def reason(self, project: Project) -> str | None:
        """Run what is named like a test."""
        return "files named like tests" if _tests(project.files) else None

    def start(self, work: Work) -> Program:
        """Return what runs the tests."""
        files = [each for each in work.targets if each.endswith(_SCRIPT)] or _tests(
            work.project.files
        )
        if not files:
            raise ToolError("there are no files named like tests of node", code="no_tests")
        reporter = base64.b64encode(source("node_events.mjs").encode()).decode()
        words = ["--test", f"--test-reporter=data:text/javascript;base64,{reporter}"]
        if work.filter:
            words.append(f"--test-name-pattern={work.filter}")
        if work.coverage:
            words.append("--experimental-test-coverage")
        made = work.run([*words, *files], work.project.home_of("package.json"))
        return replace(made, env={**made.env, "HERMES_TEST_WORD": work.word})

    def hear(self, work: Work, report: Report, stream: int, line: str) -> None:
        """Take what our reporter tells."""
        if stream == 0 and (told := event(work, line)):
            take(report, told)

    def finish(self, work: Work, report: Report, ran: Ran) -> None:
        """Tell why nothing ran."""
        del work
        if not report.cases and ran.code != 0:
            report.trouble = ran.complaint


def _tests(files: tuple[str, ...]) -> list[str]:
    """Return the files that node itself would take for tests."""
    return [
        each
        for each in files
        if each.endswith(_SCRIPT) and (_TEST.search(posixpath.basename(each)) or "/test/" in each)
    ]
