"""Go by go test."""

from __future__ import annotations

import json
import re

from hermes.environments.programs import Program, Ran
from hermes.environments.projects import Project
from hermes.services.testing.contract import Case, Outcome, Report, Work, few, shortened

_OUTCOMES: dict[str, Outcome] = {"pass": "passed", "fail": "failed", "skip": "skipped"}
_PLACE = re.compile(r"^\s*(?P<file>[^\s:]+\.go):(?P<line>\d{1,9}): ?(?P<message>.*)$")
_SHARE = re.compile(r"coverage: (?P<percent>[\d.]{1,8})% of statements")


class Go:
    """Tests of a Go module, told as they end."""

    name = "go"
    program = "go"
    install = "install Go from https://go.dev/dl (apt install golang-go)"
    suffixes: tuple[str, ...] = (".go",)

    def __init__(self) -> None:
        self._said: dict[tuple[str, str], list[str]] = {}

    def reason(self, project: Project) -> str | None:
        """Run modules."""
        return "go.mod" if project.find("go.mod") else None

    def start(self, work: Work) -> Program:
        """Return what runs the tests of the packages that were asked for."""
        self._said = {}
        words = ["test", "-json"]
        if work.filter:
            words.append(f"-run={work.filter}")
        if work.coverage:
            words.append("-cover")
        home = work.project.home_of("go.mod")
        packages = [_package(each, home) for each in work.targets]
        return work.run([*words, *(packages or ["./..."])], home)

    def hear(self, work: Work, report: Report, stream: int, line: str) -> None:
        """Take an event."""
        del work
        try:
            told = json.loads(line) if stream == 0 else None
        except (ValueError, RecursionError):
            return
        if not isinstance(told, dict):
            return
        package, test = str(told.get("Package") or ""), str(told.get("Test") or "")
        action, name = str(told.get("Action")), f"{package}.{test}"
        if action == "output":
            said = self._said.setdefault((package, test), [])
            said.append(str(told.get("Output") or "").rstrip("\n"))
            if found := _SHARE.search(said[-1]):
                report.coverage.setdefault("packages", {})[package] = found["percent"]
        elif action == "run":
            report.running[name] = None
        elif action in _OUTCOMES and test:
            report.add(self._case(name, _OUTCOMES[action], told, (package, test)))
        elif action == "fail" and not any(each.startswith(f"{package}.") for each in report.cases):
            said = self._said.get((package, ""), [])
            report.add(Case(package, "error", message=shortened("\n".join(said)), lines=few(said)))

    def _case(
        self, name: str, outcome: Outcome, told: dict[str, object], key: tuple[str, str]
    ) -> Case:
        said = [
            line for line in self._said.pop(key, []) if not line.lstrip().startswith(("===", "---"))
        ]
        place = next((found for line in said if (found := _PLACE.match(line))), None)
        seconds = told.get("Elapsed")
        return Case(
            name,
            outcome,
            float(seconds) if isinstance(seconds, int | float) else 0.0,
            shortened(place["message"] if place else "\n".join(said))
            if outcome != "passed"
            else "",
            place["file"] if place else "",
            int(place["line"]) if place else 0,
            few(said) if outcome == "failed" else (),
        )

    def finish(self, work: Work, report: Report, ran: Ran) -> None:
        """Tell why nothing ran."""
        del work
        if not report.cases and ran.code != 0:
            report.trouble = ran.complaint


def _package(path: str, home: str) -> str:
    """Return a path as go names packages; of a file, the one that it belongs to."""
    below = path.removeprefix(home).strip("/")
    if path.endswith(".go"):
        return f"./{below.rpartition('/')[0]}".rstrip("/") or "."
    return f"./{below}/..." if below else "./..."
