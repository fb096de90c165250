"""Python by its own unittest."""

from __future__ import annotations

from hermes.environments.programs import Program, Ran
from hermes.environments.projects import Project
from hermes.services.testing.contract import QUIET, Report, Work, event, take
from hermes.services.testing.inside.reading import python_source


class Unittest:
    """Python tests where there is nothing but Python."""

    name = "unittest"
    program = "python"
    install = "install Python"
    suffixes: tuple[str, ...] = (".py",)

    def reason(self, project: Project) -> str | None:
        """Run Python projects."""
        return "Python files" if project.with_suffix(self.suffixes) else None

    def start(self, work: Work) -> Program:
        """Return what runs the tests; a test in a file is named like a filter."""
        pattern = work.filter or ".".join(work.names)
        words = ["-c", python_source("unittest_events.py"), work.word]
        words += ["coverage" if work.coverage else "-", pattern, *work.targets]
        return Program((work.program, *words), work.site.cwd, env=QUIET, seconds=work.seconds)

    def hear(self, work: Work, report: Report, stream: int, line: str) -> None:
        """Take what our result tells."""
        if stream == 0 and (told := event(work, line)):
            take(report, told)

    def finish(self, work: Work, report: Report, ran: Ran) -> None:
        """Tell why nothing ran."""
        del work
        if not report.cases and ran.code != 0:
            report.trouble = ran.complaint
