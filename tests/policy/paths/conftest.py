"""A small machine in a folder: a home with secrets, a workspace, and hermes's own home."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from hermes.policy.paths import Places, concern


class Machine(NamedTuple):
    """The machine's folders, and one question to ask about it."""

    base: object
    home: object
    work: object
    places: Places

    def decide(self, verb, path, *, is_recursive=False, cwd=None):
        """Return the decision and category about a path; None when it is fine."""
        found = concern(
            verb, str(path), self.places, str(cwd or self.work), is_recursive=is_recursive
        )
        return found and (found.decision, found.category)


@pytest.fixture
def machine(tmp_path):
    base = tmp_path.resolve()
    home, work, scratch = base / "home/dev", base / "home/dev/work", base / "scratch"
    for folder in (work / "src", work / ".git/hooks", home / ".ssh", home / ".hermes", scratch):
        folder.mkdir(parents=True)
    for file in (".ssh/id_rsa", ".netrc", ".bashrc", "notes.txt", ".hermes/config.yaml"):
        (home / file).write_text("x")
    (work / "src/app.py").write_text("x")
    places = Places((str(work),), str(home), str(home / ".hermes"), (str(scratch),))
    return Machine(base, home, work, places)
