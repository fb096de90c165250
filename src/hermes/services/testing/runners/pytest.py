"""Python by pytest."""

from __future__ import annotations

from hermes.environments.programs import Program, Ran
from hermes.environments.projects import Project
from hermes.services.testing.contract import QUIET, Report, Work, event, take
from hermes.services.testing.inside.reading import python_source

_HOMES = ("pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini")


class Pytest:
    """Python tests, of unittest's kind too; told by a plugin of ours as they end."""

    name = "pytest"
    program = "python"
    install = "pip install pytest"
    suffixes: tuple[str, ...] = (".py",)

    def reason(self, project: Project) -> str | None:
        """Run Python projects."""
        return "Python files" if project.with_suffix(self.suffixes) else None

    def start(self, work: Work) -> Program:
        """Return what runs the tests."""
        words = ["-c", python_source("pytest_events.py"), work.word]
        words += ["coverage" if work.coverage else "-", "-q", "--color=no"]
        names = [f"{work.targets[0]}::{name}" for name in work.names]
        if work.filter:
            words.append(f"-k{work.filter}")
        words += names or work.targets
        home = work.project.home_of(*_HOMES) if work.project.find(*_HOMES) else work.site.cwd
        return Program((work.program, *words), home, env=QUIET, seconds=work.seconds)

    def hear(self, work: Work, report: Report, stream: int, line: str) -> None:
        """Take what our plugin tells."""
        if stream == 0 and (told := event(work, line)):
            take(report, told)

    def finish(self, work: Work, report: Report, ran: Ran) -> None:
        """Tell why nothing ran: a wrong option, a broken conftest.py."""
        del work
        if not report.cases and not report.missing and ran.code not in (0, 5):
            report.trouble = report.trouble or ran.complaint
